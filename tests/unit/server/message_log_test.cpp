// The log of messages: each line a JSON object with all that a test may ask about.
#include "support/server/answer_samples.h"
#include "support/server/json_printer.h"
#include "support/server/message_log.h"
#include "unit/auth/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace smb3::server {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using wire::Command;

std::string text16(std::string_view ascii) {
  std::string out;
  for (const char c : ascii) out.append({c, '\0'});
  return out;
}
Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

class Log : public testing::Test {
 protected:
  Log() : log_(MessageLog::open(path_, true).value()) {}

  // What the log says of an element, as text.
  std::string line_of(const LoggedMessage& message) {
    log_.write(message);
    std::ifstream file(path_);
    std::string line, last;
    while (std::getline(file, line)) last = line;
    return last;
  }
  json parsed(const LoggedMessage& message) {
    const std::string line = line_of(message);
    json object = json::parse(line, nullptr, false);
    EXPECT_FALSE(object.is_discarded()) << line;
    return object;
  }
  template <wire::Message M>
  json parsed(const M& body, const wire::PacketHeader& header = {}) {
    ByteBuffer out;
    wire::PacketHeader copy = header;
    copy.command = M::command;
    wire::encode(copy, out);
    wire::encode(body, out);
    LoggedMessage message;
    message.element = out.bytes();
    return parsed(message);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_ / "log";
  MessageLog log_;
};

TEST_F(Log, SaysHowAMessageCame) {
  ByteBuffer out;
  wire::encode(
      wire::PacketHeader{.credit_charge = 3,
                         .status = 0x12340007,
                         .command = Command::echo,
                         .credits = 17,
                         .flags = wire::HeaderFlags::signed_message |
                                  wire::HeaderFlags::replay_operation | wire::HeaderFlags{0x30},
                         .message_id = 5,
                         .tree_id = 9,
                         .session_id = 0xFFFFFFFFFFFFFFFF},
      out);
  wire::encode(wire::EchoRequest{}, out);
  LoggedMessage message;
  message.connection = 2;
  message.time_us = 1'234'567;
  message.signed_and_verified = true;
  message.position = 1;
  message.count = 3;
  message.path = "dir/\"ü\"\n";
  message.element = out.bytes();
  const json line = parsed(message);
  EXPECT_EQ(line["connection"], 2);
  EXPECT_EQ(line["time_us"], 1'234'567);
  EXPECT_EQ(line["direction"], "in");
  EXPECT_EQ(line["command"], "ECHO");
  EXPECT_FALSE(line.contains("status"));
  EXPECT_EQ(line["channel_sequence"], 7);
  EXPECT_EQ(line["message_id"], 5);
  EXPECT_EQ(line["credit_charge"], 3);
  EXPECT_EQ(line["credits"], 17);
  EXPECT_EQ(line["flags"], json({"signed_message", "replay_operation", "0x30"}));
  EXPECT_EQ(line["session_id"], 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(line["tree_id"], 9);
  EXPECT_EQ(line["sealed"], false);
  EXPECT_EQ(line["signed"], true);
  EXPECT_EQ(line["position"], 1);
  EXPECT_EQ(line["count"], 3);
  EXPECT_EQ(line["path"], "dir/\"ü\"\n");
  EXPECT_EQ(line["body"], json::object());
}

TEST_F(Log, NegotiateShowsItsContexts) {
  wire::NegotiateRequest request;
  request.dialects = {wire::Dialect::smb_3_1_1};
  request.security_mode = wire::SecurityMode::signing_enabled;
  request.capabilities = wire::Capabilities::large_mtu | wire::Capabilities::encryption;
  wire::EncryptionCapabilities ciphers;
  ciphers.ciphers = {Cipher::aes_128_gcm, Cipher{99}};
  wire::SigningCapabilities signing;
  signing.signing_algorithms = {SigningAlgorithm::aes_128_gmac};
  wire::NetnameNegotiateContextId netname;
  const std::string name = text16("fs.lab.test");
  netname.net_name = bytes_of(name);
  ByteBuffer first, second, third;
  request.contexts = {wire::make_context(ciphers, first),
                      wire::make_context(signing, second),
                      wire::make_context(netname, third),
                      {wire::NegotiateContextType{0x1234}, bytes_of(name).first(2)}};
  const json body = parsed(request)["body"];
  EXPECT_EQ(body["dialects"], json({"smb_3_1_1"}));
  EXPECT_EQ(body["security_mode"], json({"signing_enabled"}));
  EXPECT_EQ(body["capabilities"], json({"large_mtu", "encryption"}));
  EXPECT_EQ(body["client_guid"], std::string(32, '0'));
  ASSERT_EQ(body["contexts"].size(), 4U);
  EXPECT_EQ(body["contexts"][0]["context_type"], "encryption_capabilities");
  EXPECT_EQ(body["contexts"][0]["data"]["ciphers"], json::array({"AES-128-GCM", 99}));
  EXPECT_EQ(body["contexts"][1]["data"]["signing_algorithms"], json::array({"AES-128-GMAC"}));
  EXPECT_EQ(body["contexts"][2]["data"]["net_name"], "fs.lab.test");
  EXPECT_EQ(body["contexts"][3]["context_type"], 0x1234);
  EXPECT_EQ(body["contexts"][3]["data"], json({{"bytes", 2}, {"hex", "6600"}}));
}

TEST_F(Log, CreateShowsItsOptionsAndContexts) {
  wire::CreateRequest request;
  request.requested_oplock_level = wire::OplockLevel::lease;
  request.desired_access = wire::AccessMask::read_data | wire::AccessMask::delete_access;
  request.share_access = wire::ShareAccess::read;
  request.create_disposition = wire::CreateDisposition::open_if;
  request.create_options = wire::CreateOptions::write_through |
                           wire::CreateOptions::non_directory_file |
                           wire::CreateOptions{0x80000000};
  const std::string name = text16("dir\\file");
  request.name = bytes_of(name);
  wire::LeaseV2 lease;
  lease.lease_state = wire::LeaseState::read_caching | wire::LeaseState::handle_caching;
  wire::DurableHandleRequestV2 durable;
  durable.timeout = 60000;
  durable.flags = wire::DurableHandleFlags::persistent;
  durable.create_guid.bytes[0] = std::byte{0xAB};
  ByteBuffer first, second, third;
  request.contexts = {wire::make_create_context(lease, first),
                      wire::make_create_context(durable, second),
                      {wire::create_context::bytes_of("MxAc"), {}},
                      wire::make_create_context(wire::AppInstanceId{}, third),
                      {wire::create_context::bytes_of(std::string_view("\x01z", 2)), {}}};
  const json body = parsed(request)["body"];
  EXPECT_EQ(body["requested_oplock_level"], "lease");
  EXPECT_EQ(body["desired_access"], json({"read_data", "delete_access"}));
  EXPECT_EQ(body["share_access"], json({"read"}));
  EXPECT_EQ(body["create_disposition"], "open_if");
  EXPECT_EQ(body["create_options"], json({"write_through", "non_directory_file", "0x80000000"}));
  EXPECT_EQ(body["file_attributes"], json::array());
  EXPECT_EQ(body["name"], "dir\\file");
  const json& contexts = body["contexts"];
  ASSERT_EQ(contexts.size(), 5U);
  EXPECT_EQ(contexts[0]["name"], "RqLs");
  EXPECT_EQ(contexts[0]["data"]["lease_state"], json({"read_caching", "handle_caching"}));
  EXPECT_EQ(contexts[1]["name"], "DH2Q");
  EXPECT_EQ(contexts[1]["data"]["timeout"], 60000);
  EXPECT_EQ(contexts[1]["data"]["flags"], json({"persistent"}));
  EXPECT_THAT(contexts[1]["data"]["create_guid"], testing::StartsWith("ab00"));
  EXPECT_EQ(contexts[2]["data"], json({{"bytes", 0}}));
  EXPECT_EQ(contexts[3]["name"], "AppInstanceId");
  EXPECT_EQ(contexts[4]["name"], "017a");
}

TEST_F(Log, PayloadIsOnlyCounted) {
  const std::string secret(100, 'x');
  wire::WriteRequest write;
  write.flags = wire::WriteFlags::write_through;
  write.offset = 1ULL << 40;
  write.data = bytes_of(secret);
  const json line = parsed(write);
  EXPECT_EQ(line["body"]["data"], json({{"bytes", 100}}));
  EXPECT_EQ(line["body"]["flags"], json({"write_through"}));
  EXPECT_EQ(line["body"]["offset"], 1ULL << 40);
  EXPECT_EQ(line["body"]["file_id"], json({{"persistent", 0}, {"volatile_id", 0}}));
  wire::ReadResponse read;
  read.data = bytes_of(secret);
  const json answer = parsed(read, {.flags = wire::HeaderFlags::server_to_redir});
  EXPECT_EQ(answer["body"]["data"], json({{"bytes", 100}}));
}

TEST_F(Log, TreeConnectAndSetInfoAreDecoded) {
  wire::TreeConnectRequest tree;
  tree.flags = wire::TreeConnectFlags::redirect_to_owner;
  const std::string path = text16("\\\\server\\share");
  tree.path = bytes_of(path);
  const json connect = parsed(tree)["body"];
  EXPECT_EQ(connect["path"], "\\\\server\\share");
  EXPECT_EQ(connect["flags"], json({"redirect_to_owner"}));

  wire::FileRenameInformation rename;
  rename.replace_if_exists = true;
  const std::string name = text16("new");
  rename.file_name = bytes_of(name);
  ByteBuffer buffer;
  wire::encode(rename, buffer);
  wire::SetInfoRequest set;
  set.file_info_class = static_cast<std::uint8_t>(wire::FileInformationClass::rename);
  set.buffer = buffer.bytes();
  const json body = parsed(set)["body"];
  EXPECT_EQ(body["buffer"], json({{"replace_if_exists", true}, {"file_name", "new"}}));
  set.file_info_class = 200;
  EXPECT_EQ(parsed(set)["body"]["buffer"]["bytes"], buffer.size());

  wire::SrvCopychunkCopy copy;
  copy.chunks = {{.source_offset = 1, .target_offset = 2, .length = 3}};
  ByteBuffer input;
  wire::encode(copy, input);
  wire::IoctlRequest ioctl;
  ioctl.ctl_code = wire::ControlCode::srv_copychunk_write;
  ioctl.input = input.bytes();
  const json control = parsed(ioctl)["body"];
  EXPECT_EQ(control["ctl_code"], "srv_copychunk_write");
  EXPECT_EQ(control["input"]["chunks"][0]["length"], 3);
}

TEST_F(Log, AnswersHaveAStatusAndErrorsTheirOwnBody) {
  const auto samples = answer_samples();
  const auto line_for = [&](std::string_view name) {
    const auto found = std::ranges::find(samples, name, &AnswerSample::name);
    LoggedMessage message;
    message.from_server = true;
    message.element = found->element;
    return parsed(message);
  };
  const json negotiate = line_for("NEGOTIATE");
  EXPECT_EQ(negotiate["direction"], "out");
  EXPECT_EQ(negotiate["status"], "STATUS_SUCCESS");
  EXPECT_FALSE(negotiate.contains("channel_sequence"));
  EXPECT_EQ(negotiate["body"]["contexts"].size(), 6U);
  const json refused = line_for("ERROR");
  EXPECT_EQ(refused["command"], "CREATE");
  EXPECT_EQ(refused["status"], "STATUS_ACCESS_DENIED");
  EXPECT_EQ(refused["body"]["error_context_count"], 0);
  EXPECT_EQ(line_for("CREATE")["body"]["contexts"][1]["data"]["timeout"], 0);
  EXPECT_EQ(line_for("IOCTL query_network_interface_info")["body"]["output"].size(), 2U);
  EXPECT_EQ(line_for("CHANGE_NOTIFY")["body"]["output_buffer"][1]["file_name"], "changed");
  const json unknown = parsed(wire::EchoResponse{}, {.status = 0xC1234567,
                                                     .flags = wire::HeaderFlags::server_to_redir |
                                                              wire::HeaderFlags::async_command,
                                                     .async_id = 77});
  EXPECT_EQ(unknown["status"], "0xc1234567");
  EXPECT_EQ(unknown["async_id"], 77);
  EXPECT_FALSE(unknown.contains("tree_id"));
}

TEST_F(Log, NamesThatAreNoTextAreEscaped) {
  const auto utf16 = [](std::initializer_list<unsigned> units) {
    std::string bytes;
    for (const unsigned unit : units) {
      bytes.append({static_cast<char>(unit), static_cast<char>(unit >> 8)});
    }
    std::string out;
    append_json_utf16(out, bytes_of(bytes));
    return out;
  };
  EXPECT_EQ(utf16({'a', 0xD800, 'b'}), "\"a\\ud800b\"");
  EXPECT_EQ(utf16({0xDC01}), "\"\\udc01\"");
  EXPECT_EQ(utf16({0xD83D, 0xDE00, 0xD83D}), "\"\xF0\x9F\x98\x80\\ud83d\"");
  EXPECT_EQ(utf16({0xE9, 0x20AC, 0x10, 0, '"', '\\', 0x7F}), "\"é€\\u0010\\u0000\\\"\\\\\\u007f\"");
  std::string odd;
  append_json_utf16(odd, std::as_bytes(std::span("aba", 3)));
  EXPECT_EQ(odd, "\"\xE6\x89\xA1\\ufffd\"");
  std::string bytes;
  append_json_text(bytes, "a\xFF");
  EXPECT_EQ(bytes, "\"a\\udcff\"");
}

// Lone surrogates are no error to Python, but to the parser here.
bool is_json(std::string line) {
  for (auto at = line.find("\\ud"); at != line.npos; at = line.find("\\ud", at + 6)) {
    if (line.size() >= at + 6 && line[at + 3] >= '8') line.replace(at, 6, "??????");
  }
  return json::accept(line);
}

TEST_F(Log, AnyBytesMakeALine) {
  LoggedMessage empty;
  EXPECT_THAT(line_of(empty), HasSubstr("\"malformed\""));
  for (const AnswerSample& answer : answer_samples()) {
    for (std::size_t at = 4; at < answer.element.size(); at += 3) {
      auto damaged = answer.element;
      damaged[at] = ~damaged[at];
      LoggedMessage message;
      message.element = damaged;
      ASSERT_TRUE(is_json(line_of(message))) << answer.name << " at " << at;
      message.element = Bytes(answer.element).first(at);
      ASSERT_TRUE(is_json(line_of(message))) << answer.name << " cut at " << at;
      // As a request.
      damaged[16] = std::byte{0};
      message.element = damaged;
      ASSERT_TRUE(is_json(line_of(message))) << answer.name << " at " << at;
    }
    ::truncate(path_.c_str(), 0);
  }
}

TEST_F(Log, EventsStandBetweenMessages) {
  log_.write_line(R"({"event": "connected"})");
  std::ifstream file(path_);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, R"({"event": "connected"})");
}

TEST(MessageLog, IsWrittenOnlyWhereItIsWanted) {
  MessageLog none = MessageLog::open("", true).value();
  EXPECT_FALSE(none.wanted() || none.answers_wanted());
  none.write({});
  none.write_line("{}");
  test::TemporaryFolder folder;
  const MessageLog requests = MessageLog::open(folder / "log", false).value();
  EXPECT_TRUE(requests.wanted());
  EXPECT_FALSE(requests.answers_wanted());
  const auto failed = MessageLog::open(folder / "no/log", false);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().system_errno(), ENOENT);
  EXPECT_TRUE(MessageLog::open("-", true).value().answers_wanted());
}

}  // namespace
}  // namespace smb3::server
