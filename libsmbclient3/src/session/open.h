// An open file or directory: [MS-SMB2] 3.2.1.6. One request per call; who wants more in flight
// calls more often.
#pragma once

#include "connection/open_record.h"
#include "session/tree_connect.h"
#include "wire/close.h"
#include "wire/create.h"
#include "wire/file_information.h"
#include "wire/types.h"

#include <smbclient3/file.h>

#include <memory>
#include <string>

namespace smb3 {

// What does not stand in the way of others.
inline constexpr auto share_everything =
    wire::ShareAccess::read | wire::ShareAccess::write | wire::ShareAccess::delete_access;

// What CREATE is asked for, beside the name.
struct CreateParameters {
  wire::AccessMask desired_access{};
  wire::FileAttributes file_attributes{};
  wire::ShareAccess share_access = wire::ShareAccess::read;
  wire::CreateDisposition disposition = wire::CreateDisposition::open;
  wire::CreateOptions options{};
  wire::OplockLevel oplock_level = wire::OplockLevel::none;
};

// The data of a READ, a view of the frame that brought it; empty at the end of the file.
struct ReadResult {
  FrameBuffer frame;
  Bytes data;
};

class Open {
 public:
  // `path` as in Share: UTF-8, '/' between components, "" is the root.
  static Task<std::unique_ptr<Open>> create(TreeConnect& tree, std::string path,
                                            CreateParameters parameters);
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open();

  // At most `length` bytes, in one READ of at most what the server, the credits and a buffer allow.
  // A length above a small frame needs a reservation of the pool, held by the caller.
  Task<ReadResult> read(std::uint64_t offset, std::uint32_t length);
  // All of `data`, which is at most a chunk, in as many WRITEs as it takes.
  Task<void> write(std::uint64_t offset, Bytes data, bool write_through);
  Task<void> flush();

  Task<FileStatus> status();
  Task<void> set_end_of_file(std::uint64_t size);
  Task<void> set_basic(BasicInformation information);
  Task<void> rename(std::string new_path, bool replace);
  Task<void> remove_on_close();
  // Yields what the server knows of the file at its end.
  Task<FileStatus> close();

  // As CREATE answered.
  const FileStatus& status_at_open() const noexcept { return status_; }
  const std::string& path() const noexcept { return path_; }
  // "//server/share/path", for messages; of a temporary the name that it will have.
  std::string display() const;
  void shown_as(std::string path) { shown_path_ = std::move(path); }
  TreeConnect& tree() const noexcept { return tree_; }
  Connection& connection() const noexcept { return tree_.connection(); }
  const wire::FileId& file_id() const noexcept { return record_.file_id; }
  bool is_closed() const noexcept { return closed_; }
  // What oplock is held now; a break lowers it.
  std::uint8_t oplock_level() const noexcept { return record_.oplock_level; }

 private:
  Open(TreeConnect& tree, std::string path) : tree_(tree), path_(std::move(path)) {}
  Task<std::uint32_t> write_once(std::uint64_t offset, Bytes data, bool write_through);
  Task<void> set_information(wire::FileInformationClass information_class, Bytes buffer);
  std::uint32_t most_bytes(std::uint64_t wanted, std::uint32_t server_limit) const noexcept;

  TreeConnect& tree_;
  std::string path_;
  std::string shown_path_;
  FileStatus status_;
  OpenRecord record_;
  bool closed_ = false;
};

// Sends one request on the tree and yields its reply; a status other than success (or `also`) is
// an error during `operation`.
Task<Reply> call(TreeConnect& tree, Request& request, const char* operation,
                 NtStatus also = NtStatus::success);

// CREATE, CLOSE and FileNetworkOpenInformation tell the same of a file.
template <class Message>
FileStatus status_of(const Message& message) {
  FileStatus status;
  status.size_bytes = message.end_of_file;
  status.allocated_bytes = message.allocation_size;
  status.creation_time = static_cast<FileTime>(message.creation_time);
  status.access_time = static_cast<FileTime>(message.last_access_time);
  status.write_time = static_cast<FileTime>(message.last_write_time);
  status.change_time = static_cast<FileTime>(message.change_time);
  status.attributes = static_cast<std::uint32_t>(message.file_attributes);
  return status;
}

// A share-relative path as CREATE wants it: UTF-16LE with backslashes. Refuses what no server path
// may hold: '\', NUL, empty components, "." and "..".
Result<std::vector<std::byte>> wire_path(std::string_view path);

}  // namespace smb3
