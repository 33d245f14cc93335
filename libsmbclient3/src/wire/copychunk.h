// Copying on the server: [MS-SMB2] 2.2.31.1 (SRV_COPYCHUNK) and 2.2.32.1, 2.2.32.3 (answers);
// [MS-FSCC] 2.3.8 (DUPLICATE_EXTENTS).
#pragma once

#include "wire/codec.h"
#include "wire/types.h"

#include <vector>

namespace smb3::wire {

using ResumeKey = std::array<std::byte, 24>;

// [MS-SMB2] 2.2.32.3
struct SrvRequestResumeKeyResponse {
  static constexpr std::string_view wire_name = "SRV_REQUEST_RESUME_KEY response";

  ResumeKey resume_key{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("resume_key", m.resume_key).reserved(u32);  // ContextLength
  }
};
static_assert(fixed_size<SrvRequestResumeKeyResponse>() == 28);

// [MS-SMB2] 2.2.31.1.1
struct SrvCopychunk {
  static constexpr std::string_view wire_name = "SRV_COPYCHUNK";

  std::uint64_t source_offset = 0;
  std::uint64_t target_offset = 0;
  std::uint32_t length = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("source_offset", m.source_offset)("target_offset", m.target_offset);
    c("length", m.length).reserved(u32);
  }
};
static_assert(fixed_size<SrvCopychunk>() == 24);

// [MS-SMB2] 2.2.31.1
struct SrvCopychunkCopy {
  static constexpr std::string_view wire_name = "SRV_COPYCHUNK_COPY";

  ResumeKey source_key{};
  std::vector<SrvCopychunk> chunks{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("source_key", m.source_key).count(u32, m.chunks).reserved(u32).array("chunks", m.chunks);
  }
};
static_assert(fixed_size<SrvCopychunkCopy>() == 32);

// [MS-SMB2] 2.2.32.1. With STATUS_INVALID_PARAMETER it holds the server's limits instead.
struct SrvCopychunkResponse {
  static constexpr std::string_view wire_name = "SRV_COPYCHUNK response";

  std::uint32_t chunks_written = 0;
  std::uint32_t chunk_bytes_written = 0;
  std::uint32_t total_bytes_written = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("chunks_written", m.chunks_written)("chunk_bytes_written", m.chunk_bytes_written);
    c("total_bytes_written", m.total_bytes_written);
  }
};
static_assert(fixed_size<SrvCopychunkResponse>() == 12);

// [MS-FSCC] 2.3.8.1
struct DuplicateExtentsData {
  static constexpr std::string_view wire_name = "DUPLICATE_EXTENTS_DATA";

  FileId source_file_id{};
  std::uint64_t source_file_offset = 0;
  std::uint64_t target_file_offset = 0;
  std::uint64_t byte_count = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("source_file_id", m.source_file_id)("source_file_offset", m.source_file_offset);
    c("target_file_offset", m.target_file_offset)("byte_count", m.byte_count);
  }
};
static_assert(fixed_size<DuplicateExtentsData>() == 40);

}  // namespace smb3::wire
