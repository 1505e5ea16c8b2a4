#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "server/deadlines.h"
#include "server/feed_hub.h"

namespace fermata::server {

/// Waits for the end of a run or a job without holding a thread. Begun before its command is
/// submitted, so that no end is missed however fast it comes.
class EndWait : public std::enable_shared_from_this<EndWait> {
 public:
  static std::shared_ptr<EndWait> begin(FeedHub& hub, Deadlines& deadlines, const RunId& run);
  static std::shared_ptr<EndWait> begin(FeedHub& hub, Deadlines& deadlines, const JobId& job);
  explicit EndWait(Deadlines& deadlines) : deadlines_(deadlines) {}

  /// `done` is called once, on any thread: with true when it has ended, with false when
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
