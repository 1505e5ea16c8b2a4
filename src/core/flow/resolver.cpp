#include "core/flow/resolver.h"

#include <algorithm>

#include "core/flow/lexer.h"
#include "core/flow/resolver_scope.h"

namespace fermata::flow {

Result<FunctionScope*, SyntaxError> Resolver::run() {
  FunctionScope& whole = ast_.scopes.emplace_back();
  for (const Node& node : ast_.nodes) {
    if (node.kind == NodeKind::property && node.kids[0]->value.is_string()) {
      literal_keys_.insert(node.kids[0]->value.as_string());
    }
  }
  {
    Opened opened(*this, whole);
    visit(ast_.root);
  }
  if (error_) return Failure{*std::move(error_)};
  return &whole;
}

void Resolver::fail(const Node& node, std::string message, std::string_view code) {
  if (!error_) error_ = syntax_error(ast_.text, node.span.begin, std::move(message), code);
}

Variable* Resolver::declare(Node& holder, const Node& at, std::string_view name, bool constant) {
  if (scope_->names.contains(name)) {
    fail(at, "`" + std::string(name) + "` is declared twice in one block");
    return nullptr;
  }
  Variable& variable = ast_.variables.emplace_back();
  variable.name = name;
  variable.constant = constant;
  variable.owner = scope_->function;
  variable.slot = hidden_slots(1);
  scope_->names[name] = &variable;
  holder.declared.push_back(&variable);
  return &variable;
}

uint32_t Resolver::hidden_slots(uint32_t count) {
  FunctionScope& function = *scope_->function;
  uint32_t first = function.slots_used;
  function.slots_used += count;
  function.slots_max = std::max(function.slots_max, function.slots_used);
  return first;
}

void Resolver::declare_pattern(Node& holder, Node* pattern, bool constant) {
  if (pattern == nullptr || failed()) return;
  switch (pattern->kind) {
    case NodeKind::pattern_name:
      pattern->variable = declare(holder, *pattern, pattern->text, constant);
      break;
    case NodeKind::pattern_property:
      declare_pattern(holder, pattern->kids[1], constant);
      break;
    case NodeKind::pattern_rest:
    case NodeKind::pattern_default:
      declare_pattern(holder, pattern->kids[0], constant);
      break;
    case NodeKind::pattern_object:
    case NodeKind::pattern_array:
      for (Node* part : pattern->kids) declare_pattern(holder, part, constant);
      break;
    default:
      break;
  }
}

/// Declares what a block declares before its first statement, so that closures may name what
/// comes later and functions may call each other.
void Resolver::hoist(Node& holder, const std::vector<Node*>& statements) {
  for (Node* statement : statements) {
    if (statement->kind == NodeKind::function_declaration) {
      statement->variable = declare(holder, *statement, statement->text, false);
      if (statement->variable != nullptr) statement->variable->live = true;
    } else if (statement->kind == NodeKind::declare) {
      for (Node* declarator : statement->kids) {
        declare_pattern(holder, declarator->kids[0], statement->constant);
      }
    }
  }
}

void Resolver::go_live(Node* pattern) {
  if (pattern == nullptr) return;
  if (pattern->variable != nullptr) pattern->variable->live = true;
  bool nested =
      pattern->kind >= NodeKind::pattern_name && pattern->kind <= NodeKind::pattern_target;
  if (!nested) return;
  for (Node* part : pattern->kids) go_live(part);
}

Variable* Resolver::find(std::string_view name) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    auto found = scope->names.find(name);
    if (found != scope->names.end()) return found->second;
  }
  return nullptr;
}

/// Notes which functions between the variable and its use must hand its cell on.
void Resolver::use(Node& node, Variable* variable) {
  node.variable = variable;
  FunctionScope* function = scope_->function;
  if (variable->owner == function) {
    node.early = !variable->live;
    return;
  }
  variable->captured = true;
  for (; function != variable->owner; function = function->parent) {
    auto& captures = function->captures;
    if (std::ranges::find(captures, variable) == captures.end()) captures.push_back(variable);
  }
}

void Resolver::visit_all(const std::vector<Node*>& nodes, size_t from) {
  for (size_t i = from; i < nodes.size() && !failed(); ++i) visit(nodes[i]);
}

void Resolver::visit(Node* node) {
  if (node == nullptr || failed()) return;
  switch (node->kind) {
    case NodeKind::name:
      return visit_name(*node, true);
    case NodeKind::member:
      return visit_member(*node);
    case NodeKind::call:
      return visit_call(*node);
    case NodeKind::function:
      return visit_function(*node);
    case NodeKind::assign:
      return visit_assign(*node);
    case NodeKind::update:
      return visit_target(node->kids[0]);
    case NodeKind::block:
      return visit_block(*node);
    case NodeKind::declare:
      return visit_declare(*node);
    case NodeKind::for_statement:
      return visit_for(*node);
    case NodeKind::for_of:
    case NodeKind::for_in:
      return visit_for_each(*node);
    case NodeKind::switch_statement:
      return visit_switch(*node);
    case NodeKind::try_statement:
      return visit_try(*node);
    case NodeKind::pattern_default:
      return fail(*node, "`=` in an object literal is allowed only in a pattern");
    case NodeKind::property:
      if (node->computed) visit(node->kids[0]);
      return visit(node->kids[1]);
    case NodeKind::binary:
      if (node->op == Operator::instance_of) return visit_instance_of(*node);
      return visit_all(node->kids);
    case NodeKind::while_statement:
    case NodeKind::do_statement: {
      Breakable loop(loops_, breakables_, true);
      return visit_all(node->kids);
    }
    case NodeKind::labeled: {
      labels_.push_back(node->text);
      visit(node->kids[0]);
      labels_.pop_back();
      return;
    }
    case NodeKind::break_statement:
    case NodeKind::continue_statement:
      return visit_jump(*node);
    default:
      return visit_all(node->kids);
  }
}

void Resolver::visit_jump(const Node& node) {
  bool breaks = node.kind == NodeKind::break_statement;
  std::string word = breaks ? "break" : "continue";
  if (!node.text.empty()) {
    if (std::ranges::find(labels_, node.text) == labels_.end()) {
      fail(node, "no loop around this " + word + " is called `" + std::string(node.text) + "`");
    }
  } else if (breaks ? breakables_ == 0 : loops_ == 0) {
    fail(node, "`" + word + "` stands outside a loop");
  }
}

}  // namespace fermata::flow
