// Information about a file system: [MS-FSCC] 2.5, the classes that a client needs.
#pragma once

#include "wire/codec.h"
#include "wire/types.h"

namespace smb3::wire {

enum class FileSystemInformationClass : std::uint8_t {
  volume = 1,
  size = 3,
  device = 4,
  attribute = 5,
  full_size = 7,
  sector_size = 11,
};

struct FileFsVolumeInformation {
  static constexpr std::string_view wire_name = "FileFsVolumeInformation";
  static constexpr auto information_class = FileSystemInformationClass::volume;

  FileTime volume_creation_time{};
  std::uint32_t volume_serial_number = 0;
  bool supports_objects = false;
  Bytes volume_label{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("volume_creation_time", m.volume_creation_time);
    c("volume_serial_number", m.volume_serial_number).length(u32, m.volume_label);
    c("supports_objects", m.supports_objects).reserved(u8);
    c.follows("volume_label", m.volume_label, text_part);
  }
};
static_assert(fixed_size<FileFsVolumeInformation>() == 18);

struct FileFsAttributeInformation {
  static constexpr std::string_view wire_name = "FileFsAttributeInformation";
  static constexpr auto information_class = FileSystemInformationClass::attribute;

  std::uint32_t file_system_attributes = 0;
  std::uint32_t maximum_component_name_length = 0;
  Bytes file_system_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("file_system_attributes", m.file_system_attributes);
    c("maximum_component_name_length", m.maximum_component_name_length);
    c.length(u32, m.file_system_name);
    c.follows("file_system_name", m.file_system_name, text_part);
  }
};
static_assert(fixed_size<FileFsAttributeInformation>() == 12);

struct FileFsFullSizeInformation {
  static constexpr std::string_view wire_name = "FileFsFullSizeInformation";
  static constexpr auto information_class = FileSystemInformationClass::full_size;

  std::uint64_t total_allocation_units = 0;
  std::uint64_t caller_available_allocation_units = 0;
  std::uint64_t actual_available_allocation_units = 0;
  std::uint32_t sectors_per_allocation_unit = 0;
  std::uint32_t bytes_per_sector = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("total_allocation_units", m.total_allocation_units);
    c("caller_available_allocation_units", m.caller_available_allocation_units);
    c("actual_available_allocation_units", m.actual_available_allocation_units);
    c("sectors_per_allocation_unit", m.sectors_per_allocation_unit);
    c("bytes_per_sector", m.bytes_per_sector);
  }
};
static_assert(fixed_size<FileFsFullSizeInformation>() == 32);

struct FileFsSectorSizeInformation {
  static constexpr std::string_view wire_name = "FileFsSectorSizeInformation";
  static constexpr auto information_class = FileSystemInformationClass::sector_size;

  std::uint32_t logical_bytes_per_sector = 0;
  std::uint32_t physical_bytes_per_sector_for_atomicity = 0;
  std::uint32_t physical_bytes_per_sector_for_performance = 0;
  std::uint32_t effective_physical_bytes_per_sector_for_atomicity = 0;
  std::uint32_t flags = 0;
  std::uint32_t byte_offset_for_sector_alignment = 0;
  std::uint32_t byte_offset_for_partition_alignment = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("logical_bytes_per_sector", m.logical_bytes_per_sector);
    c("physical_bytes_per_sector_for_atomicity", m.physical_bytes_per_sector_for_atomicity);
    c("physical_bytes_per_sector_for_performance", m.physical_bytes_per_sector_for_performance);
    c("effective_physical_bytes_per_sector_for_atomicity",
      m.effective_physical_bytes_per_sector_for_atomicity);
    c("flags", m.flags);
    c("byte_offset_for_sector_alignment", m.byte_offset_for_sector_alignment);
    c("byte_offset_for_partition_alignment", m.byte_offset_for_partition_alignment);
  }
};
static_assert(fixed_size<FileFsSectorSizeInformation>() == 28);

}  // namespace smb3::wire
