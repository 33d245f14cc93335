#include "session/open.h"

#include "base/utf16.h"
#include "session/path_status.h"
#include "wire/flush.h"
#include "wire/query_info.h"
#include "wire/read.h"
#include "wire/set_info.h"
#include "wire/write.h"

#include <algorithm>

namespace smb3 {
namespace {

wire::FileTime to_wire(FileTime time) { return static_cast<wire::FileTime>(time); }

std::uint16_t charge_for(std::size_t bytes) {
  return static_cast<std::uint16_t>(bytes == 0 ? 1 : (bytes - 1) / limits::credit_bytes + 1);
}

// What was granted with the handle is not refused later, unless the server found a signature wrong:
// [MS-SMB2] 3.3.5.2.4.
Error refused(const Request& request, const char* operation) {
  Error error = status_error(request.status(), operation);
  const bool was_granted = request.command == wire::Command::read ||
                           request.command == wire::Command::write ||
                           request.command == wire::Command::close;
  if (!was_granted || request.level != ProtectionLevel::sign ||
      request.status() != NtStatus::access_denied) {
    return error;
  }
  return std::move(error).advise(
      "the server had granted it: the request may have been altered on its way");
}

}  // namespace

Result<std::vector<std::byte>> wire_path(std::string_view path) {
  std::string name(path);
  for (std::size_t start = 0; start < name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = std::string_view(name).substr(start, end - start);
    if (part.empty() || part == "." || part == "..") {
      return std::unexpected(
          Error(ErrorKind::local, "a path on a share may not hold empty components, '.' or '..'")
              .on(path));
    }
    start = end + 1;
    if (end + 1 == name.size()) {
      return std::unexpected(
          Error(ErrorKind::local, "a path on a share may not end with '/'").on(path));
    }
  }
  if (name.find('\\') != name.npos || name.find('\0') != name.npos) {
    return std::unexpected(
        Error(ErrorKind::local, "a name on a share may not hold '\\' or NUL").on(path));
  }
  std::replace(name.begin(), name.end(), '/', '\\');
  auto wide = to_utf16le(name);
  if (!wide) return std::unexpected(std::move(wide).error().on(path));
  if (wide->size() > 0xFFFE) {
    return std::unexpected(Error(ErrorKind::local, "the path is too long").on(path));
  }
  return wide;
}

namespace {

Task<Reply> call_prepared(TreeConnect& tree, Request& request, const char* operation,
                          NtStatus also) {
  Exchange exchange(request);
  auto answered = co_await attempt(tree.session().transact(exchange));
  if (!answered) co_return std::move(answered).error().during(operation);
  if (request.status() != NtStatus::success && request.status() != also) {
    co_return refused(request, operation);
  }
  co_return std::move(*request.reply);
}

// What opening changes is done once, however often it is asked for under one id: [MS-SMB2]
// 3.2.4.3.12 and 3.3.5.9.10. Opening what exists changes nothing.
bool changes_anything(const CreateParameters& parameters) noexcept {
  return parameters.disposition != wire::CreateDisposition::open ||
         wire::has(parameters.options, wire::CreateOptions::delete_on_close);
}

}  // namespace

Task<Reply> call(TreeConnect& tree, Request& request, const char* operation, NtStatus also) {
  tree.prepare(request);
  co_return co_await call_prepared(tree, request, operation, also);
}

std::string Open::display() const {
  const std::string& path = shown_path_.empty() ? path_ : shown_path_;
  return path.empty() ? tree_.name() : tree_.name() + "/" + path;
}

Task<std::unique_ptr<Open>> Open::create(TreeConnect& tree, std::string path,
                                         CreateParameters parameters) {
  std::unique_ptr<Open> open(new Open(tree, std::move(path)));
  const std::vector<std::byte> name = co_await wire_path(open->path_);
  wire::CreateRequest message;
  message.requested_oplock_level = parameters.oplock_level;
  message.desired_access = parameters.desired_access;
  message.file_attributes = parameters.file_attributes;
  message.share_access = parameters.share_access;
  message.create_disposition = parameters.disposition;
  message.create_options = parameters.options;
  message.name = name;
  ByteBuffer repeatable;
  const bool marked = changes_anything(parameters) && tree.session().takes_channels();
  if (marked) {
    wire::DurableHandleRequestV2 durable;
    tree.connection().reactor().random(durable.create_guid.bytes);
    message.contexts.push_back(wire::make_create_context(durable, repeatable));
  }
  Request request;
  request.set(message);
  tree.prepare(request);
  if (marked) request.repetition = Repetition::marked;
  if (!changes_anything(parameters)) request.repetition = Repetition::plain;
  auto reply = co_await attempt(call_prepared(tree, request, "CREATE", NtStatus::success));
  if (!reply) co_return std::move(reply).error().on(open->display());
  auto response = wire::decode<wire::CreateResponse>(reply->message);
  if (!response) co_return std::move(response).error().on(open->display());

  open->status_ = status_of(*response);
  open->record_.file_id = response->file_id;
  open->record_.session_id = tree.session().id();
  open->record_.tree_id = tree.id();
  open->record_.level = request.level;
  open->record_.oplock_level = static_cast<std::uint8_t>(response->oplock_level);
  tree.session().add_open(open->record_);
  co_return std::move(open);
}

Open::~Open() { tree_.session().remove_open(record_); }

std::uint32_t Open::most_bytes(std::uint64_t wanted, std::uint32_t server_limit) const noexcept {
  const std::uint64_t by_credits =
      std::uint64_t{tree_.session().charge_limit()} * limits::credit_bytes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {wanted, server_limit, by_credits, std::uint64_t{limits::chunk_bytes}}));
}

Task<ReadResult> Open::read(std::uint64_t offset, std::uint32_t length) {
  while (true) {
    wire::ReadRequest message;
    message.length = most_bytes(length, tree_.session().negotiated().max_read_bytes);
    message.offset = offset;
    message.file_id = record_.file_id;
    Request request;
    request.set(message);
    request.credit_charge = charge_for(message.length);
    tree_.prepare(request);
    Exchange exchange(request);
    auto answered = co_await attempt(tree_.session().transact(exchange));
    if (!answered && exchange.starved) continue;  // fewer credits than when we asked
    if (!answered) co_return std::move(answered).error().during("READ").on(display());
    ReadResult result;
    if (request.status() == NtStatus::end_of_file) co_return std::move(result);
    if (request.status() != NtStatus::success) {
      co_return refused(request, "READ").on(display());
    }
    auto response = wire::decode<wire::ReadResponse>(request.reply->message);
    if (!response) co_return std::move(response).error().on(display());
    if (response->data.size() > message.length) {
      co_return Error(ErrorKind::protocol, "the server sent more than was asked for")
          .during("READ")
          .on(display());
    }
    if (response->data.empty()) {
      co_return Error(ErrorKind::protocol, "the server sent no data and no end of file")
          .during("READ")
          .on(display());
    }
    result.data = response->data;
    result.frame = std::move(request.reply->buffer);
    co_return std::move(result);
  }
}

Task<void> Open::write(std::uint64_t offset, Bytes data, bool write_through) {
  while (!data.empty()) {
    auto written = co_await attempt(write_once(offset, data, write_through));
    if (!written) co_await std::move(written).error().during("WRITE").on(display());
    offset += *written;
    data = data.subspan(*written);
  }
}

Task<std::uint32_t> Open::write_once(std::uint64_t offset, Bytes data, bool write_through) {
  while (true) {
    wire::WriteRequest message;
    message.offset = offset;
    message.file_id = record_.file_id;
    message.data =
        data.first(most_bytes(data.size(), tree_.session().negotiated().max_write_bytes));
    // Through alone is refused on a buffered open: [MS-SMB2] 3.3.5.13.
    if (write_through) {
      message.flags = wire::WriteFlags::write_through | wire::WriteFlags::write_unbuffered;
    }
    Request request;
    request.set(message);
    request.credit_charge = charge_for(message.data.size());
    tree_.prepare(request);
    Exchange exchange(request);
    auto answered = co_await attempt(tree_.session().transact(exchange));
    if (!answered && exchange.starved) continue;
    co_await std::move(answered);
    if (request.payload_lost) {
      co_return Error(ErrorKind::failed, "the source became shorter while it was copied");
    }
    if (request.status() != NtStatus::success) co_return refused(request, "WRITE");
    auto response = wire::decode<wire::WriteResponse>(request.reply->message);
    if (!response) co_return std::move(response).error();
    if (response->count == 0 || response->count > message.data.size()) {
      co_return Error(ErrorKind::protocol, "the server claims to have written " +
                                               std::to_string(response->count) + " of " +
                                               std::to_string(message.data.size()) + " bytes");
    }
    co_return response->count;
  }
}

Task<void> Open::flush() {
  wire::FlushRequest message;
  message.file_id = record_.file_id;
  Request request;
  request.set(message);
  auto reply = co_await attempt(call(tree_, request, "FLUSH"));
  if (!reply) co_await std::move(reply).error().on(display());
}

Task<FileStatus> Open::status() {
  wire::QueryInfoRequest message;
  message.file_info_class = static_cast<std::uint8_t>(wire::FileInformationClass::network_open);
  message.output_buffer_length = wire::fixed_size<wire::FileNetworkOpenInformation>();
  message.file_id = record_.file_id;
  Request request;
  request.set(message);
  auto reply = co_await attempt(call(tree_, request, "QUERY_INFO"));
  if (!reply) co_return std::move(reply).error().on(display());
  auto response = wire::decode<wire::QueryInfoResponse>(reply->message);
  if (!response) co_return std::move(response).error().on(display());
  auto information = wire::decode<wire::FileNetworkOpenInformation>(response->output_buffer);
  if (!information) co_return std::move(information).error().on(display());
  co_return status_of(*information);
}

Task<void> Open::set_information(wire::FileInformationClass information_class, Bytes buffer) {
  wire::SetInfoRequest message;
  message.file_info_class = static_cast<std::uint8_t>(information_class);
  message.file_id = record_.file_id;
  message.buffer = buffer;
  Request request;
  request.set(message);
  auto reply = co_await attempt(call(tree_, request, "SET_INFO"));
  if (!reply) co_await std::move(reply).error().on(display());
}

Task<void> Open::set_end_of_file(std::uint64_t size) {
  ByteBuffer buffer;
  wire::encode(wire::FileEndOfFileInformation{.end_of_file = size}, buffer);
  co_await set_information(wire::FileInformationClass::end_of_file, buffer.bytes());
}

Task<void> Open::set_basic(BasicInformation information) {
  wire::FileBasicInformation basic;
  basic.creation_time = to_wire(information.creation_time);
  basic.last_access_time = to_wire(information.access_time);
  basic.last_write_time = to_wire(information.write_time);
  basic.change_time = to_wire(information.change_time);
  basic.file_attributes = static_cast<wire::FileAttributes>(information.attributes);
  ByteBuffer buffer;
  wire::encode(basic, buffer);
  co_await set_information(wire::FileInformationClass::basic, buffer.bytes());
}

Task<void> Open::rename(std::string new_path, bool replace) {
  const std::vector<std::byte> name = co_await wire_path(new_path);
  wire::FileRenameInformation rename;
  rename.replace_if_exists = replace;
  rename.file_name = name;
  ByteBuffer buffer;
  wire::encode(rename, buffer);
  auto renamed =
      co_await attempt(set_information(wire::FileInformationClass::rename, buffer.bytes()));
  if (!renamed) co_await std::move(renamed).error();
  path_ = std::move(new_path);
}

Task<void> Open::remove_on_close() {
  ByteBuffer buffer;
  wire::encode(wire::FileDispositionInformation{.delete_pending = true}, buffer);
  co_await set_information(wire::FileInformationClass::disposition, buffer.bytes());
}

Task<FileStatus> Open::close() {
  closed_ = true;
  wire::CloseRequest message;
  message.flags = wire::CloseFlags::postquery_attrib;
  message.file_id = record_.file_id;
  Request request;
  request.set(message);
  auto reply = co_await attempt(call(tree_, request, "CLOSE", NtStatus::file_closed));
  if (!reply) co_return std::move(reply).error().on(display());
  if (reply->status == NtStatus::file_closed) {
    // The answer that told so was lost with its channel.
    if (request.repeated) co_return co_await path_status(tree_, path_);
    co_return refused(request, "CLOSE").on(display());
  }
  auto response = wire::decode<wire::CloseResponse>(reply->message);
  if (!response) co_return std::move(response).error().on(display());
  if (!wire::has(response->flags, wire::CloseFlags::postquery_attrib)) {
    co_return Error(ErrorKind::failed, "the server did not tell the file's size at its end")
        .during("CLOSE")
        .on(display());
  }
  co_return status_of(*response);
}

}  // namespace smb3
