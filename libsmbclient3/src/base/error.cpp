#include <smbclient3/error.h>

#include "base/nt_status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace smb3 {

struct Error::Details {
  ErrorKind kind{};
  std::string what;
  const char* file = "";
  unsigned line = 0;
  std::uint32_t nt_status = 0;
  int system_errno = 0;
  std::string operation{};
  std::string object{};
  std::string hint{};
};

Error::Error(ErrorKind kind, std::string what, const char* file, unsigned line)
    : details_(std::make_unique<Details>(
          Details{.kind = kind, .what = std::move(what), .file = file, .line = line})) {}
Error::Error(std::unique_ptr<Details> details) : details_(std::move(details)) {}
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::status(std::uint32_t nt_status) && {
  if (details_->nt_status == 0) details_->nt_status = nt_status;
  return std::move(*this);
}

Error Error::system(int error_number) && {
  if (details_->system_errno == 0) details_->system_errno = error_number;
  return std::move(*this);
}

Error Error::during(std::string_view operation) && {
  if (details_->operation.empty()) details_->operation = operation;
  return std::move(*this);
}

Error Error::on(std::string_view object) && {
  if (details_->object.empty()) details_->object = object;
  return std::move(*this);
}

Error Error::about(std::string_view object) && {
  details_->object = object;
  return std::move(*this);
}

Error Error::advise(std::string_view hint) && {
  if (details_->hint.empty()) details_->hint = hint;
  return std::move(*this);
}

Error Error::advise_also(std::string_view hint) && {
  if (!details_->hint.empty()) details_->hint += "; ";
  details_->hint += hint;
  return std::move(*this);
}

ErrorKind Error::kind() const noexcept { return details_->kind; }
std::uint32_t Error::nt_status() const noexcept { return details_->nt_status; }
int Error::system_errno() const noexcept { return details_->system_errno; }
const std::string& Error::what() const noexcept { return details_->what; }
const std::string& Error::operation() const noexcept { return details_->operation; }
const std::string& Error::object() const noexcept { return details_->object; }
const std::string& Error::hint() const noexcept { return details_->hint; }

Error Error::clone() const { return Error(std::make_unique<Details>(*details_)); }

std::string Error::origin() const {
  const char* slash = std::strrchr(details_->file, '/');
  return std::string(slash ? slash + 1 : details_->file) + ":" + std::to_string(details_->line);
}

std::string_view name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::access_denied: return "access_denied";
    case ErrorKind::exists: return "exists";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::timed_out: return "timed_out";
    case ErrorKind::disconnected: return "disconnected";
    case ErrorKind::authentication: return "authentication";
    case ErrorKind::security: return "security";
    case ErrorKind::protocol: return "protocol";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::cancelled: return "cancelled";
    case ErrorKind::failed: return "failed";
    case ErrorKind::local: return "local";
  }
  return "failed";
}

namespace {

std::string words_beside(const Error& error) {
  if (error.nt_status() != 0) {
    std::string_view name = name_of(static_cast<NtStatus>(error.nt_status()));
    if (!name.empty()) return std::string(name);
    char text[32];
    std::snprintf(text, sizeof text, "NTSTATUS 0x%08X", error.nt_status());
    return text;
  }
  return "";
}

}  // namespace

std::string explain(const Error& error) {
  std::string text = error.what();
  if (int number = error.system_errno(); number != 0) {
    std::string cause = std::strerror(number);
    if (text.empty()) {
      text = cause;
    } else if (text != cause) {
      text += ": " + cause;
    }
  }
  std::string beside = words_beside(error);
  if (!error.operation().empty()) beside += (beside.empty() ? "" : ", ") + error.operation();
  if (!beside.empty()) text += " (" + beside + ")";
  if (!error.hint().empty()) text += "; " + error.hint();
  return text;
}

std::string describe(const Error& error) {
  return error.object().empty() ? explain(error) : error.object() + ": " + explain(error);
}

namespace {

ErrorKind kind_of_errno(int error_number) noexcept {
  switch (error_number) {
    case ENOENT: return ErrorKind::not_found;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::access_denied;
    case EEXIST:
    case ENOTEMPTY: return ErrorKind::exists;
    case ENOSPC:
    case EDQUOT: return ErrorKind::no_space;
    case ETIMEDOUT: return ErrorKind::timed_out;
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENOTCONN: return ErrorKind::disconnected;
    case ECANCELED: return ErrorKind::cancelled;
    default: return ErrorKind::local;
  }
}

// Whatever was to be opened.
std::string_view advice_for(int error_number) noexcept {
  switch (error_number) {
    case EMFILE: return "this process may have no more files open; raise the limit: ulimit -n";
    case ENFILE: return "this machine has too many files open: fs.file-max";
    default: return {};
  }
}

}  // namespace

Error system_error(int error_number, std::string_view operation, const char* file, unsigned line) {
  return Error(kind_of_errno(error_number), "", file, line)
      .system(error_number)
      .during(operation)
      .advise(advice_for(error_number));
}

}  // namespace smb3
