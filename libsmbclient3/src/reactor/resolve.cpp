// getaddrinfo(), which blocks, on a thread for that.
#include "reactor/resolve.h"

#include <netdb.h>

#include <cerrno>
#include <memory>

namespace smb3 {

namespace {

Error cannot_resolve(const std::string& host, int gai_error, int error_number) {
  Error error(ErrorKind::disconnected,
              std::string("cannot resolve the host name: ") + gai_strerror(gai_error));
  if (gai_error == EAI_SYSTEM) error = std::move(error).system(error_number);
  return std::move(error).during("getaddrinfo").on(host);
}

Result<std::vector<Endpoint>> look_up(const std::string& host, std::uint16_t port, int flags) {
  // getaddrinfo() reads up to a NUL byte, and must not find another host than the one named.
  if (host.find('\0') != std::string::npos) {
    return std::unexpected(cannot_resolve(host, EAI_NONAME, 0));
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  const int error_number = errno;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  if (result != 0) return std::unexpected(cannot_resolve(host, result, error_number));
  std::vector<Endpoint> endpoints;
  for (const addrinfo* a = found; a; a = a->ai_next) {
    if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
    endpoints.push_back(make_endpoint(a->ai_addr, a->ai_addrlen));
  }
  if (endpoints.empty()) return std::unexpected(cannot_resolve(host, EAI_NONAME, 0));
  return endpoints;
}

}  // namespace

Task<std::vector<Endpoint>> resolve(Reactor& reactor, std::string host, std::uint16_t port,
                                    TimePoint deadline) {
  Result<std::vector<Endpoint>> literal = look_up(host, port, AI_NUMERICHOST);
  if (literal) co_return std::move(literal);
  std::function<Result<std::vector<Endpoint>>()> ask = [host, port] {
    return look_up(host, port, AI_ADDRCONFIG);
  };
  auto answer =
      co_await attempt(run_blocking<std::vector<Endpoint>>(reactor, deadline, std::move(ask)));
  if (!answer) co_await std::move(answer).error().during("getaddrinfo").on(host);
  co_return std::move(answer);
}

}  // namespace smb3
