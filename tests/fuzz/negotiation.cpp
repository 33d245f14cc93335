// The answer to NEGOTIATE with all its contexts: the fuzzer's bytes are its body.
#include "fuzz/client_visit.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  if (size > 0xFFFF) return -1;
  const Octets conversation(Conversation::bytes);
  Output input;
  input.raw(conversation).byte(own_body).block(input_of(data, size));
  visit_script(input.bytes(), true);
  return 0;
}
