#include "support/server/message_log.h"

#include "support/server/json_printer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace smb3::server {

namespace {

using namespace wire;

// What a buffer of the message holds, where the message itself tells.
template <class T>
std::optional<std::string> print_buffer(Bytes bytes, bool response) {
  JsonPrinter printer(response);
  if constexpr (is_chained<T>) {
    const auto list = decode_chain<T>(bytes);
    if (!list) return std::nullopt;
    printer.show_list(*list);
  } else {
    const auto decoded = decode<T>(bytes);
    if (!decoded) return std::nullopt;
    printer.show(*decoded);
  }
  return printer.take();
}

template <class M>
void replace_buffer(JsonPrinter&, const M&) {}

void replace_buffer(JsonPrinter& printer, const SetInfoRequest& request) {
  if (request.info_type != InfoType::file) return;
  visit_file_information(static_cast<FileInformationClass>(request.file_info_class),
                         [&](auto type) {
                           using T = typename decltype(type)::type;
                           auto json = print_buffer<T>(request.buffer, false);
                           if (json) printer.replace("buffer", std::move(*json));
                         });
}

void replace_buffer(JsonPrinter& printer, const IoctlRequest& request) {
  visit_ioctl(request.ctl_code, false, [&](auto type) {
    auto json = print_buffer<typename decltype(type)::type>(request.input, false);
    if (json) printer.replace("input", std::move(*json));
  });
}

void replace_buffer(JsonPrinter& printer, const IoctlResponse& answer) {
  visit_ioctl(answer.ctl_code, true, [&](auto type) {
    auto json = print_buffer<typename decltype(type)::type>(answer.output, true);
    if (json) printer.replace("output", std::move(*json));
  });
}

void replace_buffer(JsonPrinter& printer, const ChangeNotifyResponse& answer) {
  const auto list =
      decode_chain<FileNotifyInformation>(answer.output_buffer, file_notify_alignment);
  if (!list) return;
  JsonPrinter entries(true);
  entries.show_list(*list);
  printer.replace("output_buffer", entries.take());
}

template <Message M>
std::string print_body(Bytes element, bool response) {
  const auto message = decode<M>(element);
  if (!message) {
    std::string text = "{\"malformed\": ";
    append_json_text(text, message.error().what());
    return text + '}';
  }
  JsonPrinter printer(response);
  replace_buffer(printer, *message);
  printer.show(*message);
  return printer.take();
}

std::string print_body(const PacketHeader& header, Bytes element) {
  const bool response = header.is_response();
  if (response && has_error_body(header, element)) {
    return print_body<ErrorResponse>(element, true);
  }
  std::string text = "{\"malformed\": \"unknown\"}";
  visit_message(header.command, response, element, [&](auto type) {
    text = print_body<typename decltype(type)::type>(element, response);
  });
  return text;
}

class Line {
 public:
  Line& name(std::string_view name) {
    if (text.size() > 1) text += ", ";
    text.append("\"").append(name).append("\": ");
    return *this;
  }
  void add(std::string_view key, std::uint64_t value) { name(key).text += std::to_string(value); }
  void add(std::string_view key, bool value) { name(key).text += value ? "true" : "false"; }
  void add(std::string_view key, std::string_view value) {
    append_json_text(name(key).text, value);
  }

  std::string text = "{";
};

void add_status(Line& line, const PacketHeader& header) {
  if (!header.is_response()) {
    line.add("channel_sequence", std::uint64_t{header.channel_sequence()});
    return;
  }
  std::string status(name_of(header.nt_status()));
  if (status.empty()) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%08x", header.status);
    status = number;
  }
  line.add("status", std::string_view(status));
}

void add_header(Line& line, const PacketHeader& header) {
  const std::string_view command = name_of(header.command);
  if (command.empty()) {
    line.add("command", std::uint64_t{to_raw(header.command)});
  } else {
    line.add("command", command);
  }
  add_status(line, header);
  line.add("message_id", header.message_id);
  line.add("credit_charge", std::uint64_t{header.credit_charge});
  line.add("credits", std::uint64_t{header.credits});
  JsonPrinter flags(header.is_response());
  flags("flags", header.flags);
  line.text.append(", ").append(flags.take());
  line.add("session_id", header.session_id);
  if (header.is_async()) {
    line.add("async_id", header.async_id);
  } else {
    line.add("tree_id", std::uint64_t{header.tree_id});
  }
}

}  // namespace

Result<MessageLog> MessageLog::open(const std::string& path, bool answers_too) {
  MessageLog log;
  log.answers_too_ = answers_too;
  if (path.empty()) return log;
  if (path == "-") {
    log.file_.reset(stdout);
    return log;
  }
  // Whoever follows it may cut it off between two steps of a test.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return std::unexpected(system_error(errno, "open").on(path));
  log.file_.reset(::fdopen(file, "a"));
  if (!log.file_) {
    const int why = errno;
    ::close(file);
    return std::unexpected(system_error(why, "fdopen").on(path));
  }
  return log;
}

void MessageLog::write(const LoggedMessage& message) {
  if (!wanted()) return;
  Line line;
  line.add("connection", std::uint64_t{message.connection});
  line.add("time_us", message.time_us);
  line.add("direction", std::string_view(message.from_server ? "out" : "in"));
  const auto header = decode<PacketHeader>(message.element);
  if (header) {
    add_header(line, *header);
  } else {
    line.add("malformed", std::string_view(header.error().what()));
  }
  line.add("sealed", message.sealed);
  line.add("signed", message.signed_and_verified);
  line.add("position", std::uint64_t{message.position});
  line.add("count", std::uint64_t{message.count});
  if (!message.path.empty()) line.add("path", std::string_view(message.path));
  if (header) line.name("body").text += print_body(*header, message.element);
  write_line(line.text + '}');
}

// Whoever follows the file sees each line as soon as it is written.
void MessageLog::write_line(std::string_view json) {
  if (!wanted()) return;
  std::fwrite(json.data(), 1, json.size(), file_.get());
  std::fputc('\n', file_.get());
  std::fflush(file_.get());
}

}  // namespace smb3::server
