// Information about a file or folder: [MS-FSCC] 2.4.
#include "wire/file_information.h"

#include "support/server/names.h"
#include "support/server/query_answer.h"

namespace smb3::server {

namespace {

using wire::FileInformationClass;

// [MS-FSCC] 2.4: those without a structure of the wire layer.
constexpr FileInformationClass ea_class{7}, access_class{8}, position_class{14}, mode_class{16};
constexpr FileInformationClass alignment_class{17}, alternate_name_class{21}, id_class{59};
constexpr std::uint8_t last_class = 81;

bool needs_read_attributes(FileInformationClass kind) {
  return kind == FileInformationClass::basic || kind == FileInformationClass::all ||
         kind == FileInformationClass::network_open || kind == FileInformationClass::attribute_tag;
}

wire::FileBasicInformation basic(const NodeStatus& status) {
  wire::FileBasicInformation basic;
  basic.creation_time = status.creation_time;
  basic.last_access_time = status.last_access_time;
  basic.last_write_time = status.last_write_time;
  basic.change_time = status.change_time;
  basic.file_attributes = status.attributes;
  return basic;
}

wire::FileStandardInformation standard(const Open& open, const NodeStatus& status) {
  wire::FileStandardInformation standard;
  standard.allocation_size = status.allocated_bytes;
  standard.end_of_file = status.size_bytes;
  standard.delete_pending = open.table && open.table->is_delete_pending(*open.node);
  standard.number_of_links = standard.delete_pending ? 0 : 1;
  standard.directory = status.is_directory;
  return standard;
}

wire::FileAllInformation all(const Open& open, const NodeStatus& status, Bytes name) {
  wire::FileAllInformation all;
  all.basic_information = basic(status);
  all.standard_information = standard(open, status);
  all.internal_information.index_number = status.file_index;
  all.access_flags = open.access;
  all.mode =
      open.options & (wire::CreateOptions::write_through | wire::CreateOptions::sequential_only |
                      wire::CreateOptions::no_intermediate_buffering);
  all.file_name_length = static_cast<std::uint32_t>(name.size());
  all.file_name = name;
  return all;
}

wire::FileNetworkOpenInformation network_open(const NodeStatus& status) {
  wire::FileNetworkOpenInformation information;
  information.creation_time = status.creation_time;
  information.last_access_time = status.last_access_time;
  information.last_write_time = status.last_write_time;
  information.change_time = status.change_time;
  information.allocation_size = status.allocated_bytes;
  information.end_of_file = status.size_bytes;
  information.file_attributes = status.attributes;
  return information;
}

void put_streams(const NodeStatus& status, Information& information) {
  if (status.is_directory) return;
  wire::FileStreamInformation data;
  data.stream_size = status.size_bytes;
  data.stream_allocation_size = status.allocated_bytes;
  data.stream_name = to_wire(u"::$DATA");
  information.put(data);
}

NtStatus put_numbers(const Open& open, FileInformationClass kind, const NodeStatus& status,
                     Information& information) {
  if (kind == ea_class || kind == alignment_class || kind == mode_class) {
    const auto mode = all(open, status, {}).mode;
    information.put_number(kind == mode_class ? std::to_underlying(mode) : std::uint32_t{0});
  } else if (kind == access_class) {
    information.put_number(std::to_underlying(open.access));
  } else if (kind == position_class) {
    information.put_number(std::uint64_t{0});
  } else if (kind == id_class) {
    information.put_number(std::uint64_t{volume_serial_number});
    information.put_number(status.file_index);
    information.put_number(std::uint64_t{0});
  } else if (kind == alternate_name_class) {
    return NtStatus::object_name_not_found;
  } else {
    const auto number = std::to_underlying(kind);
    const bool is_known = number != 0 && number <= last_class;
    return is_known ? NtStatus::not_supported : NtStatus::invalid_info_class;
  }
  return NtStatus::success;
}

}  // namespace

NtStatus query_file(const Request& request, const Open& open, std::uint8_t number,
                    Information& information) {
  const FileInformationClass kind{number};
  if (needs_read_attributes(kind) && !any(open.access, wire::AccessMask::read_attributes)) {
    return NtStatus::access_denied;
  }
  const auto found = open.node->status();
  if (!found) return found.error();
  const NodeStatus& status = *found;
  switch (kind) {
    case FileInformationClass::basic: information.put(basic(status)); break;
    case FileInformationClass::standard: information.put(standard(open, status)); break;
    case FileInformationClass::internal: information.put_number(status.file_index); break;
    case FileInformationClass::all: {
      // The standard wants no name here; well-known servers give one.
      const std::u16string name = request.server.settings().strict ? u"" : u"\\" + open.path;
      information.put(all(open, status, to_wire(name)));
      break;
    }
    case FileInformationClass::stream: put_streams(status, information); break;
    case FileInformationClass::network_open: information.put(network_open(status)); break;
    case FileInformationClass::attribute_tag: {
      wire::FileAttributeTagInformation tag;
      tag.file_attributes = status.attributes;
      tag.reparse_tag = status.reparse_tag;
      information.put(tag);
      break;
    }
    default: return put_numbers(open, kind, status, information);
  }
  return NtStatus::success;
}

}  // namespace smb3::server
