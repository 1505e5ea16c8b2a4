#include "server/deadlines.h"

namespace fermata::server {

Deadlines::Deadlines() : thread_([this] { run(); }) {}

Deadlines::~Deadlines() { stop(); }

void Deadlines::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Deadlines::Ticket Deadlines::after(std::chrono::milliseconds delay,
                                   std::function<void()> callback) {
  Ticket ticket{std::chrono::steady_clock::now() + delay, 0};
  bool first;
  {
    std::lock_guard lock(mutex_);
    ticket.second = next_++;
    auto place = waiting_.emplace(ticket, std::move(callback)).first;
    first = place == waiting_.begin();
  }
  if (first) changed_.notify_one();
  return ticket;
}

void Deadlines::cancel(const Ticket& ticket) {
  std::function<void()> dropped;  // Destroyed outside the lock: it may own what cancels others.
  std::lock_guard lock(mutex_);
  auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  dropped = std::move(found->second);
  waiting_.erase(found);
}

void Deadlines::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto first = waiting_.begin();
    auto due = first->first.first;
    if (std::chrono::steady_clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    auto callback = std::move(first->second);
    waiting_.erase(first);
    lock.unlock();
    callback();
    callback = nullptr;
    lock.lock();
  }
}

}  // namespace fermata::server
