// What a copy told its user.
#pragma once

#include "reactor/reactor.h"
#include "sim/trace.h"

#include "tree_copy.h"

#include <map>
#include <string>
#include <vector>

namespace smb3::sim {

class Told final : public cli::TreeObserver {
 public:
  Told(const Reactor& reactor, Trace& trace) : reactor_(reactor), trace_(trace) {}

  void found(std::uint64_t) override {}
  void all_found() override {}
  void planned(const std::string&, const std::string&) override {}
  void left_out(const std::string& path, const std::string& what) override {
    failures[path].push_back("left out: " + what);
  }
  void copied(const std::string& from, const std::string&, std::uint64_t bytes) override {
    ++copies[from];
    trace_.note(reactor_.now(), "copied", bytes);
    if (trace_.is_wanted()) trace_.say(reactor_.now(), "copied " + from);
  }
  void failed(const std::string& path, const Error& error) override {
    failures[path].push_back(explain(error));
    trace_.note(reactor_.now(), "failed", static_cast<std::uint64_t>(error.kind()));
    if (trace_.is_wanted()) trace_.say(reactor_.now(), "failed " + path + ": " + describe(error));
  }
  // Of no file in particular: no connection, no share.
  void failed_as_a_whole(const Error& error) {
    whole.push_back(describe(error));
    trace_.note(reactor_.now(), "failed", static_cast<std::uint64_t>(error.kind()));
    trace_.say(reactor_.now(), whole.back());
  }

  std::map<std::string, std::size_t> copies;                 // by the source's path
  std::map<std::string, std::vector<std::string>> failures;  // likewise
  std::vector<std::string> whole;

 private:
  const Reactor& reactor_;
  Trace& trace_;
};

}  // namespace smb3::sim
