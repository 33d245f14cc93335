#include "multichannel/pairing.h"

#include "base/limits.h"
#include "wire/network_interface.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace smb3 {
namespace {

// Above that a number says nothing.
constexpr std::uint64_t speed_max = 400'000'000'000;
// What an interface that does not tell its speed is taken for.
constexpr std::uint64_t usual_speed = 1'000'000'000;
// The peer's list is looked at so far, and the kernel is asked so often.
constexpr std::size_t entries_max = 256;
constexpr std::size_t questions_max = 256;
// [MS-SMB2] leaves the number open; Windows has these.
constexpr std::size_t connections_max = 8;
constexpr std::size_t per_rss_pair = 4;

Endpoint endpoint_of(const wire::IpAddress& address, std::uint16_t port) {
  if (!address.v6) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, address.bytes.data(), sizeof v4.sin_addr);
    return with_port(make_endpoint(reinterpret_cast<sockaddr*>(&v4), sizeof v4), port);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
  return with_port(make_endpoint(reinterpret_cast<sockaddr*>(&v6), sizeof v6), port);
}

// The two interfaces of a pair; several addresses of them are one pair.
struct Candidate {
  const LocalInterface* local = nullptr;
  const RemoteInterface* remote = nullptr;
  bool is_first = false;
  std::uint64_t speed = 0;

  std::uint64_t assumed_speed() const noexcept { return speed == 0 ? usual_speed : speed; }
};

std::uint64_t slower(std::uint64_t a, std::uint64_t b) noexcept {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

class Pairing {
 public:
  explicit Pairing(const PairingRequest& request) : request_(request) {}

  std::vector<PlannedPair> plan() {
    gather();
    match();
    return spread();
  }

 private:
  bool is_wanted(const LocalInterface& interface) const {
    if (request_.only.empty()) return true;
    return std::ranges::any_of(request_.only, [&](const std::string& name) {
      return name == interface.name || name == address_text(interface.address);
    });
  }

  // Link-local addresses only where nothing better is known of the side.
  template <class Interface>
  std::vector<const Interface*> usable(const std::vector<Interface>& interfaces) const {
    const bool to_itself = kind_of(request_.first_remote) == AddressKind::loopback;
    std::vector<const Interface*> better, link_local;
    for (const Interface& interface : interfaces) {
      switch (kind_of(interface.address)) {
        case AddressKind::usual: better.push_back(&interface); break;
        case AddressKind::loopback:
          if (to_itself) better.push_back(&interface);
          break;
        case AddressKind::link_local: link_local.push_back(&interface); break;
        case AddressKind::unusable: break;
      }
    }
    return better.empty() ? link_local : better;
  }

  void gather() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Candidate> pairs;
    std::size_t questions = 0;
    std::vector<Endpoint> seen;
    for (const RemoteInterface* remote : usable(request_.remote)) {
      const auto is_it = [remote](const Endpoint& address) {
        return same_address(address, remote->address);
      };
      if (std::ranges::any_of(seen, is_it)) continue;  // under several indices
      seen.push_back(remote->address);
      if (is_ours(remote->address)) continue;
      for (const LocalInterface* local : usable(request_.local)) {
        if (!is_wanted(*local) || local->address.family() != remote->address.family()) continue;
        if (++questions > questions_max) break;
        if (!request_.route_exists(*local, remote->address)) continue;
        Candidate candidate{local, remote, is_first(*local, *remote),
                            slower(local->speed_bits_per_second, remote->speed_bits_per_second)};
        Candidate& known = pairs[{local->index, remote->index}];
        if (!known.local || is_better(candidate, known)) known = candidate;
      }
    }
    for (auto& [indices, candidate] : pairs) candidates_.push_back(candidate);
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      const auto rank = [](const Candidate& c) {
        return std::tuple(~c.assumed_speed(), !c.is_first, c.local->index, c.remote->index);
      };
      return rank(a) < rank(b);
    });
  }

  // An address that this machine has as well leads here, not there.
  bool is_ours(const Endpoint& address) const {
    const auto here = [this](const Endpoint& there) {
      return std::ranges::any_of(request_.local, [&](const LocalInterface& local) {
        return same_address(local.address, there);
      });
    };
    return here(address) && !here(request_.first_remote);
  }

  bool is_first(const LocalInterface& local, const RemoteInterface& remote) const {
    return same_address(local.address, request_.first_local) &&
           same_address(remote.address, request_.first_remote);
  }
  bool is_better(const Candidate& a, const Candidate& b) const {
    const auto rank = [this](const Candidate& c) {
      return std::tuple(!c.is_first, c.remote->address.family() != request_.first_remote.family());
    };
    return rank(a) < rank(b);
  }

  // A greatest set of pairs without a common interface, then those that bring a new one in.
  void match() {
    std::map<std::uint32_t, std::size_t> of_remote;  // the candidate that has it
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      std::set<std::uint32_t> seen;
      if (!local_is_matched(candidates_[i].local->index, of_remote)) {
        augment(candidates_[i].local->index, of_remote, seen);
      }
    }
    std::set<std::size_t> chosen;
    for (const auto& [index, candidate] : of_remote) chosen.insert(candidate);
    std::set<std::uint32_t> locals, remotes;
    for (const std::size_t i : chosen) {
      locals.insert(candidates_[i].local->index);
      remotes.insert(candidates_[i].remote->index);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const bool is_new_here = locals.insert(candidates_[i].local->index).second;
      const bool is_new_there = remotes.insert(candidates_[i].remote->index).second;
      if (is_new_here || is_new_there || candidates_[i].is_first) chosen.insert(i);
    }
    for (const std::size_t i : chosen) chosen_.push_back(candidates_[i]);
  }

  bool local_is_matched(std::uint32_t local,
                        const std::map<std::uint32_t, std::size_t>& of_remote) const {
    return std::ranges::any_of(of_remote, [&](const auto& entry) {
      return candidates_[entry.second].local->index == local;
    });
  }

  bool augment(std::uint32_t local, std::map<std::uint32_t, std::size_t>& of_remote,
               std::set<std::uint32_t>& seen) {
    // What is free comes first: nobody gives way who need not.
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::uint32_t remote = candidates_[i].remote->index;
      if (candidates_[i].local->index != local || of_remote.contains(remote)) continue;
      of_remote[remote] = i;
      return true;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::uint32_t remote = candidates_[i].remote->index;
      if (candidates_[i].local->index != local || !seen.insert(remote).second) continue;
      const std::size_t holder = of_remote.at(remote);
      if (augment(candidates_[holder].local->index, of_remote, seen)) {
        of_remote[remote] = i;
        return true;
      }
    }
    return false;
  }

  std::vector<PlannedPair> spread() const {
    std::vector<PlannedPair> plan;
    for (const Candidate& pair : chosen_) {
      plan.push_back({*pair.local, pair.remote->address, pair.speed, 0});
    }
    const bool has_first =
        std::ranges::any_of(chosen_, [](const Candidate& pair) { return pair.is_first; });
    const std::size_t wanted = request_.connections.value_or(connections_max);
    // A first connection that belongs to no pair of these is one more.
    std::size_t count = has_first ? 0 : 1;
    for (bool any = true; any && count < wanted;) {
      any = false;
      for (std::size_t i = 0; i < plan.size() && count < wanted; ++i) {
        const std::size_t most = request_.connections                ? wanted
                                 : chosen_[i].remote->is_rss_capable ? per_rss_pair
                                                                     : 1;
        if (plan[i].connections >= most) continue;
        ++plan[i].connections;
        ++count;
        any = true;
      }
    }
    std::erase_if(plan, [](const PlannedPair& pair) { return pair.connections == 0; });
    return plan;
  }

  const PairingRequest& request_;
  std::vector<Candidate> candidates_;  // the fastest first; of equals the first connection's
  std::vector<Candidate> chosen_;
};

}  // namespace

Result<std::vector<RemoteInterface>> remote_interfaces(Bytes answer, std::uint16_t port) {
  auto entries = wire::decode_chain<wire::NetworkInterfaceInfo>(answer);
  if (!entries) return std::unexpected(std::move(entries).error());
  std::vector<RemoteInterface> interfaces;
  for (const wire::NetworkInterfaceInfo& entry : *entries) {
    if (interfaces.size() == entries_max) break;
    const auto address = wire::address_of(entry);
    if (!address) continue;
    RemoteInterface interface;
    interface.index = entry.if_index;
    interface.address = endpoint_of(*address, port);
    interface.speed_bits_per_second = std::min(entry.link_speed, speed_max);
    interface.is_rss_capable = wire::has(entry.capability, wire::InterfaceCapability::rss_capable);
    interfaces.push_back(std::move(interface));
  }
  return interfaces;
}

std::vector<PlannedPair> plan_pairs(const PairingRequest& request) {
  return Pairing(request).plan();
}

}  // namespace smb3
