#include "sim/plan.h"

#include "sim/planned_faults.h"

#include <algorithm>
#include <tuple>

namespace smb3::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Duration scaled_time(Chance& chance, Duration low, Duration high) {
  return Duration(static_cast<Duration::rep>(chance.scaled(
      static_cast<std::uint64_t>(low.count()), static_cast<std::uint64_t>(high.count()))));
}

std::string name(Chance& chance, std::size_t number) {
  static constexpr std::string_view parts[] = {
      "a", "b.c", "Name", "with space", "\xC3\xA4", ".x", "\xE6\x96\x87", "-", "~", "%41"};
  std::string text;
  for (std::uint64_t i = chance.between(1, 3); i > 0; --i) text += chance.of(parts);
  if (chance.one_in(20)) text += std::string(chance.between(50, 150), 'l');
  return text + std::to_string(number);
}

std::uint64_t file_size(Chance& chance, std::uint64_t most) {
  if (chance.one_in(6)) {
    // Around what is cut: credits, chunks, pages.
    static constexpr std::uint64_t edges[] = {1, 4096, 65536, 131072, 1 << 20, 2 << 20};
    const std::uint64_t size = chance.of(edges) + chance.below(3) - 1;
    if (size <= most) return size;
  }
  return chance.scaled(0, most);
}

void plan_tree(Plan& plan, Chance& chance) {
  const bool single = chance.one_in(4);
  if (single) {
    plan.files.push_back({.path = "", .size = file_size(chance, 6 << 20)});
  } else {
    for (std::uint64_t i = chance.below(5); i > 0; --i) {
      std::string parent = plan.folders.empty() || chance.one_in(2) ? "" : chance.of(plan.folders);
      if (!parent.empty()) parent += '/';
      plan.folders.push_back(parent + "d" + name(chance, plan.folders.size()));
    }
    const std::uint64_t most = chance.one_in(5) ? 2 << 20 : 150'000;
    for (std::uint64_t i = chance.one_in(20) ? 0 : chance.between(1, 16); i > 0; --i) {
      std::string parent = plan.folders.empty() || chance.one_in(3) ? "" : chance.of(plan.folders);
      if (!parent.empty()) parent += '/';
      plan.files.push_back(
          {.path = parent + name(chance, plan.files.size()), .size = file_size(chance, most)});
    }
  }
  const bool some_exist = chance.one_in(3);
  for (PlannedFile& file : plan.files) {
    file.contents = chance.next();
    if (some_exist && chance.one_in(2)) file.replaces = chance.next();
  }
}

void plan_client(Plan& plan, Chance& chance) {
  static constexpr int timeouts[] = {2, 5, 30};
  plan.client.timeout = seconds(chance.of(timeouts));
  plan.client.sign = chance.one_in(4);
  plan.client.encrypt = chance.one_in(4);
  plan.copy.preserve = chance.one_in(2);
  plan.copy.through_temporary = !chance.one_in(6);
  plan.copy.must_not_exist = chance.one_in(8);
  plan.copy.write_through = chance.one_in(5);
  plan.files_at_once = chance.between(1, 16);
  plan.preserve_directories = plan.copy.preserve && chance.one_in(2);
  plan.wrong_password = chance.one_in(60);
  if (chance.one_in(10)) plan.interrupt_after = scaled_time(chance, Duration(0), seconds(10));
}

template <class T>
std::vector<T> some_of(std::vector<T> all, Chance& chance) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[chance.below(i)]);
  all.resize(chance.between(1, all.size()));
  return all;
}

void plan_server(Plan& plan, Chance& chance) {
  server::ServerSettings& server = plan.server;
  static constexpr std::uint32_t sizes[] = {65536, 131072, 1 << 20, 8 << 20};
  server.users.push_back({.domain = "SIM", .name = "alice", .password = "Passw0rd!"});
  if (chance.one_in(3)) server.signing = server::SigningPolicy::required;
  server.signing_algorithms = some_of(server.signing_algorithms, chance);
  server.ciphers = some_of(server.ciphers, chance);
  server.encrypt = chance.one_in(5);
  server.large_mtu = !chance.one_in(4);
  server.max_transact_bytes = chance.of(sizes);
  server.max_read_bytes = chance.of(sizes);
  server.max_write_bytes = chance.of(sizes);
  server.strict = chance.one_in(3);
  server.leasing = !chance.one_in(4);
  if (chance.one_in(3)) server.credits_max = static_cast<std::uint16_t>(chance.scaled(8, 512));
  if (chance.one_in(12)) {
    server.session_lifetime_ms = static_cast<std::uint32_t>(chance.scaled(500, 20'000));
  }
  server::ShareSettings share;
  share.name = "data";
  share.encrypt = chance.one_in(6);
  server.shares.push_back(share);
  share.name = "copy";
  share.encrypt = chance.one_in(6);
  server.shares.push_back(share);
  plan.two_servers = chance.one_in(2);
}

void plan_link(Plan& plan, Chance& chance) {
  static constexpr std::uint64_t rates[] = {100'000, 1'000'000, 10'000'000, 100'000'000};
  Link& link = plan.link;
  link.delay = scaled_time(chance, microseconds(10), milliseconds(200));
  if (chance.one_in(2)) link.jitter = scaled_time(chance, Duration(0), milliseconds(20));
  link.rate_bits = chance.between(10, 99) * chance.of(rates);
  if (chance.one_in(2)) link.send_buffer_bytes = chance.between(4096, 8191) << chance.below(10);
  if (chance.one_in(2)) link.receive_buffer_bytes = chance.between(4096, 8191) << chance.below(10);
  link.segment_bytes_max = chance.between(536, 1023) << chance.below(7);
  if (chance.one_in(10)) {
    link.outage_begin = scaled_time(chance, Duration(0), seconds(10));
    link.outage_end = link.outage_begin + scaled_time(chance, Duration(0), plan.client.timeout / 3);
  }
}

void plan_disk(Plan& plan, Chance& chance) {
  plan.disk.delay_max = scaled_time(chance, microseconds(1), milliseconds(30));
  if (chance.one_in(3)) plan.disk.short_one_in = chance.between(2, 10);
}

// A session that lives no longer than its renewal and what waits for it takes may well end.
bool lives_too_short(const Plan& plan) {
  if (!plan.server.session_lifetime_ms) return false;
  const Duration round_trip = 2 * (plan.link.delay + plan.link.jitter);
  const double wait = std::chrono::duration<double>(40 * round_trip).count() +
                      static_cast<double>(plan.bytes() + 50'000) / plan.bytes_per_second();
  return *plan.server.session_lifetime_ms < 4000 * wait;
}

}  // namespace

std::vector<std::byte> contents_of(std::uint64_t seed, std::uint64_t size) {
  std::vector<std::byte> bytes(size);
  Chance(seed).fill(bytes);
  return bytes;
}

std::uint64_t Plan::bytes() const {
  std::uint64_t sum = 0;
  for (const PlannedFile& file : files) sum += file.size;
  return sum;
}

double Plan::bytes_per_second() const {
  const double round_trip = std::chrono::duration<double>(2 * (link.delay + link.jitter)).count();
  const double window =
      static_cast<double>(std::min(link.send_buffer_bytes, link.receive_buffer_bytes) / 2);
  return std::min(static_cast<double>(link.rate_bits) / 8, window / std::max(round_trip, 1e-6));
}

Duration Plan::time_max() const {
  const double round_trip = std::chrono::duration<double>(2 * (link.delay + link.jitter)).count();
  // A server may answer the last bytes of each part one by one.
  const double round_trips = 100 + 80.0 * static_cast<double>(files.size() + folders.size()) +
                             static_cast<double>(bytes()) / 32768 * 12;
  const double disk_time = std::chrono::duration<double>(disk.delay_max).count();
  const double timeout = std::chrono::duration<double>(client.timeout).count();
  const double time = 120 + 10 * timeout + round_trips * (round_trip + 10 * disk_time) +
                      (static_cast<double>(bytes()) + 200'000) * 2 / bytes_per_second();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(2 * time));
}

Plan make_plan(std::uint64_t seed) {
  Chance chance(seed ^ 0xC0FFEE);
  Plan plan;
  plan.seed = seed;
  plan.direction = static_cast<Direction>(chance.below(3));
  plan_tree(plan, chance);
  plan_client(plan, chance);
  plan_server(plan, chance);
  plan_link(plan, chance);
  plan_disk(plan, chance);
  plan_faults(plan, chance);
  if (plan.wrong_password || plan.interrupt_after || lives_too_short(plan)) plan.may_fail = true;
  return plan;
}

std::string describe(const Plan& plan) {
  static constexpr std::string_view directions[] = {"down", "up", "relay"};
  const auto number = [](auto value) { return std::to_string(value); };
  const auto& [link, server, disk] = std::tie(plan.link, plan.server, plan.disk);
  std::string text = "seed " + number(plan.seed) + ": ";
  text += std::string(directions[static_cast<std::size_t>(plan.direction)]) + ", ";
  text += number(plan.files.size()) + " files, " + number(plan.folders.size()) + " folders, " +
          number(plan.bytes()) + " bytes; delay " + number(link.delay.count() / 1000) + " us, " +
          number(link.rate_bits / 1000) + " kbit/s, buffers " + number(link.send_buffer_bytes) +
          "/" + number(link.receive_buffer_bytes) + ", credits " + number(server.credits_max) +
          ", timeout " + number(plan.client.timeout.count()) + " ms";
  if (plan.client.sign) text += ", sign";
  if (plan.client.encrypt) text += ", encrypt";
  if (server.encrypt) text += ", server encrypts";
  if (!plan.copy.through_temporary) text += ", in place";
  if (plan.copy.must_not_exist) text += ", must not exist";
  if (plan.wrong_password) text += ", wrong password";
  if (plan.interrupt_after) {
    text += ", interrupt after " + number(plan.interrupt_after->count() / 1000) + " us";
  }
  if (server.session_lifetime_ms) {
    text += ", session of " + number(*server.session_lifetime_ms) + " ms";
  }
  if (link.outage_begin != never) text += ", outage";
  if (link.dies_at != never) text += ", dies at " + number(link.dies_at.count() / 1000) + " us";
  if (link.dies_after_bytes != ~std::uint64_t{0}) {
    text += ", dies after " + number(link.dies_after_bytes) + " bytes";
  }
  if (link.tampering_one_in != 0) text += ", tampering 1/" + number(link.tampering_one_in);
  if (disk.error_one_in != 0) text += ", disk errors 1/" + number(disk.error_one_in);
  if (disk.open_error_one_in != 0) text += ", open errors";
  if (disk.free_bytes != ~std::uint64_t{0}) text += ", disk of " + number(disk.free_bytes);
  if (!server.faults.empty()) text += ", faults of the server";
  if (plan.is_lying) text += ", lies";
  return text;
}

}  // namespace smb3::sim
