// What went wrong, on what, why, and what to do about it.
#pragma once

#include <smbclient3/export.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace smb3 {

// What a caller can act on. Branch on this, never on the text of an error.
enum class ErrorKind : std::uint8_t {
  not_found,       // no such file, folder or share
  access_denied,   // the server or the local system refuses this caller
  exists,          // the name is taken already
  no_space,        // the disk or the quota is full
  timed_out,       // silence for longer than allowed
  disconnected,    // cannot resolve, cannot connect, or the connection was lost
  authentication,  // the logon was refused or its means are missing
  security,        // a demand for signing, encryption or identity could not be met
  protocol,        // the peer broke the protocol
  unsupported,     // the peer or this library cannot do that
  cancelled,       // the caller asked to stop
  failed,          // the server could not do it for another reason (its NTSTATUS tells which)
  local,           // this machine failed: a system call, an argument, a missing component
};

// The kind as scripts see it, such as "not_found".
SMB3_API std::string_view name_of(ErrorKind kind) noexcept;

// One owning pointer, so that success stays cheap. Each layer adds, as the error passes up through
// it, the words that it alone knows; the first word of a kind stays (the innermost knows best).
class SMB3_API [[nodiscard]] Error {
 public:
  // `what` says in words which check failed, without naming the object.
  Error(ErrorKind kind, std::string what, const char* file = __builtin_FILE(),
        unsigned line = __builtin_LINE());
  Error(Error&&) noexcept;
  Error& operator=(Error&&) noexcept;
  ~Error();

  // The peer's word: an NTSTATUS ([MS-ERREF] 2.3).
  Error status(std::uint32_t nt_status) &&;
  // The kernel's word: a positive errno.
  Error system(int error_number) &&;
  // What was being done: the name of a command or of a system call, such as "READ" or "openat2".
  Error during(std::string_view operation) &&;
  // What it was done to: a share path, a local path, or an address.
  Error on(std::string_view object) &&;
  // The same in the words of who asked: replaces an object that only a lower layer knows.
  Error about(std::string_view object) &&;
  // What the user can do about it.
  Error advise(std::string_view hint) &&;
  // The same beside a hint that is there already.
  Error advise_also(std::string_view hint) &&;

  ErrorKind kind() const noexcept;
  std::uint32_t nt_status() const noexcept;  // 0: the peer said nothing
  int system_errno() const noexcept;         // 0: the kernel said nothing
  const std::string& what() const noexcept;
  const std::string& operation() const noexcept;
  const std::string& object() const noexcept;
  const std::string& hint() const noexcept;

  // A second copy, for several waiters that fail for one reason.
  Error clone() const;
  // For developers: the source line that made it, as "file.cpp:12".
  std::string origin() const;

 private:
  struct Details;
  explicit Error(std::unique_ptr<Details> details);
  std::unique_ptr<Details> details_;
};

// One sentence: cause in words, NTSTATUS or errno beside it, and the advice; without the object.
SMB3_API std::string explain(const Error& error);
// The same with the object in front: "//server/share/file: no such file (STATUS_…)".
SMB3_API std::string describe(const Error& error);

template <class T = void>
using Result = std::expected<T, Error>;

// An Error for the kernel's word: the kind follows from the errno.
SMB3_API Error system_error(int error_number, std::string_view operation,
                            const char* file = __builtin_FILE(), unsigned line = __builtin_LINE());

}  // namespace smb3
