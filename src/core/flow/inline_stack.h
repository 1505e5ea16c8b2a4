#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace fermata::flow {

/// A stack whose first items live inside it, so that a small evaluation allocates nothing. Items
/// move when it grows: hold indices, not pointers, across a push.
template <class T, size_t inline_count>
class InlineStack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlineStack() : begin_(reinterpret_cast<T*>(storage_)), end_(begin_ + inline_count) {
    top_ = begin_;
  }
  InlineStack(const InlineStack&) = delete;
  InlineStack& operator=(const InlineStack&) = delete;

  void push(T item) {
    if (top_ == end_) [[unlikely]]
      grow(size() * 2);
    *top_++ = item;
  }
  void assign(std::span<const T> items) {
    shrink_to(0);
    for (const T& item : items) push(item);
  }
  T pop() { return *--top_; }
  void drop(size_t count) { top_ -= count; }
  T& back() { return top_[-1]; }
  T& from_top(size_t depth) { return top_[-1 - static_cast<std::ptrdiff_t>(depth)]; }
  T& operator[](size_t index) { return begin_[index]; }
  const T& operator[](size_t index) const { return begin_[index]; }
  size_t size() const { return static_cast<size_t>(top_ - begin_); }
  bool empty() const { return top_ == begin_; }
  void shrink_to(size_t size) { top_ = begin_ + size; }
  T* data() { return begin_; }
  T* begin() { return begin_; }
  T* end() { return top_; }
  /// Makes room for that many items; up to there nobody needs to ask.
  void reserve(size_t wanted) {
    if (wanted > static_cast<size_t>(end_ - begin_)) [[unlikely]]
      grow(std::max(wanted, static_cast<size_t>(end_ - begin_) * 2));
  }
  /// How many more items fit.
  size_t room_behind(const T* item) const { return static_cast<size_t>(end_ - item); }
  /// For whoever pushes and pops without the help of this class.
  void set_end(T* end) { top_ = end; }

 private:
  void grow(size_t capacity) {
    size_t count = size();
    auto wider = std::make_unique<T[]>(capacity);
    std::memcpy(static_cast<void*>(wider.get()), begin_, count * sizeof(T));
    spilled_ = std::move(wider);
    begin_ = spilled_.get();
    top_ = begin_ + count;
    end_ = begin_ + capacity;
  }

  alignas(T) std::byte storage_[inline_count * sizeof(T)];
  T* begin_;
  T* top_;
  T* end_;
  std::unique_ptr<T[]> spilled_;
};

}  // namespace fermata::flow
