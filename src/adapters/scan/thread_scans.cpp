#include "adapters/scan/thread_scans.h"

namespace fermata {

ThreadScans::ThreadScans(ScanFiles& files, ThreadScansOptions options)
    : options_(std::move(options)), examiner_(files, options_.now) {
  for (size_t i = 0; i < std::max<size_t>(options_.threads, 1); ++i)
    threads_.emplace_back([this] { run(); });
}

ThreadScans::~ThreadScans() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wakes_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadScans::submit(ScanWork work) {
  {
    std::lock_guard lock(mutex_);
    if (waiting_.size() >= options_.queue_max || !held_.insert(work.ticket).second) return;
    waiting_.push_back(std::move(work));
  }
  wakes_.notify_one();
}

std::vector<ScanAnswer> ThreadScans::harvest() {
  std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

bool ThreadScans::holds(const ScanTicket& ticket) const {
  std::lock_guard lock(mutex_);
  return held_.contains(ticket);
}

size_t ThreadScans::in_flight() const {
  std::lock_guard lock(mutex_);
  return held_.size() + answers_.size();
}

void ThreadScans::run() {
  for (;;) {
    ScanWork work;
    {
      std::unique_lock lock(mutex_);
      wakes_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    ScanAnswer answer = examiner_.examine(work);
    {
      std::lock_guard lock(mutex_);
      held_.erase(work.ticket);
      answers_.push_back(std::move(answer));
    }
    if (options_.on_answer) options_.on_answer();
  }
}

std::string complaint_about_pattern(std::string_view pattern) {
  return scan::complaint_about_pattern(pattern);
}

}  // namespace fermata
