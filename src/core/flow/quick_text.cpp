#include "core/flow/quick.h"

/// Comparing with a short text that stands in the script: names of states, kinds and errors.
namespace fermata::flow {

namespace {

using From = Quick::From;
using To = Quick::To;

/// True when both are the same text; `known` says whether the left one is a text at all.
bool is_text(const Datum& left, const Value* right, bool& known) {
  known = left.is_text();
  if (!known) return false;
  return left.json == right || text_of(left) == right->as_string();
}

template <Opcode op, From left, To to>
void same_text_as(FLOW_STEP) {
  bool known = false;
  bool same = is_text(left == From::slot ? base[at->left] : top[-1], at->text, known);
  if (!known || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  bool out = same == (op == Opcode::equal);
  if constexpr (to == To::branch) {
    top -= left == From::stack;
    if (out) FLOW_RUN(at->next);
    FLOW_RUN(at->other);
  } else {
    top += left == From::slot;
    Quick::put(top[-1], out);
    FLOW_RUN(at->next);
  }
}

template <Opcode op, From left>
StepRun text_to_where(To to) {
  return to == To::branch ? same_text_as<op, left, To::branch> : same_text_as<op, left, To::push>;
}

}  // namespace

StepRun Quick::same_text(Opcode op, From left, To to) {
  if (op == Opcode::equal)
    return left == From::slot ? text_to_where<Opcode::equal, From::slot>(to)
                              : text_to_where<Opcode::equal, From::stack>(to);
  if (op == Opcode::not_equal)
    return left == From::slot ? text_to_where<Opcode::not_equal, From::slot>(to)
                              : text_to_where<Opcode::not_equal, From::stack>(to);
  return nullptr;
}

}  // namespace fermata::flow
