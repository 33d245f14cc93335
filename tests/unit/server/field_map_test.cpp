// Where the fields of every answer lie, and what decoding makes of lies in them.
#include "support/server/answer_samples.h"
#include "support/server/field_map.h"
#include "support/server/message_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace smb3::server {
namespace {

using testing::HasSubstr;
using wire::Command;

const AnswerSample& sample(std::string_view name) {
  static const auto all = answer_samples();
  const auto found = std::ranges::find(all, name, &AnswerSample::name);
  EXPECT_NE(found, all.end()) << name;
  return *found;
}

std::vector<FieldPlace> map_of(const AnswerSample& sample) {
  return field_map(sample.command, true, sample.element, sample.information);
}

std::uint64_t value_at(Bytes element, const FieldPlace& place) {
  std::uint64_t value = 0;
  std::memcpy(&value, element.data() + place.position, std::min<std::size_t>(place.width, 8));
  return value;
}

// The one place of this name.
FieldPlace place_of(std::string_view of_sample, std::string_view name) {
  std::vector<FieldPlace> found;
  for (const FieldPlace& place : map_of(sample(of_sample))) {
    if (place.name == name) found.push_back(place);
  }
  EXPECT_EQ(found.size(), 1U) << of_sample << ' ' << name;
  return found.empty() ? FieldPlace{} : found[0];
}

void expect_place(std::string_view of_sample, std::string_view name, FieldKind kind,
                  std::size_t position, std::size_t width) {
  const FieldPlace place = place_of(of_sample, name);
  EXPECT_EQ(name_of(place.kind), name_of(kind)) << name;
  EXPECT_EQ(place.position, position) << name;
  EXPECT_EQ(place.width, width) << name;
}

bool leads(const FieldPlace& place) {
  return place.kind != FieldKind::value && place.kind != FieldKind::constant;
}

// Where the standard's tables put them.
TEST(FieldMap, FieldsLieWhereTheStandardSays) {
  expect_place("NEGOTIATE", "structure_size", FieldKind::constant, 64, 2);
  expect_place("NEGOTIATE", "contexts_count", FieldKind::count, 64 + 6, 2);
  expect_place("NEGOTIATE", "max_read_size", FieldKind::value, 64 + 32, 4);
  expect_place("NEGOTIATE", "security_buffer_offset", FieldKind::offset, 64 + 56, 2);
  expect_place("NEGOTIATE", "security_buffer_length", FieldKind::length, 64 + 58, 2);
  expect_place("NEGOTIATE", "contexts_offset", FieldKind::offset, 64 + 60, 4);
  expect_place("SESSION_SETUP", "security_buffer_offset", FieldKind::offset, 64 + 4, 2);
  expect_place("CREATE", "file_id.persistent", FieldKind::value, 64 + 64, 8);
  expect_place("CREATE", "contexts_offset", FieldKind::offset, 64 + 80, 4);
  expect_place("CREATE", "contexts_length", FieldKind::length, 64 + 84, 4);
  expect_place("READ", "data_offset", FieldKind::offset, 64 + 2, 1);
  expect_place("READ", "data_length", FieldKind::length, 64 + 4, 4);
  expect_place("WRITE", "count", FieldKind::value, 64 + 4, 4);
  expect_place("IOCTL srv_copychunk", "output_offset", FieldKind::offset, 64 + 32, 4);
  expect_place("IOCTL srv_copychunk", "output_length", FieldKind::length, 64 + 36, 4);
  expect_place("QUERY_INFO basic", "output_buffer_offset", FieldKind::offset, 64 + 2, 2);
  expect_place("ERROR", "error_data_length", FieldKind::length, 64 + 4, 4);
}

TEST(FieldMap, ContextsAndEntriesAreWalked) {
  const auto& negotiate = sample("NEGOTIATE");
  const auto first = value_at(negotiate.element, place_of("NEGOTIATE", "contexts_offset"));
  expect_place("NEGOTIATE", "contexts[0].context_type", FieldKind::value, first, 2);
  expect_place("NEGOTIATE", "contexts[0].data_length", FieldKind::length, first + 2, 2);
  expect_place("NEGOTIATE", "contexts[0].data.hash_algorithms_count", FieldKind::count, first + 8,
               2);
  expect_place("NEGOTIATE", "contexts[0].data.salt_length", FieldKind::length, first + 10, 2);
  expect_place("NEGOTIATE", "contexts[0].data.hash_algorithms[0]", FieldKind::value, first + 12, 2);
  place_of("NEGOTIATE", "contexts[5].data.rdma_transform_ids_count");

  const auto& create = sample("CREATE");
  const auto context = value_at(create.element, place_of("CREATE", "contexts_offset"));
  expect_place("CREATE", "contexts[0].next", FieldKind::next, context, 4);
  expect_place("CREATE", "contexts[0].name_offset", FieldKind::offset, context + 4, 2);
  expect_place("CREATE", "contexts[0].data_length", FieldKind::length, context + 12, 4);
  const auto lease =
      context + value_at(create.element, place_of("CREATE", "contexts[0].data_offset"));
  expect_place("CREATE", "contexts[0].data.lease_key.bytes", FieldKind::value, lease, 16);
  expect_place("CREATE", "contexts[3].data.disk_file_id", FieldKind::value,
               place_of("CREATE", "contexts[3].data.volume_id").position - 8, 8);

  for (const char* name : {"file_id_both", "file_id_extd", "file_names"}) {
    const std::string listing = std::string("QUERY_DIRECTORY ") + name;
    const auto& element = sample(listing).element;
    const FieldPlace next = place_of(listing, "output_buffer[0].next");
    EXPECT_EQ(next.position, 72U);
    EXPECT_EQ(place_of(listing, "output_buffer[1].next").position, 72 + value_at(element, next));
    const FieldPlace length = place_of(listing, "output_buffer[1].file_name_length");
    EXPECT_EQ(name_of(length.kind), "length");
    EXPECT_EQ(value_at(element, length), 22U);
  }
}

TEST(FieldMap, BuffersAreWalked) {
  expect_place("QUERY_INFO all", "output_buffer.file_name_length", FieldKind::length, 72 + 96, 4);
  expect_place("QUERY_INFO fs_attribute", "output_buffer.file_system_name_length",
               FieldKind::length, 72 + 8, 4);
  expect_place("QUERY_INFO standard", "output_buffer.end_of_file", FieldKind::value, 72 + 8, 8);
  place_of("QUERY_INFO stream", "output_buffer[1].stream_name_length");
  place_of("CHANGE_NOTIFY", "output_buffer[1].file_name_length");
  place_of("IOCTL query_network_interface_info", "output[1].next");
  place_of("IOCTL dfs_get_referrals", "output.number_of_referrals");
  place_of("IOCTL dfs_get_referrals", "output.referrals[1].network_address_offset");
  place_of("IOCTL dfs_get_referrals of names", "output.referrals[0].number_of_expanded_names");
  place_of("ERROR symbolic link", "error_data[0].error_context_data.substitute_name_offset");
  place_of("ERROR share redirect", "error_data[0].error_context_data.resource_name_offset");
  place_of("ERROR share redirect", "error_data[0].error_context_data.ip_addr_move_list_count");
}

TEST(FieldMap, WithoutAClassTheLayoutTells) {
  for (const char* name :
       {"QUERY_DIRECTORY file_id_both", "QUERY_DIRECTORY file_id_extd",
        "QUERY_DIRECTORY file_names", "QUERY_INFO all", "QUERY_INFO stream", "QUERY_INFO fs_volume",
        "QUERY_INFO fs_attribute", "QUERY_INFO network_open"}) {
    const auto& known = sample(name);
    const auto guessed = field_map(known.command, true, known.element);
    const auto mapped = map_of(known);
    ASSERT_EQ(guessed.size(), mapped.size()) << name;
    for (std::size_t i = 0; i < guessed.size(); ++i) EXPECT_EQ(guessed[i].name, mapped[i].name);
  }
}

TEST(FieldMap, TheFixedPartsAreCoveredWithoutGap) {
  for (const AnswerSample& answer : answer_samples()) {
    std::vector<bool> covered(answer.element.size());
    for (const FieldPlace& place : map_of(answer)) {
      ASSERT_LE(place.position + place.width, answer.element.size())
          << answer.name << ' ' << place.name;
      for (std::size_t i = 0; i < place.width; ++i) {
        EXPECT_FALSE(covered[place.position + i]) << answer.name << ' ' << place.name;
        covered[place.position + i] = true;
      }
      EXPECT_FALSE(place.name.empty() || place.name.back() == '.') << answer.name;
    }
    wire::PacketHeader header = wire::decode<wire::PacketHeader>(answer.element).value();
    const auto expect_covered = [&](std::size_t bytes) {
      for (std::size_t i = 64; i < 64 + bytes; ++i) {
        EXPECT_TRUE(covered[i]) << answer.name << " at " << i;
      }
    };
    if (wire::has_error_body(header, answer.element)) {
      expect_covered(wire::fixed_size<wire::ErrorResponse>());
      continue;
    }
    EXPECT_TRUE(visit_message(answer.command, true, answer.element, [&](auto type) {
      expect_covered(wire::fixed_size<typename decltype(type)::type>());
    })) << answer.name;
  }
}

TEST(FieldMap, RequestsHaveOneToo) {
  wire::IoctlRequest request;
  wire::SrvCopychunkCopy copy;
  copy.chunks.resize(2);
  ByteBuffer input;
  wire::encode(copy, input);
  request.ctl_code = wire::ControlCode::srv_copychunk;
  request.input = input.bytes();
  ByteBuffer out;
  wire::encode(wire::PacketHeader{.command = Command::ioctl}, out);
  wire::encode(request, out);
  const auto map = field_map(Command::ioctl, false, out.bytes());
  EXPECT_NE(std::ranges::find(map, "input.chunks[1].length", &FieldPlace::name), map.end());
  EXPECT_NE(std::ranges::find(map, "input.chunks_count", &FieldPlace::name), map.end());
}

TEST(SetField, ChangesThatFieldAlone) {
  const auto& create = sample("CREATE");
  auto element = create.element;
  ASSERT_TRUE(set_field(element, Command::create, "contexts[1].next", 0, 0xFFFFFFFF));
  const FieldPlace place = place_of("CREATE", "contexts[1].next");
  EXPECT_EQ(value_at(element, place), 0xFFFFFFFFU);
  std::fill_n(element.begin() + static_cast<std::ptrdiff_t>(place.position), place.width,
              std::byte{0});
  auto rest = create.element;
  std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(place.position), place.width,
              std::byte{0});
  EXPECT_EQ(element, rest);
}

TEST(SetField, CountsFieldsWithoutAName) {
  auto element = sample("NEGOTIATE").element;
  std::vector<FieldPlace> leading;
  for (const FieldPlace& place : map_of(sample("NEGOTIATE"))) {
    if (leads(place)) leading.push_back(place);
  }
  ASSERT_GT(leading.size(), 10U);
  EXPECT_EQ(leading[0].name, "contexts_count");
  EXPECT_EQ(leading[1].name, "security_buffer_offset");
  ASSERT_TRUE(set_field(element, Command::negotiate, "", 1, 0x123456789ABC));
  EXPECT_EQ(value_at(element, leading[1]), 0x9ABCU) << "cut to its width";
  ASSERT_TRUE(set_field(element, Command::negotiate, "contexts[0].reserved", 0, 7));
  EXPECT_FALSE(set_field(element, Command::negotiate, "contexts[0].reserved", 1, 7));
  const auto none = set_field(element, Command::negotiate, "no_such_field", 0, 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().object(), "no_such_field");
  EXPECT_FALSE(set_field(element, Command::negotiate, "", 1000, 1));
  EXPECT_FALSE(set_field(MutableBytes(element).first(10), Command::negotiate, "", 0, 1));
}

TEST(SetField, SetsFieldsOfTheHeader) {
  auto element = sample("READ").element;
  ASSERT_TRUE(set_header_field(element, "credits", 0x1234));
  ASSERT_TRUE(set_header_field(element, "message_id", ~std::uint64_t{0}));
  ASSERT_TRUE(set_header_field(element, "tree_id", 5));
  ASSERT_TRUE(set_header_field(element, "next_command", 3));
  const auto header = wire::decode<wire::PacketHeader>(element).value();
  EXPECT_EQ(header.credits, 0x1234);
  EXPECT_EQ(header.message_id, ~std::uint64_t{0});
  EXPECT_EQ(header.tree_id, 5U);
  EXPECT_EQ(header.next_command, 3U);
  EXPECT_FALSE(set_header_field(element, "async_id", 5)) << "a header of the other form";
  ASSERT_TRUE(set_header_field(element, "protocol_id", 0));
  EXPECT_FALSE(wire::decode<wire::PacketHeader>(element));
}

// What a client would do with the answer: decode all of it, whatever it says.
bool decodes(const AnswerSample& answer, Bytes element) {
  const auto header = wire::decode<wire::PacketHeader>(element);
  if (!header) return false;
  if (wire::has_error_body(*header, element)) {
    const auto error = wire::decode<wire::ErrorResponse>(element);
    return error && wire::error_contexts(*error).has_value();
  }
  bool decoded = false;
  visit_message(answer.command, true, element, [&](auto type) {
    decoded = wire::decode<typename decltype(type)::type>(element).has_value();
  });
  return decoded;
}

// Each offset, length, count and distance of each answer becomes a lie. The largest ones must not
// be believed where the wire layer cuts the part out.
TEST(SetField, NoLieIsBelieved) {
  std::size_t lies = 0;
  for (const AnswerSample& answer : answer_samples()) {
    ASSERT_TRUE(decodes(answer, answer.element)) << answer.name;
    for (const FieldPlace& place : map_of(answer)) {
      if (!leads(place)) continue;
      const std::uint64_t most =
          place.width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * place.width)) - 1;
      for (const std::uint64_t value :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{63}, most, most - 7, most / 2 + 1,
            static_cast<std::uint64_t>(answer.element.size()),
            static_cast<std::uint64_t>(answer.element.size()) - 1}) {
        auto element = answer.element;
        ASSERT_TRUE(set_field(element, answer.command, place.name, 0, value, answer.information))
            << answer.name << ' ' << place.name;
        const bool decoded = decodes(answer, element);
        field_map(answer.command, true, element, answer.information);
        const bool of_message = place.name.find_first_of(".[") == std::string::npos;
        if (of_message && value == most && most > answer.element.size() &&
            value_at(answer.element, place) != 0 && place.name != "input_offset") {
          EXPECT_FALSE(decoded) << answer.name << ' ' << place.name;
        }
        ++lies;
      }
    }
  }
  EXPECT_GT(lies, 1000U);
}

TEST(FieldMap, TakesAnyBytes) {
  for (const AnswerSample& answer : answer_samples()) {
    for (std::size_t length = 0; length < answer.element.size(); ++length) {
      const std::vector<std::byte> cut(
          answer.element.begin(), answer.element.begin() + static_cast<std::ptrdiff_t>(length));
      for (const FieldPlace& place : field_map(answer.command, true, cut)) {
        ASSERT_LE(place.position + place.width, length) << answer.name << ' ' << place.name;
      }
    }
    for (std::size_t at = 64; at < answer.element.size(); ++at) {
      auto damaged = answer.element;
      damaged[at] = ~damaged[at];
      for (const bool response : {false, true}) {
        for (const FieldPlace& place : field_map(answer.command, response, damaged)) {
          ASSERT_LE(place.position + place.width, damaged.size()) << answer.name;
        }
      }
    }
  }
}

TEST(FieldMap, TheListHasALineForEveryField) {
  std::istringstream lines(list_fields());
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::ranges::count(line, '\t'), 3) << line;
  }
  std::size_t fields = 0;
  for (const AnswerSample& answer : answer_samples()) fields += map_of(answer).size();
  EXPECT_EQ(count, fields);
  EXPECT_THAT(list_fields(), HasSubstr("\nCREATE\tcontexts_offset\toffset\t4\n"));
  EXPECT_THAT(list_fields(), HasSubstr("\nREAD\tdata_offset\toffset\t1\n"));
}

}  // namespace
}  // namespace smb3::server
