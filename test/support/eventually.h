#pragma once
#include <poll.h>

#include <chrono>

namespace fermata::test {

/// Waits for a condition that something outside makes true; false when it did not in time.
template <class Condition>
bool eventually(Condition&& holds, std::chrono::milliseconds within = std::chrono::seconds(20)) {
  auto deadline = std::chrono::steady_clock::now() + within;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return holds();
    poll(nullptr, 0, 2);
  }
  return true;
}

}  // namespace fermata::test
