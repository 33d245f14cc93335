// Every bound in one place, and how they relate.
#pragma once

#include "base/bytes.h"

#include <cstddef>
#include <cstdint>

namespace smb3::limits {

// One piece of a file: one READ or WRITE at most.
inline constexpr std::size_t chunk_bytes = 1_MiB;
// Header, fixed part and transform header in front of a payload; the payload of a READ lands on
// a page.
inline constexpr std::size_t head_room_bytes = 4_KiB;
// A frame above this comes into a large buffer, and only if a request expects it.
inline constexpr std::size_t small_frame_bytes = 16_KiB;
// Large buffers: what bounds memory, whatever a file's size.
inline constexpr std::size_t large_buffers = 24;
// What a compound or a directory listing may answer beyond its payload.
inline constexpr std::size_t frame_overhead_bytes = 8_KiB;
inline constexpr std::size_t large_frame_bytes = chunk_bytes + frame_overhead_bytes;

// Local files from this size on are written around the page cache.
inline constexpr std::uint64_t direct_file_bytes = 64_MiB;
// What direct I/O aligns memory, offsets and lengths to.
inline constexpr std::size_t direct_alignment_bytes = 4_KiB;
static_assert(chunk_bytes % direct_alignment_bytes == 0);
static_assert(head_room_bytes % direct_alignment_bytes == 0);

// Chunks of one file in flight over one connection.
inline constexpr std::size_t lanes_per_connection = 16;
static_assert(lanes_per_connection < large_buffers, "listing must go on beside a copy");

// [MS-SMB2] 3.2.4.1.2: credits that the client tries to hold, and the most it may be given.
inline constexpr std::uint32_t credit_target = 1024;
inline constexpr std::uint32_t credits_max = 65535;
inline constexpr std::size_t credit_bytes = 65536;
static_assert(lanes_per_connection * (chunk_bytes / credit_bytes) <= credit_target);

// Requests outstanding on one connection.
inline constexpr std::size_t requests_max = 1024;

// Before NEGOTIATE has completed no frame may be larger.
inline constexpr std::size_t first_frame_bytes = 64_KiB;
// The length field of Direct TCP has 24 bits ([MS-SMB2] 2.1).
inline constexpr std::size_t frame_bytes_max = 0xFFFFFF;
static_assert(large_frame_bytes < frame_bytes_max);

}  // namespace smb3::limits
