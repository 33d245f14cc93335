// fuzz_seeds FOLDER: makes the fuzzers' seeds out of tests/vectors, the scripted server's samples
// of answers, and conversations that go right.
#include "fuzz/seeds.h"

#include "auth/spnego.h"
#include "fuzz/round_trip.h"
#include "fuzz/vector_hex.h"
#include "support/server/answer_samples.h"
#include "support/server/settings_json.h"

#include <cctype>
#include <filesystem>
#include <fstream>

namespace smb3::fuzz {

void Corpus::add(const std::string& target, Bytes seed) {
  const std::filesystem::path folder = std::filesystem::path(folder_) / target;
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / ("seed-" + std::to_string(count_++)), std::ios::binary);
  file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
}

namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

void add_messages(Corpus& corpus) {
  for (std::size_t i = 0; i < std::size(decodables); ++i) {
    const std::string_view name = decodables[i].name;
    for (const Octets& body : vectors_of(name)) {
      corpus.add("messages", Output().byte(static_cast<unsigned>(i)).raw(body).bytes());
      if (name == "ErrorResponse") corpus.add("errors", body);
      if (name == "NegotiateResponse") corpus.add("negotiation", body);
      if (name == "CreateResponse")
        corpus.add("create_contexts", Output().byte(0).raw(body).bytes());
      if (name == "CreateRequest")
        corpus.add("create_contexts", Output().byte(1).raw(body).bytes());
    }
  }
}

// The chain that an answer holds; which of the kinds of lists it is.
void add_list(Corpus& corpus, const server::AnswerSample& sample) {
  const auto add = [&](unsigned kind, Bytes chain) {
    corpus.add("lists", Output().byte(kind).raw(chain).bytes());
  };
  const std::string& name = sample.name;
  if (sample.command == wire::Command::query_directory) {
    auto answer = wire::decode<wire::QueryDirectoryResponse>(sample.element);
    if (!answer) return;
    add(name.find("both") != name.npos   ? 0
        : name.find("extd") != name.npos ? 1
                                         : 2,
        answer->output_buffer);
  } else if (name == "QUERY_INFO stream") {
    auto answer = wire::decode<wire::QueryInfoResponse>(sample.element);
    if (answer) add(3, answer->output_buffer);
  } else if (sample.command == wire::Command::change_notify) {
    auto answer = wire::decode<wire::ChangeNotifyResponse>(sample.element);
    if (answer) add(4, answer->output_buffer);
  } else if (name == "IOCTL query_network_interface_info") {
    auto answer = wire::decode<wire::IoctlResponse>(sample.element);
    if (answer) add(5, answer->output);
  } else if (name.starts_with("IOCTL dfs")) {
    auto answer = wire::decode<wire::IoctlResponse>(sample.element);
    if (answer) corpus.add("dfs", answer->output);
  }
}

void add_answers(Corpus& corpus) {
  Octets compound;
  for (const server::AnswerSample& sample : server::answer_samples()) {
    corpus.add("frames", sample.element);
    Octets padded = sample.element;
    padded.resize(align_up(padded.size(), 8));
    store_le(padded.data() + 20, static_cast<std::uint32_t>(padded.size()));
    Octets both = padded;
    both.insert(both.end(), sample.element.begin(), sample.element.end());
    corpus.add("frames", both);
    const Bytes body = Bytes(sample.element).subspan(wire::header_bytes);
    if (sample.name.starts_with("ERROR")) corpus.add("errors", body);
    if (sample.name == "CREATE") corpus.add("create_contexts", Output().byte(0).raw(body).bytes());
    if (sample.name == "NEGOTIATE") corpus.add("negotiation", body);
    add_list(corpus, sample);
  }
}

void add_protection(Corpus& corpus) {
  const Octets message(80, std::byte{7});
  for (unsigned kind = 0; kind < 11; ++kind) {
    Output seed;
    seed.byte(kind);
    if (kind >= 4 && kind < 8) {
      seed.number(std::uint64_t{1}).number(std::uint64_t{1});
    }
    if (kind >= 4) seed.number(std::uint16_t{60}).byte(kind % 2);
    if (kind < 4) seed.raw(bytes_of("\xFDSMB"));
    corpus.add("sealed", seed.raw(message).bytes());
  }
}

void add_tokens(Corpus& corpus) {
  const Bytes both[] = {spnego::kerberos, spnego::ntlmssp};
  const Octets types = spnego::encode_mech_types(both);
  const spnego::NegTokenInit init{.mech_types = {},
                                  .mech_types_der = types,
                                  .mech_token = bytes_of("token"),
                                  .mech_list_mic = {}};
  const Octets hint = spnego::encode(init);
  corpus.add("spnego", Output().byte(0).raw(hint).bytes());
  for (const Bytes mechanism : both) {
    for (const auto state : {spnego::NegState::accept_completed, spnego::NegState::request_mic,
                             spnego::NegState::accept_incomplete}) {
      spnego::NegTokenResp resp{.state = state,
                                .supported_mech = mechanism,
                                .response_token = bytes_of("token"),
                                .mech_list_mic = bytes_of("m")};
      const Octets full = spnego::encode(resp);
      resp.mech_list_mic.reset();
      const Octets without_mic = spnego::encode(resp);
      resp.response_token.reset();
      resp.mech_list_mic = bytes_of("m");
      const Octets without_token = spnego::encode(resp);
      corpus.add("spnego", Output().byte(0).raw(full).bytes());
      for (unsigned kind = 0; kind < 12; ++kind) {
        corpus.add("spnego", Output()
                                 .byte(1)
                                 .byte(kind)
                                 .block(hint)
                                 .block(without_mic)
                                 .block(without_token)
                                 .block(full)
                                 .bytes());
      }
    }
  }
  Octets challenge(48);
  std::ranges::copy(bytes_of("NTLMSSP"), challenge.begin());
  challenge[8] = std::byte{2};
  corpus.add("spnego", Output().byte(2).raw(challenge).bytes());
}

void add_texts(Corpus& corpus) {
  for (const char* text :
       {"smb://fs/data/folder/file", "//fs/data/folder/file", "\\\\fs\\data\\folder\\file",
        "smb://LAB;user:p%40ss%2Fword@fs.lab.test:4450/data/a%20b/c/",
        "smb://[fe80::1%25eth0]:445/d", "//[::1]/data", "smb://user@fs/", "folder/file",
        "//fs/data/../x", "smb://fs/a/%2e%2e/b"}) {
    corpus.add("share_path", bytes_of(text));
  }
  for (const char* text :
       {"username = user\npassword = secret\ndomain = LAB\n",
        "# comment\r\n; other\r\nrealm=LAB.TEST\r\n", "USERNAME=LAB\\user\n\npassword= p = q % \n",
        "LAB\\user%secret", "user@REALM%", "what\n"}) {
    corpus.add("credentials", bytes_of(text));
  }
}

// The examples of the grammar's page; its words become a dictionary.
void add_json(Corpus& corpus, const std::string& folder) {
  const std::string_view help = server::json_help();
  for (std::size_t at = help.find("\n  {\""); at != help.npos; at = help.find("\n  {\"", at + 1)) {
    const std::size_t begin = at + 3;
    int depth = 0;
    std::size_t end = begin;
    do {
      depth += help[end] == '{' ? 1 : help[end] == '}' ? -1 : 0;
    } while (++end < help.size() && depth > 0);
    corpus.add("json", bytes_of(help.substr(begin, end - begin)));
  }
  std::ofstream dictionary(folder + "/json.dict");
  std::size_t quote = help.find('"');
  while (quote != help.npos) {
    const std::size_t end = help.find('"', quote + 1);
    if (end == help.npos) break;
    const std::string word(help.substr(quote + 1, end - quote - 1));
    const bool plain = std::ranges::all_of(word, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
    if (plain && !word.empty()) dictionary << "\"\\\"" << word << "\\\"\"\n";
    quote = help.find('"', end + 1);
  }
  for (const char* fault :
       {R"({"fault": "patch", "offset": 70, "value": "0xFFFFFFFFFFFFFFFF", "width": 8})",
        R"({"fault": "status", "status": 3221225506, "information": 37, "path": "a/b"})",
        R"({"fault": "set_field", "index": 2, "value": 9})",
        R"({"fault": "raw_frame", "data": "00FF", "every": 2, "times": 0})"}) {
    corpus.add("json", bytes_of(fault));
  }
}

}  // namespace
}  // namespace smb3::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: fuzz_seeds FOLDER\n", stderr), 2;
  smb3::fuzz::Corpus corpus(argv[1]);
  smb3::fuzz::add_messages(corpus);
  smb3::fuzz::add_answers(corpus);
  smb3::fuzz::add_protection(corpus);
  smb3::fuzz::add_tokens(corpus);
  smb3::fuzz::add_texts(corpus);
  smb3::fuzz::add_json(corpus, argv[1]);
  smb3::fuzz::add_conversations(corpus);
  std::printf("%zu seeds\n", corpus.count());
  return 0;
}
