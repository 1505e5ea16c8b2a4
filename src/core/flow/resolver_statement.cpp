#include <algorithm>
#include <utility>

#include "core/flow/names.h"
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
    Node* pattern = declarator->kids[0];
    visit(declarator->kids[1]);
    visit_pattern(pattern);
    go_live(pattern);
    if (pattern->variable != nullptr) pattern->variable->initial = declarator->kids[1];
  }
}

void Resolver::visit_for_effect(Node* node) {
  Node* target = node->kids.empty() ? nullptr : node->kids[0];
  bool changes = node->kind == NodeKind::assign || node->kind == NodeKind::update;
  if (!changes || target->kind != NodeKind::name) return visit(node);
  // `n += 1` alone does not make `n` a variable that is of use.
  if (node->kind == NodeKind::assign) visit(node->kids[1]);
  visit_target(target);
}

/// Visits the expressions inside a pattern: computed keys, defaults and assignment targets.
void Resolver::visit_pattern(Node* pattern) {
  if (pattern == nullptr || failed()) return;
  switch (pattern->kind) {
    case NodeKind::pattern_target: return visit_target(pattern->kids[0]);
    case NodeKind::pattern_property:
      if (pattern->computed) visit(pattern->kids[0]);
      return visit_pattern(pattern->kids[1]);
    case NodeKind::pattern_default: visit(pattern->kids[1]); return visit_pattern(pattern->kids[0]);
    case NodeKind::pattern_rest:
    case NodeKind::pattern_object:
    case NodeKind::pattern_array:
      for (Node* part : pattern->kids) visit_pattern(part);
      return;
    default: return;
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
    visit_target(target, node.op != Operator::none);
  }
}

void Resolver::visit_target(Node* target, bool also_read) {
  if (failed()) return;
  if (target->kind != NodeKind::name) {
    visit(target);
    mark_path(*target);
    return;
  }
  Variable* variable = find(target->text);
  if (variable == nullptr) return fail_assignment(*target);
  variable->assigned = true;
  if (variable->was_constant) {
    Severity severity = variable->constant ? Severity::error : Severity::warning;
    issues_
        ->add_as(severity, Check::const_assignment, target->span.begin,
                 quoted(target->text) + " is a constant")
        .related.push_back({variable->offset, "declared here"});
  }
  if (also_read) {
    read(*target, variable);
  } else {
    use(*target, variable);
  }
}

/// `x.a.b = 1` with an unknown `x` fails as an assignment, not as a reading (F-66).
void Resolver::mark_path(Node& target) {
  Node* at = &target;
  while (at->kind == NodeKind::member || at->kind == NodeKind::index) at = at->kids[0];
  at->in_path = at->unknown;
}

void Resolver::fail_assignment(const Node& target) {
  std::string_view name = target.text;
  auto known = global_names(is_script());
  if (is_script() && std::ranges::find(known, name) != known.end()) {
    fail(Check::const_assignment, target,
         quoted(name) + " belongs to the library and cannot be assigned to");
  } else if (!is_script() && name.starts_with("$")) {
    fail(Check::invalid_target, target, quoted(name) + " cannot be assigned to");
  } else {
    fail(Check::undeclared_assignment, target,
         quoted(name) + " is not declared: write let " + std::string(name));
  }
}

void Resolver::visit_function(Node& node, Variable* own) {
  FunctionScope& function = ast_.scopes.emplace_back();
  function.parent = scope_->function;
  node.scope = &function;
  if (own != nullptr) own->function = &function;
  int loops = std::exchange(loops_, 0);
  int breakables = std::exchange(breakables_, 0);
  std::vector<Label> labels = std::exchange(labels_, {});
  {
    Opened opened(*this, function);
    visit_parameters(node);
    if (node.names_itself && !scope_->names.contains(node.text)) {
      Variable* self =
          declare(node, node, node.text, {.constant = true, .origin = Origin::parameter});
      self->live = true;
      node.variable = self;
    }
    Node* body = node.kids.back();
    if (implicit_lets_ && body->kind == NodeKind::block) declare_implicit(*body);
    visit(body);
  }
  loops_ = loops;
  breakables_ = breakables;
  labels_ = std::move(labels);
}

void Resolver::visit_parameters(Node& node) {
  FunctionScope& function = *node.scope;
  size_t count = node.kids.size() - 1;
  // Arguments arrive in the first slots, whatever patterns make of them afterwards.
  hidden_slots(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    Node* parameter = node.kids[i];
    uint32_t used = function.slots_used;
    declare_pattern(node, parameter, {.origin = Origin::parameter});
    bool plain = parameter->kind == NodeKind::pattern_name && function.slots_used > used;
    if (plain) {
      parameter->variable->slot = static_cast<uint32_t>(i);
      --function.slots_used;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    visit_pattern(node.kids[i]);
    go_live(node.kids[i]);
  }
}

void Resolver::visit_for(Node& node) {
  Opened opened(*this);
  Node* initial = node.kids[0];
  if (initial != nullptr && initial->kind == NodeKind::declare) {
    for (Node* declarator : initial->kids) {
      declare_pattern(node, declarator->kids[0], {.constant = initial->constant});
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
  declare_pattern(node, node.kids[0], {.constant = node.constant});
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
    declare_pattern(node, node.kids[1], {.origin = Origin::parameter});
    visit_pattern(node.kids[1]);
    go_live(node.kids[1]);
    visit(node.kids[2]);
  }
  visit(node.kids[3]);
}

}  // namespace fermata::flow
