#include "core/flow/machine.h"

#include <algorithm>

#include "core/model/measure.h"

namespace fermata::flow {

Machine::Machine(const Expression::Program& program, const Roots& roots, const EvalGiven& given)
    : program_(program),
      prelude_(program.prelude ? *program.prelude : *prelude_program()),
      given_roots_(roots),
      given_(given),
      heap_(given.limits.memory_bytes_max),
      random_(given.entropy),
      steps_given_(given.pool ? std::min(given.pool->left, given.limits.steps_max)
                              : given.limits.steps_max),
      steps_left_(steps_given_) {
  if (program.roots.size() > few_roots_.size()) {
    many_roots_ = std::make_unique<Root[]>(program.roots.size());
  }
}

Machine::~Machine() {
  if (!given_.pool) return;
  uint64_t cost = steps_given_ - steps_left_ + StepPool::evaluation_steps;
  given_.pool->left -= std::min(given_.pool->left, cost);
}

/// Looks at what the last instruction left behind: an end, a thrown value, a full heap. False when
/// the evaluation is over.
bool Machine::attend() {
  if (heap_.wants_attention() && verdict_ == Verdict::none) collect();
  if (verdict_ != Verdict::none) return false;
  if (thrown_) {
    attention_ = false;
    thrown_ = false;
    if (!unwind()) fail();
    return verdict_ == Verdict::none;
  }
  return true;
}

void Machine::end(Verdict verdict) {
  if (verdict_ == Verdict::none) verdict_ = verdict;
  attention_ = true;
}

void Machine::collect() {
  for (const Datum& datum : stack_) heap_.mark(datum);
  for (const Frame& frame : frames_) heap_.mark(frame.closure);
  for (const auto& [number, fiber] : fibers_) {
    for (const Datum& datum : fiber.stack) heap_.mark(datum);
    for (const Frame& frame : fiber.frames) heap_.mark(frame.closure);
  }
  for (const auto& [json, copy] : adopted_) heap_.mark(copy);
  heap_.mark(result_);
  heap_.mark(thrown_value_);
  heap_.trace();
  std::erase_if(awaitables_, [](const auto& one) { return !one.second->marked; });
  heap_.sweep();
  if (heap_.crowded()) end(Verdict::memory);
}

const Machine::Root& Machine::root(size_t index) {
  Root& root = many_roots_ ? many_roots_[index] : few_roots_[index];
  if (!root.asked) {
    root.asked = true;
    if (auto value = given_roots_.root(program_.roots[index])) {
      root.present = true;
      root.value = *std::move(value);
    }
  }
  return root;
}

bool Machine::charge(uint64_t steps) {
  if (steps_left_ < steps) {
    steps_left_ = 0;
    end(Verdict::steps);
    return false;
  }
  steps_left_ -= steps;
  return true;
}

bool Machine::text_fits(size_t bytes) {
  bool limited = program_.grammar != Grammar::fragment;
  if (limited && bytes > given_.limits.text_bytes_max) {
    end(Verdict::text);
    return false;
  }
  return memory_fits(bytes);
}

bool Machine::list_fits(size_t items) {
  if (items <= given_.limits.list_items_max) return true;
  end(Verdict::list);
  return false;
}

bool Machine::memory_fits(size_t bytes) {
  if (bytes <= heap_.bytes_left()) return true;
  end(Verdict::memory);
  return false;
}

Datum Machine::keep(Value value, size_t bytes) {
  heap_.pin(bytes);
  kept_.push_back({std::make_unique<Value>(std::move(value)), bytes});
  return Datum::of(*kept_.back().value);
}

Datum Machine::keep(Value value) {
  if (value.is_string()) return heap_.text(value.as_string());
  if (!value.is_array() && !value.is_object()) return Datum::of(value);
  uint64_t bytes = approximate_bytes(value);
  return keep(std::move(value), bytes);
}

Datum Machine::text(std::string_view content) {
  if (!text_fits(content.size()) || !charge_bytes(content.size())) return {};
  return heap_.text(content);
}

Datum Machine::text(std::string&& content) {
  if (!text_fits(content.size()) || !charge_bytes(content.size())) return {};
  return heap_.text(std::move(content));
}

}  // namespace fermata::flow
