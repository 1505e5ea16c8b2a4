#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "server/deadlines.h"
#include "server/feed_hub.h"

namespace fermata::server {

/// Waits for a run's end without holding a thread. Begun before the run's command is submitted, so
/// that no end is missed however fast it comes.
class EndWait : public std::enable_shared_from_this<EndWait> {
 public:
  static std::shared_ptr<EndWait> begin(FeedHub& hub, Deadlines& deadlines, const RunId& run);
  explicit EndWait(Deadlines& deadlines) : deadlines_(deadlines) {}

  /// `done` is called once, on any thread: with true when the run has ended, with false when
  /// `most` has passed. It must not block.
  void finish(std::chrono::milliseconds most, std::function<void(bool ended)> done);

 private:
  void settle(bool ended);

  Deadlines& deadlines_;
  std::mutex mutex_;
  FeedHub::Subscription subscription_;
  bool ended_ = false;
  std::function<void(bool)> done_;
  std::optional<Deadlines::Ticket> deadline_;
};

}  // namespace fermata::server
