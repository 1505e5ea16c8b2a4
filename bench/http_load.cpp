#include "bench/http_load.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "bench/connection.h"
#include "bench/engine.h"
#include "bench/served.h"

namespace fermata::bench {

namespace {

/// One keep-alive connection that sends a request when the answer to the last one is complete.
struct Connection {
  int fd = -1;
  std::string received;
};

double load(uint16_t port, size_t connections, size_t total) {
  const std::string request =
      post_request(port, "/api/v1/workflows/bench/executions", R"({"input":{"order":17}})");
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
  Served served(engine);
  double best = 0;
  for (int round = 0; round < 3; ++round)
    best = std::max(best, load(served.port(), connections, total));
  return best;
}

}  // namespace fermata::bench
