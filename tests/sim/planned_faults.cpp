#include "sim/planned_faults.h"

#include <algorithm>
#include <cstring>

namespace smb3::sim {
namespace {

using server::Fault;
using server::FaultKind;
using server::FaultRule;
using wire::Command;

constexpr Command commands[] = {
    Command::negotiate,       Command::session_setup, Command::tree_connect,   Command::create,
    Command::create,          Command::close,         Command::read,           Command::read,
    Command::write,           Command::write,         Command::query_info,     Command::set_info,
    Command::query_directory, Command::logoff,        Command::tree_disconnect};

// What well-meaning servers say.
constexpr NtStatus statuses[] = {NtStatus::access_denied,
                                 NtStatus::sharing_violation,
                                 NtStatus::insufficient_resources,
                                 NtStatus::disk_full,
                                 NtStatus::network_name_deleted,
                                 NtStatus::user_session_deleted,
                                 NtStatus::network_session_expired,
                                 NtStatus::io_timeout,
                                 NtStatus::object_name_not_found,
                                 NtStatus::not_supported,
                                 NtStatus::invalid_parameter,
                                 NtStatus::end_of_file,
                                 NtStatus::file_closed,
                                 NtStatus::object_name_collision,
                                 NtStatus::cancelled,
                                 NtStatus::io_device_error,
                                 NtStatus::insuff_server_resources};

constexpr FaultKind kinds[] = {FaultKind::status,
                               FaultKind::status,
                               FaultKind::status_after,
                               FaultKind::delay,
                               FaultKind::pending,
                               FaultKind::pending_for_ever,
                               FaultKind::drop,
                               FaultKind::ignore,
                               FaultKind::silence,
                               FaultKind::close,
                               FaultKind::reset,
                               FaultKind::close_within,
                               FaultKind::reset_within,
                               FaultKind::shorten,
                               FaultKind::wrong_signature,
                               FaultKind::unsigned_answer,
                               FaultKind::plain_answer,
                               FaultKind::wrong_tag,
                               FaultKind::replay_answer,
                               FaultKind::credits,
                               FaultKind::entry_name,
                               FaultKind::restart_node};

constexpr FaultKind lies[] = {
    FaultKind::damage,    FaultKind::lose_write, FaultKind::set_header,     FaultKind::set_field,
    FaultKind::patch,     FaultKind::truncate,   FaultKind::trailing_bytes, FaultKind::frame_length,
    FaultKind::raw_frame, FaultKind::raw_bytes};

constexpr std::string_view header_fields[] = {"credits",    "flags",        "message_id",
                                              "session_id", "tree_id",      "async_id",
                                              "command",    "next_command", "status"};

std::vector<std::byte> utf16(std::string_view ascii) {
  std::vector<std::byte> bytes;
  for (const char c : ascii) {
    bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back(std::byte{0});
  }
  return bytes;
}

std::uint64_t any_value(Chance& chance) {
  static constexpr std::uint64_t special[] = {0,      1,          0x7F,       0xFF,
                                              0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, ~std::uint64_t{0}};
  return chance.one_in(2) ? chance.of(special) : chance.scaled(0, ~std::uint64_t{0} - 1);
}

void draw_details(Fault& fault, Chance& chance) {
  static constexpr std::string_view names[] = {"..", ".", "", "a/b", "..\\x", "c:d", "nul\1", "x."};
  fault.may_miss = true;
  fault.status = chance.of(statuses);
  fault.delay = std::chrono::milliseconds(chance.scaled(0, 3000));
  fault.offset = chance.scaled(0, 400);
  fault.width = static_cast<std::uint32_t>(std::uint64_t{1} << chance.below(4));
  fault.index = static_cast<std::uint32_t>(chance.below(6));
  switch (fault.kind) {
    case FaultKind::shorten:
    case FaultKind::close_within:
    case FaultKind::reset_within:
    case FaultKind::truncate:
    case FaultKind::trailing_bytes: fault.value = chance.scaled(0, 100'000); break;
    case FaultKind::credits: fault.value = chance.scaled(0, 600); break;
    default: fault.value = any_value(chance);
  }
  if (fault.kind == FaultKind::set_header) fault.field = chance.of(header_fields);
  if (fault.kind == FaultKind::entry_name) fault.data = utf16(chance.of(names));
  if (fault.kind == FaultKind::raw_frame || fault.kind == FaultKind::raw_bytes) {
    fault.data.resize(chance.scaled(0, 300));
    chance.fill(fault.data);
    if (fault.data.size() > 4 && chance.one_in(2)) {
      std::memcpy(fault.data.data(), chance.one_in(2) ? "\xFESMB" : "\xFDSMB", 4);
    }
  }
}

// An interim response has no place for the TreeId that a TREE_CONNECT is to bring.
bool is_before_files(const FaultRule& rule) {
  return !rule.command || rule.command == Command::negotiate ||
         rule.command == Command::session_setup || rule.command == Command::tree_connect;
}

void plan_rule(Plan& plan, Chance& chance, bool lying) {
  FaultRule rule;
  if (!chance.one_in(5)) rule.command = chance.of(commands);
  rule.first = static_cast<std::uint32_t>(chance.scaled(1, 30));
  rule.times = chance.one_in(4) ? static_cast<std::uint32_t>(chance.below(5)) : 1;
  rule.every = static_cast<std::uint32_t>(chance.scaled(1, 5));
  if (lying) {
    rule.fault.kind = chance.of(lies);
    plan.is_lying = true;
  } else {
    rule.fault.kind = chance.of(kinds);
  }
  draw_details(rule.fault, chance);
  // Everything for ever late is no fault but a slow server, which would take for ever.
  if (rule.times == 0) rule.fault.delay %= 50;
  if (rule.times == 0 && rule.fault.kind == FaultKind::shorten) rule.fault.value %= 20;
  if (rule.fault.kind == FaultKind::entry_name) {
    rule.command = Command::query_directory;
    rule.times = std::max(rule.times, 1U);  // or a listing never ends
  }
  if (rule.fault.kind == FaultKind::shorten && rule.command != Command::write) {
    rule.command = Command::read;
  }
  // An expired session's requests are not carried out: whoever says so sends them again.
  if (rule.fault.kind == FaultKind::status_after &&
      rule.fault.status == NtStatus::network_session_expired) {
    plan.is_lying = true;
  }
  const bool slow_only =
      rule.fault.kind == FaultKind::delay || rule.fault.kind == FaultKind::pending;
  const bool in_time = rule.fault.delay < plan.client.timeout / 4;
  if (!slow_only || !in_time || is_before_files(rule)) plan.may_fail = true;
  plan.server.faults.add(std::move(rule));
}

void plan_connection_fault(Plan& plan, Chance& chance) {
  server::ConnectionFault fault;
  fault.what = static_cast<server::ConnectionFault::What>(chance.below(3));
  switch (chance.below(3)) {
    case 0: fault.received_bytes = chance.scaled(0, plan.bytes() + 5000); break;
    case 1: fault.sent_bytes = chance.scaled(0, plan.bytes() + 5000); break;
    default: fault.received_messages = chance.scaled(1, 200);
  }
  plan.may_fail = true;
  plan.server.faults.add(fault);
}

}  // namespace

void plan_faults(Plan& plan, Chance& chance) {
  if (chance.one_in(3)) return;
  if (chance.one_in(2)) {
    for (std::uint64_t i = chance.between(1, 3); i > 0; --i) plan_rule(plan, chance, false);
  }
  if (chance.one_in(6)) {
    for (std::uint64_t i = chance.between(1, 3); i > 0; --i) plan_rule(plan, chance, true);
  }
  if (plan.is_lying) plan.may_fail = true;
  if (chance.one_in(8)) plan_connection_fault(plan, chance);
  Link& link = plan.link;
  if (chance.one_in(10)) {
    link.dies_at = Duration(static_cast<Duration::rep>(chance.scaled(0, 20'000'000'000)));
  }
  if (chance.one_in(10)) link.dies_after_bytes = chance.scaled(0, 2 * plan.bytes() + 20'000);
  if ((plan.client.sign || plan.client.encrypt) && chance.one_in(4)) {
    link.tampering_one_in = chance.scaled(2, 300);
  }
  DiskSettings& disk = plan.disk;
  if (chance.one_in(6)) disk.error_one_in = chance.scaled(10, 400);
  if (chance.one_in(12)) disk.open_error_one_in = chance.scaled(5, 100);
  if (chance.one_in(8)) disk.free_bytes = chance.below(plan.bytes() + 1);
  if (chance.one_in(8)) {
    std::uint64_t old_bytes = 0;  // which must have room
    for (const PlannedFile& file : plan.files) old_bytes += align_up(file.replaced_size(), 4096);
    for (auto& share : plan.server.shares) {
      if (share.name == "copy") share.size_bytes = old_bytes + chance.below(plan.bytes() + 1);
    }
    plan.may_fail = true;
  }
  if (link.dies_at != never || link.dies_after_bytes != ~std::uint64_t{0} ||
      link.tampering_one_in != 0 || disk.error_one_in != 0 || disk.open_error_one_in != 0 ||
      disk.free_bytes != ~std::uint64_t{0}) {
    plan.may_fail = true;
  }
}

}  // namespace smb3::sim
