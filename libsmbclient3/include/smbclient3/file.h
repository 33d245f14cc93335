// An open file on a share.
#pragma once

#include <smbclient3/export.h>
#include <smbclient3/task.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace smb3 {

// 100 ns since 1601-01-01 UTC ([MS-DTYP] 2.3.3). Where times are set, 0 means "leave alone".
using FileTime = std::int64_t;

// [MS-FSCC] 2.6.
namespace attribute {
inline constexpr std::uint32_t read_only = 0x1;
inline constexpr std::uint32_t hidden = 0x2;
inline constexpr std::uint32_t system = 0x4;
inline constexpr std::uint32_t directory = 0x10;
inline constexpr std::uint32_t archive = 0x20;
inline constexpr std::uint32_t normal = 0x80;
inline constexpr std::uint32_t reparse_point = 0x400;
}  // namespace attribute

struct FileStatus {
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  FileTime creation_time = 0;
  FileTime access_time = 0;
  FileTime write_time = 0;
  FileTime change_time = 0;
  std::uint32_t attributes = 0;

  bool is_directory() const noexcept { return (attributes & attribute::directory) != 0; }
  bool is_reparse_point() const noexcept { return (attributes & attribute::reparse_point) != 0; }
};

// Times and attributes to be set: [MS-FSCC] 2.4.7. 0 leaves a field as it is.
struct BasicInformation {
  FileTime creation_time = 0;
  FileTime access_time = 0;
  FileTime write_time = 0;
  FileTime change_time = 0;
  std::uint32_t attributes = 0;
};

enum class Access : std::uint8_t { read, write, read_write };

enum class Disposition : std::uint8_t {
  open,    // it must exist
  create,  // it must not exist
  open_or_create,
  overwrite,  // emptied, or created
};

struct OpenOptions {
  Access access = Access::read;
  Disposition disposition = Disposition::open;
  bool write_through = false;  // FILE_WRITE_THROUGH, and through and unbuffered on every WRITE
};

// All members run on the reactor's thread of the Client that the share belongs to. close() must be
// awaited: it tells whether the server kept what was written. A File that is only destroyed is
// closed in the background and its failure is lost.
class SMB3_API File {
 public:
  struct Impl;
  explicit File(std::unique_ptr<Impl> impl);
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  // As the server told at open.
  const FileStatus& status_at_open() const noexcept;

  // Fills `into` from `offset_bytes` on; fewer bytes than asked only at the end of the file.
  Task<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::byte> into);
  // Writes all of `from`. Stable storage only with write_through, or after flush().
  Task<void> write_at(std::uint64_t offset_bytes, std::span<const std::byte> from);
  Task<void> flush();
  Task<FileStatus> status();
  Task<void> set_size(std::uint64_t size_bytes);
  Task<void> set_information(BasicInformation information);
  Task<void> close();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace smb3
