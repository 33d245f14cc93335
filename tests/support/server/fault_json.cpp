#include "support/server/fault_json.h"

#include "base/nt_status.h"
#include "base/utf16.h"

#include <algorithm>
#include <charconv>

namespace smb3::server {

namespace {

using enum FaultKind;

constexpr FaultWord words[] = {
    {status, "status", "status", "", "answered with that status, and not carried out"},
    {status_after, "status_after", "status", "", "carried out, then answered with that status"},
    {delay, "delay", "delay_ms", "", "carried out and answered later"},
    {pending, "pending", "delay_ms", "", "STATUS_PENDING at once, the answer later"},
    {pending_for_ever, "pending_for_ever", "", "", "STATUS_PENDING and nothing more"},
    {drop, "drop", "", "", "carried out, never answered"},
    {ignore, "ignore", "", "", "neither carried out nor answered"},
    {silence, "silence", "", "", "the connection reads and sends nothing from now on"},
    {close, "close", "", "", "FIN instead of the answer"},
    {reset, "reset", "", "", "RST instead of the answer"},
    {close_within, "close_within", "value", "", "FIN after so many bytes of the answer"},
    {reset_within, "reset_within", "value", "", "RST after so many bytes of the answer"},
    {shorten, "shorten", "value", "", "READ gives, WRITE takes so many bytes fewer, but one"},
    {lose_write, "lose_write", "", "", "WRITE succeeds and is thrown away"},
    {damage, "damage", "", "offset", "one bit of READ's data is turned before it is protected"},
    {wrong_signature, "wrong_signature", "", "", "the answer's signature is damaged"},
    {unsigned_answer, "unsigned_answer", "", "", "not signed where it should be"},
    {plain_answer, "plain_answer", "", "", "in the clear where it should be sealed"},
    {wrong_tag, "wrong_tag", "", "", "the tag of a sealed answer is damaged"},
    {replay_answer, "replay_answer", "", "", "the same bytes once more, right after"},
    {set_header, "set_header", "field value", "", "a field of the answer's header"},
    {set_field, "set_field", "value", "field index",
     "a field of the answer's body by name (--list-fields), or the index-th offset, length, "
     "count or next distance"},
    {patch, "patch", "offset value", "width", "bytes of the answer from its header on"},
    {truncate, "truncate", "value", "", "the answer ends after so many bytes"},
    {trailing_bytes, "trailing_bytes", "value", "", "so many zeros behind the answer"},
    {frame_length, "frame_length", "value", "", "what the 4 bytes before the frame say"},
    {raw_frame, "raw_frame", "data", "", "these bytes as a frame instead of the answer"},
    {raw_bytes, "raw_bytes", "data", "", "these bytes as they are instead of the answer"},
    {credits, "credits", "value", "", "the answer grants so many"},
    {entry_name, "entry_name", "", "data name field",
     "QUERY_DIRECTORY lists this name first, as \"file\", \"directory\" or \"reparse\""},
    {restart_node, "restart_node", "", "", "all connections and sessions of the node end"},
};

constexpr auto kinds = [] {
  std::array<Word<FaultKind>, std::size(words)> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {words[i].word, words[i].kind};
  return list;
}();

constexpr auto ends = std::to_array<Word<ConnectionFault::What>>({
    {"close", ConnectionFault::What::close},
    {"reset", ConnectionFault::What::reset},
    {"silence", ConnectionFault::What::silence},
});

const auto& commands() {
  static const auto list = [] {
    std::array<Word<wire::Command>, 20> list{};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto command = static_cast<wire::Command>(i);
      list[i] = {wire::name_of(command), command};
    }
    return list;
  }();
  return list;
}

constexpr NtStatus statuses[] = {
#define SMB3_STATUS(name, value, kind, words) NtStatus::name,
#include "base/nt_status.inc"
#undef SMB3_STATUS
};

bool lists(std::string_view keys, std::string_view key) {
  while (!keys.empty()) {
    const auto space = std::min(keys.find(' '), keys.size());
    if (keys.substr(0, space) == key) return true;
    keys.remove_prefix(std::min(space + 1, keys.size()));
  }
  return false;
}

void read_status(ObjectReader& reader, NtStatus& out) {
  const Json* value = reader.find("status");
  if (value == nullptr) return;
  if (value->is_string()) {
    const std::string_view text = value->get_ref<const std::string&>();
    const auto* known =
        std::ranges::find_if(statuses, [text](NtStatus status) { return name_of(status) == text; });
    if (known != std::end(statuses)) {
      out = *known;
      return;
    }
    if (!text.starts_with("0x")) {
      reader.refuse("status",
                    "a name such as \"STATUS_ACCESS_DENIED\", or a number as "
                    "\"0xC0000022\" where it has no name here");
      return;
    }
  }
  std::uint32_t number = 0;
  reader.read("status", number);
  out = static_cast<NtStatus>(number);
}

void read_hex(ObjectReader& reader, const char* key, std::vector<std::byte>& out) {
  std::string text;
  reader.read(key, text);
  bool right = text.size() % 2 == 0;
  for (std::size_t i = 0; right && i < text.size(); i += 2) {
    unsigned byte = 0;
    const char* end = text.data() + i + 2;
    right = std::from_chars(text.data() + i, end, byte, 16).ptr == end;
    out.push_back(static_cast<std::byte>(byte));
  }
  if (!right) reader.refuse(key, "bytes in hex, as \"fe534d42\"");
}

void read_name(ObjectReader& reader, std::vector<std::byte>& out) {
  std::string text;
  reader.read("name", text);
  if (!reader.has("name")) return;
  auto utf16 = to_utf16le(text);
  if (!utf16) return reader.refuse("name", "text, or \"data\" for what is not");
  out = std::move(*utf16);
}

// What a rule says beside the moment; only what its kind has a use for.
void read_details(ObjectReader& reader, const FaultWord& word, Fault& fault) {
  const auto takes = [&](const char* key) {
    const bool required = lists(word.required, key);
    if (required && !reader.has(key)) {
      reader.refuse(key, "a value: \"" + std::string(word.word) + "\" needs one");
    }
    return required || lists(word.optional, key);
  };
  if (takes("status")) read_status(reader, fault.status);
  if (takes("delay_ms")) {
    std::uint32_t delay_ms = 0;
    reader.read("delay_ms", delay_ms);
    fault.delay = std::chrono::milliseconds(delay_ms);
  }
  if (takes("field")) reader.read("field", fault.field);
  if (takes("index")) reader.read("index", fault.index);
  if (takes("offset")) reader.read("offset", fault.offset);
  if (takes("width")) reader.read("width", fault.width, 1, 8);
  if (takes("value")) reader.read("value", fault.value);
  if (takes("data")) read_hex(reader, "data", fault.data);
  if (takes("name")) read_name(reader, fault.data);
  if (word.kind == entry_name && reader.has("data") == reader.has("name")) {
    reader.refuse("name", "a value for it or for \"data\": \"entry_name\" needs one of them");
  }
}

Result<AnyFault> read_rule(ObjectReader& reader) {
  FaultRule rule;
  reader.read_word("fault", rule.fault.kind, std::span<const Word<FaultKind>>(kinds));
  if (reader.has("command")) {
    wire::Command command{};
    reader.read_word("command", command, std::span<const Word<wire::Command>>(commands()));
    rule.command = command;
  } else {
    reader.find("command");
  }
  reader.read("first", rule.first, 1).read("times", rule.times).read("every", rule.every, 1);
  reader.read("connection", rule.connection).read("path", rule.path);
  if (const Json* information = reader.find("information"); information != nullptr) {
    std::uint32_t number = 0;
    reader.read("information", number);
    rule.information = std::to_string(number);
  }
  if (!reader.failed()) {
    const auto* word = std::ranges::find(words, rule.fault.kind, &FaultWord::kind);
    read_details(reader, *word, rule.fault);
  }
  if (auto finished = reader.finish(); !finished) {
    return std::unexpected(std::move(finished.error()));
  }
  return rule;
}

Result<AnyFault> read_connection_fault(ObjectReader& reader) {
  ConnectionFault fault;
  reader.read_word("connection_fault", fault.what,
                   std::span<const Word<ConnectionFault::What>>(ends));
  reader.read("connection", fault.connection);
  reader.read("received_bytes", fault.received_bytes).read("sent_bytes", fault.sent_bytes);
  reader.read("received_messages", fault.received_messages);
  if (!fault.received_bytes && !fault.sent_bytes && !fault.received_messages) {
    reader.refuse("received_bytes",
                  "a number for it, for \"sent_bytes\" or for \"received_messages\"");
  }
  if (auto finished = reader.finish(); !finished) {
    return std::unexpected(std::move(finished.error()));
  }
  return fault;
}

}  // namespace

std::span<const FaultWord> fault_words() { return words; }

Result<AnyFault> read_fault(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  if (reader.has("connection_fault")) return read_connection_fault(reader);
  if (!reader.has("fault")) {
    reader.refuse("fault", "what goes wrong (or \"connection_fault\")");
  }
  return read_rule(reader);
}

Result<AnyFault> fault_from_json(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return std::unexpected(std::move(json.error()));
  return read_fault(*json, {});
}

}  // namespace smb3::server
