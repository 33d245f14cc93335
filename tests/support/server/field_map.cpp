#include "support/server/field_map.h"

#include "support/server/answer_samples.h"
#include "support/server/field_mapper.h"

#include <algorithm>

namespace smb3::server {

namespace {

using namespace wire;

// Whether these bytes are such a structure, to the last of them.
template <class T>
bool fills(Bytes bytes) {
  if constexpr (is_chained<T>) {
    constexpr std::size_t padding_max = 7;
    ChainWalk links(bytes, 4);
    bool any = false;
    for (Bytes entry = links.next(); !entry.empty(); entry = links.next()) {
      any = true;
      const auto decoded = decode<T>(entry);
      if (!decoded) return false;
      ByteBuffer again;
      encode(*decoded, again);
      if (entry.size() > again.size() + padding_max) return false;
    }
    return any && links.why_broken() == nullptr;
  } else {
    const auto decoded = decode<T>(bytes);
    if (!decoded) return false;
    if constexpr (std::is_same_v<T, FileAllInformation>) {
      if (decoded->file_name_length != decoded->file_name.size()) return false;
    }
    ByteBuffer again;
    encode(*decoded, again);
    return again.size() == bytes.size();
  }
}

class BufferMapper {
 public:
  BufferMapper(FieldWalk& walk, std::uint32_t information)
      : mapper_(walk, {}, 0, {}), information_(information & 0xFF) {}

  template <class M>
  void map(const M&) {}

  void map(const QueryDirectoryResponse& answer) {
    const auto known = static_cast<DirectoryInformationClass>(information_);
    const Bytes buffer = answer.output_buffer;
    one_of<FileIdBothDirectoryInformation, FileIdExtdDirectoryInformation, FileNamesInformation>(
        buffer, [&](auto wanted) { return information_ == 0 || wanted == known; });
  }
  // Classes of files and of file systems have the same numbers: their layouts tell them apart.
  void map(const QueryInfoResponse& answer) {
    const auto known = [&](auto wanted) {
      return information_ == 0 || static_cast<std::uint32_t>(wanted) == information_;
    };
    one_of<FileFsAttributeInformation, FileFsVolumeInformation, FileAllInformation,
           FileNetworkOpenInformation, FileBasicInformation, FileStandardInformation,
           FileFsSectorSizeInformation, FileFsFullSizeInformation, FileAttributeTagInformation,
           FileInternalInformation, FileStreamInformation>(answer.output_buffer, known);
  }
  void map(const SetInfoRequest& request) {
    if (request.info_type != InfoType::file) return;
    visit_file_information(
        static_cast<FileInformationClass>(request.file_info_class),
        [&](auto type) { mapper_.map<typename decltype(type)::type>(request.buffer, "buffer"); });
  }
  void map(const IoctlRequest& request) {
    visit_ioctl(request.ctl_code, false, [&](auto type) {
      mapper_.map<typename decltype(type)::type>(request.input, "input");
    });
  }
  void map(const IoctlResponse& answer) {
    visit_ioctl(answer.ctl_code, true, [&](auto type) {
      mapper_.map<typename decltype(type)::type>(answer.output, "output");
    });
    if (answer.ctl_code == ControlCode::dfs_get_referrals) map_referrals(answer.output);
  }
  void map(const ChangeNotifyResponse& answer) {
    mapper_.map<FileNotifyInformation>(answer.output_buffer, "output_buffer");
  }
  void map(const ErrorResponse& answer) {
    if (answer.error_context_count == 0) {
      if (fills<SymbolicLinkError>(answer.error_data)) {
        mapper_.map<SymbolicLinkError>(answer.error_data, "error_data");
      }
      return;
    }
    std::size_t at = 0;
    for (unsigned i = 0; i < answer.error_context_count && at < answer.error_data.size(); ++i) {
      at = align_up(mapper_.map_one<ErrorContext>(answer.error_data, at,
                                                  "error_data[" + std::to_string(i) + "]."),
                    8);
    }
  }

 private:
  template <class... T, class Wanted>
  void one_of(Bytes buffer, Wanted wanted) {
    const auto attempt = [&]<class U>(TypeOf<U>) {
      if (!wanted(U::information_class) || !fills<U>(buffer)) return false;
      mapper_.map<U>(buffer, "output_buffer");
      return true;
    };
    static_cast<void>((attempt(TypeOf<T>{}) || ...));
  }
  void map_referrals(Bytes output) {
    const auto header = decode<DfsReferralHeader>(output);
    std::size_t at = fixed_size<DfsReferralHeader>();
    for (unsigned i = 0; header && i < header->number_of_referrals && at < output.size(); ++i) {
      const auto start = decode<DfsReferralEntryStart>(output.subspan(at));
      if (!start || start->size < fixed_size<DfsReferralEntryStart>()) return;
      const std::string prefix = "output.referrals[" + std::to_string(i) + "].";
      const bool list = has(start->referral_entry_flags, DfsReferralFlags::name_list_referral);
      if (start->version_number == 2) {
        mapper_.map_one<DfsReferralV2>(output, at, prefix);
      } else if (start->version_number > 2 && list) {
        mapper_.map_one<DfsNameListReferralV3>(output, at, prefix);
      } else if (start->version_number > 2) {
        mapper_.map_one<DfsReferralV3>(output, at, prefix);
      }
      at += start->size;
    }
  }

  FieldMapper mapper_;
  std::uint32_t information_;  // a class
};

template <Message M>
void map_message(FieldWalk& walk, Bytes element, std::uint32_t information) {
  FieldMapper mapper(walk, element, header_bytes, {});
  M message{};
  mapper.constant("structure_size", u16, M::structure_size);
  M::describe(mapper, message);
  BufferMapper(walk, information).map(message);
}

bool answers_with_error(bool response, Bytes element) {
  if (!response) return false;
  const auto header = decode<PacketHeader>(element);
  return header && has_error_body(*header, element);
}

Result<void> store_into(MutableBytes element, const FieldPlace* place, std::string_view name,
                        std::uint64_t value) {
  if (place == nullptr) {
    return std::unexpected(
        Error(ErrorKind::local, "the message has no such field").on(name).during("set_field"));
  }
  std::memcpy(element.data() + place->position, &value,
              std::min(place->width, sizeof value));  // little-endian, see base/bytes.h
  return {};
}

}  // namespace

FieldKind FieldMapper::kind_of(std::string_view name) {
  // These are no offsets and lengths to the wire layer, as the parts are not cut out by it.
  constexpr std::string_view offsets[] = {"substitute_name_offset", "print_name_offset",
                                          "dfs_path_offset",        "dfs_alternate_path_offset",
                                          "network_address_offset", "special_name_offset",
                                          "expanded_name_offset"};
  constexpr std::string_view lengths[] = {"file_name_length",
                                          "short_name_length",
                                          "print_name_length",
                                          "substitute_name_length",
                                          "path_consumed",
                                          "unparsed_path_length",
                                          "size"};
  constexpr std::string_view counts[] = {"number_of_referrals", "number_of_expanded_names",
                                         "error_context_count"};
  if (std::ranges::find(offsets, name) != std::end(offsets)) return FieldKind::offset;
  if (std::ranges::find(lengths, name) != std::end(lengths)) return FieldKind::length;
  if (std::ranges::find(counts, name) != std::end(counts)) return FieldKind::count;
  return FieldKind::value;
}

FieldMapper::Claim& FieldMapper::name_claim(const char* name, const void* part) {
  Claim& claim = claim_of(part);
  for (std::size_t i = 0; i < claim.place_count; ++i) {
    FieldPlace& place = walk_.places[claim.places[i]];
    place.name = prefix_ + name + '_' + std::string(name_of(place.kind));
  }
  return claim;
}

void FieldMapper::descend(const wire::ErrorContext& context) {
  const std::string name = prefix_ + "error_context_data";
  if (context.error_id == ErrorId::share_redirect) {
    map<ShareRedirectError>(context.error_context_data, name);
  } else if (fills<SymbolicLinkError>(context.error_context_data)) {
    map<SymbolicLinkError>(context.error_context_data, name);
  }
}

std::string_view name_of(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::value: return "value";
    case FieldKind::constant: return "constant";
    case FieldKind::offset: return "offset";
    case FieldKind::length: return "length";
    case FieldKind::count: return "count";
    case FieldKind::next: return "next";
  }
  return {};
}

std::vector<FieldPlace> field_map(Command command, bool response, Bytes element,
                                  std::uint32_t information) {
  std::vector<FieldPlace> places;
  FieldWalk walk{.origin = element.data(), .response = response, .places = places};
  if (answers_with_error(response, element)) {
    map_message<ErrorResponse>(walk, element, information);
    return places;
  }
  visit_message(command, response, element, [&](auto type) {
    map_message<typename decltype(type)::type>(walk, element, information);
  });
  return places;
}

Result<void> set_field(MutableBytes element, Command command, std::string_view name,
                       std::uint32_t index, std::uint64_t value, std::uint32_t information) {
  const FieldPlace* found = nullptr;
  const auto places = field_map(command, true, element, information);
  for (const FieldPlace& place : places) {
    const bool leads = place.kind != FieldKind::value && place.kind != FieldKind::constant;
    if (name.empty() ? !leads : place.name != name) continue;
    if (index-- != 0) continue;
    found = &place;
    break;
  }
  return store_into(element, found, name, value);
}

Result<void> set_header_field(MutableBytes element, std::string_view name, std::uint64_t value) {
  std::vector<FieldPlace> places;
  FieldWalk walk{.origin = element.data(), .response = true, .places = places};
  FieldMapper mapper(walk, element, 0, {});
  PacketHeader header;
  PacketHeader::describe(mapper, header);
  const auto found = std::ranges::find(places, name, &FieldPlace::name);
  return store_into(element, found == places.end() ? nullptr : &*found, name, value);
}

std::string list_fields() {
  std::string text;
  for (const AnswerSample& sample : answer_samples()) {
    for (const FieldPlace& place :
         field_map(sample.command, true, sample.element, sample.information)) {
      text.append(sample.name).append("\t").append(place.name).append("\t");
      text.append(name_of(place.kind)).append("\t").append(std::to_string(place.width));
      text += '\n';
    }
  }
  return text;
}

}  // namespace smb3::server
