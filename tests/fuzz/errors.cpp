// The data of errors: contexts, and what a share redirect and a symbolic link say.
#include "fuzz/round_trip.h"

namespace smb3::fuzz {

void check_link(Bytes data) {
  auto link = wire::decode<wire::SymbolicLinkError>(data);
  if (!link) return;
  for (const auto& name : {wire::substitute_name(*link), wire::print_name(*link)}) {
    if (name) require(name->size() <= link->path_buffer.size(), "a name is longer than its buffer");
  }
}

void check(Bytes element) {
  auto response = wire::decode<wire::ErrorResponse>(element);
  if (!response) return;
  auto contexts = wire::error_contexts(*response);
  if (!contexts) return;
  for (const wire::ErrorContext& context : *contexts) {
    check_link(Exact(context.error_context_data).bytes());
    check_round_trip<wire::ShareRedirectError>(Exact(context.error_context_data).bytes());
  }
  if (response->error_context_count == 0) return;

  ByteBuffer data;
  wire::encode_error_contexts(*contexts, data);
  wire::ErrorResponse again;
  again.error_context_count = response->error_context_count;
  again.error_data = data.bytes();
  auto second = wire::error_contexts(again);
  require(second && second->size() == contexts->size(), "contexts do not survive a round trip");
  for (std::size_t i = 0; i < contexts->size(); ++i) {
    require((*second)[i].error_id == (*contexts)[i].error_id, "a context changes its ErrorId");
    require(std::ranges::equal((*second)[i].error_context_data, (*contexts)[i].error_context_data),
            "a context changes its data");
  }
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  Octets element(smb3::wire::header_bytes);
  element.insert(element.end(), input_of(data, size).begin(), input_of(data, size).end());
  check(Exact(element).bytes());
  return 0;
}
