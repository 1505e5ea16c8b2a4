#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace fermata::test {

/// Stands between a client and a server of this machine: passes bytes on, swallows those of one
/// direction, or cuts every connection.
class Relay {
 public:
  explicit Relay(int server_port) : server_port_(server_port) {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    bind(listening_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen(listening_, 64);
    thread_ = std::thread([this] { work(); });
  }
  ~Relay() {
    stopping_ = true;
    thread_.join();
    close(listening_);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }
  void swallow_requests(bool on) { swallows_requests_ = on; }
  void swallow_answers(bool on) { swallows_answers_ = on; }
  /// All that are open; later ones are passed.
  void cut() {
    cutting_ = true;
    while (cutting_) poll(nullptr, 0, 1);
  }
  /// How many bytes of requests were swallowed so far.
  size_t swallowed() const { return swallowed_; }

 private:
  struct Pair {
    int client, server;
  };
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  void take() {
    int client = accept(listening_, nullptr, nullptr);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(server_port_);
    if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      return pairs_.push_back({client, server});
    close(client);
    close(server);
  }
  /// False when one side is gone.
  bool pass(int from, int to, bool swallow) {
    char buffer[65536];
    ssize_t got = recv(from, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    if (swallow) {
      swallowed_ += static_cast<size_t>(got);
      return true;
    }
    for (ssize_t sent = 0; sent < got;) {
      ssize_t some = send(to, buffer + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
      if (some <= 0) return false;
      sent += some;
    }
    return true;
  }
  void close_all() {
    for (Pair pair : pairs_) {
      close(pair.client);
      close(pair.server);
    }
    pairs_.clear();
  }
  void work() {
    while (!stopping_) {
      if (cutting_) {
        close_all();
        swallows_requests_ = swallows_answers_ = false;
        cutting_ = false;
      }
      std::vector<pollfd> waits = {{listening_, POLLIN, 0}};
      for (Pair pair : pairs_) {
        waits.push_back({pair.client, POLLIN, 0});
        waits.push_back({pair.server, POLLIN, 0});
      }
      poll(waits.data(), waits.size(), 5);
      std::vector<Pair> left;
      for (size_t i = 0; i < pairs_.size(); ++i) {
        Pair pair = pairs_[i];
        bool open = true;
        if (waits[1 + 2 * i].revents != 0)
          open = pass(pair.client, pair.server, swallows_requests_);
        if (open && waits[2 + 2 * i].revents != 0)
          open = pass(pair.server, pair.client, swallows_answers_);
        if (open) {
          left.push_back(pair);
        } else {
          close(pair.client);
          close(pair.server);
        }
      }
      pairs_ = std::move(left);
      if (waits[0].revents != 0) take();
    }
    close_all();
  }

  const int server_port_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false}, cutting_{false};
  std::atomic<bool> swallows_requests_{false}, swallows_answers_{false};
  std::atomic<size_t> swallowed_{0};
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace fermata::test
