#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "server/http/connection.h"

namespace fermata::http {

struct LoopOptions {
  ConnectionLimits limits;
  size_t connections_max = 10'000;
};

class Loop;

/// Has things done on a loop's thread, from any thread and for as long as anybody likes: what comes
/// after the loop's end is dropped.
class LoopDoor {
 public:
  LoopDoor(std::shared_ptr<Mailbox> mailbox, Loop& loop)
      : mailbox_(std::move(mailbox)), loop_(&loop) {}
  void run_there(std::function<void(Loop&)> errand) const {
    mailbox_->run_there([loop = loop_, errand = std::move(errand)] { errand(*loop); });
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  Loop* loop_;
};

/// Serves all connections from one thread, woken by the kernel (epoll, edge-triggered) and by
/// answers in the mailbox. A turn reads what has come, begins requests, collects the answers that
/// are there and then writes each connection once, so pipelined answers leave together.
class Loop {
 public:
  Loop(LoopOptions options, Handler& handler, int listen_fd, std::unique_ptr<TlsContext> tls);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// The thread's body; returns after `stop`.
  void run();
  /// Any thread: accept nothing more and return when the answers under way have left, at the
  /// latest after `grace`.
  void stop(std::chrono::milliseconds grace);
  size_t connections_open() const { return connections_open_; }
  LoopDoor door() { return {shared_.mailbox, *this}; }

  // Loop's thread. A connection whose bytes do not come by a socket: who brings them says when it
  // can go on. 0 when there are too many.
  uint64_t adopt(std::unique_ptr<Transport> transport, bool from_elsewhere);
  enum class Stir : uint8_t { readable, writable, broken };
  void rouse(uint64_t id, Stir what);

 private:
  void wait();
  void handle_event(uint64_t id, uint32_t events);
  void accept_some();
  void add(int fd);
  void pause_accepting();
  void list(Connection& connection);
  void serve();
  bool deliver_mail();
  void settle();
  void begin_draining();
  void tick();
  int wait_ms() const;

  const LoopOptions options_;
  const int listen_fd_;
  const std::unique_ptr<TlsContext> tls_;
  const int epoll_fd_;
  std::vector<char> scratch_;
  ConnectionShared shared_;
  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> active_;  ///< to be served this turn
  std::vector<uint64_t> again_;      ///< had more to do when the last turn ended
  std::vector<std::shared_ptr<Exchange>> mail_;
  uint64_t next_id_ = 16;
  bool accepting_ = true;
  SteadyTime next_tick_;
  std::chrono::milliseconds tick_every_;

  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> grace_ms_{0};
  SteadyTime stop_by_;
  std::atomic<size_t> connections_open_{0};
};

}  // namespace fermata::http
