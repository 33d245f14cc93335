// SMB2 CHANGE_NOTIFY: [MS-SMB2] 2.2.35 (request) and 2.2.36 (response); [MS-FSCC] 2.7.1.
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

enum class ChangeNotifyFlags : std::uint16_t { none = 0, watch_tree = 0x1 };
template <>
inline constexpr bool is_flags<ChangeNotifyFlags> = true;

enum class CompletionFilter : std::uint32_t {
  none = 0,
  file_name = 0x1,
  dir_name = 0x2,
  attributes = 0x4,
  size = 0x8,
  last_write = 0x10,
  last_access = 0x20,
  creation = 0x40,
  ea = 0x80,
  security = 0x100,
  stream_name = 0x200,
  stream_size = 0x400,
  stream_write = 0x800,
};
template <>
inline constexpr bool is_flags<CompletionFilter> = true;

struct ChangeNotifyRequest {
  static constexpr Command command = Command::change_notify;
  static constexpr std::string_view wire_name = "CHANGE_NOTIFY request";
  static constexpr std::uint16_t structure_size = 32;

  ChangeNotifyFlags flags = ChangeNotifyFlags::none;
  std::uint32_t output_buffer_length = 0;
  FileId file_id{};
  CompletionFilter completion_filter = CompletionFilter::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags)("output_buffer_length", m.output_buffer_length)("file_id", m.file_id);
    c("completion_filter", m.completion_filter).reserved(u32);
  }
};
static_assert(fixed_size<ChangeNotifyRequest>() == 32);

struct ChangeNotifyResponse {
  static constexpr Command command = Command::change_notify;
  static constexpr std::string_view wire_name = "CHANGE_NOTIFY response";
  static constexpr std::uint16_t structure_size = 9;

  Bytes output_buffer{};  // a chain of FileNotifyInformation, 4-aligned

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.offset(u16, m.output_buffer).length(u32, m.output_buffer);
    c.part("output_buffer", m.output_buffer);
  }
};
static_assert(fixed_size<ChangeNotifyResponse>() == 8);

enum class FileAction : std::uint32_t {
  added = 1,
  removed = 2,
  modified = 3,
  renamed_old_name = 4,
  renamed_new_name = 5,
  added_stream = 6,
  removed_stream = 7,
  modified_stream = 8,
};

inline constexpr std::size_t file_notify_alignment = 4;

struct FileNotifyInformation {
  static constexpr std::string_view wire_name = "FILE_NOTIFY_INFORMATION";

  FileAction action{};
  Bytes file_name{};  // relative to the watched directory

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry()("action", m.action).length(u32, m.file_name);
    c.follows("file_name", m.file_name, text_part);
  }
};
static_assert(fixed_size<FileNotifyInformation>() == 12);

}  // namespace smb3::wire
