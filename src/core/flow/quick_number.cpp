#include "core/flow/quick.h"

/// Numbers: most of what loops and conditions do. One template stands for every instruction with
/// two operands, wherever these come from and the result goes.
namespace fermata::flow {

namespace {

using From = Quick::From;
using To = Quick::To;

constexpr bool compares(Opcode op) {
  return op == Opcode::less || op == Opcode::less_equal || op == Opcode::greater ||
         op == Opcode::greater_equal || op == Opcode::equal || op == Opcode::not_equal;
}

template <Opcode op>
bool compute(double left, double right, double& out) {
  if constexpr (op == Opcode::modulo) return Quick::whole_modulo(left, right, out);
  if constexpr (op == Opcode::add) out = left + right;
  if constexpr (op == Opcode::subtract) out = left - right;
  if constexpr (op == Opcode::multiply) out = left * right;
  if constexpr (op == Opcode::divide) out = left / right;
  return true;
}

template <Opcode op>
bool compute(double left, double right, bool& out) {
  if constexpr (op == Opcode::less) out = left < right;
  if constexpr (op == Opcode::less_equal) out = left <= right;
  if constexpr (op == Opcode::greater) out = left > right;
  if constexpr (op == Opcode::greater_equal) out = left >= right;
  if constexpr (op == Opcode::equal) out = left == right;
  if constexpr (op == Opcode::not_equal) out = left != right;
  return true;
}

template <Opcode op>
bool operand(const Datum& datum, double& out) {
  // Comparing is exact also where a double is not; arithmetic makes doubles first (F-11).
  return compares(op) ? Quick::is_exact(datum, out) : Quick::is_number(datum, out);
}

template <Opcode op, From left_from, From right_from, To to>
void two_numbers(FLOW_STEP) {
  constexpr int on_stack = (left_from == From::stack) + (right_from == From::stack);
  const Datum& left = left_from == From::slot ? base[at->left] : top[-on_stack];
  double a = 0, b = at->number;
  bool known = operand<op>(left, a);
  if constexpr (right_from != From::number) {
    const Datum& right = right_from == From::slot ? base[at->right] : top[-1];
    known = known && operand<op>(right, b);
  }
  std::conditional_t<compares(op), bool, double> out{};
  if (!known || fuel < at->cost || !compute<op>(a, b, out)) [[unlikely]]
    FLOW_RUN_PLAIN();
  if constexpr (to == To::branch) {
    fuel -= at->cost;
    top -= on_stack;
    if (out) FLOW_RUN(at->next);
    FLOW_RUN(at->other);
  } else if constexpr (to == To::slot || to == To::fresh_slot) {
    Datum& place = base[at->result];
    if (to == To::slot && place.tag == Tag::unset) [[unlikely]]
      FLOW_RUN_PLAIN();
    fuel -= at->cost;
    top -= on_stack;
    Quick::put(place, out);
    FLOW_RUN(at->next);
  } else {
    fuel -= at->cost;
    top += 1 - on_stack;
    Quick::put(top[-1], out);
    FLOW_RUN(at->next);
  }
}

template <Opcode op, From left, From right>
StepRun to_where(To to) {
  if (to == To::push) return two_numbers<op, left, right, To::push>;
  if constexpr (compares(op)) {
    return to == To::branch ? two_numbers<op, left, right, To::branch> : nullptr;
  } else {
    if (to == To::branch) return nullptr;
    return to == To::slot ? two_numbers<op, left, right, To::slot>
                          : two_numbers<op, left, right, To::fresh_slot>;
  }
}

template <Opcode op>
StepRun from_where(From left, From right, To to) {
  if (left == From::slot) {
    if (right == From::slot) return to_where<op, From::slot, From::slot>(to);
    if (right == From::number) return to_where<op, From::slot, From::number>(to);
    return nullptr;
  }
  if (left != From::stack) return nullptr;
  if (right == From::slot) return to_where<op, From::stack, From::slot>(to);
  if (right == From::number) return to_where<op, From::stack, From::number>(to);
  return to_where<op, From::stack, From::stack>(to);
}

}  // namespace

StepRun Quick::binary(Opcode op, From left, From right, To to) {
  switch (op) {
    case Opcode::add: return from_where<Opcode::add>(left, right, to);
    case Opcode::subtract: return from_where<Opcode::subtract>(left, right, to);
    case Opcode::multiply: return from_where<Opcode::multiply>(left, right, to);
    case Opcode::divide: return from_where<Opcode::divide>(left, right, to);
    case Opcode::modulo: return from_where<Opcode::modulo>(left, right, to);
    case Opcode::less: return from_where<Opcode::less>(left, right, to);
    case Opcode::less_equal: return from_where<Opcode::less_equal>(left, right, to);
    case Opcode::greater: return from_where<Opcode::greater>(left, right, to);
    case Opcode::greater_equal: return from_where<Opcode::greater_equal>(left, right, to);
    case Opcode::equal: return from_where<Opcode::equal>(left, right, to);
    case Opcode::not_equal: return from_where<Opcode::not_equal>(left, right, to);
    default: return nullptr;
  }
}

}  // namespace fermata::flow
