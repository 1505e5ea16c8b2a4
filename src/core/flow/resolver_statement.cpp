#include <utility>

#include "core/flow/resolver.h"
#include "core/flow/resolver_scope.h"

namespace fermata::flow {

void Resolver::visit_block(Node& node) {
  Opened opened(*this);
  hoist(node, node.kids);
  visit_all(node.kids);
}

void Resolver::visit_declare(Node& node) {
  for (Node* declarator : node.kids) {
    visit(declarator->kids[1]);
    visit_pattern(declarator->kids[0]);
    go_live(declarator->kids[0]);
  }
}

/// Visits the expressions inside a pattern: computed keys, defaults and assignment targets.
void Resolver::visit_pattern(Node* pattern) {
  if (pattern == nullptr || failed()) return;
  switch (pattern->kind) {
    case NodeKind::pattern_target:
      return visit_target(pattern->kids[0]);
    case NodeKind::pattern_property:
      if (pattern->computed) visit(pattern->kids[0]);
      return visit_pattern(pattern->kids[1]);
    case NodeKind::pattern_default:
      visit(pattern->kids[1]);
      return visit_pattern(pattern->kids[0]);
    case NodeKind::pattern_rest:
    case NodeKind::pattern_object:
    case NodeKind::pattern_array:
      for (Node* part : pattern->kids) visit_pattern(part);
      return;
    default:
      return;
  }
}

void Resolver::visit_assign(Node& node) {
  Node* target = node.kids[0];
  bool is_pattern =
      target->kind == NodeKind::pattern_object || target->kind == NodeKind::pattern_array;
  visit(node.kids[1]);
  if (is_pattern) {
    visit_pattern(target);
  } else {
    visit_target(target);
  }
}

void Resolver::visit_target(Node* target) {
  if (failed()) return;
  if (target->kind != NodeKind::name) return visit(target);
  Variable* variable = find(target->text);
  std::string name = "`" + std::string(target->text) + "`";
  if (variable == nullptr) {
    if (target->text.starts_with("$")) return fail(*target, name + " cannot be assigned to");
    return fail(*target, name + " is not declared: write let " + std::string(target->text));
  }
  if (variable->constant) return fail(*target, name + " is a constant");
  use(*target, variable);
}

void Resolver::visit_function(Node& node) {
  FunctionScope& function = ast_.scopes.emplace_back();
  function.parent = scope_->function;
  node.scope = &function;
  int loops = std::exchange(loops_, 0);
  int breakables = std::exchange(breakables_, 0);
  std::vector<std::string_view> labels = std::exchange(labels_, {});
  {
    Opened opened(*this, function);
    size_t count = node.kids.size() - 1;
    // Arguments arrive in the first slots, whatever patterns make of them afterwards.
    hidden_slots(static_cast<uint32_t>(count));
    for (size_t i = 0; i < count; ++i) {
      Node* parameter = node.kids[i];
      declare_pattern(node, parameter, false);
      if (parameter->kind == NodeKind::pattern_name && parameter->variable != nullptr) {
        parameter->variable->slot = static_cast<uint32_t>(i);
        --function.slots_used;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      visit_pattern(node.kids[i]);
      go_live(node.kids[i]);
    }
    if (node.names_itself && !scope_->names.contains(node.text)) {
      Variable* self = declare(node, node, node.text, true);
      if (self != nullptr) self->live = true;
      node.variable = self;
    }
    visit(node.kids.back());
  }
  loops_ = loops;
  breakables_ = breakables;
  labels_ = std::move(labels);
}

void Resolver::visit_for(Node& node) {
  Opened opened(*this);
  Node* initial = node.kids[0];
  if (initial != nullptr && initial->kind == NodeKind::declare) {
    for (Node* declarator : initial->kids) {
      declare_pattern(node, declarator->kids[0], initial->constant);
    }
  }
  visit(initial);
  visit(node.kids[1]);
  visit(node.kids[2]);
  Breakable loop(loops_, breakables_, true);
  visit(node.kids[3]);
}

void Resolver::visit_for_each(Node& node) {
  Opened opened(*this);
  node.slot = hidden_slots(1);
  visit(node.kids[1]);
  declare_pattern(node, node.kids[0], node.constant);
  visit_pattern(node.kids[0]);
  go_live(node.kids[0]);
  Breakable loop(loops_, breakables_, true);
  visit(node.kids[2]);
}

void Resolver::visit_switch(Node& node) {
  Opened opened(*this);
  node.slot = hidden_slots(1);
  visit(node.kids[0]);
  for (size_t i = 1; i < node.kids.size(); ++i) {
    std::vector<Node*> statements(node.kids[i]->kids.begin() + 1, node.kids[i]->kids.end());
    hoist(node, statements);
  }
  Breakable inside(loops_, breakables_, false);
  for (size_t i = 1; i < node.kids.size(); ++i) visit_all(node.kids[i]->kids);
}

void Resolver::visit_try(Node& node) {
  Opened opened(*this);
  node.slot = hidden_slots(2);
  visit(node.kids[0]);
  if (node.kids[2] != nullptr) {
    Opened handler(*this);
    declare_pattern(node, node.kids[1], false);
    visit_pattern(node.kids[1]);
    go_live(node.kids[1]);
    visit(node.kids[2]);
  }
  visit(node.kids[3]);
}

}  // namespace fermata::flow
