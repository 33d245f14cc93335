// Files that are nowhere: reads come from a fixed pattern, writes are thrown away. It costs so
// little that a client's own cost shows.
#pragma once

#include "support/server/file_store.h"

namespace smb3::server {

// The byte at `offset` of every file.
std::byte null_pattern(std::uint64_t offset) noexcept;
// It repeats after so many bytes: no power of two, so that chunks in a wrong place show.
inline constexpr std::uint64_t null_period_bytes = 1_MiB + 4_KiB;

// Every name is a file of `null_file_bytes`, but for names that begin with a dot: those exist once
// they were created, so that a temporary can be made. With `null_file_bytes` of 0 this holds for
// all names but "file", the one entry of the share's listing.
std::unique_ptr<FileStore> make_null_store(const ShareSettings& share, Clock clock);

}  // namespace smb3::server
