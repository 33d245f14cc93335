"""Slips that a programmer could make in the client, one at a time. Each must be caught by the
suite: first the simulation is asked, then the unit tests named here.

A mutation replaces `old`, which must stand in the file exactly once, by `new`.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    slip: str  # in words
    file: str  # below libsmbclient3/src
    old: str
    new: str
    units: tuple = ()  # the unit programs to ask when the simulation sees nothing


MUTATIONS = [
    Mutation(
        "short_write_to_server", "a WRITE that took fewer bytes counts as whole",
        "session/open.cpp",
        "    data = data.subspan(*written);\n",
        "    data = {};\n", ("session",)),
    Mutation(
        "short_write_to_disk", "a write() of fewer bytes counts as whole",
        "reactor/local_file.cpp",
        "    bytes = bytes.subspan(static_cast<std::size_t>(result));\n",
        "    bytes = {};\n", ("reactor",)),
    Mutation(
        "failed_write_to_disk", "an error of write() is overlooked",
        "reactor/local_file.cpp",
        'if (result < 0) co_await failed(-result, "write");',
        "if (result < 0) co_return;", ("reactor",)),
    Mutation(
        "short_read", "a READ of fewer bytes counts as the end of the file",
        "transfer/lanes.cpp",
        "    chunk.length -= static_cast<std::uint32_t>(count);\n",
        "    chunk.length = 0;\n", ("transfer",)),
    Mutation(
        "lost_chunk", "an error loses its chunk and nothing else",
        "transfer/lanes.cpp",
        "    if (moved) continue;\n    job.stop();\n    co_await std::move(moved);\n",
        "    continue;\n", ("transfer",)),
    Mutation(
        "early_end_of_listing", "any refusal of QUERY_DIRECTORY counts as the end",
        "session/directory_listing.cpp",
        'if (status != NtStatus::success) co_return status_error(status, "QUERY_DIRECTORY");',
        "if (status != NtStatus::success) {\n    at_end_ = true;\n"
        "    co_return std::move(entries);\n  }", ("session",)),
    Mutation(
        "name_leads_up", "'..' of a listing is an entry like others",
        "session/directory_listing.cpp",
        '(*entry.name != "." && *entry.name != "..")',
        '*entry.name != "."', ("session",)),
    Mutation(
        "name_with_separator", "a name may hold a backslash",
        "wire/directory_information.cpp",
        "      case u'\\\\': return \"a name contains a backslash\";\n",
        "", ("wire",)),
    Mutation(
        "unverified_signature", "signatures of answers are not verified",
        "connection/receive.cpp",
        "  return request.protection->signer().verify(element);\n",
        "  static_cast<void>(element);\n  return {};\n", ("connection",)),
    Mutation(
        "unsigned_answer", "an answer without a signature is believed",
        "connection/receive.cpp",
        "  if (!header.is_signed()) {\n",
        "  if (!header.is_signed()) return {};\n  if (!header.is_signed()) {\n", ("connection",)),
    Mutation(
        "unproven_server", "the final answer of a logon is not verified",
        "session/session_setup.cpp",
        "  if (!verified) {\n",
        "  if (false) {\n", ("session",)),
    Mutation(
        "another_session", "an answer with another SessionId is taken",
        "connection/receive.cpp",
        "if (!starts_session && header.session_id != request.session_id) {",
        "if (!starts_session && false) {", ("connection",)),
    Mutation(
        "another_tree", "an answer with another TreeId is taken",
        "connection/receive.cpp",
        "if (!before_tree && header.tree_id != request.tree_id) {",
        "if (!before_tree && false) {", ("connection",)),
    Mutation(
        "reused_nonce", "a nonce is used twice",
        "crypto/nonce.cpp",
        "std::uint64_t{number_} << 48 | counter_++);",
        "std::uint64_t{number_} << 48 | counter_);\n  counter_ += counter_ % 2 + 1;", ("crypto",)),
    Mutation(
        "reused_message_id", "a request of several credits takes one MessageId",
        "connection/sequence_window.h",
        "    next_ += charge;\n",
        "    next_ += 1;\n    end_ -= charge - 1;\n", ("connection",)),
    Mutation(
        "forgotten_credit", "credits that an interim answer grants are lost",
        "connection/receive.cpp",
        "    return window_.grant(header.credits);\n",
        "    return {};\n", ("connection",)),
    Mutation(
        "kept_temporary", "the temporary of a failed download stays",
        "transfer/local_target.cpp",
        "  if (temporary_.empty()) co_return;\n  auto removed",
        "  co_return;\n  auto removed", ("transfer",)),
    Mutation(
        "kept_remote_temporary", "the temporary of a failed upload stays",
        "transfer/remote_target.cpp",
        "  auto marked = co_await attempt(open_->remove_on_close());\n",
        "  Result<void> marked;\n", ("transfer",)),
    Mutation(
        "discarded_new_file", "after a rename that is said to have failed, its file is removed",
        "transfer/remote_target.cpp",
        "renaming_ ? remove_by_name() : remove_by_handle()",
        "remove_by_handle()", ("transfer",)),
    Mutation(
        "replaced_file", "a file that must not exist is replaced",
        "transfer/remote_target.cpp",
        "co_await open_->rename(path_, !options_.must_not_exist);",
        "co_await open_->rename(path_, true);", ("transfer",)),
    Mutation(
        "endless_silence", "a silent server is waited for without end",
        "connection/liveness.cpp",
        "if (silence >= patience_ * (patient ? patience_for_pending : 1)) {",
        "if (silence < Duration::zero()) {", ("connection",)),
    Mutation(
        "lost_reservation", "a buffer's reservation is not given back",
        "reactor/buffer_pool.cpp",
        "    --reserved_;\n",
        "", ("reactor",)),
    Mutation(
        "ended_before_sent", "a request ends while its bytes are still being sent",
        "connection/connection.cpp",
        "if (exchange.unanswered_ != 0 || exchange.sending_) return;",
        "if (exchange.unanswered_ != 0) return;", ("connection",)),
    Mutation(
        "expired_for_good", "a session that has expired is not renewed",
        "session/renewal.cpp",
        "    if (!is_expired(exchange)) {\n",
        "    if (true) {\n", ("session",)),
]
