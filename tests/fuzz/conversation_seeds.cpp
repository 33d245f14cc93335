// Seeds of the targets that hold a conversation: it goes right, but for one thing each.
#include "fuzz/client_script.h"
#include "fuzz/client_visit.h"
#include "fuzz/seeds.h"
#include "fuzz/vector_hex.h"
#include "wire/messages.h"

namespace smb3::fuzz {
namespace {

// A conversation's first bytes.
Output start_of(unsigned cipher, unsigned signing, unsigned flags, unsigned credits = 16) {
  Output seed;
  seed.byte(cipher).byte(signing).number(static_cast<std::uint16_t>(flags)).byte(credits);
  return seed;
}

constexpr unsigned compounds = 1U << 4;
constexpr unsigned anonymous = 1U << 7;

// The bodies of the answers in a stream of plain frames.
std::vector<Octets> bodies_in(Octets stream) {
  std::vector<Octets> bodies;
  while (auto frame = take_frame(stream)) {
    wire::CompoundSplitter splitter(*frame);
    while (true) {
      auto element = splitter.next();
      if (!element || !*element) break;
      const Bytes body = (*element)->bytes.subspan(wire::header_bytes);
      bodies.emplace_back(body.begin(), body.end());
    }
  }
  return bodies;
}

void add_kinds_of_clients(Corpus& corpus) {
  for (unsigned cipher = 0; cipher < 6; ++cipher) {
    for (unsigned signing = 0; signing < 4; ++signing) {
      corpus.add("client", start_of(cipher, signing, 0).bytes());
      corpus.add("client", start_of(cipher, signing, 1U << 8).bytes());
      if (cipher != 0) corpus.add("client", start_of(cipher, signing, 1U << 9).bytes());
    }
  }
  for (unsigned bit = 0; bit < 16; ++bit) {
    corpus.add("client", start_of(2, 2, 1U << bit).bytes());
    corpus.add("client", start_of(2, 2, 1U << bit, 1).bytes());
  }
}

// A listing's "first" becomes "f/rst", which leads into another folder.
Octets with_other_name(Octets body) {
  constexpr std::byte name[] = {std::byte{'f'}, std::byte{0}, std::byte{'i'}, std::byte{0}};
  const auto found = std::ranges::search(body, name);
  if (!found.empty()) found[2] = std::byte{'/'};
  return body;
}

// One instruction at each place of the conversation.
void add_instructions(Corpus& corpus, const std::vector<Octets>& bodies) {
  const std::uint64_t value = 1;
  const Octets instructions[] = {
      Output().byte(own_status).byte(20).bytes(),
      Output().byte(own_status).byte(255).number(0xC000035CU).bytes(),  // the session has expired
      Output().byte(own_header).byte(0).number(value).bytes(),
      Output().byte(own_header).byte(2).number(value).bytes(),
      Output().byte(forged).byte(0).bytes(),
      Output().byte(forged).byte(1).bytes(),
      Output().byte(forged).byte(2).bytes(),
      Output().byte(interim).bytes(),
      Output().byte(held).bytes(),
      Output().byte(oplock_break).byte(1).byte(2).bytes(),
      Output().byte(patched).number(std::uint16_t{4}).block(Octets(4)).bytes(),
      Output().byte(raw_bytes).block(Octets(8)).bytes()};
  for (std::size_t place = 0; place < bodies.size(); ++place) {
    const Octets right(place);
    for (const unsigned flags : {0U, 1U << 8, 1U << 9, anonymous}) {
      for (const Octets& instruction : instructions) {
        corpus.add("client", start_of(2, 2, flags).raw(right).raw(instruction).bytes());
      }
    }
    if (bodies[place].size() > 4096) continue;
    const Octets elsewhere = with_other_name(bodies[place]);
    for (const Octets& body : {bodies[place], elsewhere}) {
      corpus.add("client", start_of(2, 2, anonymous).raw(right).byte(own_body).block(body).bytes());
    }
  }
}

Output& append_request(Output& seed, unsigned instruction, wire::Command command, Bytes body) {
  return seed.byte(instruction).byte(static_cast<unsigned>(command)).block(body);
}

Octets create_body(wire::CreateOptions options) {
  const Octets name = {std::byte{'f'}, std::byte{0}};
  wire::CreateRequest request;
  request.desired_access = wire::AccessMask{0x1F01FF};  // all of it
  request.share_access = wire::ShareAccess{7};
  request.create_disposition = wire::CreateDisposition::open_if;
  request.create_options = options;
  request.requested_oplock_level = wire::OplockLevel::batch;
  request.name = name;
  return body_of(request);
}

template <class M>
Octets with_first_file(M message) {
  if constexpr (requires { message.file_id = wire::FileId{}; }) {
    message.file_id = {.persistent = 1, .volatile_id = 2};
  }
  return body_of(message);
}

// Each request of tests/vectors on an open file, and on an open directory.
template <class M>
void add_vectors(Corpus& corpus, std::string_view type) {
  if (!type.ends_with("Request") && type != "OplockBreak" && type != "LeaseBreakAcknowledgment") {
    return;
  }
  for (const Octets& vector : vectors_of(type)) {
    Octets element(wire::header_bytes);
    element.insert(element.end(), vector.begin(), vector.end());
    auto message = wire::decode<M>(element);
    if (!message) continue;
    const Octets body = with_first_file(*message);
    for (const unsigned start : {0x01U, 0x43U, 0x05U, 0x19U, 0x21U}) {
      const unsigned instruction = start & server_encrypts ? is_sealed : is_signed;
      for (const auto options : {wire::CreateOptions::none, wire::CreateOptions::directory_file}) {
        Output seed;
        seed.byte(start);
        append_request(seed, instruction, wire::Command::create, create_body(options));
        append_request(seed, instruction, M::command, body);
        append_request(seed, instruction, M::command, body);
        corpus.add("server", seed.bytes());
      }
    }
  }
}

void add_requests(Corpus& corpus, const std::vector<ServerScript::Recorded>& requests) {
  Output whole, logged;
  whole.byte(0);
  logged.byte(logged_on | writes_log);
  for (const ServerScript::Recorded& request : requests) {
    if (request.body.size() > 4096) continue;
    append_request(whole, 0, request.command, request.body);
    if (request.command > wire::Command::tree_connect) {
      append_request(logged, 0, request.command, request.body);
    }
  }
  corpus.add("server", whole.bytes());
  corpus.add("server", logged.bytes());
#define SMB3_SEEDS(Type) add_vectors<wire::Type>(corpus, #Type);
  SMB3_MESSAGES(SMB3_SEEDS)
#undef SMB3_SEEDS
}

}  // namespace

void add_conversations(Corpus& corpus) {
  add_kinds_of_clients(corpus);
  // A frame for each of the client's, as fuzz_client_bytes passes them on.
  const Octets plain = start_of(0, 1, anonymous | compounds).bytes();
  visit_script(plain, false, [&](const ServerScript& script) {
    require(script.requests().size() > 20, "a conversation that goes right ends early");
    corpus.add("client_bytes", script.stream());
    add_instructions(corpus, bodies_in(script.stream()));
    add_requests(corpus, script.requests());
  });
}

}  // namespace smb3::fuzz
