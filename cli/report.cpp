#include "report.h"

#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

std::string_view name_of(ChannelState state) {
  switch (state) {
    case ChannelState::up: return "up";
    case ChannelState::down: return "down";
    case ChannelState::failed: return "failed";
  }
  return "failed";
}

std::string json_of(const ChannelInformation& channel) {
  return fmt::format(
      R"({{"local":{},"remote":{},"bytes":{},"state":"{}","requests":{},"speed_bits":{}}})",
      json_string(channel.local), json_string(channel.remote), channel.bytes,
      name_of(channel.state), channel.requests, channel.speed_bits_per_second);
}

template <class Items, class Function>
std::string json_list(const Items& items, Function json_of_item) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += json_of_item(item);
  }
  return text + "]";
}

}  // namespace

std::string message_for(const std::string& path, const Error& error) {
  return error.object() == path ? explain(error) : describe(error);
}

std::vector<std::string> channel_table(const ConnectionInformation& information) {
  std::vector<std::string> table;
  for (const ChannelInformation& channel : information.channels) {
    const std::string speed =
        channel.speed_bits_per_second == 0
            ? "speed unknown"
            : fmt::format("{:.0f} Mbit/s",
                          static_cast<double>(channel.speed_bits_per_second) / 1e6);
    table.push_back(fmt::format("channel {} -> {}: {}, {} bytes, {} requests, {}", channel.local,
                                channel.remote, speed, channel.bytes, channel.requests,
                                name_of(channel.state)));
  }
  table.insert(table.end(), information.warnings.begin(), information.warnings.end());
  return table;
}

void Report::failed(Phase phase, std::string path, const Error& error) {
  worst_code_ = std::max(worst_code_, exit_code_of(phase, error));
  std::string message = message_for(path, error);
  failures_.push_back({std::move(path), error.kind(), std::move(message)});
}

void Report::connected(const ConnectionInformation& information) {
  if (!connection_) {
    connection_ = information;
    return;
  }
  for (const ChannelInformation& channel : information.channels) {
    auto same = [&](const ChannelInformation& known) {
      return known.local == channel.local && known.remote == channel.remote;
    };
    if (std::ranges::none_of(connection_->channels, same)) {
      connection_->channels.push_back(channel);
    }
  }
}

int Report::exit_code(int signal_number) const noexcept {
  if (signal_number != 0) return exit_code_of_signal(signal_number);
  if (failures_.empty()) return exit_code::done;
  return files_ > 0 ? exit_code::file_failed : worst_code_;
}

std::string Report::json(std::chrono::duration<double> elapsed) const {
  ConnectionInformation unknown;
  const ConnectionInformation& connection = connection_ ? *connection_ : unknown;
  auto word = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
  return fmt::format(
      R"({{"files":{},"bytes":{},"failed":{},"seconds":{:.6f},"dialect":{},"signing":{},)"
      R"("cipher":{},"channels":{},"errors":{}}})"
      "\n",
      files_, bytes_, failures_.size(), elapsed.count(), word(connection.dialect),
      word(connection.signing), word(connection.cipher), json_list(connection.channels, json_of),
      json_list(failures_, [](const Failure& failure) {
        return fmt::format(R"({{"path":{},"kind":"{}","message":{}}})", json_string(failure.path),
                           smb3::name_of(failure.kind), json_string(failure.message));
      }));
}

}  // namespace smb3::cli
