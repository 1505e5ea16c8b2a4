#include "server/http/loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace fermata::http {
namespace {

constexpr uint64_t wake_id = 0;
constexpr uint64_t listen_id = 1;
constexpr int events_per_turn_max = 256;
constexpr int accepts_per_turn_max = 64;
constexpr int rounds_per_turn_max = 64;
constexpr size_t scratch_bytes = 64 << 10;

using std::chrono::milliseconds;

milliseconds tick_for(const ConnectionLimits& limits) {
  milliseconds shortest =
      std::min({limits.idle_timeout, limits.head_timeout, limits.body_stall_timeout,
                limits.write_timeout, limits.linger_timeout});
  return std::clamp(shortest / 4, milliseconds(5), milliseconds(1000));
}

void watch(int epoll_fd, int fd, uint64_t id, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

Loop::Loop(LoopOptions options, Handler& handler, int listen_fd, std::unique_ptr<TlsContext> tls)
    : options_(options),
      listen_fd_(listen_fd),
      tls_(std::move(tls)),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      scratch_(scratch_bytes),
      shared_{.handler = handler,
              .mailbox = std::make_shared<Mailbox>(),
              .limits = options.limits,
              .date = http_date(std::time(nullptr)),
              .now = std::chrono::steady_clock::now(),
              .draining = false,
              .scratch = scratch_},
      next_tick_(shared_.now),
      tick_every_(tick_for(options.limits)) {
  watch(epoll_fd_, shared_.mailbox->wake_fd(), wake_id, EPOLLIN);
  watch(epoll_fd_, listen_fd_, listen_id, EPOLLIN);
}

Loop::~Loop() {
  connections_.clear();
  ::close(epoll_fd_);
  if (accepting_ || !shared_.draining) ::close(listen_fd_);
}

void Loop::stop(milliseconds grace) {
  grace_ms_ = grace.count();
  stopping_ = true;
  shared_.mailbox->wake();
}

void Loop::run() {
  for (;;) {
    wait();
    if (stopping_ && !shared_.draining) begin_draining();
    serve();
    if (shared_.now >= next_tick_) tick();
    if (shared_.draining && (connections_.empty() || shared_.now >= stop_by_)) break;
  }
  connections_.clear();
  connections_open_ = 0;
  for (auto& late : shared_.mailbox->close())
    if (late->stream) late->stream->leave();
}

int Loop::wait_ms() const {
  if (!again_.empty()) return 0;
  SteadyTime until = shared_.draining ? std::min(next_tick_, stop_by_) : next_tick_;
  auto left = std::chrono::duration_cast<milliseconds>(until - shared_.now).count();
  return static_cast<int>(std::clamp<int64_t>(left + 1, 1, 1000));
}

void Loop::wait() {
  epoll_event events[events_per_turn_max];
  int most_ms = wait_ms();
  if (most_ms > 0 && !shared_.mailbox->doze()) most_ms = 0;
  int count = epoll_wait(epoll_fd_, events, events_per_turn_max, most_ms);
  shared_.mailbox->rouse();
  shared_.now = std::chrono::steady_clock::now();
  std::vector<uint64_t> again;
  again.swap(again_);
  for (uint64_t id : again)
    if (auto found = connections_.find(id); found != connections_.end()) list(*found->second);
  for (int i = 0; i < count; ++i) handle_event(events[i].data.u64, events[i].events);
  for (auto& errand : shared_.mailbox->take_errands()) errand();
}

void Loop::handle_event(uint64_t id, uint32_t events) {
  if (id == wake_id) return shared_.mailbox->clear_wake();
  if (id == listen_id) return accept_some();
  auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if (events & EPOLLIN) connection.set_readable();
  if (events & EPOLLOUT) connection.set_writable();
  if (events & EPOLLRDHUP) connection.set_peer_closed();
  if (events & (EPOLLHUP | EPOLLERR)) connection.set_broken();
  list(connection);
}

void Loop::accept_some() {
  for (int i = 0; i < accepts_per_turn_max; ++i) {
    int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      add(fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return pause_accepting();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
  }
}

void Loop::add(int fd) {
  if (connections_.size() >= options_.connections_max) {
    ::close(fd);
    return;
  }
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto transport = tls_ ? tls_->accept(fd) : plain_transport(fd);
  if (!transport) return;
  uint64_t id = next_id_++;
  auto connection = std::make_unique<Connection>(id, std::move(transport), shared_);
  watch(epoll_fd_, fd, id, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  connections_.emplace(id, std::move(connection));
  connections_open_ = connections_.size();
}

uint64_t Loop::adopt(std::unique_ptr<Transport> transport, bool from_elsewhere) {
  if (shared_.draining || connections_.size() >= options_.connections_max) return 0;
  uint64_t id = next_id_++;
  connections_.emplace(
      id, std::make_unique<Connection>(id, std::move(transport), shared_, from_elsewhere));
  connections_open_ = connections_.size();
  return id;
}

void Loop::rouse(uint64_t id, Stir what) {
  auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if (what == Stir::readable) connection.set_readable();
  if (what == Stir::writable) connection.set_writable();
  if (what == Stir::broken) connection.set_broken();
  list(connection);
}

/// Without free descriptors the listening socket stays ready, and the loop would spin on it.
void Loop::pause_accepting() {
  if (!accepting_) return;
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, listen_fd_, nullptr);
  accepting_ = false;
}

void Loop::list(Connection& connection) {
  if (connection.listed) return;
  connection.listed = true;
  active_.push_back(&connection);
}

void Loop::serve() {
  for (int round = 0; round < rounds_per_turn_max; ++round) {
    // Indexed, because delivering mail lists further connections.
    for (size_t i = 0; i < active_.size(); ++i)
      if (active_[i]->advance()) again_.push_back(active_[i]->id());
    if (!deliver_mail()) break;
  }
  settle();
}

bool Loop::deliver_mail() {
  shared_.mailbox->take(mail_);
  for (auto& exchange : mail_) {
    auto found = connections_.find(exchange->connection);
    if (found == connections_.end()) {
      if (exchange->stream) exchange->stream->leave();
      continue;
    }
    found->second->deliver(*exchange);
    list(*found->second);
  }
  bool any = !mail_.empty();
  mail_.clear();
  return any;
}

void Loop::settle() {
  for (Connection* connection : active_) {
    connection->listed = false;
    connection->flush();
    if (connection->finished()) {
      connections_.erase(connection->id());
    } else if (connection->has_more_to_do()) {
      again_.push_back(connection->id());
    }
  }
  active_.clear();
  connections_open_ = connections_.size();
}

void Loop::begin_draining() {
  shared_.draining = true;
  stop_by_ = shared_.now + milliseconds(grace_ms_);
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, listen_fd_, nullptr);
  ::close(listen_fd_);
  accepting_ = false;
  for (auto& [id, connection] : connections_) {
    connection->drain();
    list(*connection);
  }
}

void Loop::tick() {
  next_tick_ = shared_.now + tick_every_;
  shared_.date = http_date(std::time(nullptr));
  if (!accepting_ && !shared_.draining) {
    watch(epoll_fd_, listen_fd_, listen_id, EPOLLIN);
    accepting_ = true;
  }
  for (auto& [id, connection] : connections_) {
    connection->enforce_deadlines();
    if (connection->finished()) list(*connection);
  }
  settle();
}

}  // namespace fermata::http
