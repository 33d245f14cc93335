// The elements of a message, as a connection splits it, and what is decided by their headers alone.
#include "fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3;
  using namespace smb3::fuzz;
  const Bytes message = input_of(data, size);
  wire::CompoundSplitter splitter(message);
  std::size_t at = 0;
  while (true) {
    auto element = splitter.next();
    if (!element) {
      require(element.error().kind() == ErrorKind::protocol, "an error of another kind");
      auto behind = splitter.next();
      require(behind && !*behind, "the walk goes on behind an error");
      return 0;
    }
    if (!*element) break;
    const Bytes bytes = (*element)->bytes;
    require(bytes.data() == message.data() + at, "elements do not follow each other");
    require(bytes.size() >= wire::header_bytes + 2, "an element is too short");
    at += bytes.size();
    require(at == message.size() || bytes.size() % 8 == 0, "an element is not aligned");
    if (wire::has_error_body((*element)->header, bytes)) {
      auto error = wire::decode<wire::ErrorResponse>(bytes);
      if (error) static_cast<void>(wire::error_contexts(*error));
    }
    static_cast<void>(wire::protocol_id_of(bytes));
  }
  require(at == message.size(), "bytes of a message belong to no element");
  return 0;
}
