#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace fermata {

/// A bounded queue between threads. Producers are refused when it is full; the one consumer takes
/// everything that is there in one go.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  /// False when the queue is full; then `item` is untouched.
  [[nodiscard]] bool push(T& item) {
    bool was_empty;
    {
      std::lock_guard lock(mutex_);
      if (items_.size() >= capacity_) return false;
      was_empty = items_.empty();
      items_.push_back(std::move(item));
    }
    if (was_empty) filled_.notify_one();
    return true;
  }

  /// Takes up to `most` items, in order, without waiting.
  std::vector<T> take(size_t most) {
    std::vector<T> out;
    take(most, out);
    return out;
  }
  /// The same, put behind what is in `out`.
  void take(size_t most, std::vector<T>& out) {
    std::lock_guard lock(mutex_);
    size_t n = most < items_.size() ? most : items_.size();
    auto end = items_.begin() + static_cast<std::ptrdiff_t>(n);
    out.insert(out.end(), std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
    items_.erase(items_.begin(), end);
  }

  /// Returns when there is an item, `wake` was called, or the time is over.
  void wait_for(std::chrono::milliseconds most) { wait(most, true); }
  /// The same whether there are items or not.
  void wait_for_wake(std::chrono::milliseconds most) { wait(most, false); }
  void wake() {
    {
      std::lock_guard lock(mutex_);
      woken_ = true;
    }
    filled_.notify_one();
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  void wait(std::chrono::milliseconds most, bool for_items) {
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, most, [&] { return (for_items && !items_.empty()) || woken_; });
    woken_ = false;
  }

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> items_;
  bool woken_ = false;
};

}  // namespace fermata
