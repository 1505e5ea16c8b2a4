#include <algorithm>
#include <initializer_list>

#include "core/flow/quick.h"

/// Finds the instructions that one step can do together. Nothing here changes what code does or
/// costs: a step is as many instructions as its fuel says.
namespace fermata::flow {

namespace {

using From = Quick::From;
using To = Quick::To;

class StepMaker {
 public:
  explicit StepMaker(Function& function) : function_(function) {}

  void run() {
    function_.is_plain = !function_.is_async && !function_.has_rest && !function_.library &&
                         function_.slots <= Function::slots_free;
    function_.steps.resize(function_.code.size());
    for (at_ = 0; at_ < function_.code.size(); ++at_) {
      Step& step = function_.steps[at_];
      step.in = function_.code[at_];
      alone(step);
      if (!number(step) && !text(step) && !member(step) && !element(step)) other(step);
    }
  }

 private:
  /// What the instruction `ahead` of this one is; the one that no code has beyond the end.
  const Instruction& see(size_t ahead) const {
    static constexpr Instruction none{Opcode::opcodes_count};
    return at_ + ahead < function_.code.size() ? function_.code[at_ + ahead] : none;
  }
  bool is(size_t ahead, Opcode op) const { return see(ahead).op == op; }
  bool are(size_t ahead, std::initializer_list<Opcode> ops) const {
    return std::ranges::all_of(ops, [&](Opcode op) { return is(ahead++, op); });
  }

  bool jumps(size_t ahead) const {
    return is(ahead, Opcode::jump_if_false) || is(ahead, Opcode::jump_if_true);
  }
  static bool compares(Opcode op) {
    return Quick::binary(op, From::stack, From::stack, To::branch) != nullptr;
  }

  const Step* place(size_t index) const { return function_.steps.data() + index; }

  /// The step does `count` instructions, and a jump that follows them.
  void finish(Step& step, StepRun run, size_t count) {
    step.run = run;
    step.next = place(at_ + count);
    bool jumps = is(count, Opcode::jump);
    if (jumps) step.next = place(see(count).a);
    step.cost = cost(count + jumps);
    if (jumps && function_.library) step.cost = turn_cost(at_ + count);
  }
  void finish_branch(Step& step, StepRun run, size_t count) {
    const Instruction& jump = see(count - 1);
    step.run = run;
    step.next = place(at_ + count);
    step.other = place(jump.a);
    if (jump.op == Opcode::jump_if_true) std::swap(step.next, step.other);
    step.cost = cost(count);
  }
  /// A turn of a loop costs in the library, too; only a jump goes back there (layout.h).
  uint32_t turn_cost(size_t jump_at) const { return function_.code[jump_at].a <= jump_at ? 1 : 0; }
  uint32_t cost(size_t count) const { return function_.library ? 0 : static_cast<uint32_t>(count); }

  bool number_constant(size_t ahead, double& out) const {
    if (!is(ahead, Opcode::constant)) return false;
    const Value& value = function_.program->constants[see(ahead).a];
    return value.is_number() && Quick::is_exact(Datum::of(value), out);
  }

  /// One instruction, run in its quick way if there is one.
  void alone(Step& step) {
    step.cost = cost(1);
    step.next = place(at_ + 1);
    step.left = step.in.a;
    StepRun quick = Quick::alone(step.in.op);
    step.run = quick != nullptr ? quick : Quick::plain(step.in.op);
    switch (step.in.op) {
      case Opcode::null:
      case Opcode::constant: {
        Datum datum;
        if (step.in.op == Opcode::constant)
          datum = Datum::of(function_.program->constants[step.in.a]);
        step.left = static_cast<uint32_t>(datum.tag);
        step.content = datum.integer;
        break;
      }
      case Opcode::jump:
        step.next = place(step.in.a);
        if (function_.library) step.cost = turn_cost(at_);
        break;
      case Opcode::jump_if_false:
      case Opcode::jump_if_true: finish_branch(step, quick, 1); break;
      case Opcode::keep_if_false:
      case Opcode::keep_if_true:
      case Opcode::keep_if_set:
      case Opcode::skip_if_null: step.other = place(step.in.a); break;
      default: break;
    }
  }

  struct Operands {
    From left = From::stack;
    From right = From::stack;
    size_t count = 0;  ///< instructions that push them
  };
  /// Reads up to two operands that are pushed just before they are used by the instruction behind.
  Operands operands(Step& step) {
    Operands out;
    double constant = 0;
    bool two = is(0, Opcode::load) && (is(1, Opcode::load) || number_constant(1, constant));
    // `x y +` takes both from slots, but of `x y z +` the step of x takes x alone.
    if (two && takes_two(see(2).op)) {
      out.left = From::slot;
      step.left = see(0).a;
      out.count = 1;
    }
    if (is(out.count, Opcode::load)) {
      out.right = From::slot;
      step.right = see(out.count).a;
      ++out.count;
    } else if (number_constant(out.count, constant)) {
      out.right = From::number;
      step.number = constant;
      ++out.count;
    }
    return out;
  }
  static bool takes_two(Opcode op) {
    return op == Opcode::get_index ||
           Quick::binary(op, From::stack, From::stack, To::push) != nullptr;
  }

  /// True when the `load` there is an operand of a step of its own.
  bool begins_more(size_t ahead) const {
    double constant = 0;
    bool two = is(ahead + 1, Opcode::load) || number_constant(ahead + 1, constant);
    return is(ahead + 1, Opcode::get_member) || (two && takes_two(see(ahead + 2).op));
  }

  /// Arithmetic and comparisons, with what happens to their result.
  bool number(Step& step) {
    if (increment(step)) return true;
    Step made = step;
    Operands from = operands(made);
    Opcode op = see(from.count).op;
    size_t count = from.count + 1;
    StepRun run = Quick::binary(op, from.left, from.right, To::push);
    if (run == nullptr) return false;
    step = made;
    if (jumps(count) && compares(op)) {
      finish_branch(step, Quick::binary(op, from.left, from.right, To::branch), count + 1);
      return true;
    }
    bool assigns = are(count, {Opcode::duplicate, Opcode::assign, Opcode::pop});
    if (compares(op) || (!assigns && !is(count, Opcode::initialise))) {
      finish(step, run, count);
      return true;
    }
    To to = assigns ? To::slot : To::fresh_slot;
    step.result = see(assigns ? count + 1 : count).a;
    finish(step, Quick::binary(op, from.left, from.right, to), count + (assigns ? 3 : 1));
    return true;
  }

  /// `i++` and `++i` whose value nobody uses.
  bool increment(Step& step) {
    if (!are(0, {Opcode::load, Opcode::plus})) return false;
    bool postfix = are(2, {Opcode::duplicate, Opcode::constant});
    size_t constant = postfix ? 3 : 2;
    double by = 0;
    if (!number_constant(constant, by)) return false;
    StepRun run = Quick::binary(see(constant + 1).op, From::slot, From::number, To::slot);
    bool used = postfix ? !are(5, {Opcode::assign, Opcode::pop})
                        : !are(4, {Opcode::duplicate, Opcode::assign, Opcode::pop});
    if (run == nullptr || used) return false;
    step.number = by;
    step.result = see(5).a;
    finish(step, run, 7);
    return true;
  }

  /// Comparing with a text that is too short to cost fuel.
  bool text(Step& step) {
    size_t before = is(0, Opcode::load) ? 1 : 0;
    if (!is(before, Opcode::constant)) return false;
    const Value& constant = function_.program->constants[see(before).a];
    if (!constant.is_string() || constant.as_string().size() >= Quick::bytes_per_step) return false;
    From left = before == 1 ? From::slot : From::stack;
    size_t count = before + 2;
    bool branch = jumps(count);
    StepRun run = Quick::same_text(see(before + 1).op, left, branch ? To::branch : To::push);
    if (run == nullptr) return false;
    step.text = &constant;
    if (branch) {
      finish_branch(step, run, count + 1);
    } else {
      finish(step, run, count);
    }
    return true;
  }

  bool member(Step& step) {
    bool kept = is(0, Opcode::duplicate);
    size_t before = is(0, Opcode::load) || kept ? 1 : 0;
    if (is(before, Opcode::get_member)) {
      step.text = name(before);
      From object = before == 1 && !kept ? From::slot : From::stack;
      bool length = !kept && step.text->as_string() == "length";
      finish(step, length ? Quick::get_length(object) : Quick::get_member(object, kept),
             before + 1);
      return true;
    }
    if (!is(0, Opcode::set_member)) return false;
    step.text = name(0);
    bool drop = is(1, Opcode::pop);
    finish(step, Quick::set_member(drop), drop ? 2 : 1);
    return true;
  }
  uint32_t method(Owner owner) const {
    uint32_t number = find_builtin(owner, name(0)->as_string());
    return number < function_.program->library_size ? number : no_builtin;
  }
  const Value* name(size_t ahead) const { return &function_.program->constants[see(ahead).c]; }

  bool element(Step& step) {
    if (is(0, Opcode::set_index)) {
      bool drop = is(1, Opcode::pop);
      finish(step, Quick::set_index(drop), drop ? 2 : 1);
      return true;
    }
    Step made = step;
    Operands from = operands(made);
    if (!is(from.count, Opcode::get_index)) return false;
    if (from.right == From::number) {
      double index = made.number;
      made.content = static_cast<int64_t>(index);
      if (index < 0 || static_cast<double>(made.content) != index) return false;
    }
    step = made;
    finish(step, Quick::get_index(from.left, from.right), from.count + 1);
    return true;
  }

  void other(Step& step) {
    switch (step.in.op) {
      case Opcode::load:
        if (is(1, Opcode::give)) finish(step, Quick::give(From::slot), 2);
        if (is(1, Opcode::load) && !begins_more(1)) {
          step.right = see(1).a;
          finish(step, Quick::push_two(), 2);
        }
        break;
      case Opcode::duplicate:
        if (is(1, Opcode::assign)) {
          bool drop = is(2, Opcode::pop);
          step.result = see(1).a;
          finish(step, Quick::store(drop), drop ? 3 : 2);
        }
        break;
      case Opcode::call_member:
      case Opcode::call_member_list:
        step.left = method(Owner::array_type);
        step.right = method(Owner::string_type);
        break;
      case Opcode::give: step.run = Quick::give(From::stack); break;
      case Opcode::call: step.run = Quick::call(); break;
      case Opcode::load_outer: step.run = Quick::load_outer(); break;
      case Opcode::next:
        step.left = step.in.c;
        if (is(1, Opcode::initialise)) {
          step.result = see(1).a;
          finish(step, Quick::next_item(To::fresh_slot), 2);
        } else {
          finish(step, Quick::next_item(To::push), 1);
        }
        break;
      default: break;
    }
  }

  Function& function_;
  size_t at_ = 0;
};

}  // namespace

void make_steps(Function& function) { StepMaker(function).run(); }

}  // namespace fermata::flow
