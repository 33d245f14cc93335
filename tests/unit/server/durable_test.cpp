// Handles that outlive their connection, and CREATEs that are sent again.
#include "unit/server/opens_fixture.h"
#include "wire/lock.h"

namespace smb3::server {
namespace {

using wire::DurableHandleFlags;
using wire::OplockLevel;

constexpr auto persistent = DurableHandleFlags::persistent;
constexpr auto not_found = NtStatus::object_name_not_found;

class DurableTest : public OpensTest {
 protected:
  wire::CreateRequest asking(DurableHandleFlags flags = DurableHandleFlags::none,
                             std::uint8_t guid = 1, std::uint32_t timeout_ms = 10'000) {
    wire::CreateRequest message = creation(u"f", everything);
    wire::DurableHandleRequestV2 durable;
    durable.timeout = timeout_ms;
    durable.flags = flags;
    durable.create_guid.bytes.fill(std::byte{guid});
    add(message, durable);
    return message;
  }
  wire::CreateRequest asking_with_lease(wire::LeaseState state) {
    wire::CreateRequest message = asking();
    add_lease(message, 1, state);
    return message;
  }
  wire::CreateRequest reclaiming(const wire::FileId& id,
                                 DurableHandleFlags flags = DurableHandleFlags::none,
                                 std::uint8_t guid = 1) {
    wire::CreateRequest message = creation(u"f", everything);
    wire::DurableHandleReconnectV2 durable;
    durable.file_id = id;
    durable.flags = flags;
    durable.create_guid.bytes.fill(std::byte{guid});
    add(message, durable);
    return message;
  }
  Created batch(DurableHandleFlags flags = DurableHandleFlags::none) {
    wire::CreateRequest message = asking(flags);
    message.requested_oplock_level = OplockLevel::batch;
    return create(first_, message);
  }
};

TEST_F(DurableTest, WithoutCachingOfTheHandleNothingIsPromised) {
  EXPECT_FALSE(create(first_, asking()).context<wire::DurableHandleResponseV2>());
  wire::CreateRequest readable = asking(DurableHandleFlags::none, 2);
  add_lease(readable, 1, r);
  EXPECT_FALSE(create(first_, readable).context<wire::DurableHandleResponseV2>());
  lose(first_);
  EXPECT_TRUE(table().files().empty());
}

TEST_F(DurableTest, ADurableHandleIsReclaimedOnce) {
  const Created made = batch();
  EXPECT_EQ(made.context<wire::DurableHandleResponseV2>()->timeout, 10'000u);
  EXPECT_EQ(create(first_, reclaiming(made.id())).status, not_found);  // still connected
  lose(first_);
  Client again = client(1);
  const Created back = create(again, reclaiming(made.id()));
  ASSERT_EQ(back.status, NtStatus::success);
  EXPECT_EQ(back.id().persistent, made.id().persistent);
  EXPECT_NE(back.id().volatile_id, made.id().volatile_id);
  EXPECT_EQ(back.response.create_action, wire::CreateAction::opened);
  EXPECT_EQ(back.response.oplock_level, OplockLevel::batch);
  EXPECT_EQ(create(again, reclaiming(back.id())).status, not_found);
  EXPECT_EQ(close(again, back.id()).status, NtStatus::success);
}

TEST_F(DurableTest, AHandleIsKeptForAsLongAsWasPromised) {
  const Created made = batch();
  lose(first_);
  pass(std::chrono::milliseconds(9'999));
  EXPECT_TRUE(table().find(made.id().persistent));
  pass(std::chrono::milliseconds(1));
  EXPECT_FALSE(table().find(made.id().persistent));
  Client again = client(1);
  EXPECT_EQ(create(again, reclaiming(made.id())).status, not_found);
}

TEST_F(DurableTest, AReclaimedHandleIsScavengedNoMore) {
  const Created made = batch();
  lose(first_);
  pass(std::chrono::seconds(9));
  Client again = client(1);
  ASSERT_EQ(create(again, reclaiming(made.id())).status, NtStatus::success);
  pass(std::chrono::seconds(100));
  EXPECT_TRUE(table().find(made.id().persistent));
}

TEST_F(DurableTest, OnlyItsOwnerReclaimsIt) {
  const Created made = batch();
  lose(first_);
  Client stranger = client(3, "stranger");
  EXPECT_EQ(create(stranger, reclaiming(made.id())).status, NtStatus::access_denied);
  Client again = client(1);
  EXPECT_EQ(create(again, reclaiming(made.id(), {}, 2)).status, not_found);
  EXPECT_EQ(create(again, reclaiming(made.id(), persistent)).status, NtStatus::invalid_parameter);
  wire::CreateRequest leased = reclaiming(made.id());
  add_lease(leased, 1, rwh);
  EXPECT_EQ(create(again, leased).status, not_found);
  // Without a lease the client's identifier does not matter.
  EXPECT_EQ(create(second_, reclaiming(made.id())).status, NtStatus::success);
}

TEST_F(DurableTest, ALeaseComesBackWithItsHandle) {
  const Created made = create(first_, asking_with_lease(rwh));
  ASSERT_TRUE(made.context<wire::DurableHandleResponseV2>());
  lose(first_);
  Client again = client(1);
  const auto with_key = [this, &made](std::uint8_t key) {
    wire::CreateRequest message = reclaiming(made.id());
    add_lease(message, key, rwh);
    return message;
  };
  EXPECT_EQ(create(again, reclaiming(made.id())).status, not_found);
  EXPECT_EQ(create(again, with_key(2)).status, not_found);
  EXPECT_EQ(create(second_, with_key(1)).status, not_found);
  wire::CreateRequest elsewhere = with_key(1);
  constexpr std::u16string_view other = u"other";
  elsewhere.name = std::as_bytes(std::span(other));
  EXPECT_EQ(create(again, elsewhere).status, NtStatus::invalid_parameter);
  wire::CreateRequest first_version = reclaiming(made.id());
  first_version.requested_oplock_level = OplockLevel::lease;
  wire::LeaseV1 lease;
  lease.lease_key.bytes.fill(std::byte{1});
  add(first_version, lease);
  EXPECT_EQ(create(again, first_version).status, not_found);
  const Created back = create(again, with_key(1));
  ASSERT_EQ(back.status, NtStatus::success);
  EXPECT_EQ(lease_of(back), rwh);
}

TEST_F(DurableTest, SomebodyElsesOpenEndsAHandleWhoseClientIsGone) {
  const Created made = batch();
  lose(first_);
  EXPECT_EQ(create(second_, creation(u"f")).status, NtStatus::success);
  Client again = client(1);
  EXPECT_EQ(create(again, reclaiming(made.id())).status, not_found);
}

TEST_F(DurableTest, AFileThatWasToGoIsMadeAnew) {
  wire::CreateRequest message = asking();
  message.requested_oplock_level = OplockLevel::batch;
  message.create_options = wire::CreateOptions::delete_on_close;
  create(first_, message);
  fill(u"f", "old");
  lose(first_);
  const Created fresh = create(second_, creation(u"f"));
  EXPECT_EQ(fresh.response.create_action, wire::CreateAction::created);
  EXPECT_EQ(fresh.response.end_of_file, 0u);
}

TEST_F(DurableTest, ThePersistentOneNeedsNoCaching) {
  const Created made = create(first_, asking(persistent));
  EXPECT_EQ(made.context<wire::DurableHandleResponseV2>()->flags, persistent);
  EXPECT_TRUE(has(first_.session->opens.at(made.id().volatile_id)->options,
                  wire::CreateOptions::write_through));
  lose(first_);
  EXPECT_EQ(create(second_, creation(u"f")).status, NtStatus::file_not_available);
  Client again = client(1);
  EXPECT_EQ(create(again, reclaiming(made.id())).status, not_found);
  wire::FileId forgotten = made.id();
  forgotten.persistent = 999;
  EXPECT_EQ(create(again, reclaiming(forgotten, persistent)).status, NtStatus::success);
}

TEST_F(DurableTest, APersistentHandleMovesToAnotherNode) {
  const Created made = create(first_, asking(persistent));
  lose(first_);
  Server other(reactor_, server_->settings(), *cluster_, acceptors_, log_);
  Client again = client(1);
  again.connection = std::make_unique<Connection>(other, Socket(), 1);
  again.connection->negotiated = first_.connection->negotiated;
  Call reclaim(other, *again.connection, again.session, again.tree);
  reclaim.start(reclaiming(made.id(), persistent), server::create);
  ASSERT_TRUE(reclaim.ended());
  EXPECT_EQ(reclaim.answer().status, NtStatus::success);
  lose(again);
}

TEST_F(DurableTest, AnOrdinaryShareGrantsNothingPersistent) {
  tree_->share->settings.capabilities = wire::ShareCapabilities::none;
  EXPECT_FALSE(create(first_, asking(persistent)).context<wire::DurableHandleResponseV2>());
}

TEST_F(DurableTest, ContextsOfTheTwoVersionsDoNotMix) {
  wire::CreateRequest message = asking();
  add(message, wire::DurableHandleRequest{});
  EXPECT_EQ(create(first_, message).status, NtStatus::invalid_parameter);
  wire::CreateRequest both = asking();
  add(both, wire::DurableHandleReconnectV2{});
  EXPECT_EQ(create(first_, both).status, NtStatus::invalid_parameter);
}

TEST_F(DurableTest, TheFirstVersionIsReclaimedByItsId) {
  wire::CreateRequest message = creation(u"f");
  message.requested_oplock_level = OplockLevel::batch;
  add(message, wire::DurableHandleRequest{});
  const Created made = create(first_, message);
  EXPECT_TRUE(made.context<wire::DurableHandleResponse>());
  lose(first_);
  Client again = client(1);
  wire::CreateRequest back = creation(u"f");
  wire::DurableHandleReconnect reconnect;
  reconnect.file_id = made.id();
  add(back, reconnect);
  EXPECT_EQ(create(again, back).status, NtStatus::success);
  EXPECT_EQ(create(again, back).status, not_found);
}

TEST_F(DurableTest, AReplayedCreateGivesTheSameOpen) {
  const Created made = create(first_, asking());
  ASSERT_EQ(made.response.create_action, wire::CreateAction::created);
  const Created again = create(first_, asking(), true);
  ASSERT_EQ(again.status, NtStatus::success);
  EXPECT_EQ(again.id(), made.id());
  EXPECT_EQ(again.response.create_action, wire::CreateAction::created);
  EXPECT_EQ(first_.session->opens.size(), 1u);
  EXPECT_EQ(create(first_, asking()).status, NtStatus::duplicate_objectid);
  // Another client's number is another number.
  EXPECT_EQ(create(second_, asking()).status, NtStatus::success);
}

TEST_F(DurableTest, AnOpenThatHasBeenUsedIsReplayedNoMore) {
  const Created made = create(first_, asking());
  wire::LockRequest lock;
  lock.file_id = made.id();
  lock.locks.push_back({.offset = 0, .length = 1, .flags = wire::LockFlags::shared_lock});
  ASSERT_EQ(ask(first_, lock, server::lock).status, NtStatus::success);
  const Created again = create(first_, asking(), true);
  EXPECT_NE(again.id(), made.id());
}

TEST_F(DurableTest, AReplayOverAnotherSessionIsRefused) {
  create(first_, asking());
  Client other = client(1);
  EXPECT_EQ(create(other, asking(), true).status, NtStatus::duplicate_objectid);
  Client stranger = client(1, "stranger");
  EXPECT_EQ(create(stranger, asking(), true).status, NtStatus::access_denied);
}

TEST_F(DurableTest, AReplayOfAPersistentOneReclaimsIt) {
  const Created made = create(first_, asking(persistent));
  lose(first_);
  Client again = client(1);
  wire::CreateRequest changed = asking(persistent);
  changed.share_access = wire::ShareAccess::read;
  EXPECT_EQ(create(again, changed, true).status, NtStatus::context_mismatch);
  const Created back = create(again, asking(persistent), true);
  ASSERT_EQ(back.status, NtStatus::success);
  EXPECT_EQ(back.id().persistent, made.id().persistent);
}

TEST_F(DurableTest, AReplayDoesNotOvertakeItsOriginal) {
  wire::CreateRequest holder = creation(u"f");
  add_lease(holder, 1, rwh);
  create(second_, holder);
  auto original = call(first_);
  original->start(asking(), server::create);
  ASSERT_FALSE(original->ended());
  EXPECT_EQ(create(first_, asking(), true).status, NtStatus::file_not_available);
  EXPECT_EQ(create(first_, asking()).status, NtStatus::duplicate_objectid);
  acknowledge(second_, 1, rh);
  reactor_.settle();
  ASSERT_TRUE(original->ended());
  EXPECT_EQ(create(first_, asking(), true).id(), created(original->answer()).id());
}

TEST_F(DurableTest, ADisconnectedTreeTakesEvenPersistentOpens) {
  create(first_, asking(persistent));
  end_opens(*first_.session, tree_.get());
  EXPECT_TRUE(table().files().empty());
}

}  // namespace
}  // namespace smb3::server
