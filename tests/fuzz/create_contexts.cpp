// The contexts of a CREATE, each taken as every context that has data.
#include "fuzz/round_trip.h"

namespace smb3::fuzz {

void check(const std::vector<wire::CreateContext>& contexts) {
  static_cast<void>(wire::find_lease(contexts));
  for (const wire::CreateContext& context : contexts) {
    const Exact exact(context.data);
    const Bytes data = exact.bytes();
    check_round_trip<wire::DurableHandleRequestV2>(data);
    check_round_trip<wire::DurableHandleResponseV2>(data);
    check_round_trip<wire::DurableHandleReconnectV2>(data);
    check_round_trip<wire::LeaseV1>(data);
    check_round_trip<wire::LeaseV2>(data);
    check_round_trip<wire::QueryMaximalAccessResponse>(data);
    check_round_trip<wire::QueryOnDiskIdResponse>(data);
    check_round_trip<wire::AppInstanceId>(data);
    check_round_trip<wire::AppInstanceVersion>(data);
    const std::string name(text_of(context.name));
    require(wire::find_context(contexts, name).has_value(), "a context is not found by its name");
  }
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3;
  using namespace smb3::fuzz;
  Input input(input_of(data, size));
  const bool response = input.byte() % 2 == 0;
  Octets element(wire::header_bytes);
  const Bytes body = input.rest();
  element.insert(element.end(), body.begin(), body.end());
  const Exact exact(element);
  if (response) {
    if (auto message = wire::decode<wire::CreateResponse>(exact.bytes())) check(message->contexts);
  } else {
    if (auto message = wire::decode<wire::CreateRequest>(exact.bytes())) check(message->contexts);
  }
  return 0;
}
