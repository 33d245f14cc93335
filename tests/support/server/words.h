// The enumerations of the wire layer as words, in the settings and in the log.
#pragma once

#include "wire/messages.h"

#include <array>
#include <span>
#include <string_view>

namespace smb3::server {

template <class E>
struct Word {
  std::string_view word;
  E value;
};

// All of them: an enumeration that has no words is shown as a number.
template <class E>
inline constexpr std::array<Word<E>, 0> words_of{};

template <class E>
concept Worded = std::is_enum_v<E> && (words_of<E>.size() > 0);

template <class E>
std::string_view word_of(E value) {
  for (const Word<E>& word : words_of<E>) {
    if (word.value == value) return word.word;
  }
  return {};
}

#define SMB3_WORD(name) {#name, E::name}

template <>
inline constexpr auto words_of<wire::ChangeNotifyFlags> = [] {
  using E = wire::ChangeNotifyFlags;
  return std::to_array<Word<E>>({SMB3_WORD(watch_tree)});
}();
template <>
inline constexpr auto words_of<wire::CompletionFilter> = [] {
  using E = wire::CompletionFilter;
  return std::to_array<Word<E>>({SMB3_WORD(file_name), SMB3_WORD(dir_name), SMB3_WORD(attributes),
                                 SMB3_WORD(size), SMB3_WORD(last_write), SMB3_WORD(last_access),
                                 SMB3_WORD(creation), SMB3_WORD(ea), SMB3_WORD(security),
                                 SMB3_WORD(stream_name), SMB3_WORD(stream_size),
                                 SMB3_WORD(stream_write)});
}();
template <>
inline constexpr auto words_of<wire::FileAction> = [] {
  using E = wire::FileAction;
  return std::to_array<Word<E>>({SMB3_WORD(added), SMB3_WORD(removed), SMB3_WORD(modified),
                                 SMB3_WORD(renamed_old_name), SMB3_WORD(renamed_new_name),
                                 SMB3_WORD(added_stream), SMB3_WORD(removed_stream),
                                 SMB3_WORD(modified_stream)});
}();
template <>
inline constexpr auto words_of<wire::CloseFlags> = [] {
  using E = wire::CloseFlags;
  return std::to_array<Word<E>>({SMB3_WORD(postquery_attrib)});
}();
template <>
inline constexpr auto words_of<wire::CreateResponseFlags> = [] {
  using E = wire::CreateResponseFlags;
  return std::to_array<Word<E>>({SMB3_WORD(reparsepoint)});
}();
template <>
inline constexpr auto words_of<wire::CreateAction> = [] {
  using E = wire::CreateAction;
  return std::to_array<Word<E>>(
      {SMB3_WORD(superseded), SMB3_WORD(opened), SMB3_WORD(created), SMB3_WORD(overwritten)});
}();
template <>
inline constexpr auto words_of<wire::DurableHandleFlags> = [] {
  using E = wire::DurableHandleFlags;
  return std::to_array<Word<E>>({SMB3_WORD(persistent)});
}();
template <>
inline constexpr auto words_of<wire::LeaseFlags> = [] {
  using E = wire::LeaseFlags;
  return std::to_array<Word<E>>({SMB3_WORD(break_in_progress), SMB3_WORD(parent_lease_key_set)});
}();
template <>
inline constexpr auto words_of<wire::DfsReferralHeaderFlags> = [] {
  using E = wire::DfsReferralHeaderFlags;
  return std::to_array<Word<E>>(
      {SMB3_WORD(referral_servers), SMB3_WORD(storage_servers), SMB3_WORD(target_failback)});
}();
template <>
inline constexpr auto words_of<wire::DfsReferralFlags> = [] {
  using E = wire::DfsReferralFlags;
  return std::to_array<Word<E>>({SMB3_WORD(name_list_referral), SMB3_WORD(target_set_boundary)});
}();
template <>
inline constexpr auto words_of<wire::ErrorId> = [] {
  using E = wire::ErrorId;
  return std::to_array<Word<E>>({SMB3_WORD(default_id), SMB3_WORD(share_redirect)});
}();
template <>
inline constexpr auto words_of<wire::SymlinkFlags> = [] {
  using E = wire::SymlinkFlags;
  return std::to_array<Word<E>>({SMB3_WORD(relative)});
}();
template <>
inline constexpr auto words_of<wire::FileInformationClass> = [] {
  using E = wire::FileInformationClass;
  return std::to_array<Word<E>>({SMB3_WORD(basic), SMB3_WORD(standard), SMB3_WORD(internal),
                                 SMB3_WORD(rename), SMB3_WORD(disposition), SMB3_WORD(full_ea),
                                 SMB3_WORD(all), SMB3_WORD(allocation), SMB3_WORD(end_of_file),
                                 SMB3_WORD(stream), SMB3_WORD(network_open),
                                 SMB3_WORD(attribute_tag), SMB3_WORD(disposition_ex)});
}();
template <>
inline constexpr auto words_of<wire::DispositionFlags> = [] {
  using E = wire::DispositionFlags;
  return std::to_array<Word<E>>({SMB3_WORD(delete_file), SMB3_WORD(posix_semantics),
                                 SMB3_WORD(force_image_section_check), SMB3_WORD(on_close),
                                 SMB3_WORD(ignore_readonly_attribute)});
}();
template <>
inline constexpr auto words_of<wire::FileSystemInformationClass> = [] {
  using E = wire::FileSystemInformationClass;
  return std::to_array<Word<E>>({SMB3_WORD(volume), SMB3_WORD(size), SMB3_WORD(device),
                                 SMB3_WORD(attribute), SMB3_WORD(full_size),
                                 SMB3_WORD(sector_size)});
}();
template <>
inline constexpr auto words_of<wire::AccessMask> = [] {
  using E = wire::AccessMask;
  return std::to_array<Word<E>>(
      {SMB3_WORD(read_data),       SMB3_WORD(write_data),      SMB3_WORD(append_data),
       SMB3_WORD(read_ea),         SMB3_WORD(write_ea),        SMB3_WORD(execute),
       SMB3_WORD(delete_child),    SMB3_WORD(read_attributes), SMB3_WORD(write_attributes),
       SMB3_WORD(delete_access),   SMB3_WORD(read_control),    SMB3_WORD(write_dac),
       SMB3_WORD(write_owner),     SMB3_WORD(synchronize),     SMB3_WORD(access_system_security),
       SMB3_WORD(maximum_allowed), SMB3_WORD(generic_all),     SMB3_WORD(generic_execute),
       SMB3_WORD(generic_write),   SMB3_WORD(generic_read)});
}();
template <>
inline constexpr auto words_of<wire::FileAttributes> = [] {
  using E = wire::FileAttributes;
  return std::to_array<Word<E>>(
      {SMB3_WORD(readonly), SMB3_WORD(hidden), SMB3_WORD(system), SMB3_WORD(directory),
       SMB3_WORD(archive), SMB3_WORD(normal), SMB3_WORD(temporary), SMB3_WORD(sparse_file),
       SMB3_WORD(reparse_point), SMB3_WORD(compressed), SMB3_WORD(offline),
       SMB3_WORD(not_content_indexed), SMB3_WORD(encrypted), SMB3_WORD(integrity_stream),
       SMB3_WORD(no_scrub_data), SMB3_WORD(recall_on_open), SMB3_WORD(pinned), SMB3_WORD(unpinned),
       SMB3_WORD(recall_on_data_access)});
}();
template <>
inline constexpr auto words_of<wire::ShareAccess> = [] {
  using E = wire::ShareAccess;
  return std::to_array<Word<E>>({SMB3_WORD(read), SMB3_WORD(write), SMB3_WORD(delete_access)});
}();
template <>
inline constexpr auto words_of<wire::CreateDisposition> = [] {
  using E = wire::CreateDisposition;
  return std::to_array<Word<E>>({SMB3_WORD(supersede), SMB3_WORD(open), SMB3_WORD(create),
                                 SMB3_WORD(open_if), SMB3_WORD(overwrite),
                                 SMB3_WORD(overwrite_if)});
}();
template <>
inline constexpr auto words_of<wire::CreateOptions> = [] {
  using E = wire::CreateOptions;
  return std::to_array<Word<E>>(
      {SMB3_WORD(directory_file), SMB3_WORD(write_through), SMB3_WORD(sequential_only),
       SMB3_WORD(no_intermediate_buffering), SMB3_WORD(non_directory_file),
       SMB3_WORD(no_ea_knowledge), SMB3_WORD(random_access), SMB3_WORD(delete_on_close),
       SMB3_WORD(open_by_file_id), SMB3_WORD(open_for_backup_intent), SMB3_WORD(no_compression),
       SMB3_WORD(open_reparse_point), SMB3_WORD(open_no_recall)});
}();
template <>
inline constexpr auto words_of<wire::OplockLevel> = [] {
  using E = wire::OplockLevel;
  return std::to_array<Word<E>>({SMB3_WORD(none), SMB3_WORD(level_ii), SMB3_WORD(exclusive),
                                 SMB3_WORD(batch), SMB3_WORD(lease)});
}();
template <>
inline constexpr auto words_of<wire::ImpersonationLevel> = [] {
  using E = wire::ImpersonationLevel;
  return std::to_array<Word<E>>({SMB3_WORD(anonymous), SMB3_WORD(identification),
                                 SMB3_WORD(impersonation), SMB3_WORD(delegate)});
}();
template <>
inline constexpr auto words_of<wire::LeaseState> = [] {
  using E = wire::LeaseState;
  return std::to_array<Word<E>>(
      {SMB3_WORD(read_caching), SMB3_WORD(handle_caching), SMB3_WORD(write_caching)});
}();
template <>
inline constexpr auto words_of<wire::ReparseTag> = [] {
  using E = wire::ReparseTag;
  return std::to_array<Word<E>>({SMB3_WORD(none), SMB3_WORD(mount_point), SMB3_WORD(symlink),
                                 SMB3_WORD(nfs), SMB3_WORD(lx_symlink)});
}();
template <>
inline constexpr auto words_of<wire::ControlCode> = [] {
  using E = wire::ControlCode;
  return std::to_array<Word<E>>({SMB3_WORD(dfs_get_referrals),
                                 SMB3_WORD(dfs_get_referrals_ex),
                                 SMB3_WORD(pipe_peek),
                                 SMB3_WORD(pipe_wait),
                                 SMB3_WORD(pipe_transceive),
                                 SMB3_WORD(srv_copychunk),
                                 SMB3_WORD(srv_copychunk_write),
                                 SMB3_WORD(srv_enumerate_snapshots),
                                 SMB3_WORD(srv_request_resume_key),
                                 SMB3_WORD(srv_read_hash),
                                 SMB3_WORD(lmr_request_resiliency),
                                 SMB3_WORD(query_network_interface_info),
                                 SMB3_WORD(validate_negotiate_info),
                                 SMB3_WORD(set_reparse_point),
                                 SMB3_WORD(get_reparse_point),
                                 SMB3_WORD(delete_reparse_point),
                                 SMB3_WORD(set_sparse),
                                 SMB3_WORD(set_zero_data),
                                 SMB3_WORD(query_allocated_ranges),
                                 SMB3_WORD(file_level_trim),
                                 SMB3_WORD(duplicate_extents_to_file),
                                 SMB3_WORD(duplicate_extents_to_file_ex)});
}();
template <>
inline constexpr auto words_of<wire::IoctlFlags> = [] {
  using E = wire::IoctlFlags;
  return std::to_array<Word<E>>({SMB3_WORD(is_fsctl)});
}();
template <>
inline constexpr auto words_of<wire::LockFlags> = [] {
  using E = wire::LockFlags;
  return std::to_array<Word<E>>({SMB3_WORD(shared_lock), SMB3_WORD(exclusive_lock),
                                 SMB3_WORD(unlock), SMB3_WORD(fail_immediately)});
}();
template <>
inline constexpr auto words_of<wire::Dialect> = [] {
  using E = wire::Dialect;
  return std::to_array<Word<E>>({SMB3_WORD(smb_2_0_2), SMB3_WORD(smb_2_1), SMB3_WORD(smb_3_0),
                                 SMB3_WORD(smb_3_0_2), SMB3_WORD(smb_3_1_1), SMB3_WORD(wildcard)});
}();
template <>
inline constexpr auto words_of<wire::SecurityMode> = [] {
  using E = wire::SecurityMode;
  return std::to_array<Word<E>>({SMB3_WORD(signing_enabled), SMB3_WORD(signing_required)});
}();
template <>
inline constexpr auto words_of<wire::Capabilities> = [] {
  using E = wire::Capabilities;
  return std::to_array<Word<E>>({SMB3_WORD(dfs), SMB3_WORD(leasing), SMB3_WORD(large_mtu),
                                 SMB3_WORD(multi_channel), SMB3_WORD(persistent_handles),
                                 SMB3_WORD(directory_leasing), SMB3_WORD(encryption),
                                 SMB3_WORD(notifications)});
}();
template <>
inline constexpr auto words_of<wire::NegotiateContextType> = [] {
  using E = wire::NegotiateContextType;
  return std::to_array<Word<E>>(
      {SMB3_WORD(preauth_integrity_capabilities), SMB3_WORD(encryption_capabilities),
       SMB3_WORD(compression_capabilities), SMB3_WORD(netname_negotiate_context_id),
       SMB3_WORD(transport_capabilities), SMB3_WORD(rdma_transform_capabilities),
       SMB3_WORD(signing_capabilities), SMB3_WORD(posix_extensions_available)});
}();
template <>
inline constexpr auto words_of<wire::InterfaceCapability> = [] {
  using E = wire::InterfaceCapability;
  return std::to_array<Word<E>>({SMB3_WORD(rss_capable), SMB3_WORD(rdma_capable)});
}();
template <>
inline constexpr auto words_of<wire::LeaseBreakFlags> = [] {
  using E = wire::LeaseBreakFlags;
  return std::to_array<Word<E>>({SMB3_WORD(ack_required)});
}();
template <>
inline constexpr auto words_of<wire::HeaderFlags> = [] {
  using E = wire::HeaderFlags;
  return std::to_array<Word<E>>({SMB3_WORD(server_to_redir), SMB3_WORD(async_command),
                                 SMB3_WORD(related_operations), SMB3_WORD(signed_message),
                                 SMB3_WORD(dfs_operations), SMB3_WORD(replay_operation)});
}();
template <>
inline constexpr auto words_of<wire::DirectoryInformationClass> = [] {
  using E = wire::DirectoryInformationClass;
  return std::to_array<Word<E>>(
      {SMB3_WORD(file_directory_information), SMB3_WORD(file_full_directory_information),
       SMB3_WORD(file_both_directory_information), SMB3_WORD(file_names_information),
       SMB3_WORD(file_id_both_directory_information), SMB3_WORD(file_id_full_directory_information),
       SMB3_WORD(file_id_extd_directory_information)});
}();
template <>
inline constexpr auto words_of<wire::QueryDirectoryFlags> = [] {
  using E = wire::QueryDirectoryFlags;
  return std::to_array<Word<E>>({SMB3_WORD(restart_scans), SMB3_WORD(return_single_entry),
                                 SMB3_WORD(index_specified), SMB3_WORD(reopen)});
}();
template <>
inline constexpr auto words_of<wire::InfoType> = [] {
  using E = wire::InfoType;
  return std::to_array<Word<E>>(
      {SMB3_WORD(file), SMB3_WORD(filesystem), SMB3_WORD(security), SMB3_WORD(quota)});
}();
template <>
inline constexpr auto words_of<wire::AdditionalInformation> = [] {
  using E = wire::AdditionalInformation;
  return std::to_array<Word<E>>(
      {SMB3_WORD(owner_security_information), SMB3_WORD(group_security_information),
       SMB3_WORD(dacl_security_information), SMB3_WORD(sacl_security_information),
       SMB3_WORD(label_security_information), SMB3_WORD(attribute_security_information),
       SMB3_WORD(scope_security_information), SMB3_WORD(backup_security_information)});
}();
template <>
inline constexpr auto words_of<wire::ReadFlags> = [] {
  using E = wire::ReadFlags;
  return std::to_array<Word<E>>({SMB3_WORD(read_unbuffered), SMB3_WORD(request_compressed)});
}();
template <>
inline constexpr auto words_of<wire::NotificationType> = [] {
  using E = wire::NotificationType;
  return std::to_array<Word<E>>({SMB3_WORD(notify_session_closed)});
}();
template <>
inline constexpr auto words_of<wire::SessionSetupFlags> = [] {
  using E = wire::SessionSetupFlags;
  return std::to_array<Word<E>>({SMB3_WORD(binding)});
}();
template <>
inline constexpr auto words_of<wire::SessionFlags> = [] {
  using E = wire::SessionFlags;
  return std::to_array<Word<E>>({SMB3_WORD(is_guest), SMB3_WORD(is_null), SMB3_WORD(encrypt_data)});
}();
template <>
inline constexpr auto words_of<wire::TreeConnectFlags> = [] {
  using E = wire::TreeConnectFlags;
  return std::to_array<Word<E>>(
      {SMB3_WORD(cluster_reconnect), SMB3_WORD(redirect_to_owner), SMB3_WORD(extension_present)});
}();
template <>
inline constexpr auto words_of<wire::TreeConnectContextType> = [] {
  using E = wire::TreeConnectContextType;
  return std::to_array<Word<E>>({SMB3_WORD(reserved), SMB3_WORD(remoted_identity)});
}();
template <>
inline constexpr auto words_of<wire::ShareType> = [] {
  using E = wire::ShareType;
  return std::to_array<Word<E>>({SMB3_WORD(disk), SMB3_WORD(pipe), SMB3_WORD(print)});
}();
template <>
inline constexpr auto words_of<wire::ShareFlags> = [] {
  using E = wire::ShareFlags;
  return std::to_array<Word<E>>({{"auto_caching", E{0x10}},
                                 {"vdo_caching", E{0x20}},
                                 SMB3_WORD(dfs),
                                 SMB3_WORD(dfs_root),
                                 SMB3_WORD(restrict_exclusive_opens),
                                 SMB3_WORD(force_shared_delete),
                                 SMB3_WORD(allow_namespace_caching),
                                 SMB3_WORD(access_based_directory_enum),
                                 SMB3_WORD(force_levelii_oplock),
                                 SMB3_WORD(enable_hash_v1),
                                 SMB3_WORD(enable_hash_v2),
                                 SMB3_WORD(encrypt_data),
                                 SMB3_WORD(identity_remoting),
                                 SMB3_WORD(compress_data),
                                 SMB3_WORD(isolated_transport)});
}();
template <>
inline constexpr auto words_of<wire::ShareCapabilities> = [] {
  using E = wire::ShareCapabilities;
  return std::to_array<Word<E>>({SMB3_WORD(dfs), SMB3_WORD(continuous_availability),
                                 SMB3_WORD(scaleout), SMB3_WORD(cluster), SMB3_WORD(asymmetric),
                                 SMB3_WORD(redirect_to_owner)});
}();
template <>
inline constexpr auto words_of<wire::WriteFlags> = [] {
  using E = wire::WriteFlags;
  return std::to_array<Word<E>>({SMB3_WORD(write_through), SMB3_WORD(write_unbuffered)});
}();

#undef SMB3_WORD

}  // namespace smb3::server
