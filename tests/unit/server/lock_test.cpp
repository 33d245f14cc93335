// LOCK, ChannelSequence, and what FSCTLs do to files.
#include "support/server/data_checks.h"
#include "unit/server/opens_fixture.h"
#include "wire/copychunk.h"
#include "wire/ioctl.h"
#include "wire/lock.h"
#include "wire/network_interface.h"

namespace smb3::server {
namespace {

using wire::ControlCode;
using wire::LockFlags;

constexpr auto exclusive = LockFlags::exclusive_lock;
constexpr auto shared = LockFlags::shared_lock;
constexpr auto now = LockFlags::fail_immediately;

class LockTest : public OpensTest {
 protected:
  LockTest() {
    fill(u"f", "0123456789");
    mine_ = create(first_, creation(u"f", everything)).id();
    theirs_ = create(second_, creation(u"f", everything)).id();
  }
  static wire::LockRequest locking(const wire::FileId& id, std::uint64_t offset,
                                   std::uint64_t length, LockFlags flags) {
    wire::LockRequest message;
    message.file_id = id;
    message.locks.push_back({.offset = offset, .length = length, .flags = flags});
    return message;
  }
  NtStatus lock(Client& one, const wire::LockRequest& message) {
    return ask(one, message, server::lock).status;
  }
  NtStatus mine(std::uint64_t offset, std::uint64_t length, LockFlags flags) {
    return lock(first_, locking(mine_, offset, length, flags));
  }
  NtStatus theirs(std::uint64_t offset, std::uint64_t length, LockFlags flags) {
    return lock(second_, locking(theirs_, offset, length, flags));
  }
  NtStatus io(Client& one, const wire::FileId& id, std::uint64_t offset, std::uint64_t length,
              bool writes) {
    const auto io = call(one);
    return check_locks(io->request, *one.session->opens.at(id.volatile_id), offset, length, writes);
  }

  wire::FileId mine_, theirs_;
};

TEST_F(LockTest, RangesConflictAsTheyOverlap) {
  EXPECT_EQ(mine(2, 4, exclusive | now), NtStatus::success);
  EXPECT_EQ(theirs(5, 1, shared | now), NtStatus::lock_not_granted);
  EXPECT_EQ(theirs(6, 1, exclusive | now), NtStatus::success);
  EXPECT_EQ(theirs(0, 2, exclusive | now), NtStatus::success);
  EXPECT_EQ(theirs(4, 0, exclusive | now), NtStatus::lock_not_granted);
  EXPECT_EQ(theirs(2, 0, exclusive | now), NtStatus::success);
  EXPECT_EQ(theirs(0, 0, exclusive | now), NtStatus::success);
  EXPECT_EQ(mine(2, 4, shared | now), NtStatus::success);
  EXPECT_EQ(mine(2, 1, exclusive | now), NtStatus::lock_not_granted);
  EXPECT_EQ(theirs(~0ULL, 1, exclusive | now), NtStatus::success);
  EXPECT_EQ(theirs(~0ULL, 2, exclusive | now), NtStatus{0xC00001A1});
}

TEST_F(LockTest, LocksStandAgainstReadsAndWrites) {
  ASSERT_EQ(mine(2, 4, exclusive), NtStatus::success);
  EXPECT_EQ(io(second_, theirs_, 0, 3, false), NtStatus::file_lock_conflict);
  EXPECT_EQ(io(second_, theirs_, 0, 2, true), NtStatus::success);
  EXPECT_EQ(io(first_, mine_, 0, 10, true), NtStatus::success);
  ASSERT_EQ(mine(8, 2, shared), NtStatus::success);
  EXPECT_EQ(io(second_, theirs_, 8, 1, false), NtStatus::success);
  EXPECT_EQ(io(second_, theirs_, 8, 1, true), NtStatus::file_lock_conflict);
}

TEST_F(LockTest, OnlyWhatIsLockedIsUnlocked) {
  ASSERT_EQ(mine(2, 4, exclusive), NtStatus::success);
  EXPECT_EQ(mine(2, 3, LockFlags::unlock), NtStatus::range_not_locked);
  EXPECT_EQ(theirs(2, 4, LockFlags::unlock), NtStatus::range_not_locked);
  EXPECT_EQ(mine(2, 4, LockFlags::unlock | now), NtStatus::invalid_parameter);
  EXPECT_EQ(mine(2, 4, LockFlags::unlock), NtStatus::success);
  EXPECT_EQ(mine(2, 4, LockFlags::unlock), NtStatus::range_not_locked);
}

TEST_F(LockTest, SeveralLocksAreTakenTogetherOrNotAtAll) {
  ASSERT_EQ(theirs(8, 1, exclusive), NtStatus::success);
  wire::LockRequest message = locking(mine_, 0, 1, exclusive | now);
  message.locks.push_back({.offset = 8, .length = 1, .flags = exclusive | now});
  EXPECT_EQ(lock(first_, message), NtStatus::lock_not_granted);
  EXPECT_EQ(theirs(0, 1, exclusive | now), NtStatus::success);
  message.locks[1].flags = exclusive;
  EXPECT_EQ(lock(first_, message), NtStatus::invalid_parameter);
  message.locks[1].flags = LockFlags::unlock;
  EXPECT_EQ(lock(first_, message), NtStatus::invalid_parameter);
}

TEST_F(LockTest, ALockWaitsForItsRange) {
  ASSERT_EQ(theirs(0, 4, exclusive), NtStatus::success);
  const auto waiting = call(first_);
  waiting->start(locking(mine_, 3, 2, exclusive), server::lock);
  reactor_.settle();
  EXPECT_FALSE(waiting->ended());
  ASSERT_EQ(theirs(0, 4, LockFlags::unlock), NtStatus::success);
  reactor_.settle();
  ASSERT_TRUE(waiting->ended());
  EXPECT_EQ(waiting->answer().status, NtStatus::success);
  EXPECT_EQ(theirs(4, 1, shared | now), NtStatus::lock_not_granted);
}

TEST_F(LockTest, WaitingEndsWithACancelOrTheOpen) {
  ASSERT_EQ(theirs(0, 4, exclusive), NtStatus::success);
  const auto cancelled = call(first_);
  cancelled->start(locking(mine_, 0, 1, exclusive), server::lock);
  cancelled->cancel();
  reactor_.settle();
  ASSERT_TRUE(cancelled->ended());
  EXPECT_EQ(cancelled->answer().status, NtStatus::cancelled);
  const auto orphan = call(first_);
  orphan->start(locking(mine_, 0, 1, exclusive), server::lock);
  close(first_, mine_);
  reactor_.settle();
  ASSERT_TRUE(orphan->ended());
  EXPECT_EQ(orphan->answer().status, NtStatus::range_not_locked);
}

TEST_F(LockTest, ClosingUnlocks) {
  ASSERT_EQ(theirs(0, 4, exclusive), NtStatus::success);
  close(second_, theirs_);
  EXPECT_EQ(mine(0, 4, exclusive | now), NtStatus::success);
}

TEST_F(LockTest, ALockThatIsSentAgainIsTakenOnce) {
  wire::LockRequest message = locking(mine_, 0, 4, exclusive | now);
  message.lock_sequence = (3 << 4) | 5;
  EXPECT_EQ(lock(first_, message), NtStatus::success);
  EXPECT_EQ(lock(first_, message), NtStatus::success);
  message.lock_sequence = (3 << 4) | 6;
  EXPECT_EQ(lock(first_, message), NtStatus::lock_not_granted);
  message.lock_sequence = (65 << 4) | 5;
  EXPECT_EQ(lock(first_, message), NtStatus::lock_not_granted);
}

class SequenceTest : public OpensTest {
 protected:
  SequenceTest() {
    const Created made = create(first_, creation(u"f"));
    open_ = first_.session->opens.at(made.id().volatile_id);
  }
  StatusOr<OutstandingRequest> check(std::uint16_t sequence, bool replay = false) {
    const auto request = call(first_);
    request->request.header.status = sequence;
    if (replay) request->request.header.flags = wire::HeaderFlags::replay_operation;
    return check_channel_sequence(request->request, *open_);
  }
  NtStatus status(std::uint16_t sequence, bool replay = false) {
    const auto checked = check(sequence, replay);
    return checked ? NtStatus::success : checked.error();
  }

  std::shared_ptr<Open> open_;
};

TEST_F(SequenceTest, OlderNumbersAreRefusedAndNewerOnesKept) {
  EXPECT_EQ(status(0), NtStatus::success);
  EXPECT_EQ(status(3), NtStatus::success);
  EXPECT_EQ(status(2), NtStatus::file_not_available);
  EXPECT_EQ(status(2, true), NtStatus::file_not_available);
  EXPECT_EQ(status(3 + 0x7FFF), NtStatus::success);
  EXPECT_EQ(status(3), NtStatus::file_not_available);
  EXPECT_EQ(status(0xFFFF), NtStatus::success);
  EXPECT_EQ(status(0), NtStatus::success);  // 16 bits go round
}

TEST_F(SequenceTest, AReplayWaitsForWhatWasSentBeforeTheLoss) {
  {
    const auto running = check(0);
    ASSERT_TRUE(running);
    EXPECT_EQ(status(1, true), NtStatus::file_not_available);
    EXPECT_EQ(status(1), NtStatus::success);
    EXPECT_EQ(status(1, true), NtStatus::file_not_available);
    EXPECT_EQ(open_->outstanding_pre_requests, 1u);
  }
  EXPECT_EQ(status(1, true), NtStatus::success);
  EXPECT_EQ(open_->outstanding_requests, 0u);
  EXPECT_EQ(open_->outstanding_pre_requests, 0u);
}

TEST_F(SequenceTest, AnyRequestTellsOfALostChannel) {
  wire::PacketHeader header;
  header.status = 2;
  wire::LockRequest lock;
  lock.file_id = open_->id;
  lock.locks.push_back({.offset = 0, .length = 1, .flags = shared});
  EXPECT_EQ(ask(first_, lock, server::lock, header).status, NtStatus::success);
  EXPECT_EQ(status(1), NtStatus::file_not_available);
  header.status = 1;  // late, but no write
  EXPECT_EQ(ask(first_, lock, server::lock, header).status, NtStatus::success);
  EXPECT_EQ(open_->channel_sequence, 2);
}

class IoctlTest : public OpensTest {
 protected:
  Answer control(ControlCode code, const wire::FileId& id, Bytes input = {},
                 std::uint32_t most = 65536) {
    wire::IoctlRequest message;
    message.ctl_code = code;
    message.file_id = id;
    message.input = input;
    message.max_output_response = most;
    return ask(first_, message, server::ioctl);
  }
  static Bytes output(const Answer& answer) {
    return wire::decode<wire::IoctlResponse>(answer.message->bytes()).value().output;
  }
  Answer copy(const wire::FileId& from, const wire::FileId& to,
              std::vector<wire::SrvCopychunk> chunks,
              ControlCode code = ControlCode::srv_copychunk) {
    const Answer key = control(ControlCode::srv_request_resume_key, from);
    wire::SrvCopychunkCopy body;
    body.source_key =
        wire::decode<wire::SrvRequestResumeKeyResponse>(output(key)).value().resume_key;
    body.chunks = std::move(chunks);
    ByteBuffer bytes;
    wire::encode(body, bytes);
    return control(code, to, bytes.bytes());
  }
  static wire::SrvCopychunkResponse result(const Answer& answer) {
    return wire::decode<wire::SrvCopychunkResponse>(output(answer)).value();
  }
  std::string contents(std::u16string_view path) {
    const auto node = store().open(path).value();
    std::string text(node->status()->size_bytes, '\0');
    EXPECT_TRUE(node->read(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
};

TEST_F(IoctlTest, ChunksAreCopied) {
  fill(u"a", "0123456789");
  const auto from = create(first_, creation(u"a", everything)).id();
  const auto to = create(first_, creation(u"b", everything)).id();
  const Answer answer = copy(from, to, {{2, 0, 3}, {8, 5, 2}});
  EXPECT_EQ(answer.status, NtStatus::success);
  EXPECT_EQ(result(answer).chunks_written, 2u);
  EXPECT_EQ(result(answer).total_bytes_written, 5u);
  EXPECT_EQ(contents(u"b"), std::string("234\0\00089", 7));
}

TEST_F(IoctlTest, ACopyBeyondTheLimitsLearnsThem) {
  fill(u"a", "x");
  const auto from = create(first_, creation(u"a", everything)).id();
  const auto to = create(first_, creation(u"b", everything)).id();
  const auto refused = [&](std::vector<wire::SrvCopychunk> chunks) {
    const Answer answer = copy(from, to, std::move(chunks));
    EXPECT_EQ(answer.status, NtStatus::invalid_parameter);
    EXPECT_EQ(result(answer).chunks_written, 256u);
    EXPECT_EQ(result(answer).chunk_bytes_written, 1u << 20);
    EXPECT_EQ(result(answer).total_bytes_written, 16u << 20);
  };
  refused(std::vector<wire::SrvCopychunk>(257, {0, 0, 1}));
  refused({{0, 0, (1 << 20) + 1}});
  refused({{0, 0, 0}});
  refused(std::vector<wire::SrvCopychunk>(17, {0, 0, 1 << 20}));
  refused({{~0ULL, 0, 1}});
}

TEST_F(IoctlTest, ACopyStopsWhereTheSourceEnds) {
  fill(u"a", "0123");
  const auto from = create(first_, creation(u"a", everything)).id();
  const auto to = create(first_, creation(u"b", everything)).id();
  const Answer answer = copy(from, to, {{0, 0, 2}, {2, 2, 3}});
  EXPECT_EQ(answer.status, NtStatus{0xC000001F});
  EXPECT_EQ(result(answer).chunks_written, 1u);
  EXPECT_EQ(result(answer).total_bytes_written, 2u);
}

TEST_F(IoctlTest, ACopyNeedsAccessAndAKey) {
  fill(u"a", "0123");
  const auto from = create(first_, creation(u"a", everything)).id();
  const auto to = create(first_, creation(u"b", wire::AccessMask::write_data)).id();
  EXPECT_EQ(copy(from, to, {{0, 0, 2}}).status, NtStatus::access_denied);
  EXPECT_EQ(copy(from, to, {{0, 0, 2}}, ControlCode::srv_copychunk_write).status,
            NtStatus::success);
  const std::vector<std::byte> key(32 + 24, std::byte{1});
  EXPECT_EQ(control(ControlCode::srv_copychunk_write, to, key).status, NtStatus::invalid_parameter);
  const std::vector<std::byte> unknown(32, std::byte{0});
  EXPECT_EQ(control(ControlCode::srv_copychunk_write, to, unknown).status,
            NtStatus::object_name_not_found);
}

TEST_F(IoctlTest, RangesBecomeZero) {
  fill(u"a", "0123456789");
  const auto id = create(first_, creation(u"a", everything)).id();
  const auto zero = [&](std::uint64_t begin, std::uint64_t end) {
    std::array<std::byte, 16> input;
    store_le(input.data(), begin);
    store_le(input.data() + 8, end);
    return control(ControlCode::set_zero_data, id, input).status;
  };
  EXPECT_EQ(zero(2, 4), NtStatus::success);
  EXPECT_EQ(zero(8, 1ULL << 50), NtStatus::success);
  EXPECT_EQ(contents(u"a"), std::string("01\0\0004567\0\0", 10));
  EXPECT_EQ(zero(4, 2), NtStatus::invalid_parameter);
  EXPECT_EQ(zero(0, ~0ULL), NtStatus::invalid_parameter);
}

TEST_F(IoctlTest, WhatNeedsNoFileIsAskedWithoutOne) {
  const auto id = create(first_, creation(u"a")).id();
  EXPECT_EQ(control(ControlCode::query_network_interface_info, id).status,
            NtStatus::invalid_parameter);
  EXPECT_EQ(control(ControlCode::query_network_interface_info, wire::no_file_id).status,
            NtStatus::success);
  EXPECT_EQ(control(ControlCode::dfs_get_referrals, wire::no_file_id).status,
            NtStatus::fs_driver_required);
  EXPECT_EQ(control(ControlCode::pipe_transceive, id).status, NtStatus::not_supported);
  EXPECT_EQ(control(ControlCode{0x00099999}, id).status, NtStatus::invalid_device_request);
  EXPECT_EQ(control(ControlCode::set_sparse, wire::no_file_id).status, NtStatus::file_closed);
  EXPECT_EQ(control(ControlCode::set_sparse, id, {}, 2 << 20).status, NtStatus::invalid_parameter);
}

TEST_F(IoctlTest, OnlyOtherCodesThanFsctlsAreRefusedAsAWhole) {
  wire::IoctlRequest message;
  message.flags = wire::IoctlFlags::none;
  EXPECT_EQ(ask(first_, message, server::ioctl).status, NtStatus::not_supported);
}

}  // namespace
}  // namespace smb3::server
