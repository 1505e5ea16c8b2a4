#pragma once
#include <cstdint>
#include <vector>

#include "core/flow/code.h"
#include "core/flow/heap.h"

namespace fermata::flow {

/// One call: what runs, where it goes on, where its slots begin on the stack.
struct Frame {
  const Function* function;
  ClosureObject* closure;
  const Step* next;
  size_t base;
};

/// Where a throw goes, and how much of the stack stays.
struct Handler {
  uint32_t frames;
  uint32_t height;
  uint32_t target;
  bool final;  ///< of a `finally`, which also sees verdicts
};

/// One line of control of a script that does not run right now: its calls and what they hold
/// between two instructions.
struct Fiber {
  std::vector<Datum> stack;
  std::vector<Frame> frames;
  std::vector<Handler> handlers;
  bool unwinding = false;     ///< a verdict passes through it; a `finally` block runs meanwhile
  uint32_t unwind_floor = 0;  ///< handlers that stand below that block

  size_t stack_bytes() const { return stack.size() * sizeof(Datum); }
};

/// The main fiber; others have the number of their awaitable.
constexpr uint32_t main_fiber = 0;

}  // namespace fermata::flow
