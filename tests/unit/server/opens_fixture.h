// Two clients with the same files, and what the server tells them unasked.
#pragma once

#include "support/server/lease.h"
#include "unit/server/data_fixture.h"
#include "wire/oplock_break.h"

#include <chrono>

namespace smb3::server {

struct Client {
  std::unique_ptr<Connection> connection;
  std::shared_ptr<Session> session;
  std::shared_ptr<Tree> tree;
};

// A CREATE and what came of it.
struct Created {
  NtStatus status{};
  wire::CreateResponse response;
  std::vector<std::byte> bytes;  // that its contexts lie in

  template <class C>
  std::optional<C> context() const {
    return wire::find_context<C>(response.contexts).value();
  }
  wire::FileId id() const { return response.file_id; }
};

class OpensTest : public DataTest {
 protected:
  static constexpr auto read_write = wire::AccessMask::read_data | wire::AccessMask::write_data;
  static constexpr auto share_all =
      wire::ShareAccess::read | wire::ShareAccess::write | wire::ShareAccess::delete_access;
  static constexpr wire::LeaseState r{1}, rh{3}, rw{5}, rwh{7};

  OpensTest() {
    Share& share = *cluster_->share("files");
    share.settings.capabilities = wire::ShareCapabilities::continuous_availability;
    share.opens->notify = [this](Session& session, Answer message) {
      if (session.channels.empty()) return false;
      const Bytes bytes = message.message->bytes();
      notified_.emplace_back(bytes.begin(), bytes.end());
      return true;
    };
    first_ = client(1);
    second_ = client(2);
  }
  ~OpensTest() override {
    for (Client* one : {&first_, &second_}) lose(*one);
    const auto& files = cluster_->share("files")->opens->files();
    while (!files.empty()) {
      cluster_->share("files")->opens->close(*files.front()->opens.front());
    }
    reactor_.settle();
  }

  Client client(std::uint8_t guid, std::string user = "user") {
    Client one;
    one.connection = std::make_unique<Connection>(*server_, Socket(), guid);
    one.connection->negotiated = connection_->negotiated;
    one.connection->negotiated.client_capabilities = 0x7F;
    one.connection->negotiated.client_guid.bytes.fill(std::byte{guid});
    one.session = std::make_shared<Session>();
    one.session->id = ++sessions_;
    one.session->state = SessionState::valid;
    one.session->logon.user = std::move(user);
    one.session->channels[one.connection.get()].connection = one.connection.get();
    one.tree = tree_;
    return one;
  }
  // The connection is gone.
  void lose(Client& one) {
    one.session->channels.clear();
    end_opens(*one.session, nullptr);
  }

  std::unique_ptr<Call> call(Client& one) {
    return std::make_unique<Call>(*server_, *one.connection, one.session, one.tree);
  }
  template <wire::Message M>
  Answer ask(Client& one, const M& message, Task<Answer> (*handler)(Request&),
             wire::PacketHeader header = {}) {
    auto now = call(one);
    now->request.header = header;
    now->start(message, handler);
    reactor_.settle();
    EXPECT_TRUE(now->ended());
    return std::move(now->answer());
  }
  static Created created(const Answer& answer) {
    Created made;
    made.status = answer.status;
    const Bytes bytes = answer.message->bytes();
    made.bytes.assign(bytes.begin(), bytes.end());
    if (answer.status == NtStatus::success) {
      made.response = wire::decode<wire::CreateResponse>(made.bytes).value();
    }
    return made;
  }
  Created create(Client& one, const wire::CreateRequest& message, bool replay = false) {
    wire::PacketHeader header;
    if (replay) header.flags = wire::HeaderFlags::replay_operation;
    return created(ask(one, message, server::create, header));
  }

  static wire::CreateRequest creation(std::u16string_view path,
                                      wire::AccessMask access = read_write,
                                      wire::ShareAccess share = share_all) {
    wire::CreateRequest message = opening(access);
    message.share_access = share;
    message.name = std::as_bytes(std::span(path));
    return message;
  }
  template <class C>
  void add(wire::CreateRequest& message, const C& context) {
    storage_.push_back(std::make_unique<ByteBuffer>());
    message.contexts.push_back(wire::make_create_context(context, *storage_.back()));
  }
  void add_lease(wire::CreateRequest& message, std::uint8_t key, wire::LeaseState state) {
    message.requested_oplock_level = wire::OplockLevel::lease;
    wire::LeaseV2 lease;
    lease.lease_key.bytes.fill(std::byte{key});
    lease.lease_state = state;
    add(message, lease);
  }
  wire::LeaseState lease_of(const Created& made) {
    const auto lease = wire::find_lease(made.response.contexts).value();
    return lease ? lease->lease_state : wire::LeaseState::none;
  }
  Answer acknowledge(Client& one, std::uint8_t key, wire::LeaseState state) {
    wire::LeaseBreakAcknowledgment message;
    message.lease_key.bytes.fill(std::byte{key});
    message.lease_state = state;
    return ask(one, message, server::oplock_break);
  }
  // The last break of a lease that was told.
  wire::LeaseBreakNotification lease_break() const {
    EXPECT_FALSE(notified_.empty());
    return wire::decode<wire::LeaseBreakNotification>(notified_.back()).value();
  }
  Answer close(Client& one, const wire::FileId& id) {
    wire::CloseRequest message;
    message.file_id = id;
    return ask(one, message, server::close);
  }
  OpenTable& table() { return *cluster_->share("files")->opens; }
  void pass(Duration time) {
    reactor_.time += time;
    reactor_.settle();
  }

  Client first_, second_;
  std::vector<std::vector<std::byte>> notified_;

 private:
  std::vector<std::unique_ptr<ByteBuffer>> storage_;
  std::uint64_t sessions_ = 10;
};

}  // namespace smb3::server
