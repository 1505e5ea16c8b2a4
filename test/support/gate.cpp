#include "test/support/gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/check.h"

namespace fermata::test {

namespace {

constexpr size_t read_bytes = 64 << 10;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int new_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

void send_small_ones_at_once(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// A connection that is cut is reset: the other side hears of it at once and not politely.
void reset_on_close(int socket) {
  linger how{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

size_t index(Gate::Way way) { return static_cast<size_t>(way); }

}  // namespace

Gate::Gate(int target_port) : target_port_(target_port) {
  check(pipe2(bell_.data(), O_NONBLOCK | O_CLOEXEC) == 0);
  check(listen_at(0));
  thread_ = std::thread([this] { run(); });
}

Gate::~Gate() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  end_all();
  close_listener();
  for (int end : bell_) ::close(end);
}

bool Gate::bind_at(int port) {
  listener_ = new_socket();
  int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  return bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool Gate::listen_at(int port) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  bool listens = bind_at(port) && listen(listener_, 128) == 0 &&
                 getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  if (listens)
    port_ = ntohs(address.sin_port);
  else
    close_listener();
  return listens;
}

void Gate::close_listener() {
  if (listener_ >= 0) ::close(listener_);
  listener_ = -1;
}

void Gate::wake() {
  char byte = 0;
  (void)!write(bell_[1], &byte, 1);
}

void Gate::end_all() {
  for (Pair& pair : pairs_) close(pair);
  pairs_.clear();
}

void Gate::pass() {
  std::lock_guard lock(mutex_);
  delay_ = {};
  bytes_per_second_ = 0;
  swallows_ = {};
  left_ = {-1, -1};
  if (std::exchange(refuses_, false)) check(listen(listener_, 128) == 0);
  wake();
}

void Gate::cut() {
  std::lock_guard lock(mutex_);
  end_all();
  wake();
}

void Gate::refuse() {
  std::lock_guard lock(mutex_);
  if (refuses_) return;
  // Who polls it holds on to what is closed, so it stops listening first. Then it is bound and not
  // listened at: nobody else takes the port meanwhile.
  ::shutdown(listener_, SHUT_RDWR);
  close_listener();
  check(bind_at(port_));
  refuses_ = true;
  end_all();
  wake();
}

void Gate::swallow(Way way) {
  std::lock_guard lock(mutex_);
  swallows_[index(way)] = true;
}

void Gate::delay(std::chrono::milliseconds by) {
  std::lock_guard lock(mutex_);
  delay_ = by;
}

void Gate::throttle(uint64_t bytes_per_second) {
  std::lock_guard lock(mutex_);
  bytes_per_second_ = bytes_per_second;
}

void Gate::cut_after(Way way, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  left_[index(way)] = static_cast<int64_t>(bytes);
}

size_t Gate::connections() const {
  std::lock_guard lock(mutex_);
  return pairs_.size();
}

size_t Gate::connections_so_far() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}

uint64_t Gate::bytes(Way way) const {
  std::lock_guard lock(mutex_);
  return counted_[index(way)];
}

void Gate::accept_all() {
  while (listener_ >= 0) {
    int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    ++accepted_;
    int server = new_socket();
    send_small_ones_at_once(client);
    send_small_ones_at_once(server);
    sockaddr_in address = loopback(target_port_);
    Pair pair;
    pair.sockets = {client, server};
    int connected = connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address);
    pair.broken = connected != 0 && errno != EINPROGRESS;
    pairs_.push_back(std::move(pair));
  }
}

void Gate::close(Pair& pair) {
  for (int& socket : pair.sockets) {
    if (socket < 0) continue;
    reset_on_close(socket);
    ::close(socket);
    socket = -1;
  }
}

/// Reads what has come in for this way. False when the connection is to be cut.
bool Gate::receive(Pair& pair, Way way, Time now) {
  Lane& lane = pair.lanes[index(way)];
  std::string bytes(read_bytes, '\0');
  ssize_t count = recv(pair.sockets[index(way)], bytes.data(), bytes.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (count == 0) {
    lane.ended = true;
    return true;
  }
  bytes.resize(static_cast<size_t>(count));
  counted_[index(way)] += bytes.size();
  if (int64_t& left = left_[index(way)]; left >= 0) {
    left -= count;
    if (left <= 0) {
      left = -1;
      return false;
    }
  }
  if (swallows_[index(way)]) return true;
  Time due = now + delay_ / 2;
  if (bytes_per_second_ > 0) {
    auto takes = std::chrono::microseconds(bytes.size() * 1'000'000 / bytes_per_second_);
    lane.free_at = std::max(lane.free_at, now) + takes;
    due = std::max(due, lane.free_at);
  }
  if (!lane.chunks.empty()) due = std::max(due, lane.chunks.back().due);
  lane.waiting += bytes.size();
  lane.chunks.push_back({std::move(bytes), 0, due});
  return true;
}

/// Writes what is due. False when the other side is gone.
bool Gate::send(Pair& pair, Way way, Time now) {
  Lane& lane = pair.lanes[index(way)];
  int out = pair.sockets[1 - index(way)];
  while (!lane.chunks.empty() && lane.chunks.front().due <= now) {
    Chunk& chunk = lane.chunks.front();
    ssize_t count =
        ::send(out, chunk.bytes.data() + chunk.sent, chunk.bytes.size() - chunk.sent, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    chunk.sent += static_cast<size_t>(count);
    lane.waiting -= static_cast<size_t>(count);
    if (chunk.sent == chunk.bytes.size()) lane.chunks.pop_front();
  }
  if (lane.ended && lane.chunks.empty() && !lane.closed) {
    shutdown(out, SHUT_WR);
    lane.closed = true;
  }
  return true;
}

void Gate::step(Pair& pair, short client_events, short server_events, Time now) {
  constexpr short readable = POLLIN | POLLHUP | POLLERR;
  if (pair.connecting && (server_events & (POLLOUT | POLLHUP | POLLERR)) != 0) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(pair.sockets[1], SOL_SOCKET, SO_ERROR, &error, &length);
    pair.connecting = false;
    pair.broken = error != 0;
  }
  if (pair.connecting || pair.broken) return;
  for (Way way : {Way::there, Way::back}) {
    short events = way == Way::there ? client_events : server_events;
    bool reads = (events & readable) != 0 && !pair.lanes[index(way)].ended;
    if ((reads && !receive(pair, way, now)) || !send(pair, way, now)) pair.broken = true;
  }
  if (pair.lanes[0].closed && pair.lanes[1].closed) pair.broken = true;
}

void Gate::run() {
  for (;;) {
    std::vector<pollfd> watched;
    int timeout_ms = 60'000;
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      Time now = std::chrono::steady_clock::now();
      watched.push_back({bell_[0], POLLIN, 0});
      watched.push_back({refuses_ ? -1 : listener_, POLLIN, 0});
      for (const Pair& pair : pairs_) {
        std::array<short, 2> events{};
        for (Way way : {Way::there, Way::back}) {
          const Lane& lane = pair.lanes[index(way)];
          if (!pair.connecting && !lane.ended && lane.waiting < waiting_max)
            events[index(way)] = static_cast<short>(events[index(way)] | POLLIN);
          if (lane.chunks.empty()) continue;
          auto rest = std::chrono::ceil<std::chrono::milliseconds>(lane.chunks.front().due - now);
          if (rest.count() <= 0)
            events[1 - index(way)] = static_cast<short>(events[1 - index(way)] | POLLOUT);
          else
            timeout_ms = std::min(timeout_ms, static_cast<int>(rest.count()));
        }
        if (pair.connecting) events = {0, POLLOUT};
        for (size_t i = 0; i < 2; ++i) watched.push_back({pair.sockets[i], events[i], 0});
      }
    }
    poll(watched.data(), watched.size(), timeout_ms);
    std::lock_guard lock(mutex_);
    char ignored[64];
    while (read(bell_[0], ignored, sizeof ignored) > 0) continue;
    Time now = std::chrono::steady_clock::now();
    auto events_of = [&](int socket) {
      for (size_t i = 2; i < watched.size(); ++i)
        if (watched[i].fd == socket) return watched[i].revents;
      return short{0};
    };
    for (Pair& pair : pairs_)
      step(pair, events_of(pair.sockets[0]), events_of(pair.sockets[1]), now);
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      if (pair->broken) close(*pair);
      pair = pair->broken ? pairs_.erase(pair) : std::next(pair);
    }
    accept_all();
  }
}

}  // namespace fermata::test
