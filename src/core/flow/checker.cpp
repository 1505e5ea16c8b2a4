#include "core/flow/checker.h"

#include <algorithm>

#include "core/flow/library.h"
#include "core/flow/names.h"

namespace fermata::flow {

namespace {

/// True when evaluating it changes nothing and starts nothing.
bool is_pure(const Node& node) {
  switch (node.kind) {
    case NodeKind::call:
    case NodeKind::assign:
    case NodeKind::update:
    case NodeKind::await:
    case NodeKind::broken: return false;
    case NodeKind::function: return true;
    case NodeKind::unary:
      if (node.op == Operator::remove) return false;
      break;
    default: break;
  }
  return std::ranges::all_of(node.kids,
                             [](const Node* kid) { return kid == nullptr || is_pure(*kid); });
}

bool is_error(const Node& node) {
  if (node.kind != NodeKind::call || node.kids[0]->builtin == no_builtin) return false;
  const Builtin& called = builtin(node.kids[0]->builtin);
  return called.owner == Owner::global && called.name == "Error";
}

bool is_text(const Node* node, std::string_view text) {
  return node != nullptr && node->kind == NodeKind::literal && node->value.is_string() &&
         node->value.as_string() == text;
}

bool is_type_of(const Node& node) {
  return node.kind == NodeKind::unary && node.op == Operator::type_of;
}

}  // namespace

void Checker::run() {
  if (ast_.root == nullptr) return;
  visit(*ast_.root);
  check_unused();
}

void Checker::visit(const Node& node) {
  check_node(node);
  visit_kids(node);
}

void Checker::visit_kids(const Node& node) {
  for (const Node* kid : node.kids) {
    if (kid != nullptr) visit(*kid);
  }
}

void Checker::check_node(const Node& node) {
  check_operands(node);
  switch (node.kind) {
    case NodeKind::block: return check_reach(node.kids, 0);
    case NodeKind::switch_case: return check_reach(node.kids, 1);
    case NodeKind::if_statement:
    case NodeKind::while_statement:
    case NodeKind::conditional: return check_condition(node.kids[0]);
    case NodeKind::do_statement:
    case NodeKind::for_statement: return check_condition(node.kids[1]);
    case NodeKind::switch_statement: return check_switch(node);
    case NodeKind::binary:
      if (node.op == Operator::equal || node.op == Operator::not_equal) {
        check_type_of(*node.kids[0], *node.kids[1]);
        check_type_of(*node.kids[1], *node.kids[0]);
      }
      return;
    case NodeKind::await: return check_await(node);
    case NodeKind::call: return check_call(node);
    default: return;
  }
}

void Checker::check_condition(const Node* condition) {
  bool assigns = condition != nullptr && condition->kind == NodeKind::assign &&
                 condition->op == Operator::none && !condition->parenthesised;
  if (!assigns) return;
  add(Check::assignment_in_condition, *condition,
      "this assigns; compare with ==, or put it in parentheses if that is meant");
}

void Checker::check_type_of(const Node& left, const Node& right) {
  if (!is_type_of(left) || !is_text(&right, "undefined")) return;
  add(Check::typeof_undefined, right,
      "typeof never gives \"undefined\": what is missing is \"null\"");
}

void Checker::check_switch(const Node& node) {
  if (!is_type_of(*node.kids[0])) return;
  for (const Node* one : node.kids) {
    if (one->kind == NodeKind::switch_case && one->kids[0] != nullptr) {
      check_type_of(*node.kids[0], *one->kids[0]);
    }
  }
}

void Checker::check_effect(const Node& statement) {
  if (statement.kind != NodeKind::expression_statement) return;
  const Node& value = *statement.kids[0];
  if (is_error(value)) {
    add(Check::no_effect, statement, "the error is made but not thrown; write throw before it");
  } else if (is_pure(value)) {
    add(Check::no_effect, statement, "the value is not used; this statement does nothing");
  }
}

void Checker::check_unused() {
  for (const Variable& variable : ast_.variables) {
    bool exempt = variable.read || variable.beside_rest || variable.name.starts_with("_") ||
                  variable.owner == nullptr || ast_.broken_names.contains(variable.name);
    if (exempt) continue;
    if (variable.origin == Origin::function) {
      issues_.add(Check::unused_function, variable.offset,
                  "the function " + quoted(variable.name) + " is never used");
    } else if (variable.origin == Origin::declared) {
      std::string how = variable.assigned ? " is assigned but never read" : " is never used";
      issues_.add(Check::unused_variable, variable.offset, quoted(variable.name) + how);
    }
  }
}

}  // namespace fermata::flow
