#include "core/flow/quick.h"

/// Calling and returning without leaving the steps.
namespace fermata::flow {

namespace {

using From = Quick::From;

void push_outer(FLOW_STEP) {
  const Datum& value = Quick::frame(m).closure->cells[at->left]->value;
  if (value.tag == Tag::unset || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*top++, value);
  FLOW_RUN(at->next);
}

/// A function of the script. Arguments it has no parameter for end up above its slots, or under
/// what these begin with.
void call_closure(FLOW_STEP) {
  size_t count = at->in.b;
  const Datum& callee = top[-1 - static_cast<std::ptrdiff_t>(count)];
  if (callee.tag != Tag::closure || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  auto* closure = static_cast<ClosureObject*>(callee.heap);
  const Function& function = *closure->function;
  base = top - count;
  if (!function.is_plain || !Quick::may_enter(m, function, base)) [[unlikely]] {
    base = Quick::base(m);
    FLOW_RUN_PLAIN();
  }
  fuel -= at->cost;
  Quick::enter(m, at + 1, function, closure, base);
  for (; count < function.parameters; ++count) Quick::put_null(base[count]);
  for (size_t slot = function.parameters; slot < function.slots; ++slot) {
    base[slot].tag = Tag::unset;
    base[slot].integer = 0;
  }
  top = base + function.slots;
  at = function.step(0);
  if (fuel == 0) [[unlikely]] {
    [[clang::musttail]] return Quick::arrive(m, at, top, base, fuel);
  }
  FLOW_RUN(at);
}

template <From from>
void give_back(FLOW_STEP) {
  const Datum& value = from == From::slot ? base[at->left] : top[-1];
  if (value.tag == Tag::unset || fuel < at->cost || Quick::is_outermost(m)) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(base[-1], value);
  top = base;
  at = Quick::leave(m);
  base = Quick::base(m);
  if (fuel == 0) [[unlikely]] {
    [[clang::musttail]] return Quick::arrive(m, at, top, base, fuel);
  }
  FLOW_RUN(at);
}

}  // namespace

StepRun Quick::call() { return call_closure; }

StepRun Quick::load_outer() { return push_outer; }

StepRun Quick::give(From value) {
  return value == From::slot ? give_back<From::slot> : give_back<From::stack>;
}

}  // namespace fermata::flow
