#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/http/message.h"

namespace fermata::http {

struct Exchange;

/// Answers on their way to the loop that owns the connections. Outlives the loop: answers that come
/// too late are dropped here.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Any thread. False when the loop has ended.
  bool post(std::shared_ptr<Exchange> exchange);
  /// Any thread: runs on the loop's, unless that has ended.
  void run_there(std::function<void()> errand);
  void wake();
  /// Loop's thread only, from here on. `doze` says that the loop is about to wait and gives false
  /// when something has come already; until `rouse` every first post wakes it. While the loop is
  /// at work posts cost no system call: it looks into the mailbox before it waits again.
  bool doze();
  void rouse() { dozing_ = false; }
  void take(std::vector<std::shared_ptr<Exchange>>& out);
  std::vector<std::function<void()>> take_errands();
  void clear_wake();
  int wake_fd() const { return wake_fd_; }
  /// Refuses everything from now on; gives what had not been taken.
  std::vector<std::shared_ptr<Exchange>> close();

 private:
  int wake_fd_ = -1;
  std::atomic<bool> dozing_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> items_;
  std::vector<std::function<void()>> errands_;
  bool closed_ = false;
};

/// What a writer and the loop share of an open answer.
class StreamState {
 public:
  bool append(std::string_view bytes, bool& post);
  bool end(bool& post);
  bool gone() const { return gone_; }
  size_t unsent() const;
  void set_drained(std::function<void()> callback);
  void set_gone(std::function<void()> callback);

  // Loop's thread.
  std::string take(bool& ended);
  void sent(size_t left_in_socket_buffer);
  void leave();

 private:
  mutable std::mutex mutex_;
  std::string pending_;
  bool ended_ = false;
  bool posted_ = false;
  bool was_full_ = false;
  std::atomic<bool> gone_{false};
  size_t in_socket_buffer_ = 0;
  std::function<void()> on_drained_;
  std::function<void()> on_gone_;
};

/// One request and its answer. Whoever answers first fills `response` and posts the exchange; after
/// that only the loop touches it.
struct Exchange {
  Request request;
  std::shared_ptr<Mailbox> mailbox;
  uint64_t connection = 0;
  std::chrono::steady_clock::time_point begun_at;
  std::atomic<int> handles{0};
  std::atomic<bool> answered{false};

  Response response;
  std::shared_ptr<StreamState> stream;  ///< set when the answer is one
  bool ready = false;                   ///< loop only: the answer has arrived
  bool head_written = false;            ///< loop only: of a stream
  bool abandoned = false;               ///< loop only: nobody will read the answer

  /// Loop only: before the answer has arrived its fields belong to whoever answers.
  bool streams() const { return ready && stream; }
};

}  // namespace fermata::http
