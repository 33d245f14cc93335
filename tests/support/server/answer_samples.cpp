#include "support/server/answer_samples.h"

#include "base/utf16.h"
#include "support/server/message_types.h"

#include <deque>

namespace smb3::server {

namespace {

using namespace wire;

// Keeps what the views of the messages point to.
class Samples {
 public:
  template <Message M>
  void add(std::string name, const M& message, std::uint32_t information = 0,
           std::optional<Command> command = {}, NtStatus status = NtStatus::success) {
    PacketHeader header;
    header.command = command.value_or(M::command);
    header.status = static_cast<std::uint32_t>(status);
    header.flags = HeaderFlags::server_to_redir;
    ByteBuffer out;
    encode(header, out);
    encode(message, out);
    list_.push_back({.name = std::move(name),
                     .command = header.command,
                     .information = information,
                     .element = {out.bytes().begin(), out.bytes().end()}});
  }
  Bytes text(std::string_view utf8) {
    const auto utf16 = to_utf16le(utf8).value_or(std::vector<std::byte>());
    ByteBuffer& storage = storage_.emplace_back();
    storage.append(utf16);
    return storage.bytes();
  }
  ByteBuffer& storage() { return storage_.emplace_back(); }
  template <Structure S>
  Bytes bytes_of(const S& structure) {
    ByteBuffer& out = storage();
    encode(structure, out);
    return out.bytes();
  }
  template <Structure S>
  Bytes chain_of(const std::vector<S>& list, std::size_t alignment = 8) {
    ByteBuffer& out = storage();
    encode_chain(list, out, alignment);
    return out.bytes();
  }
  std::vector<AnswerSample> take() { return std::move(list_); }

 private:
  std::deque<ByteBuffer> storage_;
  std::vector<AnswerSample> list_;
};

void add_negotiate(Samples& samples) {
  NegotiateResponse answer;
  answer.security_buffer = samples.text("token");
  PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm::sha_512};
  preauth.salt = samples.text("salt");
  EncryptionCapabilities encryption;
  encryption.ciphers = {Cipher::aes_128_gcm};
  SigningCapabilities signing;
  signing.signing_algorithms = {SigningAlgorithm::aes_128_gmac};
  CompressionCapabilities compression;
  compression.compression_algorithms = {CompressionAlgorithm::none};
  RdmaTransformCapabilities rdma;
  rdma.rdma_transform_ids = {RdmaTransform::none};
  answer.contexts = {make_context(preauth, samples.storage()),
                     make_context(encryption, samples.storage()),
                     make_context(signing, samples.storage()),
                     make_context(compression, samples.storage()),
                     make_context(TransportCapabilities{}, samples.storage()),
                     make_context(rdma, samples.storage())};
  samples.add("NEGOTIATE", answer);
}

void add_logons(Samples& samples) {
  SessionSetupResponse setup;
  setup.security_buffer = samples.text("token");
  samples.add("SESSION_SETUP", setup);
  samples.add("LOGOFF", LogoffResponse{});
  samples.add("TREE_CONNECT", TreeConnectResponse{});
  samples.add("TREE_DISCONNECT", TreeDisconnectResponse{});
}

void add_files(Samples& samples) {
  CreateResponse create;
  create.contexts = {make_create_context(LeaseV2{}, samples.storage()),
                     make_create_context(DurableHandleResponseV2{}, samples.storage()),
                     make_create_context(QueryMaximalAccessResponse{}, samples.storage()),
                     make_create_context(QueryOnDiskIdResponse{}, samples.storage())};
  samples.add("CREATE", create);
  samples.add("CLOSE", CloseResponse{});
  samples.add("FLUSH", FlushResponse{});
  ReadResponse read;
  read.data = samples.text("data");
  samples.add("READ", read);
  samples.add("WRITE", WriteResponse{});
  samples.add("LOCK", LockResponse{});
  samples.add("ECHO", EchoResponse{});
  samples.add("SET_INFO", SetInfoResponse{});
  samples.add("OPLOCK_BREAK", OplockBreak{});
  samples.add("OPLOCK_BREAK lease notification", LeaseBreakNotification{});
  samples.add("OPLOCK_BREAK lease response", LeaseBreakAcknowledgment{});
  samples.add("SERVER_TO_CLIENT_NOTIFICATION", ServerToClientNotification{});
}

template <Structure S>
void add_directory(Samples& samples, const std::string& name) {
  S first;
  first.file_name = samples.text("first");
  S second;
  second.file_name = samples.text("second file");
  QueryDirectoryResponse answer;
  answer.output_buffer = samples.chain_of(std::vector<S>{first, second});
  samples.add("QUERY_DIRECTORY " + name, answer, static_cast<std::uint32_t>(S::information_class));
}

template <Structure S>
void add_information(Samples& samples, const std::string& name, const S& structure) {
  QueryInfoResponse answer;
  if constexpr (is_chained<S>) {
    answer.output_buffer = samples.chain_of(std::vector<S>{structure, structure});
  } else {
    answer.output_buffer = samples.bytes_of(structure);
  }
  samples.add("QUERY_INFO " + name, answer, static_cast<std::uint32_t>(S::information_class));
}

void add_information(Samples& samples) {
  add_information(samples, "basic", FileBasicInformation{});
  add_information(samples, "standard", FileStandardInformation{});
  add_information(samples, "internal", FileInternalInformation{});
  add_information(samples, "network_open", FileNetworkOpenInformation{});
  add_information(samples, "attribute_tag", FileAttributeTagInformation{});
  FileAllInformation all;
  all.file_name = samples.text("file");
  all.file_name_length = static_cast<std::uint32_t>(all.file_name.size());
  add_information(samples, "all", all);
  FileStreamInformation stream;
  stream.stream_name = samples.text("::$DATA");
  add_information(samples, "stream", stream);
  FileFsVolumeInformation volume;
  volume.volume_label = samples.text("label");
  add_information(samples, "fs_volume", volume);
  FileFsAttributeInformation attribute;
  attribute.file_system_name = samples.text("NTFS");
  add_information(samples, "fs_attribute", attribute);
  add_information(samples, "fs_full_size", FileFsFullSizeInformation{});
  add_information(samples, "fs_sector_size", FileFsSectorSizeInformation{});
  FileNotifyInformation change;
  change.file_name = samples.text("changed");
  ChangeNotifyResponse notify;
  notify.output_buffer =
      samples.chain_of(std::vector<FileNotifyInformation>{change, change}, file_notify_alignment);
  samples.add("CHANGE_NOTIFY", notify);
}

void add_ioctl(Samples& samples, const std::string& name, ControlCode code, Bytes output) {
  IoctlResponse answer;
  answer.ctl_code = code;
  answer.output = output;
  samples.add("IOCTL " + name, answer, static_cast<std::uint32_t>(code));
}

void add_ioctls(Samples& samples) {
  NetworkInterfaceInfo interface;
  set_address(interface, {});
  add_ioctl(samples, "query_network_interface_info", ControlCode::query_network_interface_info,
            samples.chain_of(std::vector<NetworkInterfaceInfo>{interface, interface}));
  add_ioctl(samples, "srv_request_resume_key", ControlCode::srv_request_resume_key,
            samples.bytes_of(SrvRequestResumeKeyResponse{}));
  add_ioctl(samples, "srv_copychunk", ControlCode::srv_copychunk,
            samples.bytes_of(SrvCopychunkResponse{}));
  DfsReferral target;
  target.dfs_path = samples.text("\\server\\dfs");
  target.dfs_alternate_path = target.dfs_path;
  target.network_address = samples.text("\\other\\share");
  DfsReferral names;
  names.version_number = 3;
  names.referral_entry_flags = DfsReferralFlags::name_list_referral;
  names.special_name = samples.text("\\LAB");
  names.expanded_names = {samples.text("\\dc1"), samples.text("\\dc2")};
  DfsReferralResponse referrals;
  referrals.referrals = {target, target};
  ByteBuffer& targets = samples.storage();
  encode_dfs_referrals(referrals, targets);
  add_ioctl(samples, "dfs_get_referrals", ControlCode::dfs_get_referrals, targets.bytes());
  referrals.referrals = {names};
  ByteBuffer& list = samples.storage();
  encode_dfs_referrals(referrals, list);
  add_ioctl(samples, "dfs_get_referrals of names", ControlCode::dfs_get_referrals, list.bytes());
}

void add_error(Samples& samples, const std::string& name, Command command, NtStatus status,
               ErrorId id, Bytes data) {
  ByteBuffer& contexts = samples.storage();
  encode_error_contexts({{id, data}}, contexts);
  ErrorResponse answer;
  answer.error_context_count = 1;
  answer.error_data = contexts.bytes();
  samples.add("ERROR " + name, answer, 0, command, status);
}

void add_errors(Samples& samples) {
  samples.add("ERROR", ErrorResponse{}, 0, Command::create, NtStatus::access_denied);
  add_error(samples, "required size", Command::query_info, NtStatus::buffer_too_small,
            ErrorId::default_id, samples.bytes_of(RequiredSizeError{}));
  SymbolicLinkError link;
  link.path_buffer = samples.text("target");
  link.substitute_name_length = static_cast<std::uint16_t>(link.path_buffer.size());
  link.print_name_length = link.substitute_name_length;
  add_error(samples, "symbolic link", Command::create, NtStatus::stopped_on_symlink,
            ErrorId::default_id, samples.bytes_of(link));
  ShareRedirectError redirect;
  redirect.ip_addr_move_list = {{.type = MoveDstType::ipv4}, {.type = MoveDstType::ipv6}};
  redirect.resource_name = samples.text("\\\\server\\share");
  add_error(samples, "share redirect", Command::tree_connect, NtStatus::bad_network_name,
            ErrorId::share_redirect, samples.bytes_of(redirect));
}

}  // namespace

std::vector<AnswerSample> answer_samples() {
  Samples samples;
  add_negotiate(samples);
  add_logons(samples);
  add_files(samples);
  add_directory<FileIdBothDirectoryInformation>(samples, "file_id_both");
  add_directory<FileIdExtdDirectoryInformation>(samples, "file_id_extd");
  add_directory<FileNamesInformation>(samples, "file_names");
  add_information(samples);
  add_ioctls(samples);
  add_errors(samples);
  return samples.take();
}

}  // namespace smb3::server
