// The answer to a CREATE: [MS-SMB2] 3.3.5.9 "Response Construction".
#include "support/server/create.h"
#include "support/server/lease.h"
#include "support/server/session.h"

namespace smb3::server {
namespace {

constexpr std::uint32_t status_none_mapped = 0xC0000073;

// Contexts and the bytes that they are made of.
class Contexts {
 public:
  template <class C>
  void add(const C& typed) {
    storage_.push_back(std::make_unique<ByteBuffer>());
    list.push_back(wire::make_create_context(typed, *storage_.back()));
  }
  std::vector<wire::CreateContext> list;

 private:
  std::vector<std::unique_ptr<ByteBuffer>> storage_;
};

void add_lease(Contexts& contexts, const Lease& lease) {
  const auto flags = lease.breaking ? wire::LeaseFlags::break_in_progress : wire::LeaseFlags::none;
  if (lease.version == 1) {
    wire::LeaseV1 answer;
    answer.lease_key = lease.key;
    answer.lease_state = lease.state;
    answer.lease_flags = flags;
    return contexts.add(answer);
  }
  wire::LeaseV2 answer;
  answer.lease_key = lease.key;
  answer.lease_state = lease.state;
  answer.flags = flags;
  if (lease.parent_key) {
    answer.flags |= wire::LeaseFlags::parent_lease_key_set;
    answer.parent_lease_key = *lease.parent_key;
  }
  answer.epoch = lease.epoch;
  contexts.add(answer);
}

void add_maximal_access(Contexts& contexts, const Request& request, const Creation& creation,
                        const NodeStatus& status) {
  wire::QueryMaximalAccessResponse answer;
  if (creation.maximal_access_timestamp == status.change_time) {
    answer.query_status = status_none_mapped;
  } else {
    answer.maximal_access = request.tree->maximal_access;
    constexpr auto writes = wire::AccessMask::write_data | wire::AccessMask::append_data;
    if (!status.is_directory && has(status.attributes, wire::FileAttributes::readonly)) {
      answer.maximal_access &= ~writes;
    }
  }
  contexts.add(answer);
}

void add_durability(Contexts& contexts, const Creation& creation, const Open& open) {
  if (!open.is_durable) return;
  if (creation.durable_request) contexts.add(wire::DurableHandleResponse{});
  if (creation.durable_request_v2) {
    wire::DurableHandleResponseV2 answer;
    answer.timeout = open.durable_timeout_ms;
    if (open.is_persistent) answer.flags = wire::DurableHandleFlags::persistent;
    contexts.add(answer);
  }
}

// Told apart by the share's name: FNV-1a.
std::uint64_t volume_id_of(const Share& share) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : share.settings.name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  return hash;
}

}  // namespace

Answer create_answer(const Request& request, const Creation& creation, const Open& open) {
  const auto status = open.node->status();
  if (!status) return Answer::refusal(status.error());
  Contexts contexts;
  if (open.lease) add_lease(contexts, *open.lease);
  if (creation.query_maximal_access) {
    add_maximal_access(contexts, request, creation, *status);
  }
  if (creation.query_on_disk_id && !creation.reconnects()) {
    wire::QueryOnDiskIdResponse id;
    id.disk_file_id = status->file_index;
    id.volume_id = volume_id_of(*request.tree->share);
    contexts.add(id);
  }
  add_durability(contexts, creation, open);

  wire::CreateResponse response;
  response.oplock_level = open.oplock_level;
  if (status->reparse_tag != wire::ReparseTag::none &&
      !has(creation.options, wire::CreateOptions::open_reparse_point)) {
    response.flags = wire::CreateResponseFlags::reparsepoint;
  }
  response.create_action = open.action;
  response.creation_time = status->creation_time;
  response.last_access_time = status->last_access_time;
  response.last_write_time = status->last_write_time;
  response.change_time = status->change_time;
  response.allocation_size = status->allocated_bytes;
  response.end_of_file = status->size_bytes;
  response.file_attributes = status->attributes;
  response.file_id = open.id;
  response.contexts = std::move(contexts.list);
  return Answer::of(response);
}

}  // namespace smb3::server
