#include "core/flow/durable/activation.h"

/// What a script may use up, told in the words of its settings (F-51).
namespace fermata::flow {

namespace {

using Verdict = Machine::Verdict;

struct Budget {
  std::string_view code;
  std::string_view message;  ///< before the limit
  uint64_t limit;
  std::string_view setting;
};

Budget budget_of(Verdict verdict, const FlowLimits& limits) {
  switch (verdict) {
    case Verdict::steps:
      return {"fuel_exhausted", "the activation uses more fuel than ", limits.fuel, "fuel"};
    case Verdict::memory:
      return {"memory_exceeded", "the script holds more bytes than ", limits.memory_bytes,
              "memory"};
    case Verdict::text:
      return {"value_too_large", "a string has more bytes than ", limits.string_bytes,
              "string_bytes"};
    case Verdict::list:
      return {"value_too_large", "a list has more items than ", limits.list_items, "list_items"};
    case Verdict::depth:
      return {"call_depth_exceeded", "functions call each other deeper than ", limits.call_depth,
              "call_depth"};
    case Verdict::fibers:
      return {"too_many_fibers", "there are more fibers than ", limits.fibers, "fibers"};
    case Verdict::awaitables:
      return {"too_many_awaitables", "there are more pending awaitables than ", limits.awaitables,
              "awaitables"};
    default: return {"engine_error", "the machine met what cannot be", 0, {}};
  }
}

}  // namespace

FlowError Activation::error_of(Verdict verdict) {
  if (verdict == Verdict::uncaught || machine_.has_thrown()) return machine_.thrown_error();
  Budget budget = budget_of(verdict, given_.limits);
  FlowError out;
  out.code = budget.code;
  out.message = budget.message;
  if (!budget.setting.empty()) {
    out.message += std::to_string(budget.limit) + " (flow." + std::string(budget.setting) + ")";
    out.details = Value::object({{"limit", budget.limit}});
  }
  Place place = machine_.here();
  out.line = place.line;
  out.column = place.column;
  return out;
}

}  // namespace fermata::flow
