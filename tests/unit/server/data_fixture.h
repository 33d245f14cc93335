// Calls the server's handlers without a connection: one request in, one answer out.
#pragma once

#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/open.h"
#include "support/server/server.h"
#include "wire/close.h"
#include "wire/create.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace smb3::server {

// Time stands still unless a test moves it; nothing goes in or out.
class StillReactor final : public Reactor {
 public:
  TimePoint now() const noexcept override { return time; }
  void random(MutableBytes bytes) override {
    for (std::byte& b : bytes) b = static_cast<std::byte>(++random_);
  }
  void start(Operation&) override { ADD_FAILURE() << "I/O"; }
  void cancel(Operation&) override {}
  Result<int> open_socket(int) override {
    return std::unexpected(Error(ErrorKind::local, "no sockets"));
  }
  SocketProgress progress_of(int) override { return {}; }
  std::string local_address_of(int) override { return {}; }
  std::string remote_address_of(int) override { return {}; }
  void offload(std::function<void()> work, std::function<void()> done) override {
    work();
    done();
  }
  void post(std::function<void()> function) override { function(); }
  bool is_current() const noexcept override { return true; }
  std::int16_t register_memory(MutableBytes) override { return -1; }

  void settle() {
    while (run_ready() || run_timers(time)) {
    }
  }

  TimePoint time{1'000'000'000};

 private:
  unsigned random_ = 0;
};

class NoAcceptors final : public AcceptorFactory {
 public:
  std::vector<std::byte> hint() const override { return {}; }
  std::unique_ptr<Acceptor> make() override { return nullptr; }
};

// A request whose handler has been started.
class Call {
 public:
  Call(Server& server, Connection& connection, std::shared_ptr<Session> session,
       std::shared_ptr<Tree> tree)
      : cancelled_(server.reactor()),
        request{.server = server, .connection = connection, .header = {}, .chain = chain_} {
    request.session = std::move(session);
    request.tree = std::move(tree);
    request.cancelled = &cancelled_;
    request.is_async = true;  // nobody is there to hear of it
    request.verified = true;
  }

  template <wire::Message M>
  void start(const M& message, Task<Answer> (*handler)(Request&)) {
    element_.extend(wire::header_bytes);
    wire::encode(message, element_);
    request.element = element_.bytes();
    request.header.command = M::command;
    request.header.credit_charge = 256;
    task_.emplace(handler(request));
    task_->run();
  }
  void cancel() {
    request.is_cancelled = true;
    cancelled_.set();
  }
  bool ended() const { return task_->done(); }
  Answer& answer() { return *task_->result(); }

 private:
  ByteBuffer element_;
  Event cancelled_;
  Chain chain_;

 public:
  Request request;

 private:
  std::optional<Task<Answer>> task_;
};

class DataTest : public testing::Test {
 protected:
  explicit DataTest(bool strict = false) {
    ServerSettings settings;
    settings.strict = strict;
    settings.shares.resize(3);
    settings.shares[0].name = "files";
    settings.shares[0].size_bytes = 64_MiB;
    settings.shares[1].name = "null";
    settings.shares[1].store = StoreKind::null;
    settings.shares[1].null_file_bytes = 1ULL << 40;
    settings.shares[2].name = "locked";
    settings.shares[2].read_only = true;
    cluster_ = Cluster::create(reactor_, settings).value();
    server_.emplace(reactor_, settings, *cluster_, acceptors_, log_);
    connection_.emplace(*server_, Socket(), 1);
    connection_->negotiated.large_mtu = true;
    connection_->negotiated.max_read_bytes = connection_->negotiated.max_write_bytes = 8 << 20;
    connection_->negotiated.max_transact_bytes = 1 << 20;
    session_ = std::make_shared<Session>();
    session_->id = 1;
    session_->state = SessionState::valid;
    use_share("files");
  }
  ~DataTest() override {
    end_opens(*session_, nullptr);
    reactor_.settle();
  }

  void use_share(std::string_view name) {
    tree_ = std::make_shared<Tree>();
    tree_->id = session_->next_tree_id++;
    tree_->share = cluster_->share(name);
    tree_->maximal_access = wire::AccessMask{0x001F01FF};
    session_->trees[tree_->id] = tree_;
  }
  FileStore& store() { return *tree_->share->store; }

  std::unique_ptr<Call> call() {
    return std::make_unique<Call>(*server_, *connection_, session_, tree_);
  }
  // Of a handler that waits for nothing.
  template <wire::Message M>
  Answer ask(const M& message, Task<Answer> (*handler)(Request&), std::vector<Fault> faults = {}) {
    auto one = call();
    one->request.faults = std::move(faults);
    one->start(message, handler);
    reactor_.settle();
    EXPECT_TRUE(one->ended());
    // What the answer points to must hold without the request.
    return std::move(one->answer());
  }

  static wire::CreateRequest opening(wire::AccessMask access) {
    wire::CreateRequest create;
    create.desired_access = access;
    create.share_access =
        wire::ShareAccess::read | wire::ShareAccess::write | wire::ShareAccess::delete_access;
    create.create_disposition = wire::CreateDisposition::open_if;
    return create;
  }
  wire::FileId open(std::u16string_view path, wire::AccessMask access = everything,
                    wire::CreateOptions options = wire::CreateOptions::none) {
    wire::CreateRequest create = opening(access);
    create.create_options = options;
    create.name = std::as_bytes(std::span(path));
    const Answer answer = ask(create, server::create);
    EXPECT_EQ(answer.status, NtStatus::success);
    const auto response = wire::decode<wire::CreateResponse>(answer.message->bytes());
    return response ? response->file_id : wire::FileId{};
  }
  wire::FileId open_folder(std::u16string_view path, wire::AccessMask access = everything) {
    return open(path, access, wire::CreateOptions::directory_file);
  }
  void close(const wire::FileId& id) {
    wire::CloseRequest close;
    close.file_id = id;
    EXPECT_EQ(ask(close, server::close).status, NtStatus::success);
  }
  Open& open_with(const wire::FileId& id) { return *session_->opens.at(id.volatile_id); }
  void fill(std::u16string_view path, std::string_view text) {
    auto node = store().open(path);
    if (!node) node = store().create(path, false, wire::FileAttributes::none);
    ASSERT_TRUE(node);
    ASSERT_TRUE((*node)->write(0, std::as_bytes(std::span(text))));
  }

  static constexpr wire::AccessMask everything{0x001F01FF};

  StillReactor reactor_;
  NoAcceptors acceptors_;
  MessageLog log_;
  std::unique_ptr<Cluster> cluster_;
  std::optional<Server> server_;
  std::optional<Connection> connection_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Tree> tree_;
};

inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace smb3::server
