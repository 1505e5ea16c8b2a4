#include "cli/store_watch.h"

namespace fermata::cli {

void StoreWatch::failed(const Error& error) {
  std::lock_guard lock(mutex_);
  ++failures_;
  Instant now = clock_.now();
  // A clock that was set back must not silence the log.
  bool lately = told_at_ && *told_at_ <= now && now < *told_at_ + repeat_interval;
  if (lately) return;
  told_at_ = now;
  log_.error("The store cannot be written",
             {{"code", name_of(error.code)}, {"reason", error.message}, {"failures", failures_}});
}

void StoreWatch::recovered() {
  std::lock_guard lock(mutex_);
  log_.warn("The store can be written again", {{"failures", failures_}});
  told_at_.reset();
  failures_ = 0;
}

void StoreWatch::damaged(const Error& error) {
  std::lock_guard lock(mutex_);
  if (damages_.size() >= damages_max || !damages_.insert(error.message).second) return;
  log_.error("Stored data is damaged; the executions that need it do not go on",
             {{"code", name_of(error.code)}, {"reason", error.message}});
}

}  // namespace fermata::cli
