#include <cmath>

#include "core/flow/machine.h"

/// The instructions that every program is full of, in one file so that the compiler can put them
/// into the dispatch itself.
namespace fermata::flow {

namespace {

/// Up to here a double holds every integer.
constexpr int64_t exact_integer_max = int64_t{1} << 53;

/// The same number as a double; false for what is none and for integers that a double cannot hold.
inline bool is_exact(const Datum& datum, double& out) {
  if (datum.tag == Tag::number) {
    out = datum.number;
    return true;
  }
  if (datum.tag != Tag::integer || datum.integer > exact_integer_max ||
      datum.integer < -exact_integer_max)
    return false;
  out = static_cast<double>(datum.integer);
  return true;
}

/// What `std::fmod` gives, for two whole numbers of which the second is positive and the first not
/// negative; false for all others.
inline bool whole_modulo(double left, double right, double& out) {
  constexpr auto most = static_cast<double>(exact_integer_max);
  if (!(left >= 0 && left < most && right >= 1 && right < most) || std::signbit(left)) return false;
  auto a = static_cast<int64_t>(left);
  auto b = static_cast<int64_t>(right);
  if (static_cast<double>(a) != left || static_cast<double>(b) != right) return false;
  out = static_cast<double>(a % b);
  return true;
}

}  // namespace

inline void Machine::op_constant(const Instruction& in) {
  const Function& function = *frames_.back().function;
  stack_.push(Datum::of(function.program->constants[in.a]));
}
inline void Machine::op_null(const Instruction&) { stack_.push({}); }
inline void Machine::op_pop(const Instruction&) { stack_.drop(1); }
inline void Machine::op_duplicate(const Instruction&) { stack_.push(stack_.back()); }
inline void Machine::op_duplicate_two(const Instruction&) {
  stack_.push(stack_.from_top(1));
  stack_.push(stack_.from_top(1));
}
inline void Machine::op_under_one(const Instruction&) {
  std::swap(stack_.from_top(0), stack_.from_top(1));
}
inline void Machine::op_under_two(const Instruction&) {
  std::swap(stack_.from_top(0), stack_.from_top(1));
  std::swap(stack_.from_top(1), stack_.from_top(2));
}
inline void Machine::op_under_three(const Instruction& in) {
  op_under_two(in);
  std::swap(stack_.from_top(2), stack_.from_top(3));
}
inline void Machine::op_rotate_three(const Instruction&) {
  std::swap(stack_.from_top(2), stack_.from_top(1));
  std::swap(stack_.from_top(1), stack_.from_top(0));
}

inline void Machine::op_load(const Instruction& in) {
  Datum value = stack_[base_ + in.a];
  if (value.tag == Tag::unset) [[unlikely]] {
    throw_unset("used");
  }
  stack_.push(value);
}
inline void Machine::op_initialise(const Instruction& in) { stack_[base_ + in.a] = stack_.pop(); }
inline void Machine::op_assign(const Instruction& in) {
  // In Rhythm scripts an assignment is enough to make a variable.
  if (stack_[base_ + in.a].tag == Tag::unset && !program_.rhythm) [[unlikely]] {
    throw_unset("set");
    return;
  }
  stack_[base_ + in.a] = stack_.pop();
}
inline void Machine::op_clear(const Instruction& in) { stack_[base_ + in.a] = Datum::unset(); }

inline void Machine::op_load_root(const Instruction& in) {
  const Root& found = root(in.c);
  if (found.present) [[likely]] {
    stack_.push(Datum::of(found.value));
  } else if (static_cast<Missing>(in.b) == Missing::is_null) {
    stack_.push({});
    next_ = frames_.back().function->code.data() + in.a;
  } else {
    unresolved(program_.paths[in.a]);
  }
}

inline void Machine::op_get_member(const Instruction& in) {
  Datum& object = stack_.back();
  const Value& name = frames_.back().function->program->constants[in.c];
  if (object.tag == Tag::json_object && adopted_.empty()) [[likely]] {
    if (const Value* found = object.json->find(name.as_string())) {
      object = Datum::of(*found);
      return;
    }
    return missing(in, object, name.as_string());
  }
  Datum out;
  Datum source = current(object);
  switch (find_member(source, name.as_string(), out)) {
    case Found::yes:
      object = out;
      return;
    case Found::no:
      return missing(in, source, name.as_string());
    case Found::thrown:
      return;
  }
}

inline void Machine::op_logical_not(const Instruction&) {
  stack_.back() = Datum::of(!truthy(stack_.back()));
}
inline void Machine::op_jump(const Instruction& in) {
  next_ = frames_.back().function->code.data() + in.a;
}
inline void Machine::op_jump_if_false(const Instruction& in) {
  Datum value = stack_.pop();
  if (!(value.tag == Tag::boolean ? value.boolean : truthy(value))) op_jump(in);
}
inline void Machine::op_jump_if_true(const Instruction& in) {
  Datum value = stack_.pop();
  if (value.tag == Tag::boolean ? value.boolean : truthy(value)) op_jump(in);
}
inline void Machine::op_keep_if_false(const Instruction& in) {
  if (!truthy(stack_.back())) return op_jump(in);
  stack_.drop(1);
}
inline void Machine::op_keep_if_true(const Instruction& in) {
  if (truthy(stack_.back())) return op_jump(in);
  stack_.drop(1);
}
inline void Machine::op_keep_if_set(const Instruction& in) {
  if (!stack_.back().is_null()) return op_jump(in);
  stack_.drop(1);
}
inline void Machine::op_skip_if_null(const Instruction& in) {
  if (stack_.back().is_null()) op_jump(in);
}

inline void Machine::op_add(const Instruction& in) {
  Datum& left = stack_.from_top(1);
  const Datum& right = stack_.back();
  if (left.is_number() && right.is_number()) [[likely]] {
    left = Datum::of(left.as_number() + right.as_number());
    stack_.drop(1);
    return;
  }
  arithmetic(in, Opcode::add);
}
inline void Machine::op_subtract(const Instruction& in) {
  Datum& left = stack_.from_top(1);
  const Datum& right = stack_.back();
  if (!left.is_number() || !right.is_number()) return arithmetic(in, Opcode::subtract);
  left = Datum::of(left.as_number() - right.as_number());
  stack_.drop(1);
}
inline void Machine::op_multiply(const Instruction& in) {
  Datum& left = stack_.from_top(1);
  const Datum& right = stack_.back();
  if (!left.is_number() || !right.is_number()) return arithmetic(in, Opcode::multiply);
  left = Datum::of(left.as_number() * right.as_number());
  stack_.drop(1);
}
inline void Machine::op_divide(const Instruction& in) { arithmetic(in, Opcode::divide); }
inline void Machine::op_modulo(const Instruction& in) {
  Datum& left = stack_.from_top(1);
  const Datum& right = stack_.back();
  double rest = 0;
  bool fast = left.is_number() && right.is_number() &&
              whole_modulo(left.as_number(), right.as_number(), rest);
  if (!fast) return arithmetic(in, Opcode::modulo);
  left = Datum::of(rest);
  stack_.drop(1);
}
inline void Machine::op_power(const Instruction& in) { arithmetic(in, Opcode::power); }

inline void Machine::op_less(const Instruction&) {
  double a = 0, b = 0;
  if (!is_exact(stack_.from_top(1), a) || !is_exact(stack_.back(), b))
    return comparison(Opcode::less);
  stack_.drop(1);
  stack_.back() = Datum::of(a < b);
}
inline void Machine::op_less_equal(const Instruction&) {
  double a = 0, b = 0;
  if (!is_exact(stack_.from_top(1), a) || !is_exact(stack_.back(), b))
    return comparison(Opcode::less_equal);
  stack_.drop(1);
  stack_.back() = Datum::of(a <= b);
}
inline void Machine::op_greater(const Instruction&) {
  double a = 0, b = 0;
  if (!is_exact(stack_.from_top(1), a) || !is_exact(stack_.back(), b))
    return comparison(Opcode::greater);
  stack_.drop(1);
  stack_.back() = Datum::of(a > b);
}
inline void Machine::op_greater_equal(const Instruction&) {
  double a = 0, b = 0;
  if (!is_exact(stack_.from_top(1), a) || !is_exact(stack_.back(), b))
    return comparison(Opcode::greater_equal);
  stack_.drop(1);
  stack_.back() = Datum::of(a >= b);
}

inline void Machine::op_give(const Instruction&) {
  Datum value = stack_.pop();
  stack_.shrink_to(base_);
  stack_.back() = value;
  frames_.drop(1);
  if (frames_.empty()) return finish(value);
  const Frame& frame = frames_.back();
  next_ = frame.next;
  base_ = frame.base;
  step_cost_ = frame.function->library ? 0 : 1;
}

inline void Machine::step(const Instruction& in) {
  switch (in.op) {
#define FLOW_OPCODE(name, effect) \
  case Opcode::name:              \
    return op_##name(in);
#include "core/flow/opcodes.def"
#undef FLOW_OPCODE
    case Opcode::opcodes_count:
      return end(Verdict::damaged);
  }
}

bool Machine::run() {
  stack_.push({});
  enter(*program_.functions.front(), nullptr, 0);
  loop();
  return verdict_ == Verdict::finished;
}

void Machine::loop() {
  while (true) {
    if (steps_left_ <= slice_floor_) [[unlikely]] {
      bool cut = slice_floor_ > 0 && steps_left_ > 0;
      if (cut) return end(Verdict::sliced);
      if (step_cost_ > 0) return end(Verdict::steps);
    }
    const Instruction& in = *next_++;
    steps_left_ -= step_cost_;
    step(in);
    if (attention_ || heap_.wants_attention()) [[unlikely]] {
      if (!attend()) return;
    }
  }
}

}  // namespace fermata::flow
