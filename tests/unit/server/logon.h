// A logon of our own client at a server's acceptor, in one process.
#pragma once

#include "auth/credentials.h"
#include "support/server/acceptor.h"
#include "unit/auth/support.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace smb3::server {

struct Outcome {
  std::optional<NtStatus> refused;  // by the server
  std::optional<Error> client;      // the client's own refusal
  bool server_done = false;
  bool client_complete = false;
};

struct Talk {
  std::vector<std::vector<std::byte>> from_client, from_server;
};

// Changes a token on its way: the number of the turn, from 0, and whose it is.
using Meddler = std::function<void(int turn, bool from_client, std::vector<std::byte>& token)>;

// Carries tokens to and fro until one side ends.
inline Outcome converse(Authenticator& client, Acceptor& server, std::vector<std::byte> hint,
                        const Meddler& meddle = {}, Talk* talk = nullptr) {
  Outcome outcome;
  std::vector<std::byte> token = std::move(hint);
  for (int turn = 0; turn < 8; ++turn) {
    auto ours = client.step(token);
    if (!ours) {
      outcome.client = std::move(ours.error());
      return outcome;
    }
    outcome.client_complete = client.complete();
    if (outcome.server_done) return outcome;
    if (talk != nullptr) talk->from_client.push_back(ours->token);
    if (meddle) meddle(turn, true, ours->token);
    auto answer = server.step(ours->token);
    if (!answer) {
      outcome.refused = answer.error();
      return outcome;
    }
    outcome.server_done = answer->done;
    token = std::move(answer->token);
    if (talk != nullptr) talk->from_server.push_back(token);
    if (meddle) meddle(turn, false, token);
  }
  ADD_FAILURE() << "no end after 8 turns";
  return outcome;
}

}  // namespace smb3::server
