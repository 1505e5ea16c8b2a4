#include "server/http/address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "server/http/message.h"

namespace fermata::http {
namespace {

constexpr int listen_backlog = 1024;

Failure<Error> bad_address(std::string_view text) {
  return fail(ErrorCode::invalid_setting,
              "listen: `" + std::string(text) + "` is not HOST:PORT, e.g. 127.0.0.1:4747");
}

uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

Outcome<ListenAddress> parse_listen_address(std::string_view text) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text);
  std::string_view host = text.substr(0, colon);
  std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad_address(text);
  }
  ListenAddress out;
  auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (host.empty() || port.empty() || code != std::errc() || end != port.data() + port.size())
    return bad_address(text);
  out.host = host;
  return out;
}

std::string to_text(const ListenAddress& address) {
  bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback_host(std::string_view host) {
  if (equal_ignoring_case(host, "localhost") || host == "::1") return true;
  if (!host.starts_with("127.")) return false;
  // `127.evil.example` is a name that may lead anywhere, so all four parts must be numbers.
  int dots = 0;
  for (char c : host) {
    if (c == '.') {
      ++dots;
    } else if (c < '0' || c > '9') {
      return false;
    }
  }
  return dots == 3 && !host.ends_with('.');
}

std::string_view host_of_authority(std::string_view authority) {
  if (authority.starts_with('[')) {
    size_t end = authority.find(']');
    return end == std::string_view::npos ? std::string_view{} : authority.substr(1, end - 1);
  }
  return authority.substr(0, std::min(authority.find(':'), authority.size()));
}

Outcome<Listening> listen_on(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  int failed =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &raw);
  if (failed != 0)
    return fail(ErrorCode::invalid_setting,
                "listen: " + address.host + ": " + gai_strerror(failed));
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(ErrorCode::io_failed, std::string("socket: ") + std::strerror(errno));
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, listen_backlog) != 0) {
    int reason = errno;
    ::close(fd);
    if (reason == EADDRINUSE)
      return fail(ErrorCode::address_in_use,
                  to_text(address) + " is already in use by another program.");
    return fail(ErrorCode::invalid_setting,
                "listen: " + to_text(address) + ": " + std::strerror(reason));
  }
  return Listening{fd, bound_port(fd)};
}

}  // namespace fermata::http
