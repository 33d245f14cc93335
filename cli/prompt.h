// Asks for a password on the controlling terminal.
#pragma once

#include <smbclient3/error.h>
#include <smbclient3/secret_string.h>

#include <string_view>

namespace smb3::cli {

bool has_terminal() noexcept;

// Errors: kind local, without a terminal; kind cancelled, at the end of input.
Result<SecretString> ask_password(std::string_view question);

// For a thread that is about to end the process: whether a question is open, with the echo off,
// and the way back from there.
bool is_asking() noexcept;
void restore_terminal() noexcept;

}  // namespace smb3::cli
