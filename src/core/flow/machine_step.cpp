#include "core/flow/quick.h"

/// The instructions that every program is full of, in one file so that the compiler can put them
/// into the dispatch itself.
namespace fermata::flow {

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
    next_ = frames_.back().function->step(in.a);
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
    case Found::yes: object = out; return;
    case Found::no: return missing(in, source, name.as_string());
    case Found::thrown: return;
  }
}

inline void Machine::op_logical_not(const Instruction&) {
  stack_.back() = Datum::of(!truthy(stack_.back()));
}
inline void Machine::op_jump(const Instruction& in) {
  const Step* target = frames_.back().function->step(in.a);
  if (step_cost_ == 0 && target < next_ && !charge(1)) return;
  next_ = target;
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
              Quick::whole_modulo(left.as_number(), right.as_number(), rest);
  if (!fast) return arithmetic(in, Opcode::modulo);
  left = Datum::of(rest);
  stack_.drop(1);
}
inline void Machine::op_power(const Instruction& in) { arithmetic(in, Opcode::power); }

inline void Machine::op_less(const Instruction&) {
  double a = 0, b = 0;
  if (!Quick::is_exact(stack_.from_top(1), a) || !Quick::is_exact(stack_.back(), b))
    return comparison(Opcode::less);
  stack_.drop(1);
  stack_.back() = Datum::of(a < b);
}
inline void Machine::op_less_equal(const Instruction&) {
  double a = 0, b = 0;
  if (!Quick::is_exact(stack_.from_top(1), a) || !Quick::is_exact(stack_.back(), b))
    return comparison(Opcode::less_equal);
  stack_.drop(1);
  stack_.back() = Datum::of(a <= b);
}
inline void Machine::op_greater(const Instruction&) {
  double a = 0, b = 0;
  if (!Quick::is_exact(stack_.from_top(1), a) || !Quick::is_exact(stack_.back(), b))
    return comparison(Opcode::greater);
  stack_.drop(1);
  stack_.back() = Datum::of(a > b);
}
inline void Machine::op_greater_equal(const Instruction&) {
  double a = 0, b = 0;
  if (!Quick::is_exact(stack_.from_top(1), a) || !Quick::is_exact(stack_.back(), b))
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

/// The instruction's own meaning, then a look at what it left behind.
template <void (Machine::*op)(const Instruction&)>
void Quick::run_plain(FLOW_STEP) {
  m.stack_.set_end(top);
  if (fuel < m.step_cost_) [[unlikely]] {
    m.next_ = at;
    m.steps_left_ = m.slice_floor_ + fuel;
    m.may_go_on();
    return;
  }
  m.next_ = at + 1;
  m.steps_left_ = m.slice_floor_ + fuel - m.step_cost_;
  (m.*op)(at->in);
  if (m.attention_ || m.heap_.wants_attention()) [[unlikely]] {
    if (!m.attend()) return;
  }
  if (!m.may_go_on()) [[unlikely]]
    return;
  at = m.next_;
  top = m.stack_.end();
  base = Quick::base(m);
  fuel = m.steps_left_ - m.slice_floor_;
  FLOW_RUN(at);
}

const StepRun Quick::plain_runs[] = {
#define FLOW_OPCODE(name, effect) run_plain<&Machine::op_##name>,
#include "core/flow/opcodes.def"
#undef FLOW_OPCODE
};

void Quick::arrive(FLOW_STEP) {
  m.next_ = at;
  m.stack_.set_end(top);
  m.steps_left_ = m.slice_floor_ + fuel;
  if (!m.may_go_on()) return;
  FLOW_RUN(at);
}

/// Looks at the fuel before an instruction: false when the slice or the budget is used up. The
/// library's own instructions cost nothing, but may be cut as any other.
bool Machine::may_go_on() {
  if (steps_left_ > slice_floor_) [[likely]]
    return true;
  if (slice_floor_ > 0 && steps_left_ > 0) {
    end(Verdict::sliced);
    return false;
  }
  if (step_cost_ > 0) {
    end(Verdict::steps);
    return false;
  }
  slice_floor_ = 0;  // nothing is left that could be cut
  return true;
}

bool Machine::run() {
  stack_.push({});
  enter(*program_.functions.front(), nullptr, 0);
  loop();
  return verdict_ == Verdict::finished;
}

bool Machine::run(ClosureObject& closure, std::span<const Datum> arguments) {
  stack_.push(Heap::datum(&closure));
  for (const Datum& argument : arguments) stack_.push(argument);
  call_value(stack_.from_top(arguments.size()), arguments.size());
  if (!attention_ || attend()) loop();
  return verdict_ == Verdict::finished;
}

void Machine::loop() {
  if (!may_go_on()) return;
  // What a fiber was just given may have filled the heap. That is looked at after an instruction,
  // which only the plain ones are.
  const Step* at = next_;
  StepRun run = heap_.wants_attention() ? Quick::plain(at->in.op) : at->run;
  run(*this, at, stack_.end(), Quick::base(*this), steps_left_ - slice_floor_);
}

}  // namespace fermata::flow
