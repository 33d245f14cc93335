// Opens: [MS-SMB2] 3.3.1.10. Those of one share, with sharing modes, oplocks, leases, and what
// survives a lost connection.
#pragma once

#include "reactor/reactor.h"
#include "support/server/file_store.h"
#include "support/server/request.h"
#include "wire/create.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smb3::server {

struct DirectoryScan;
class ChangeWatch;
class OpenTable;
struct Lease;

// Times that an open has set and that its own writes leave alone ([MS-FSCC] 2.4.7); 0: none.
struct KeptTimes {
  wire::FileTime last_access_time{}, last_write_time{}, change_time{};
};

enum class OplockState : std::uint8_t { none, held, breaking };

struct AppInstanceVersion {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const AppInstanceVersion&) const = default;
};

struct Open : std::enable_shared_from_this<Open> {
  wire::FileId id;
  std::shared_ptr<Node> node;
  std::u16string path;
  wire::AccessMask access{};  // granted: no generic bits, no MAXIMUM_ALLOWED
  wire::ShareAccess share_access{};
  wire::CreateOptions options{};
  bool delete_on_close = false;
  bool is_directory = false;
  // Of query_directory.cpp, change_notify.cpp and set_info.cpp.
  std::shared_ptr<DirectoryScan> scan{};  // where QUERY_DIRECTORY stands; none before the first
  std::shared_ptr<ChangeWatch> watch{};   // ends with the open
  KeptTimes kept_times{};

  bool is_closed = false;
  Reactor* reactor = nullptr;
  OpenTable* table = nullptr;        // none once it is closed
  std::weak_ptr<Session> session{};  // none while it waits for its client to come back
  std::uint32_t tree_id = 0;         // in that session
  wire::Guid client_guid{};
  std::string owner;  // the user, as in Logon
  // As the client asked.
  wire::AccessMask desired_access{};
  wire::ShareAccess desired_share_access{};
  wire::CreateOptions desired_options{};
  wire::FileAttributes desired_attributes{};
  wire::CreateAction action{};

  wire::OplockLevel oplock_level = wire::OplockLevel::none;
  OplockState oplock_state = OplockState::none;
  wire::OplockLevel oplock_break_to = wire::OplockLevel::none;
  std::unique_ptr<Timer> oplock_timer{};
  std::shared_ptr<Lease> lease{};

  bool is_durable = false;
  bool is_persistent = false;
  bool is_replay_eligible = false;
  std::uint32_t durable_timeout_ms = 0;
  std::unique_ptr<Timer> scavenger{};
  std::optional<wire::Guid> create_guid{};
  std::optional<wire::Guid> app_instance_id{};
  std::optional<AppInstanceVersion> app_instance_version{};

  std::uint16_t channel_sequence = 0;
  std::uint32_t outstanding_requests = 0;      // with that ChannelSequence
  std::uint32_t outstanding_pre_requests = 0;  // with earlier ones
  bool has_resume_key = false;                 // of server-side copies
  // LOCK: [MS-SMB2] 3.3.5.14, by LockSequenceIndex; [0] is not used.
  std::array<std::optional<std::uint8_t>, 65> lock_sequences{};
};

struct ByteRangeLock {
  const Open* owner = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool is_exclusive = false;
};

// A file or folder that somebody has open.
struct OpenFile {
  std::shared_ptr<Node> node;
  std::vector<std::shared_ptr<Open>> opens{};
  std::vector<ByteRangeLock> locks{};
  bool delete_pending = false;  // goes with the last open
};

class OpenTable {
 public:
  explicit OpenTable(FileStore* store = nullptr);
  OpenTable(const OpenTable&) = delete;
  OpenTable& operator=(const OpenTable&) = delete;
  ~OpenTable();

  void add(const std::shared_ptr<Open>& open);
  std::shared_ptr<Open> find(std::uint64_t persistent_id) const;
  std::shared_ptr<Open> find_if(const std::function<bool(const Open&)>& fits) const;
  // None where nobody has it open. Holds until an open is added or closed.
  OpenFile* file(const Node& node);
  const std::vector<std::unique_ptr<OpenFile>>& files() const noexcept { return files_; }

  // Would an open with this access and sharing be at odds with one that is there? `but`: not with
  // that one.
  bool violates_sharing(const Node& node, wire::AccessMask access, wire::ShareAccess share_access,
                        const Open* but = nullptr) const;
  bool is_delete_pending(const Node& node) const;
  // The node goes with its last open, or does not after all. Precondition: somebody has it open.
  void set_delete_pending(const Node& node, bool pending);
  // Somebody has something below this folder open.
  bool has_opens_below(std::u16string_view folder) const;
  // After a rename: what is open there, or below there, lies elsewhere now.
  void renamed(std::u16string_view from, std::u16string_view to);

  // [MS-SMB2] 3.3.4.17. Removes the file if it was to go with this open.
  void close(Open& open);
  std::uint64_t closed_count() const noexcept { return closed_count_; }
  // Called with the path after a removal at the last close.
  std::function<void(const Open&)> removed{};

  // Leases: lease.cpp.
  std::shared_ptr<Lease> find_lease(const wire::Guid& client, const wire::Guid& key) const;
  void add_lease(const std::shared_ptr<Lease>& lease) { leases_.push_back(lease); }
  void leave_lease(Open& open);

  // Whoever waits for this file's oplocks or locks looks again.
  void wake(const Node& node);
  void add_waiter(const Node& node, Event& event) { waiters_.push_back({&node, &event}); }
  void remove_waiter(const Event& event);

  // CREATEs that wait, by what makes them replayable: [MS-SMB2] 3.3.5.9.
  struct PendingCreate {
    wire::Guid client_guid;
    wire::Guid create_guid;
    bool operator==(const PendingCreate&) const = default;
  };
  std::vector<PendingCreate> pending_creates{};

  // Sends a break on any connection of the session; false if there is none. Tests put theirs here.
  std::function<bool(Session& session, Answer message)> notify;

 private:
  struct WaitingEvent {
    const Node* node;
    Event* event;
  };

  FileStore* store_;
  std::uint64_t closed_count_ = 0;
  std::vector<std::unique_ptr<OpenFile>> files_;
  std::vector<std::shared_ptr<Lease>> leases_;
  std::vector<WaitingEvent> waiters_;
};

// The open that a request names, also by the FileId of a related element. From now on a CREATE that
// made it is not replayed any more.
StatusOr<std::shared_ptr<Open>> open_of(Request& request, const wire::FileId& id);

// A request that counts in its open's outstanding ones until it is answered: [MS-SMB2] 3.3.4.1.
class OutstandingRequest {
 public:
  OutstandingRequest(std::shared_ptr<Open> open, std::uint16_t channel_sequence) noexcept
      : open_(std::move(open)), channel_sequence_(channel_sequence) {}
  OutstandingRequest(OutstandingRequest&&) noexcept = default;
  OutstandingRequest& operator=(OutstandingRequest&&) = delete;
  ~OutstandingRequest();

 private:
  std::shared_ptr<Open> open_;
  std::uint16_t channel_sequence_;
};

// [MS-SMB2] 3.3.5.2.10, for WRITE, SET_INFO and IOCTL. Keep the result until the answer is made:
//   const auto outstanding = check_channel_sequence(request, *open);
//   if (!outstanding) co_return Answer::refusal(outstanding.error());
StatusOr<OutstandingRequest> check_channel_sequence(const Request& request, Open& open);

// file_lock_conflict if somebody else's byte-range lock stands against it: lock.cpp.
NtStatus check_locks(const Request& request, const Open& open, std::uint64_t offset,
                     std::uint64_t length, bool writes);

// Why the caching of others has to end: [MS-FSA] 2.1.4.12.
enum class BreakCause : std::uint8_t {
  open,       // WRITE caching
  overwrite,  // all of it
  sharing,    // HANDLE caching: a sharing violation, a rename, a deletion
  write       // all of it, but nobody waits for READ or HANDLE caching to end
};

// Breaks what others have on the open's file, and waits for their acknowledgments where it has to:
// success or cancelled. `write` before WRITE and a change of the size, `sharing` before a rename
// and a deletion.
Task<NtStatus> break_oplocks(Request& request, Open& open, BreakCause cause);

// Waits, as an asynchronous request, until something about the file changes or the request is
// cancelled (Request::is_cancelled).
Task<void> wait_for_change(Request& request, OpenTable& table, std::shared_ptr<Node> node);

}  // namespace smb3::server
