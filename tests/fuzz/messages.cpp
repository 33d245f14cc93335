// Every message and structure: the first byte says which, the others are its body.
#include "fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  if (size == 0 || data[0] >= std::size(decodables)) return -1;
  decodables[data[0]].check(input_of(data + 1, size - 1));
  return 0;
}
