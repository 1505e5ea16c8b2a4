#pragma once
#include <vector>

namespace fermata {

/// First in, first out. Unlike a std::deque it takes no memory of its own while it is empty.
template <class T>
class Fifo {
 public:
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size() - first_; }
  const T& front() const { return items_[first_]; }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return items_.end(); }

  void push_back(T item) { items_.push_back(std::move(item)); }
  void pop_front() {
    ++first_;
    // What was taken out goes when it is more than what is left, so each item is moved about once.
    if (first_ < items_.size() - first_) return;
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  void clear() {
    items_.clear();
    first_ = 0;
  }
  template <class Iterator>
  void assign(Iterator begin, Iterator end) {
    items_.assign(begin, end);
    first_ = 0;
  }

 private:
  std::vector<T> items_;
  size_t first_ = 0;  ///< always below the number of items, or 0
};

}  // namespace fermata
