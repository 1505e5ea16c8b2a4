#include "server/end_wait.h"

namespace fermata::server {

std::shared_ptr<EndWait> EndWait::begin(FeedHub& hub, Deadlines& deadlines, const RunId& run) {
  auto wait = std::make_shared<EndWait>(deadlines);
  std::weak_ptr<EndWait> weak = wait;
  wait->subscription_ = hub.watch_run(run, [weak](const RunSummary& summary) {
    if (!is_terminal(summary.status)) return;
    if (auto self = weak.lock()) self->settle(true);
  });
  return wait;
}

std::shared_ptr<EndWait> EndWait::begin(FeedHub& hub, Deadlines& deadlines, const JobId& job) {
  auto wait = std::make_shared<EndWait>(deadlines);
  std::weak_ptr<EndWait> weak = wait;
  wait->subscription_ = hub.watch_job(job, [weak](const job::Summary& summary) {
    if (!is_terminal(summary.state)) return;
    if (auto self = weak.lock()) self->settle(true);
  });
  return wait;
}

void EndWait::finish(std::chrono::milliseconds most, std::function<void(bool)> done) {
  {
    std::lock_guard lock(mutex_);
    if (!ended_) {
      done_ = std::move(done);
      // The deadline owns the wait from here on; whoever settles first lets it go.
      deadline_ = deadlines_.after(most, [self = shared_from_this()] { self->settle(false); });
      return;
    }
  }
  done(true);
}

void EndWait::settle(bool ended) {
  std::function<void(bool)> done;
  std::optional<Deadlines::Ticket> deadline;
  {
    std::lock_guard lock(mutex_);
    if (ended) ended_ = true;
    done = std::exchange(done_, nullptr);
    deadline = std::exchange(deadline_, std::nullopt);
  }
  if (!done) return;
  if (ended && deadline) deadlines_.cancel(*deadline);
  done(ended);
}

}  // namespace fermata::server
