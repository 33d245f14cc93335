// More connections for a session: found, opened when there is work for them, opened again when one
// was lost. [MS-SMB2] 3.2.4.1.7, 3.2.5.14.11 and 3.2.6.x.
#pragma once

#include "connection/negotiation.h"
#include "multichannel/pairing.h"
#include "reactor/event.h"
#include "session/control.h"
#include "session/session.h"

#include <smbclient3/task_group.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace smb3 {

struct ChannelSetOptions {
  std::optional<unsigned> channels;     // exactly so many; none: as many as help
  std::vector<std::string> interfaces;  // local ones, by name or address; empty: all
  NegotiateOptions negotiate;           // as for the first connection
  std::string server_name;
  std::uint16_t port = 0;
};

// What is told of a channel that is no more.
struct EndedChannel {
  std::string local;
  std::string remote;
  std::uint64_t payload_bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t speed_bits_per_second = 0;
};

// Belongs to the session's thread, and goes before it.
class ChannelSet {
 public:
  ChannelSet(Session& session, ChannelSetOptions options);
  ChannelSet(const ChannelSet&) = delete;
  ChannelSet& operator=(const ChannelSet&) = delete;

  // No more connections are opened; nothing of this runs afterwards. What stands goes on.
  Task<void> stop();
  // Then, when nobody needs them: ends the connections.
  Task<void> close();

  const std::deque<EndedChannel>& ended() const noexcept { return ended_; }
  // Why channels could not be had, the last few, in words.
  const std::deque<std::string>& complaints() const noexcept { return complaints_; }

 private:
  struct Member {
    std::unique_ptr<Connection> connection;
    Negotiated negotiated;
    std::shared_ptr<Channel> channel;
    Endpoint local, remote;
    TimePoint opened_at{};
  };
  // A pair that could not be connected is left alone for a while.
  struct Setback {
    Endpoint local, remote;
    Duration pause{};
    TimePoint until{};
  };

  void on_announcement(std::uint64_t bytes, const TreeConnect& tree);
  void on_request(const Request& request);
  void start();
  Task<void> run();
  Task<void> run_until_stopped();
  Task<void> discover();
  bool is_all_there_is(const std::vector<RemoteInterface>& remote) const;
  Task<void> bury_lost();
  TimePoint open_missing();
  std::size_t usable_between(const PlannedPair& pair) const;
  Task<void> open(PlannedPair pair);
  Task<std::unique_ptr<Member>> connect(const PlannedPair& pair);
  Task<void> bind(Member& member);
  void complain(const PlannedPair& pair, const Error& error);
  Setback* setback_of(const Endpoint& local, const Endpoint& remote);
  void set_back(const Endpoint& local, const Endpoint& remote, Duration longest);
  Task<void> wait_until(TimePoint when);
  void record(const Channel& channel);

  Session& session_;
  Reactor& reactor_;
  ChannelSetOptions options_;
  Event wake_;
  EarlyEnd stop_;
  TreeReference tree_;  // to ask on
  bool started_ = false;
  bool stopping_ = false;
  bool is_discovered_ = false;
  TimePoint discovered_at_{};
  Endpoint first_local_, first_remote_;
  std::vector<PlannedPair> plan_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<PlannedPair> opening_;
  std::vector<Connection*> binding_;  // of those
  std::vector<Setback> setbacks_;
  std::deque<EndedChannel> ended_;
  std::deque<std::string> complaints_;
  TaskGroup tasks_;
};

}  // namespace smb3
