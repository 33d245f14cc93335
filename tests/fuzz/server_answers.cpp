// The right answers of a server with one share and one file.
#include "base/limits.h"
#include "fuzz/fake_authenticator.h"
#include "fuzz/server_script.h"
#include "wire/messages.h"

#include <deque>

namespace smb3::fuzz {
namespace {

using wire::Command;

constexpr std::uint64_t file_bytes = 300'000;
constexpr std::uint32_t short_read_bytes = 300;
constexpr std::uint32_t long_read_bytes = 17'000;
static_assert(long_read_bytes > limits::small_frame_bytes);

Octets utf16(std::string_view ascii) {
  Octets wide;
  for (const char c : ascii) {
    wide.push_back(static_cast<std::byte>(c));
    wide.push_back(std::byte{0});
  }
  return wide;
}

template <class Message>
Message attributes() {
  Message message{};
  message.end_of_file = file_bytes;
  message.allocation_size = file_bytes;
  message.file_attributes = wire::FileAttributes::archive;
  return message;
}

Octets page_of_names() {
  const Octets names[] = {utf16("."), utf16(".."), utf16("first"), utf16("second file")};
  std::vector<wire::FileIdBothDirectoryInformation> list;
  for (const Octets& name : names) {
    list.push_back(attributes<wire::FileIdBothDirectoryInformation>());
    list.back().file_name = name;
  }
  ByteBuffer chain;
  wire::encode_chain(list, chain);
  return body_of(wire::QueryDirectoryResponse{.output_buffer = chain.bytes()});
}

Octets control_answer(Bytes element) {
  auto request = wire::decode<wire::IoctlRequest>(element);
  require(request.has_value(), "an IOCTL that does not decode");
  std::vector<wire::NetworkInterfaceInfo> list(2);
  for (wire::NetworkInterfaceInfo& interface : list) wire::set_address(interface, {});
  ByteBuffer chain;
  wire::encode_chain(list, chain);
  wire::IoctlResponse response;
  response.ctl_code = request->ctl_code;
  response.file_id = request->file_id;
  response.output = chain.bytes();
  return body_of(response);
}

Octets create_answer(Bytes element, std::uint64_t number) {
  auto request = wire::decode<wire::CreateRequest>(element);
  require(request.has_value(), "a CREATE that does not decode");
  auto response = attributes<wire::CreateResponse>();
  response.oplock_level = request->requested_oplock_level;
  response.file_id = {.persistent = 2 * number + 1, .volatile_id = 2 * number + 2};
  return body_of(response);
}

Octets information_answer() {
  ByteBuffer information;
  wire::encode(attributes<wire::FileNetworkOpenInformation>(), information);
  return body_of(wire::QueryInfoResponse{.output_buffer = information.bytes()});
}

Octets close_answer() {
  auto response = attributes<wire::CloseResponse>();
  response.flags = wire::CloseFlags::postquery_attrib;
  return body_of(response);
}

Octets write_answer(Bytes element) {
  auto request = wire::decode<wire::WriteRequest>(element);
  require(request.has_value(), "a WRITE that does not decode");
  return body_of(wire::WriteResponse{.count = static_cast<std::uint32_t>(request->data.size())});
}

Octets break_answer(Bytes element) {
  auto request = wire::decode<wire::OplockBreakAcknowledgment>(element);
  require(request.has_value(), "an acknowledgement that does not decode");
  return body_of(*request);
}

}  // namespace

NtStatus ServerScript::right_answer(const wire::CompoundElement& request, Octets& body) {
  const Bytes element = request.bytes;
  switch (request.header.command) {
    case Command::negotiate: return negotiate_answer(body);
    case Command::session_setup: return session_setup_answer(request, body);
    case Command::read: return read_answer(element, body);
    case Command::query_directory: return directory_answer(body);
    case Command::tree_connect: {
      wire::TreeConnectResponse response;
      if (conversation_.share_seals) response.share_flags = wire::ShareFlags::encrypt_data;
      body = body_of(response);
      break;
    }
    case Command::create: body = create_answer(element, files_++); break;
    case Command::close: body = close_answer(); break;
    case Command::write: body = write_answer(element); break;
    case Command::ioctl: body = control_answer(element); break;
    case Command::query_info: body = information_answer(); break;
    case Command::oplock_break: body = break_answer(element); break;
    case Command::flush: body = body_of(wire::FlushResponse{}); break;
    case Command::set_info: body = body_of(wire::SetInfoResponse{}); break;
    case Command::echo: body = body_of(wire::EchoResponse{}); break;
    case Command::logoff: body = body_of(wire::LogoffResponse{}); break;
    case Command::tree_disconnect: body = body_of(wire::TreeDisconnectResponse{}); break;
    default: require(false, "the client sends a command that it has no use for");
  }
  return NtStatus::success;
}

NtStatus ServerScript::negotiate_answer(Octets& body) {
  std::deque<ByteBuffer> storage;
  wire::NegotiateResponse response;
  response.security_mode = conversation_.requires_signing ? wire::SecurityMode::signing_required
                                                          : wire::SecurityMode::signing_enabled;
  response.capabilities = wire::Capabilities::encryption;
  if (conversation_.large_mtu) response.capabilities |= wire::Capabilities::large_mtu;
  response.max_transact_size = response.max_read_size = response.max_write_size = 1 << 20;
  const Octets salt(32, std::byte{1});
  wire::PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm::sha_512};
  preauth.salt = salt;
  response.contexts.push_back(wire::make_context(preauth, storage.emplace_back()));
  if (conversation_.has_cipher_context) {
    wire::EncryptionCapabilities encryption;
    encryption.ciphers = {conversation_.cipher};
    response.contexts.push_back(wire::make_context(encryption, storage.emplace_back()));
  }
  if (conversation_.has_signing_context) {
    wire::SigningCapabilities signing;
    signing.signing_algorithms = {conversation_.signing};
    response.contexts.push_back(wire::make_context(signing, storage.emplace_back()));
  }
  body = body_of(response);
  return NtStatus::success;
}

NtStatus ServerScript::session_setup_answer(const wire::CompoundElement& request, Octets& body) {
  const bool goes_on = conversation_.two_legs && legs_++ % 2 == 0;
  const std::byte token[] = {goes_on ? another_leg : std::byte{'!'}};
  wire::SessionSetupResponse response;
  response.security_buffer = token;
  if (!goes_on && conversation_.anonymous) response.session_flags = wire::SessionFlags::is_null;
  if (!goes_on && conversation_.session_seals && !conversation_.anonymous) {
    response.session_flags = wire::SessionFlags::encrypt_data;
  }
  static_cast<void>(request);
  body = body_of(response);
  return goes_on ? NtStatus::more_processing_required : NtStatus::success;
}

NtStatus ServerScript::read_answer(Bytes element, Octets& body) {
  auto request = wire::decode<wire::ReadRequest>(element);
  require(request.has_value(), "a READ that does not decode");
  if (request->offset >= file_bytes) {
    body = body_of(wire::ErrorResponse{});
    return NtStatus::end_of_file;
  }
  // Short, as servers may answer; a long one comes in a large frame.
  const std::uint32_t most = request->length > long_read_bytes ? long_read_bytes : short_read_bytes;
  const Octets data(std::min(request->length, most), std::byte{'d'});
  wire::ReadResponse response;
  response.data = data;
  body = body_of(response);
  return NtStatus::success;
}

NtStatus ServerScript::directory_answer(Octets& body) {
  if (pages_++ % 2 == 1) {
    body = body_of(wire::ErrorResponse{});
    return NtStatus::no_more_files;
  }
  body = page_of_names();
  return NtStatus::success;
}

}  // namespace smb3::fuzz
