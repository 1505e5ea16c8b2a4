#pragma once
#include "core/flow/code.h"
#include "core/flow/machine.h"

namespace fermata::flow {

/// What every step is given, and passes on.
#define FLOW_STEP Machine &m, const Step *at, Datum *top, Datum *base, uint64_t fuel
/// Ends a step by jumping to another. Nothing is returned to, so the host's stack does not grow.
#define FLOW_RUN(step) [[clang::musttail]] return (step)->run(m, step, top, base, fuel)
/// Ends a step that has changed nothing yet: its first instruction is run as what it says.
#define FLOW_RUN_PLAIN()                                                                         \
  [[clang::musttail]] return Quick::plain_runs[static_cast<size_t>(at->in.op)](m, at, top, base, \
                                                                               fuel)

/// The ways to run a step. A quick one works on what it is handed and asks first whether operands
/// and fuel are such that no instruction in it could fail, allocate or take more; if not, it steps
/// aside for the plain way, which is the instruction's own meaning (Machine::op_...). So the two
/// cannot be told apart but by the clock.
struct Quick {
  /// Where an operand comes from.
  enum class From : uint8_t { stack, slot, number };
  /// Where a result goes: to the stack, into a slot that must be set, into any slot, or nowhere
  /// because it decides where to go on.
  enum class To : uint8_t { push, slot, fresh_slot, branch };

  static constexpr size_t bytes_per_step = Machine::bytes_per_step;

  /// Any instruction, one at a time (machine_step.cpp).
  static const StepRun plain_runs[static_cast<size_t>(Opcode::opcodes_count)];
  static StepRun plain(Opcode op) { return plain_runs[static_cast<size_t>(op)]; }
  template <void (Machine::*op)(const Instruction&)>
  static void run_plain(FLOW_STEP);
  /// Goes on after a call or a return that used up the fuel.
  static void arrive(FLOW_STEP);

  // Each gives nullptr when there is no quick way.
  static StepRun alone(Opcode op);  // quick_stack.cpp
  static StepRun push_two();
  static StepRun store(bool drop);
  static StepRun binary(Opcode op, From left, From right, To to);  // quick_number.cpp
  static StepRun same_text(Opcode op, From left, To to);           // quick_text.cpp
  static StepRun get_member(From object, bool keep);               // quick_data.cpp
  static StepRun get_length(From object);
  static StepRun get_index(From object, From key);
  static StepRun set_member(bool drop);
  static StepRun set_index(bool drop);
  static StepRun next_item(To to);
  static StepRun call();  // quick_call.cpp
  static StepRun load_outer();
  static StepRun give(From value);

  // The machine's frames.
  static const Frame& frame(Machine& m) { return m.frames_.back(); }
  static Datum* base(Machine& m) { return m.stack_.data() + m.base_; }
  static bool is_outermost(Machine& m) { return m.frames_.size() == 1; }
  static bool may_enter(Machine& m, const Function& function, const Datum* base) {
    return m.frames_.size() < m.given_.limits.call_depth_max &&
           m.stack_.room_behind(base) >= function.stack_needed();
  }
  /// The arguments lie at `base`, under them the callee, whose place is for the result.
  static void enter(Machine& m, const Step* back_at, const Function& function,
                    ClosureObject* closure, Datum* base) {
    m.frames_.back().next = back_at;
    put_null(base[-1]);  // what the callee captured may be free to go
    m.base_ = static_cast<size_t>(base - m.stack_.data());
    m.frames_.push({&function, closure, nullptr, m.base_});
    m.step_cost_ = function.library ? 0 : 1;
  }
  /// Gives the step that the caller goes on with.
  static const Step* leave(Machine& m) {
    m.frames_.drop(1);
    const Frame& caller = m.frames_.back();
    m.base_ = caller.base;
    m.step_cost_ = caller.function->library ? 0 : 1;
    return caller.next;
  }

  // What the ways share. Tag and content are moved apart: they were written apart, and a processor
  // is slow to read as one what it has just written as two.
  static void copy(Datum& to, const Datum& from) {
    to.tag = from.tag;
    to.integer = from.integer;
  }
  static void put_null(Datum& to) {
    to.tag = Tag::null;
    to.integer = 0;
  }
  static void put(Datum& to, double number) {
    to.tag = Tag::number;
    to.number = number;
  }
  static void put(Datum& to, bool boolean) {
    to.tag = Tag::boolean;
    to.integer = boolean;
  }
  static bool is_number(const Datum& datum, double& out) {
    if (datum.tag == Tag::number) {
      out = datum.number;
      return true;
    }
    if (datum.tag != Tag::integer) return false;
    out = static_cast<double>(datum.integer);
    return true;
  }
  /// Up to here a double holds every integer.
  static constexpr int64_t exact_integer_max = int64_t{1} << 53;
  /// The same number as a double; false for what is none and for integers that no double holds.
  static bool is_exact(const Datum& datum, double& out) {
    if (datum.tag == Tag::integer &&
        (datum.integer > exact_integer_max || datum.integer < -exact_integer_max))
      return false;
    return is_number(datum, out);
  }
  /// What `std::fmod` gives, for two whole numbers of which the second is positive and the first
  /// not negative; false for all others.
  static bool whole_modulo(double left, double right, double& out) {
    constexpr auto most = static_cast<double>(exact_integer_max);
    if (!(left >= 0 && left < most && right >= 1 && right < most)) return false;
    auto a = static_cast<int64_t>(left);
    auto b = static_cast<int64_t>(right);
    if (static_cast<double>(a) != left || static_cast<double>(b) != right) return false;
    out = a == 0 ? left : static_cast<double>(a % b);  // -0 keeps its sign
    return true;
  }
};

}  // namespace fermata::flow
