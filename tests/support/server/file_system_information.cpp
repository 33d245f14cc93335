// Information about the volume of a share: [MS-FSCC] 2.5.
#include "wire/file_system_information.h"

#include "support/server/names.h"
#include "support/server/query_answer.h"

namespace smb3::server {

namespace {

using wire::FileSystemInformationClass;

constexpr std::uint32_t bytes_per_cluster = bytes_per_sector * sectors_per_cluster;
constexpr std::uint32_t physical_bytes_per_sector = 4096;
constexpr std::uint32_t component_units_max = 255;
constexpr std::uint8_t last_class = 11;

// [MS-FSCC] 2.5.1
constexpr std::uint32_t case_preserved_names = 0x2;
constexpr std::uint32_t unicode_on_disk = 0x4;
constexpr std::uint32_t supports_sparse_files = 0x40;
constexpr std::uint32_t read_only_volume = 0x80000;
// [MS-FSCC] 2.5.10
constexpr std::uint32_t device_disk = 7;
constexpr std::uint32_t device_is_mounted = 0x20;
// [MS-FSCC] 2.5.8
constexpr std::uint32_t aligned_device = 0x1;
constexpr std::uint32_t partition_aligned = 0x2;

void put_attribute(const Request& request, Information& information) {
  wire::FileFsAttributeInformation attribute;
  attribute.file_system_attributes = case_preserved_names | unicode_on_disk | supports_sparse_files;
  if (on_read_only_share(request)) attribute.file_system_attributes |= read_only_volume;
  attribute.maximum_component_name_length = component_units_max;
  attribute.file_system_name = to_wire(u"NTFS");
  information.put(attribute);
}

void put_sector_size(Information& information) {
  wire::FileFsSectorSizeInformation size;
  size.logical_bytes_per_sector = bytes_per_sector;
  size.physical_bytes_per_sector_for_atomicity = physical_bytes_per_sector;
  size.physical_bytes_per_sector_for_performance = physical_bytes_per_sector;
  size.effective_physical_bytes_per_sector_for_atomicity = physical_bytes_per_sector;
  size.flags = aligned_device | partition_aligned;
  information.put(size);
}

void put_volume(const Request& request, Information& information) {
  wire::FileFsVolumeInformation volume;
  const auto root = request.tree->share->store->open(u"");
  const auto status = root ? (*root)->status() : refuse(root.error());
  if (status) volume.volume_creation_time = status->creation_time;
  volume.volume_serial_number = volume_serial_number;
  const auto label = from_utf8(request.tree->share->settings.name);
  if (label) volume.volume_label = to_wire(*label);
  information.put(volume);
}

}  // namespace

NtStatus query_file_system(const Request& request, std::uint8_t number, Information& information) {
  FileStore& store = *request.tree->share->store;
  const std::uint64_t total = store.total_bytes() / bytes_per_cluster;
  const std::uint64_t available = store.free_bytes() / bytes_per_cluster;
  switch (FileSystemInformationClass{number}) {
    case FileSystemInformationClass::volume: put_volume(request, information); break;
    case FileSystemInformationClass::attribute: put_attribute(request, information); break;
    case FileSystemInformationClass::sector_size: put_sector_size(information); break;
    case FileSystemInformationClass::full_size: {
      wire::FileFsFullSizeInformation size;
      size.total_allocation_units = total;
      size.caller_available_allocation_units = size.actual_available_allocation_units = available;
      size.sectors_per_allocation_unit = sectors_per_cluster;
      size.bytes_per_sector = bytes_per_sector;
      information.put(size);
      break;
    }
    case FileSystemInformationClass::size:
      information.put_number(total);
      information.put_number(available);
      information.put_number(sectors_per_cluster);
      information.put_number(bytes_per_sector);
      break;
    case FileSystemInformationClass::device:
      information.put_number(device_disk);
      information.put_number(device_is_mounted);
      break;
    default:
      return number != 0 && number <= last_class ? NtStatus::not_supported
                                                 : NtStatus::invalid_info_class;
  }
  return NtStatus::success;
}

}  // namespace smb3::server
