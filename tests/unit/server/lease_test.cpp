// Oplocks and leases: what is granted, what is broken, who waits and for how long.
#include "unit/server/opens_fixture.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::CreateDisposition;
using wire::LeaseState;
using wire::OplockLevel;
using wire::ShareAccess;

class LeaseTest : public OpensTest {
 protected:
  Created leased(Client& one, std::uint8_t key, LeaseState state, std::u16string_view path = u"f") {
    wire::CreateRequest message = creation(path);
    add_lease(message, key, state);
    return create(one, message);
  }
  Created with_oplock(Client& one, OplockLevel level) {
    wire::CreateRequest message = creation(u"f");
    message.requested_oplock_level = level;
    return create(one, message);
  }
  // A CREATE that may wait.
  std::unique_ptr<Call> start(Client& one, const wire::CreateRequest& message) {
    auto waiting = call(one);
    waiting->start(message, server::create);
    reactor_.settle();
    return waiting;
  }
};

TEST_F(LeaseTest, OneClientMayCacheAll) {
  const Created made = leased(first_, 1, rwh);
  EXPECT_EQ(made.response.oplock_level, OplockLevel::lease);
  EXPECT_EQ(lease_of(made), rwh);
  EXPECT_EQ(made.context<wire::LeaseV2>()->epoch, 1);
  EXPECT_EQ(lease_of(leased(first_, 1, rwh)), rwh);
  EXPECT_TRUE(notified_.empty());
}

TEST_F(LeaseTest, OddStatesAreNotGranted) {
  EXPECT_EQ(lease_of(leased(first_, 1, LeaseState::write_caching)), LeaseState::none);
  EXPECT_EQ(lease_of(leased(first_, 2, LeaseState::handle_caching)), LeaseState::none);
}

TEST_F(LeaseTest, AnOtherOpenCostsWriteCachingAndWaits) {
  leased(first_, 1, rwh);
  const auto waiting = start(second_, creation(u"f"));
  EXPECT_FALSE(waiting->ended());
  const auto told = lease_break();
  EXPECT_EQ(told.current_lease_state, rwh);
  EXPECT_EQ(told.new_lease_state, rh);
  EXPECT_EQ(told.new_epoch, 2);
  EXPECT_EQ(told.flags, wire::LeaseBreakFlags::ack_required);
  EXPECT_EQ(acknowledge(first_, 1, rh).status, NtStatus::success);
  reactor_.settle();
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::success);
}

TEST_F(LeaseTest, AnAcknowledgmentIsCheckedAgainstWhatWasOffered) {
  leased(first_, 1, rwh);
  EXPECT_EQ(acknowledge(first_, 1, rh).status, NtStatus::unsuccessful);
  EXPECT_EQ(acknowledge(first_, 2, rh).status, NtStatus::object_name_not_found);
  const auto waiting = start(second_, creation(u"f"));
  EXPECT_EQ(acknowledge(second_, 1, rh).status, NtStatus::object_name_not_found);
  EXPECT_EQ(acknowledge(first_, 1, rwh).status, NtStatus::request_not_accepted);
  EXPECT_EQ(acknowledge(first_, 1, r).status, NtStatus::success);
  EXPECT_EQ(acknowledge(first_, 1, r).status, NtStatus::unsuccessful);
  reactor_.settle();
  EXPECT_TRUE(waiting->ended());
}

TEST_F(LeaseTest, ABreakThatNobodyAcknowledgesEnds) {
  leased(first_, 1, rwh);
  const auto waiting = start(second_, creation(u"f"));
  pass(std::chrono::milliseconds(34'999));
  EXPECT_FALSE(waiting->ended());
  pass(std::chrono::milliseconds(1));
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::success);
  EXPECT_EQ(acknowledge(first_, 1, rh).status, NtStatus::unsuccessful);
  wire::Guid key;
  key.bytes.fill(std::byte{1});
  EXPECT_EQ(table().find_lease(first_.connection->negotiated.client_guid, key)->state,
            LeaseState::none);
}

TEST_F(LeaseTest, ACancelledCreateLeavesNothingBehind) {
  leased(first_, 1, rwh);
  const auto waiting = start(second_, creation(u"f"));
  waiting->cancel();
  reactor_.settle();
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::cancelled);
  EXPECT_TRUE(second_.session->opens.empty());
  EXPECT_EQ(acknowledge(first_, 1, rh).status, NtStatus::success);
}

TEST_F(LeaseTest, AHandleThatIsOnlyKeptIsLetGo) {
  wire::CreateRequest message = creation(u"f", read_write, ShareAccess::none);
  add_lease(message, 1, rwh);
  const Created kept = create(first_, message);
  const auto waiting = start(second_, creation(u"f"));
  EXPECT_EQ(lease_break().new_lease_state, rw);
  EXPECT_FALSE(waiting->ended());
  EXPECT_EQ(close(first_, kept.id()).status, NtStatus::success);
  reactor_.settle();
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::success);
}

TEST_F(LeaseTest, AHandleThatIsUsedIsASharingViolation) {
  wire::CreateRequest message = creation(u"f", read_write, ShareAccess::none);
  add_lease(message, 1, rwh);
  create(first_, message);
  const auto waiting = start(second_, creation(u"f"));
  acknowledge(first_, 1, rw);
  reactor_.settle();
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::sharing_violation);
}

TEST_F(LeaseTest, OverwritingEndsAllCaching) {
  leased(first_, 1, rwh);
  wire::CreateRequest message = creation(u"f");
  message.create_disposition = CreateDisposition::overwrite_if;
  const auto waiting = start(second_, message);
  EXPECT_EQ(lease_break().new_lease_state, LeaseState::none);
  EXPECT_FALSE(waiting->ended());
  acknowledge(first_, 1, LeaseState::none);
  reactor_.settle();
  EXPECT_TRUE(waiting->ended());
}

TEST_F(LeaseTest, ALookAtAttributesDisturbsNobody) {
  leased(first_, 1, rwh);
  EXPECT_EQ(create(second_, creation(u"f", AccessMask::read_attributes)).status, NtStatus::success);
  EXPECT_TRUE(notified_.empty());
}

TEST_F(LeaseTest, AKeyBelongsToOneFileOfOneClient) {
  leased(first_, 1, rh);
  EXPECT_EQ(leased(first_, 1, rh, u"other").status, NtStatus::invalid_parameter);
  EXPECT_EQ(leased(first_, 1, rh, u"F").status, NtStatus::success);
  EXPECT_EQ(lease_of(leased(second_, 1, rwh)), rh);
  EXPECT_EQ(leased(second_, 1, rh, u"f").status, NtStatus::success);
}

TEST_F(LeaseTest, AWriteEndsReadCachingWithoutWaiting) {
  leased(first_, 1, r);
  const Created writer = create(second_, creation(u"f"));
  const auto open = second_.session->opens.at(writer.id().volatile_id);
  EXPECT_FALSE(start_breaks(table(), *open->node, key_of(*open), BreakCause::write));
  EXPECT_EQ(lease_break().new_lease_state, LeaseState::none);
  EXPECT_EQ(lease_break().flags, wire::LeaseBreakFlags::none);
  notified_.clear();
  EXPECT_FALSE(start_breaks(table(), *open->node, key_of(*open), BreakCause::write));
  EXPECT_TRUE(notified_.empty());
}

TEST_F(LeaseTest, ASecondBreakFollowsTheFirst) {
  leased(first_, 1, rwh);
  const auto reader = start(second_, creation(u"f"));
  wire::CreateRequest message = creation(u"f");
  message.create_disposition = CreateDisposition::overwrite;
  const auto writer = start(second_, message);
  ASSERT_EQ(notified_.size(), 1u);
  acknowledge(first_, 1, rh);
  reactor_.settle();
  ASSERT_EQ(notified_.size(), 2u);
  EXPECT_FALSE(reader->ended() || writer->ended());
  EXPECT_EQ(lease_break().current_lease_state, rh);
  EXPECT_EQ(lease_break().new_lease_state, LeaseState::none);
  EXPECT_EQ(acknowledge(first_, 1, LeaseState::none).status, NtStatus::success);
  reactor_.settle();
  EXPECT_TRUE(reader->ended() && writer->ended());
}

TEST_F(LeaseTest, AScaledOutShareGrantsReadCachingOnly) {
  tree_->share->settings.capabilities |= wire::ShareCapabilities::scaleout;
  EXPECT_EQ(lease_of(leased(first_, 1, rwh)), r);
  end_opens(*first_.session, nullptr);
  EXPECT_EQ(with_oplock(first_, OplockLevel::batch).response.oplock_level, OplockLevel::level_ii);
}

TEST_F(LeaseTest, OplocksFallBackToLevelII) {
  EXPECT_EQ(with_oplock(first_, OplockLevel::level_ii).response.oplock_level,
            OplockLevel::level_ii);
  EXPECT_EQ(with_oplock(second_, OplockLevel::batch).response.oplock_level, OplockLevel::level_ii);
}

TEST_F(LeaseTest, AWriterLosesItsOwnLevelII) {
  const Created writer = with_oplock(first_, OplockLevel::level_ii);
  const auto open = first_.session->opens.at(writer.id().volatile_id);
  EXPECT_FALSE(start_breaks(table(), *open->node, key_of(*open), BreakCause::write));
  EXPECT_EQ(open->oplock_level, OplockLevel::none);
  EXPECT_EQ(wire::decode<wire::OplockBreakNotification>(notified_.back())->file_id, writer.id());
}

TEST_F(LeaseTest, AnOplockIsBrokenAndAcknowledged) {
  const Created holder = with_oplock(first_, OplockLevel::batch);
  ASSERT_EQ(holder.response.oplock_level, OplockLevel::batch);
  const auto waiting = start(second_, creation(u"f"));
  ASSERT_FALSE(waiting->ended());
  const auto told = wire::decode<wire::OplockBreakNotification>(notified_.back()).value();
  EXPECT_EQ(told.oplock_level, OplockLevel::level_ii);
  EXPECT_EQ(told.file_id, holder.id());
  wire::OplockBreakAcknowledgment answer;
  answer.file_id = holder.id();
  answer.oplock_level = OplockLevel::level_ii;
  EXPECT_EQ(ask(first_, answer, server::oplock_break).status, NtStatus::success);
  reactor_.settle();
  EXPECT_TRUE(waiting->ended());
  EXPECT_EQ(ask(first_, answer, server::oplock_break).status, NtStatus{0xC0000184});
}

TEST_F(LeaseTest, AWrongAcknowledgmentLosesTheOplock) {
  const Created holder = with_oplock(first_, OplockLevel::exclusive);
  const auto waiting = start(second_, creation(u"f"));
  wire::OplockBreakAcknowledgment answer;
  answer.file_id = holder.id();
  answer.oplock_level = OplockLevel::batch;
  EXPECT_EQ(ask(first_, answer, server::oplock_break).status, NtStatus::invalid_oplock_protocol);
  reactor_.settle();
  EXPECT_TRUE(waiting->ended());
  EXPECT_EQ(first_.session->opens.at(holder.id().volatile_id)->oplock_level, OplockLevel::none);
}

}  // namespace
}  // namespace smb3::server
