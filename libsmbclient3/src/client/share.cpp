#include <smbclient3/share.h>

#include "client/handles.h"
#include "session/path_status.h"

namespace smb3 {
namespace {

CreateParameters parameters_for(wire::AccessMask access, wire::CreateOptions options) {
  CreateParameters parameters;
  parameters.desired_access = access | wire::AccessMask::synchronize;
  parameters.share_access = share_everything;
  parameters.options = options;
  return parameters;
}

wire::AccessMask access_mask(Access access) {
  constexpr auto reading = wire::AccessMask::read_data | wire::AccessMask::read_attributes;
  constexpr auto writing = wire::AccessMask::write_data | wire::AccessMask::append_data |
                           wire::AccessMask::read_attributes | wire::AccessMask::write_attributes;
  switch (access) {
    case Access::read: return reading;
    case Access::write: return writing;
    case Access::read_write: return reading | writing;
  }
  return reading;
}

wire::CreateDisposition wire_disposition(Disposition disposition) {
  switch (disposition) {
    case Disposition::open: return wire::CreateDisposition::open;
    case Disposition::create: return wire::CreateDisposition::create;
    case Disposition::open_or_create: return wire::CreateDisposition::open_if;
    case Disposition::overwrite: return wire::CreateDisposition::overwrite_if;
  }
  return wire::CreateDisposition::open;
}

// Opens, does one thing, and closes; the failure of what was done counts more than the closing's.
Task<void> with_open(TreeConnect& tree, std::string path, CreateParameters parameters,
                     Task<void> (*act)(Open&, const void*), const void* argument) {
  auto open = co_await Open::create(tree, std::move(path), parameters);
  auto acted = co_await attempt(act(*open, argument));
  auto closed = co_await attempt(open->close());
  co_await std::move(acted);
  if (!closed) co_await std::move(closed).error();
}

Task<void> nothing(Open&, const void*) { co_return; }

Task<void> mark_for_removal(Open& open, const void*) { co_await open.remove_on_close(); }

Task<void> close_abandoned(std::shared_ptr<Share::Impl> share) {
  auto closed = co_await attempt(share->close());
  static_cast<void>(closed);  // nobody asks
}

}  // namespace

Task<void> Share::Impl::close() {
  if (closed) co_return;
  closed = true;
  co_await tree->disconnect();
  if (--node->trees == 0) co_await node->close();
}

Share::Share(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Share::Share(Share&&) noexcept = default;

Share& Share::operator=(Share&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Share::~Share() {
  if (!impl_ || impl_->closed) return;
  Engine& engine = impl_->node->engine();
  if (engine.is_shut_down()) return;
  engine.reactor().post(
      [&engine, impl = std::move(impl_)] { engine.background().start(close_abandoned(impl)); });
}

Task<File> Share::open(std::string path, OpenOptions options) {
  CreateParameters parameters =
      parameters_for(access_mask(options.access), wire::CreateOptions::non_directory_file);
  parameters.disposition = wire_disposition(options.disposition);
  parameters.file_attributes = wire::FileAttributes::normal;
  if (options.write_through) parameters.options |= wire::CreateOptions::write_through;
  auto impl = std::make_unique<File::Impl>();
  impl->share = impl_;
  impl->write_through = options.write_through;
  impl->open = co_await Open::create(*impl_->tree, std::move(path), parameters);
  co_return File(std::move(impl));
}

Task<Directory> Share::open_directory(std::string path) {
  auto impl = std::make_unique<Directory::Impl>();
  impl->share = impl_;
  impl->listing = co_await DirectoryListing::open(*impl_->tree, std::move(path));
  co_return Directory(std::move(impl));
}

Task<FileStatus> Share::status(std::string path) {
  co_return co_await path_status(*impl_->tree, std::move(path));
}

Task<void> Share::make_directory(std::string path) {
  CreateParameters parameters =
      parameters_for(wire::AccessMask::read_attributes, wire::CreateOptions::directory_file);
  parameters.disposition = wire::CreateDisposition::create;
  parameters.file_attributes = wire::FileAttributes::directory;
  co_await with_open(*impl_->tree, std::move(path), parameters, &nothing, nullptr);
}

Task<void> Share::rename(std::string from, std::string to, bool replace) {
  auto open = co_await Open::create(
      *impl_->tree, std::move(from),
      parameters_for(wire::AccessMask::delete_access | wire::AccessMask::read_attributes,
                     wire::CreateOptions::none));
  auto renamed = co_await attempt(open->rename(std::move(to), replace));
  auto closed = co_await attempt(open->close());
  co_await std::move(renamed);
  if (!closed) co_await std::move(closed).error();
}

Task<void> Share::remove_file(std::string path) {
  // A link is removed, not what it leads to.
  co_await with_open(
      *impl_->tree, std::move(path),
      parameters_for(wire::AccessMask::delete_access, wire::CreateOptions::non_directory_file |
                                                          wire::CreateOptions::open_reparse_point),
      &mark_for_removal, nullptr);
}

Task<void> Share::remove_directory(std::string path) {
  co_await with_open(
      *impl_->tree, std::move(path),
      parameters_for(wire::AccessMask::delete_access,
                     wire::CreateOptions::directory_file | wire::CreateOptions::open_reparse_point),
      &mark_for_removal, nullptr);
}

Task<void> Share::set_information(std::string path, BasicInformation information) {
  auto open = co_await Open::create(
      *impl_->tree, std::move(path),
      parameters_for(wire::AccessMask::write_attributes, wire::CreateOptions::none));
  auto set = co_await attempt(open->set_basic(information));
  auto closed = co_await attempt(open->close());
  co_await std::move(set);
  if (!closed) co_await std::move(closed).error();
}

namespace {

ChannelState state_of(const Channel& channel, bool ended_by_us) {
  if (ended_by_us && !channel.is_lost) return ChannelState::down;
  return channel.is_usable() ? ChannelState::up : ChannelState::failed;
}

}  // namespace

ConnectionInformation Share::information() const {
  const Session& session = impl_->node->session();
  ConnectionInformation information;
  information.dialect = "3.1.1";
  const bool seals = impl_->tree->seals();
  information.signing =
      session.signs() && !seals ? std::string(name_of(session.negotiated().signing)) : "none";
  information.cipher = seals ? std::string(name_of(session.negotiated().cipher)) : "none";
  information.mechanism = session.mechanism();
  information.guest = session.is_guest();
  for (const auto& channel : session.channels()) {
    information.channels.push_back({channel->local_address(), channel->remote_address(),
                                    channel->payload_bytes(), state_of(*channel, impl_->closed),
                                    channel->requests_sent(), channel->speed_bits_per_second});
  }
  if (const ChannelSet* set = impl_->node->channel_set()) {
    for (const EndedChannel& ended : set->ended()) {
      information.channels.push_back({ended.local, ended.remote, ended.payload_bytes,
                                      ChannelState::failed, ended.requests,
                                      ended.speed_bits_per_second});
    }
    information.warnings.assign(set->complaints().begin(), set->complaints().end());
  }
  return information;
}

const std::string& Share::name() const noexcept { return impl_->tree->name(); }

Task<void> Share::close() { co_await impl_->close(); }

}  // namespace smb3
