// The scripted server's settings and faults.
#include "fuzz/fuzz.h"
#include "support/server/settings_json.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3;
  using namespace smb3::fuzz;
  const Exact exact(input_of(data, size));
  const std::string_view text = text_of(exact.bytes());
  auto settings = server::settings_from_json(text);
  require(!settings || !settings->nodes.empty(), "settings without a node");
  require(settings || !settings.error().what().empty(), "an error without words");
  auto fault = server::fault_from_json(text);
  require(fault || !fault.error().what().empty(), "an error without words");
  return 0;
}
