#pragma once
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"

namespace fermata {

/// Wraps a failure so that `return fail(...)` converts to any Result with that failure type.
template <class E>
struct Failure {
  E value;
};
template <class E>
Failure(E) -> Failure<E>;

/// A value or the reason there is none. `Result<void, E>` carries only success or failure.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure<E> failure) : state_(std::in_place_index<1>, std::move(failure.value)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() & {
    check(state_.index() == 0);
    return std::get<0>(state_);
  }
  const T& value() const& {
    check(state_.index() == 0);
    return std::get<0>(state_);
  }
  /// By value: a loop over the content of a passing result keeps it alive.
  T value() && {
    check(state_.index() == 0);
    return std::get<0>(std::move(state_));
  }
  const E& error() const& {
    check(state_.index() == 1);
    return std::get<1>(state_);
  }
  E&& error() && {
    check(state_.index() == 1);
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(Failure<E> failure) : error_(std::move(failure.value)) {}

  explicit operator bool() const { return !error_; }
  const E& error() const& {
    check(error_.has_value());
    return *error_;
  }
  E&& error() && {
    check(error_.has_value());
    return *std::move(error_);
  }

 private:
  std::optional<E> error_;
};

}  // namespace fermata

/// Evaluates a Result; on failure returns it from the enclosing function, else binds its value.
#define FERMATA_TRY(name, ...)                                                     \
  auto name##_result = (__VA_ARGS__);                                              \
  if (!name##_result) return ::fermata::Failure{std::move(name##_result).error()}; \
  auto name = *std::move(name##_result)

/// The same for a Result whose value is not needed.
#define FERMATA_TRY_VOID(...)                                   \
  do {                                                          \
    if (auto try_result = (__VA_ARGS__); !try_result)           \
      return ::fermata::Failure{std::move(try_result).error()}; \
  } while (false)
