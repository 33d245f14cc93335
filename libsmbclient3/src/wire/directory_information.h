// What QUERY_DIRECTORY lists: [MS-FSCC] 2.4.22 (FileIdBoth), 2.4.21 (FileIdExtd), 2.4.33 (Names).
#pragma once

#include "wire/codec.h"
#include "wire/file_types.h"
#include "wire/query_directory.h"

#include <algorithm>

namespace smb3::wire {

struct FileIdBothDirectoryInformation {
  static constexpr std::string_view wire_name = "FILE_ID_BOTH_DIR_INFORMATION";
  static constexpr auto information_class =
      DirectoryInformationClass::file_id_both_directory_information;

  std::uint32_t file_index = 0;
  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  std::uint64_t end_of_file = 0;
  std::uint64_t allocation_size = 0;
  FileAttributes file_attributes = FileAttributes::none;
  std::uint32_t ea_size = 0;  // of a reparse point: its tag
  std::uint8_t short_name_length = 0;
  std::array<std::byte, 24> short_name{};
  std::uint64_t file_id = 0;
  Bytes file_name{};

  ReparseTag reparse_tag() const noexcept {
    return has(file_attributes, FileAttributes::reparse_point) ? ReparseTag{ea_size}
                                                               : ReparseTag::none;
  }

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry()("file_index", m.file_index)("creation_time", m.creation_time);
    c("last_access_time", m.last_access_time)("last_write_time", m.last_write_time);
    c("change_time", m.change_time)("end_of_file", m.end_of_file);
    c("allocation_size", m.allocation_size)("file_attributes", m.file_attributes);
    c.length(u32, m.file_name)("ea_size", m.ea_size);
    c("short_name_length", m.short_name_length).reserved(u8)("short_name", m.short_name);
    c.reserved(u16)("file_id", m.file_id).follows("file_name", m.file_name, text_part);
  }
};
static_assert(fixed_size<FileIdBothDirectoryInformation>() == 104);

struct FileIdExtdDirectoryInformation {
  static constexpr std::string_view wire_name = "FILE_ID_EXTD_DIR_INFORMATION";
  static constexpr auto information_class =
      DirectoryInformationClass::file_id_extd_directory_information;

  std::uint32_t file_index = 0;
  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  std::uint64_t end_of_file = 0;
  std::uint64_t allocation_size = 0;
  FileAttributes file_attributes = FileAttributes::none;
  std::uint32_t ea_size = 0;
  std::uint32_t reparse_point_tag = 0;
  std::array<std::byte, 16> file_id{};
  Bytes file_name{};

  ReparseTag reparse_tag() const noexcept {
    return has(file_attributes, FileAttributes::reparse_point) ? ReparseTag{reparse_point_tag}
                                                               : ReparseTag::none;
  }

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry()("file_index", m.file_index)("creation_time", m.creation_time);
    c("last_access_time", m.last_access_time)("last_write_time", m.last_write_time);
    c("change_time", m.change_time)("end_of_file", m.end_of_file);
    c("allocation_size", m.allocation_size)("file_attributes", m.file_attributes);
    c.length(u32, m.file_name)("ea_size", m.ea_size)("reparse_point_tag", m.reparse_point_tag);
    c("file_id", m.file_id).follows("file_name", m.file_name, text_part);
  }
};
static_assert(fixed_size<FileIdExtdDirectoryInformation>() == 88);

struct FileNamesInformation {
  static constexpr std::string_view wire_name = "FILE_NAMES_INFORMATION";
  static constexpr auto information_class = DirectoryInformationClass::file_names_information;

  std::uint32_t file_index = 0;
  Bytes file_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry()("file_index", m.file_index);
    c.length(u32, m.file_name).follows("file_name", m.file_name, text_part);
  }
};
static_assert(fixed_size<FileNamesInformation>() == 12);

// What is wrong with a name that a peer gave for one component of a path, in words; nullptr if it
// may be used. A name with a separator in it could lead out of the folder that is being written.
const char* why_not_a_component(Bytes utf16le_name);

// The entries of a response, one by one. An entry that is malformed or has a name that cannot be a
// name comes as an error, and the walk goes on behind it: the caller reports it and skips it.
// "." and ".." are entries like others.
template <Structure Entry>
class DirectoryCursor {
 public:
  explicit DirectoryCursor(Bytes output_buffer) : chain_(output_buffer) {}

  // Nothing: the end.
  std::optional<Result<Entry>> next() {
    std::optional<Result<Entry>> entry = chain_.next();
    if (entry && *entry) {
      if (const char* why = why_not_a_component((*entry)->file_name)) {
        return std::unexpected(Error(ErrorKind::protocol, why).during(Entry::wire_name));
      }
      if (hides_more(**entry)) {
        broken_ = true;
        return std::unexpected(
            Error(ErrorKind::protocol, "the list leaves entries out").during(Entry::wire_name));
      }
    }
    return entry;
  }
  // The last error was not about one entry: what lies behind is lost.
  bool broken() const { return broken_ || chain_.broken(); }

 private:
  // Whether more than padding lies between an entry and the next, or the end: a wrong link.
  bool hides_more(const Entry& entry) const {
    constexpr std::size_t fixed = fixed_size<Entry>();
    const Bytes all = chain_.last_entry();
    const std::size_t used = fixed + entry.file_name.size();
    if (all.size() < used + fixed) return false;
    return std::ranges::any_of(all.subspan(used),
                               [](std::byte byte) { return byte != std::byte{0}; });
  }

  bool broken_ = false;
  ChainCursor<Entry> chain_;
};

}  // namespace smb3::wire
