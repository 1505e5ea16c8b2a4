#include <algorithm>

#include "core/flow/checker.h"
#include "core/flow/library.h"
#include "core/flow/names.h"

/// Awaits that are missing, and awaits for nothing (F-57).
namespace fermata::flow {

namespace {

constexpr std::string_view awaitable_members[] = {"id", "kind", "status", "cancel"};
constexpr std::string_view promise_methods[] = {"then", "catch", "finally"};

const Node& without_chain(const Node& node) {
  return node.kind == NodeKind::chain ? *node.kids[0] : node;
}

/// The function that a name surely means, because nothing else is ever assigned to it.
const Node* known_function(const Node& callee) {
  if (callee.kind == NodeKind::function) return &callee;
  if (callee.kind != NodeKind::name || callee.variable == nullptr) return nullptr;
  const Variable& variable = *callee.variable;
  if (variable.assigned || variable.initial == nullptr) return nullptr;
  return variable.initial->kind == NodeKind::function ? variable.initial : nullptr;
}

/// The value can never be an awaitable, whatever the script does.
bool is_never_awaitable(const Node& node) {
  switch (node.kind) {
    case NodeKind::literal:
    case NodeKind::text_template:
    case NodeKind::array:
    case NodeKind::object:
    case NodeKind::function:
    case NodeKind::unary:
    case NodeKind::binary:
    case NodeKind::update: return true;
    case NodeKind::call: {
      uint32_t number = node.kids[0]->builtin;
      // Object.assign and the like give back what they were given.
      if (number == no_builtin) return false;
      Owner owner = builtin(number).owner;
      return owner == Owner::math_space || owner == Owner::log_space ||
             owner == Owner::console_space || owner == Owner::run_space ||
             owner == Owner::time_space || owner == Owner::duration_space;
    }
    default: return false;
  }
}

}  // namespace

bool makes_awaitable(const Node& given) {
  const Node& node = without_chain(given);
  if (node.kind != NodeKind::call) return false;
  const Node& callee = *node.kids[0];
  if (callee.builtin != no_builtin) {
    const Signature* signature = signature_of(callee.builtin);
    return signature != nullptr && signature->makes_awaitable;
  }
  const Node* function = known_function(callee);
  return function != nullptr && function->is_async;
}

void Checker::check_await(const Node& node) {
  const Node& operand = *node.kids[0];
  if (!is_never_awaitable(operand)) return;
  bool list = operand.kind == NodeKind::array || operand.kind == NodeKind::object;
  add(Check::await_literal, node,
      list ? "this is no awaitable; await Task.all(…) waits for what it holds"
           : "this can never be an awaitable; await does nothing here");
}

void Checker::need_result(const Node* node) {
  if (node == nullptr || !makes_awaitable(*node)) return;
  add(Check::missing_await, *node, "this is an awaitable, not its result; write await before it");
}

/// Looks at the operands of a node that wants results and no awaitables.
void Checker::check_operands(const Node& node) {
  switch (node.kind) {
    case NodeKind::if_statement:
    case NodeKind::while_statement:
    case NodeKind::conditional:
    case NodeKind::switch_statement:
    case NodeKind::logical:
    case NodeKind::spread:
    case NodeKind::update: return need_result(node.kids[0]);
    case NodeKind::do_statement:
    case NodeKind::for_statement:
    case NodeKind::for_of:
    case NodeKind::for_in: return need_result(node.kids[1]);
    case NodeKind::unary:
      if (node.op != Operator::type_of) need_result(node.kids[0]);
      return;
    case NodeKind::binary:
      if (node.op == Operator::instance_of) return;
      need_result(node.kids[0]);
      return need_result(node.kids[1]);
    case NodeKind::text_template:
      for (const Node* piece : node.kids) need_result(piece);
      return;
    case NodeKind::index: need_result(node.kids[0]); return need_result(node.kids[1]);
    case NodeKind::member: return check_base(node);
    default: return;
  }
}

void Checker::check_base(const Node& member) {
  if (member.builtin != no_builtin) return;
  if (std::ranges::find(awaitable_members, member.text) != std::end(awaitable_members)) return;
  const Node& base = *member.kids[0];
  bool held = base.kind == NodeKind::name && base.variable != nullptr && !base.variable->assigned &&
              base.variable->initial != nullptr && makes_awaitable(*base.variable->initial);
  if (!held && !makes_awaitable(base)) return;
  bool promise = std::ranges::find(promise_methods, member.text) != std::end(promise_methods);
  std::string instead = member.text == "then" ? "; await it and go on behind that"
                                              : "; await it inside try and catch";
  add(Check::missing_await, base,
      "an awaitable has no " + quoted(member.text) +
          (promise ? instead : "; write await before it and parentheses around both"));
}

}  // namespace fermata::flow
