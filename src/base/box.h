#pragma once
#include <memory>
#include <utility>

#include "base/check.h"

namespace fermata {

/// A value kept elsewhere: as large as a pointer, copied as a whole. For what is large and rare
/// among things that are small and many. Empty until it is first written to, and after a move.
template <class T>
class Box {
 public:
  Box() = default;
  Box(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Box() = default;

  T& operator*() {
    if (!held_) held_ = std::make_unique<T>();
    return *held_;
  }
  const T& operator*() const {
    check(held_ != nullptr);
    return *held_;
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace fermata
