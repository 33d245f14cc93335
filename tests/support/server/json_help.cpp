#include "support/server/fault_json.h"
#include "support/server/settings_json.h"

#include <algorithm>

namespace smb3::server {

namespace {

constexpr std::string_view settings_help =
    R"(The settings are one JSON object; // and /* */ are comments. Numbers may be text: "0x10".

{
  "log": "",                    one JSON object a line for each message; "-": standard output
  "log_answers": false,         also what the server sends
  "nodes": [{...}, ...]         servers with the same files; each has the keys below, and what it
}                               leaves out is as beside "nodes". Without "nodes" there is one.

Of a node, with their defaults:
  "address": "127.0.0.1", "port": 0 (any free), "name": "TESTSERVER"
  "shares": [{...}]             see below
  "users": [{"domain": "LAB", "name": "alice", "password": "..."}]
                                without a domain: in every one
  "keytab": ""                  a file with keys for cifs/...: Kerberos too
  "allow_guest": false          unknown users become guests
  "allow_anonymous": false      NTLM without a user
  "signing": "enabled"          or "required"
  "signing_algorithms": ["AES-128-GMAC", "AES-128-CMAC", "HMAC-SHA256"]
  "ciphers": ["AES-128-GCM", "AES-128-CCM", "AES-256-GCM", "AES-256-CCM"]
                                preferred first; []: none
  "encrypt": false              every session
  "multichannel": true, "persistent_handles": true, "leasing": true, "large_mtu": true
  "max_transact_bytes": 8388608, "max_read_bytes": 8388608, "max_write_bytes": 8388608
  "credits_max": 8192           that a client may hold
  "session_lifetime_ms": null   then STATUS_NETWORK_SESSION_EXPIRED
  "interfaces": [{"index": 1, "speed_bits": 1000000000, "rss": true, "rdma": false,
                  "address": "192.0.2.1"}]
  "strict": false               refuses all that the standard refuses
  "faults": [{...}]             see below

Of a share:
  "name": "rw", "store": "memory" or "folder" (with "folder": "/path") or "null"
  "size_bytes": 1099511627776   where the disk is full
  "null_file_bytes": 0          the size of every file of a null store
  "read_only": false, "encrypt": false, "guest_ok": false
  "type": "disk"                or "pipe", "print"
  "flags": []                   of )";

constexpr std::string_view after_flags = R"(
  "capabilities": []            of )";

constexpr std::string_view fault_help = R"(
  "redirect_addresses": []      of the owner, for who asks to be redirected
  "redirect_synchronous": true

A fault strikes requests for which all that is given holds:
  "fault": what goes wrong, see below
  "command": "READ"             any, if left out
  "first": 1                    the first time that strikes, "times": 1 (0: for ever), and of
  "every": 1                    those each n-th
  "connection": 1               its number in the order of arrival
  "path": "dir/file"            how the path of the file ends
  "information": 37             the class of QUERY_INFO, SET_INFO and QUERY_DIRECTORY; IOCTL's code

Its kinds, with the keys that they need [and may have]:
)";

constexpr std::string_view connection_help = R"(
"status" is a name ("STATUS_DISK_FULL") or a number, "data" bytes in hex, "name" text that is sent
as UTF-16, "field" a name, "width" 1 to 8, the others are numbers.

What ends a connection at a byte or message, whatever that is:
  {"connection_fault": "close", "reset" or "silence", "connection": 1 (all, if left out), and of
   "received_bytes", "sent_bytes", "received_messages" those after which it happens}

Examples:
  {"shares": [{"name": "rw"}], "users": [{"domain": "LAB", "name": "alice", "password": "pw"}],
   "faults": [{"fault": "status", "status": "STATUS_DISK_FULL", "command": "WRITE", "first": 20},
              {"fault": "delay", "delay_ms": 500, "command": "READ", "times": 0, "every": 10},
              {"fault": "entry_name", "name": "..\\..\\evil", "command": "QUERY_DIRECTORY"},
              {"fault": "set_field", "field": "output_buffer_offset", "value": "0xFFFF",
               "command": "QUERY_INFO"},
              {"connection_fault": "reset", "sent_bytes": 1000000}]}
  {"log": "-", "shares": [{"name": "null", "store": "null", "null_file_bytes": 1073741824}],
   "allow_guest": true, "nodes": [{"port": 4451}, {"port": 4452, "encrypt": true}]}
)";

// Continues `text` in words, its further lines indented to where they begin.
void append_wrapped(std::string& text, std::string_view words, std::size_t column) {
  constexpr std::size_t columns = 100;
  std::size_t used = column;
  while (!words.empty()) {
    const auto space = std::min(words.find(' '), words.size());
    if (used + space > columns) {
      while (text.back() == ' ') text.pop_back();
      text.append("\n").append(column, ' ');
      used = column;
    }
    text.append(words.substr(0, space));
    used += space + 1;
    words.remove_prefix(std::min(space + 1, words.size()));
    if (!words.empty()) text += ' ';
  }
}

template <Worded E>
std::string list_words() {
  constexpr std::size_t column = 35;
  std::string words;
  for (const Word<E>& word : words_of<E>) {
    if (!words.empty()) words += ", ";
    words.append("\"").append(word.word).append("\"");
  }
  std::string text;
  append_wrapped(text, words, column);
  return text;
}

std::string list_faults() {
  constexpr std::size_t column = 40;
  std::string text;
  for (const FaultWord& word : fault_words()) {
    std::string line = "  \"" + std::string(word.word) + '"';
    if (!word.required.empty()) line.append(" ").append(word.required);
    if (!word.optional.empty()) line.append(" [").append(word.optional).append("]");
    line.append(line.size() < column ? column - line.size() : 1, ' ');
    append_wrapped(line, word.help, column);
    text += line + '\n';
  }
  return text;
}

}  // namespace

std::string_view json_help() {
  static const std::string help = std::string(settings_help) + list_words<wire::ShareFlags>() +
                                  std::string(after_flags) + list_words<wire::ShareCapabilities>() +
                                  std::string(fault_help) + list_faults() +
                                  std::string(connection_help);
  return help;
}

}  // namespace smb3::server
