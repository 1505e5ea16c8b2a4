#include "bench/http_load.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/engine.h"
#include "front/vault.h"
#include "server/api.h"
#include "server/server.h"

namespace fermata::bench {

namespace {

/// One keep-alive connection that sends a request when the answer to the last one is complete.
struct Connection {
  int fd = -1;
  std::string received;
};

int connect_to(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(5);
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

/// Takes one complete answer off the front; its status, or 0 when it is not complete yet.
int take_answer(std::string& received) {
  size_t end = received.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  size_t length = 0;
  for (const char* name : {"Content-Length: ", "content-length: "}) {
    size_t at = received.find(name);
    if (at < end) length = std::strtoul(received.c_str() + at + std::strlen(name), nullptr, 10);
  }
  if (received.size() < end + 4 + length) return 0;
  int status = std::atoi(received.c_str() + 9);
  received.erase(0, end + 4 + length);
  return status;
}

void send_all(int fd, const std::string& bytes) {
  if (write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::exit(5);
}

double load(uint16_t port, size_t connections, size_t total) {
  const std::string body = R"({"input":{"order":17}})";
  const std::string request =
      "POST /api/v1/workflows/bench/executions HTTP/1.1\r\nHost: 127.0.0.1:" +
      std::to_string(port) +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  int poll = epoll_create1(0);
  std::vector<Connection> open(connections);
  size_t sent = 0, answered = 0, refused = 0;
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < connections; ++i, ++sent) {
    open[i].fd = connect_to(port);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(poll, EPOLL_CTL_ADD, open[i].fd, &event);
    send_all(open[i].fd, request);
  }
  char buffer[65536];
  while (answered < total && seconds_since(begin) < 120) {
    epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 1000);
    for (int i = 0; i < ready; ++i) {
      Connection& connection = open[events[i].data.u64];
      ssize_t got = read(connection.fd, buffer, sizeof buffer);
      if (got <= 0) std::exit(5);
      connection.received.append(buffer, static_cast<size_t>(got));
      while (int status = take_answer(connection.received)) {
        ++answered;
        if (status != 201) ++refused;
        if (sent < total) {
          ++sent;
          send_all(connection.fd, request);
        }
      }
    }
  }
  double seconds = seconds_since(begin);
  for (Connection& connection : open) close(connection.fd);
  close(poll);
  if (refused > 0) std::fprintf(stderr, "bench: %zu requests were refused\n", refused);
  return static_cast<double>(answered) / seconds;
}

}  // namespace

double http_runs_per_second(const char* graph, size_t connections, size_t total) {
  Engine engine(fresh_directory("http"));
  engine.define("bench", graph);
  server::ApiOptions options;
  options.rate_limit.per_second = 0;
  front::Vault vault(*engine.store, front::given_keys(SealingKeys::fresh()));
  server::Api api(
      {engine.host(), *engine.store, *engine.store, *engine.store, engine.clock, engine.entropy,
       engine.hub, engine.definitions(), vault, *engine.store, engine.host(), engine.host(),
       *engine.store, *engine.store},
      std::move(options));
  server::ServerOptions listen;
  listen.listen = "127.0.0.1:0";
  server::Server server(listen, api);
  if (auto started = server.start(); !started) {
    std::fprintf(stderr, "bench: %s\n", started.error().message.c_str());
    std::exit(5);
  }
  double best = 0;
  for (int round = 0; round < 3; ++round)
    best = std::max(best, load(server.port(), connections, total));
  server.stop();
  return best;
}

}  // namespace fermata::bench
