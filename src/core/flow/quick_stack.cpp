#include "core/flow/quick.h"

/// Moving values between slots and stack, and going elsewhere.
namespace fermata::flow {

namespace {

void push_constant(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  top->tag = static_cast<Tag>(at->left);
  top->integer = at->content;
  ++top;
  FLOW_RUN(at->next);
}

void push_slot(FLOW_STEP) {
  const Datum& slot = base[at->left];
  if (slot.tag == Tag::unset || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*top++, slot);
  FLOW_RUN(at->next);
}

void push_two_slots(FLOW_STEP) {
  const Datum& first = base[at->left];
  const Datum& second = base[at->right];
  if (first.tag == Tag::unset || second.tag == Tag::unset || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(top[0], first);
  Quick::copy(top[1], second);
  top += 2;
  FLOW_RUN(at->next);
}

/// `duplicate` and `assign`, and the `pop` that ends a statement.
template <bool drop>
void store_top(FLOW_STEP) {
  if (base[at->result].tag == Tag::unset || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(base[at->result], top[-1]);
  top -= drop;
  FLOW_RUN(at->next);
}

void drop(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  --top;
  FLOW_RUN(at->next);
}

void duplicate(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*top, top[-1]);
  ++top;
  FLOW_RUN(at->next);
}

void initialise(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(base[at->left], *--top);
  FLOW_RUN(at->next);
}

void assign(FLOW_STEP) {
  if (base[at->left].tag == Tag::unset || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(base[at->left], *--top);
  FLOW_RUN(at->next);
}

void clear(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  base[at->left].tag = Tag::unset;
  base[at->left].integer = 0;
  FLOW_RUN(at->next);
}

/// A cell that holds something, or nullptr. Slots come from snapshots, so they are looked at.
const CellObject* set_cell(const Datum& slot) {
  if (slot.tag != Tag::cell) return nullptr;
  const auto* cell = static_cast<const CellObject*>(slot.heap);
  return cell->value.tag == Tag::unset ? nullptr : cell;
}

void push_cell(FLOW_STEP) {
  const CellObject* cell = set_cell(base[at->left]);
  if (cell == nullptr || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*top++, cell->value);
  FLOW_RUN(at->next);
}

void jump(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  FLOW_RUN(at->next);
}

/// Goes to `next` when the boolean on top is true, else to `other`; the places are swapped for the
/// instruction that goes the other way.
void branch(FLOW_STEP) {
  if (top[-1].tag != Tag::boolean || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  --top;
  if (top->boolean) FLOW_RUN(at->next);
  FLOW_RUN(at->other);
}

/// For `&&` and `||`: the boolean on top stays where it decides.
template <bool kept>
void keep(FLOW_STEP) {
  if (top[-1].tag != Tag::boolean || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  if (top[-1].boolean == kept) FLOW_RUN(at->other);
  --top;
  FLOW_RUN(at->next);
}

void keep_if_set(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  if (top[-1].tag != Tag::null) FLOW_RUN(at->other);
  --top;
  FLOW_RUN(at->next);
}

void skip_if_null(FLOW_STEP) {
  if (fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  if (top[-1].tag == Tag::null) FLOW_RUN(at->other);
  FLOW_RUN(at->next);
}

/// A number stays as it is.
void plus(FLOW_STEP) {
  if (!top[-1].is_number() || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  FLOW_RUN(at->next);
}

void logical_not(FLOW_STEP) {
  if (top[-1].tag != Tag::boolean || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::put(top[-1], !top[-1].boolean);
  FLOW_RUN(at->next);
}

}  // namespace

StepRun Quick::push_two() { return push_two_slots; }

StepRun Quick::store(bool drop) { return drop ? store_top<true> : store_top<false>; }

StepRun Quick::alone(Opcode op) {
  switch (op) {
    case Opcode::constant:
    case Opcode::null: return push_constant;
    case Opcode::load: return push_slot;
    case Opcode::load_cell: return push_cell;
    case Opcode::pop: return drop;
    case Opcode::duplicate: return duplicate;
    case Opcode::initialise: return initialise;
    case Opcode::assign: return assign;
    case Opcode::clear: return clear;
    case Opcode::jump: return jump;
    case Opcode::jump_if_false:
    case Opcode::jump_if_true: return branch;
    case Opcode::keep_if_false: return keep<false>;
    case Opcode::keep_if_true: return keep<true>;
    case Opcode::keep_if_set: return keep_if_set;
    case Opcode::skip_if_null: return skip_if_null;
    case Opcode::logical_not: return logical_not;
    case Opcode::plus: return plus;
    default: return nullptr;
  }
}

}  // namespace fermata::flow
