#include "test/chaos/call_sink.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace fermata::test {

CallSink::CallSink() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener_, 1024);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  // Servers that are started meanwhile must not keep it open.
  if (pipe2(wake_, O_CLOEXEC) != 0) std::abort();
  thread_ = std::thread([this] { serve(); });
}

CallSink::~CallSink() {
  close(wake_[1]);
  thread_.join();
  close(wake_[0]);
  close(listener_);
}

std::map<std::string, std::set<std::string>> CallSink::seen() const {
  std::lock_guard lock(mutex_);
  return seen_;
}

bool CallSink::take_request(std::string& received) {
  size_t end = received.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  auto header = [&](const std::string& name) -> std::string {
    for (size_t at = received.find("\r\n"); at < end; at = received.find("\r\n", at + 2)) {
      size_t colon = received.find(':', at);
      std::string field = received.substr(at + 2, colon - at - 2);
      std::transform(field.begin(), field.end(), field.begin(),
                     [](char c) { return static_cast<char>(c | 0x20); });
      if (field != name) continue;
      size_t from = received.find_first_not_of(' ', colon + 1);
      return received.substr(from, received.find("\r\n", from) - from);
    }
    return "";
  };
  size_t length = std::strtoul(header("content-length").c_str(), nullptr, 10);
  if (received.size() < end + 4 + length) return false;
  std::string target = received.substr(0, received.find(" HTTP/"));
  {
    std::lock_guard lock(mutex_);
    // `-` has its bit set as well, so the name is the same in lower case.
    seen_[header("idempotency-key")].insert(target + " " + received.substr(end + 4, length));
  }
  received.erase(0, end + 4 + length);
  return true;
}

void CallSink::serve() {
  static constexpr std::string_view answer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  std::vector<pollfd> open = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
  std::map<int, std::string> received;
  char buffer[16384];
  for (;;) {
    if (poll(open.data(), open.size(), -1) < 0) continue;
    if (open[0].revents) break;
    for (size_t i = open.size(); i-- > 2;) {
      if (!open[i].revents) continue;
      int fd = open[i].fd;
      ssize_t got = recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) {
        close(fd);
        received.erase(fd);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      received[fd].append(buffer, static_cast<size_t>(got));
      while (take_request(received[fd])) (void)send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
    if (open[1].revents) {
      int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) open.push_back({fd, POLLIN, 0});
    }
  }
  for (size_t i = 2; i < open.size(); ++i) close(open[i].fd);
}

}  // namespace fermata::test
