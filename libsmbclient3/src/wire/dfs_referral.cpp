#include "wire/dfs_referral.h"

#include "wire/dfs_referral_entry.h"

namespace smb3::wire {

namespace {

// No namespace has more targets for one path; a peer that lists more wants our memory or time.
constexpr std::size_t referrals_max = 1024;
constexpr std::size_t expanded_names_max = 4096;  // in one answer

std::unexpected<Error> refuse(const char* why) {
  return std::unexpected(Error(ErrorKind::protocol, why).during(DfsReferralHeader::wire_name));
}

// The string at `at`, up to its NUL, which must be there.
Result<Bytes> string_at(Bytes bytes, std::size_t at) {
  if (at % 2 || at >= bytes.size()) return refuse("a string offset is wrong");
  for (std::size_t end = at; bytes.size() - end >= 2; end += 2) {
    if (load_le<std::uint16_t>(bytes.data() + end) == 0) return bytes.subspan(at, end - at);
  }
  return refuse("a string does not end");
}

// The flag is one of version 3; an earlier one may hold anything there.
bool is_name_list(const DfsReferral& referral) {
  return referral.version_number >= 3 &&
         has(referral.referral_entry_flags, DfsReferralFlags::name_list_referral);
}

class ReferralReader {
 public:
  explicit ReferralReader(Bytes output) : output_(output) {}

  Result<DfsReferralResponse> read() {
    Result<DfsReferralHeader> header = decode<DfsReferralHeader>(output_);
    if (!header) return std::unexpected(std::move(header).error());
    if (header->path_consumed % 2) return refuse("path_consumed is odd");
    if (header->number_of_referrals > referrals_max) return refuse("there are too many referrals");
    DfsReferralResponse response{.path_consumed = header->path_consumed,
                                 .referral_header_flags = header->referral_header_flags,
                                 .referrals = {}};
    std::size_t at = fixed_size<DfsReferralHeader>();
    for (unsigned i = 0; i < header->number_of_referrals; ++i) {
      const Bytes rest = output_.subspan(at);
      Result<DfsReferralEntryStart> start = decode<DfsReferralEntryStart>(rest);
      if (!start) return std::unexpected(std::move(start).error());
      if (start->size > rest.size()) return refuse("an entry runs past the end");
      if (!response.referrals.empty() &&
          response.referrals.front().version_number != start->version_number) {
        return refuse("entries differ in version");
      }
      DfsReferral referral{.version_number = start->version_number,
                           .server_type = start->server_type,
                           .referral_entry_flags = start->referral_entry_flags,
                           .dfs_path = {},
                           .dfs_alternate_path = {},
                           .network_address = {},
                           .special_name = {},
                           .expanded_names = {}};
      Result<void> filled = fill(rest, start->size, referral);
      if (!filled) return std::unexpected(std::move(filled).error());
      response.referrals.push_back(std::move(referral));
      at += start->size;
    }
    return response;
  }

 private:
  Result<void> fill(Bytes rest, std::size_t size, DfsReferral& referral) {
    switch (referral.version_number) {
      case 1: return fill_v1(rest, size, referral);
      case 2: return fill_paths<DfsReferralV2>(rest, size, referral);
      case 3:
      case 4:
        return is_name_list(referral) ? fill_names(rest, size, referral)
                                      : fill_paths<DfsReferralV3>(rest, size, referral);
      default: return refuse("the version is unknown");
    }
  }

  // ShareName follows within the entry.
  static Result<void> fill_v1(Bytes rest, std::size_t size, DfsReferral& referral) {
    return assign(rest.first(size), fixed_size<DfsReferralEntryStart>(), referral.network_address);
  }

  template <Structure Entry>
  static Result<void> fill_paths(Bytes rest, std::size_t size, DfsReferral& referral) {
    if (size < fixed_size<Entry>()) return refuse("an entry is too small");
    Result<Entry> entry = decode<Entry>(rest);
    if (!entry) return std::unexpected(std::move(entry).error());
    referral.time_to_live = entry->time_to_live;
    Result<void> done = assign(rest, entry->dfs_path_offset, referral.dfs_path);
    if (done && entry->dfs_alternate_path_offset) {
      done = assign(rest, entry->dfs_alternate_path_offset, referral.dfs_alternate_path);
    }
    if (done) done = assign(rest, entry->network_address_offset, referral.network_address);
    return done;
  }

  Result<void> fill_names(Bytes rest, std::size_t size, DfsReferral& referral) {
    if (size < fixed_size<DfsNameListReferralV3>()) return refuse("an entry is too small");
    Result<DfsNameListReferralV3> entry = decode<DfsNameListReferralV3>(rest);
    if (!entry) return std::unexpected(std::move(entry).error());
    referral.time_to_live = entry->time_to_live;
    Result<void> done = assign(rest, entry->special_name_offset, referral.special_name);
    if (!done) return done;
    expanded_names_ += entry->number_of_expanded_names;
    if (expanded_names_ > expanded_names_max) return refuse("there are too many expanded names");
    std::size_t at = entry->expanded_name_offset;
    for (unsigned i = 0; i < entry->number_of_expanded_names; ++i) {
      Result<Bytes> name = string_at(rest, at);
      if (!name) return std::unexpected(std::move(name).error());
      at += name->size() + 2;
      referral.expanded_names.push_back(*name);
    }
    return {};
  }

  static Result<void> assign(Bytes bytes, std::size_t at, Bytes& name) {
    Result<Bytes> found = string_at(bytes, at);
    if (!found) return std::unexpected(std::move(found).error());
    name = *found;
    return {};
  }

  const Bytes output_;
  std::size_t expanded_names_ = 0;
};

constexpr std::size_t entry_bytes(const DfsReferral& referral) {
  switch (referral.version_number) {
    case 1: return fixed_size<DfsReferralEntryStart>() + referral.network_address.size() + 2;
    case 2: return fixed_size<DfsReferralV2>();
    default: return fixed_size<DfsReferralV3>();  // a name list is padded to the same size
  }
}

// Entries one behind the other, then their strings.
class ReferralWriter {
 public:
  ReferralWriter(const DfsReferralResponse& response, ByteBuffer& out)
      : out_(out), out_start_(out.size()), string_at_(fixed_size<DfsReferralHeader>()) {
    for (const DfsReferral& referral : response.referrals) string_at_ += entry_bytes(referral);
  }

  void entry(const DfsReferral& referral) {
    const std::size_t start = out_.size();
    entry_at_ = start - out_start_;
    const auto size = static_cast<std::uint16_t>(entry_bytes(referral));
    const DfsReferralEntryStart first{referral.version_number, size, referral.server_type,
                                      referral.referral_entry_flags};
    if (referral.version_number == 1) {
      encode(first, out_);
      out_.append(referral.network_address);
    } else if (is_name_list(referral)) {
      name_list(first, referral);
    } else {
      const std::uint16_t path = place(referral.dfs_path);
      const std::uint16_t alternate = place(referral.dfs_alternate_path);
      const std::uint16_t address = place(referral.network_address);
      if (referral.version_number == 2) {
        encode(DfsReferralV2{first, referral.time_to_live, path, alternate, address}, out_);
      } else {
        encode(DfsReferralV3{first, referral.time_to_live, path, alternate, address}, out_);
      }
    }
    out_.extend(start + size - out_.size());
  }

  void strings() {
    for (const Bytes name : names_) {
      out_.append(name);
      out_.extend(2);
    }
  }

 private:
  void name_list(const DfsReferralEntryStart& first, const DfsReferral& referral) {
    const std::uint16_t special = place(referral.special_name);
    std::uint16_t expanded = 0;
    for (const Bytes name : referral.expanded_names) {
      const std::uint16_t at = place(name);
      if (!expanded) expanded = at;
    }
    const auto count = static_cast<std::uint16_t>(referral.expanded_names.size());
    encode(DfsNameListReferralV3{first, referral.time_to_live, special, count, expanded}, out_);
  }
  // Where a string will lie, from the current entry's start.
  std::uint16_t place(Bytes name) {
    const std::size_t offset = string_at_ - entry_at_;
    assert(offset <= 0xFFFF);
    names_.push_back(name);
    string_at_ += name.size() + 2;
    return static_cast<std::uint16_t>(offset);
  }

  ByteBuffer& out_;
  const std::size_t out_start_;
  std::size_t string_at_;
  std::size_t entry_at_ = 0;
  std::vector<Bytes> names_;
};

}  // namespace

Result<DfsReferralResponse> decode_dfs_referrals(Bytes output) {
  return ReferralReader(output).read();
}

void encode_dfs_referrals(const DfsReferralResponse& response, ByteBuffer& out) {
  ReferralWriter writer(response, out);
  encode(DfsReferralHeader{response.path_consumed,
                           static_cast<std::uint16_t>(response.referrals.size()),
                           response.referral_header_flags},
         out);
  for (const DfsReferral& referral : response.referrals) writer.entry(referral);
  writer.strings();
}

}  // namespace smb3::wire
