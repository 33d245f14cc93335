// The whole client at a server whose answers fit, but for what the fuzzer changes: see
// server_script.h for what its bytes mean.
#include "fuzz/client_visit.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  smb3::fuzz::visit_script(smb3::fuzz::input_of(data, size));
  return 0;
}
