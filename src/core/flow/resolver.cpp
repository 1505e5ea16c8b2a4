#include "core/flow/resolver.h"

#include <algorithm>

#include "core/flow/names.h"
#include "core/flow/resolver_scope.h"

namespace fermata::flow {

namespace {

bool is_loop(const Node& node) {
  switch (node.kind) {
    case NodeKind::while_statement:
    case NodeKind::do_statement:
    case NodeKind::for_statement:
    case NodeKind::for_of:
    case NodeKind::for_in: return true;
    case NodeKind::labeled: return is_loop(*node.kids[0]);
    default: return false;
  }
}

/// True for a file whose work begins in a `workflow` (F-1).
bool has_workflow(const Ast& ast) {
  const auto& statements = ast.root->kids;
  return !statements.empty() && statements.back()->kind == NodeKind::entry &&
         statements.back()->kids[0]->kind == NodeKind::function;
}

}  // namespace

Result<FunctionScope*, SyntaxError> Resolver::run() {
  Issues issues(ast_.text);
  FunctionScope* whole = run(issues);
  if (issues.failed()) return Failure{issues.first()};
  return whole;
}

FunctionScope* Resolver::run(Issues& issues) {
  issues_ = &issues;
  FunctionScope& whole = ast_.scopes.emplace_back();
  for (const Node& node : ast_.nodes) {
    if (node.kind == NodeKind::property && node.kids[0]->value.is_string()) {
      literal_keys_.insert(node.kids[0]->value.as_string());
    }
  }
  implicit_lets_ = is_script() && has_workflow(ast_) && !options_.rhythm;
  Opened opened(*this, whole);
  if (options_.rhythm) declare_script_wide();
  visit(ast_.root);
  return &whole;
}

Issue& Resolver::fail(Check check, const Node& node, std::string message, std::string_view code) {
  return issues_->add(check, node.span.begin, std::move(message), code);
}

Variable* Resolver::declare(Node& holder, const Node& at, std::string_view name, Declaration as) {
  if (auto found = scope_->names.find(name); found != scope_->names.end()) {
    if (found->second->origin != Origin::broken) return declare_again(*found->second, at, as);
  }
  if (is_script() && as.origin != Origin::broken) {
    auto known = global_names(true);
    if (std::ranges::find(known, name) != known.end()) {
      fail(Check::shadows_stdlib, at, quoted(name) + " hides the one of the library");
    }
  }
  Variable& variable = ast_.variables.emplace_back();
  variable.name = name;
  variable.constant = as.constant && !options_.rhythm;
  variable.was_constant = as.constant;
  variable.owner = scope_->function;
  variable.slot = hidden_slots(1);
  variable.origin = as.origin;
  variable.beside_rest = as.beside_rest;
  variable.offset = at.span.begin;
  scope_->names[name] = &variable;
  holder.declared.push_back(&variable);
  return &variable;
}

Variable* Resolver::declare_again(Variable& first, const Node& at, Declaration as) {
  if (as.origin == Origin::broken) return &first;
  bool parameters = as.origin == Origin::parameter && first.origin == Origin::parameter;
  std::string message = parameters ? "two parameters are called " + quoted(first.name)
                                   : quoted(first.name) + " is declared twice in one block";
  Check check = parameters ? Check::duplicate_parameter : Check::redeclared;
  Severity severity = options_.rhythm && !parameters ? Severity::warning : Severity::error;
  issues_->add_as(severity, check, at.span.begin, std::move(message))
      .related.push_back({first.offset, "first declared here"});
  return &first;
}

uint32_t Resolver::hidden_slots(uint32_t count) {
  FunctionScope& function = *scope_->function;
  uint32_t first = function.slots_used;
  function.slots_used += count;
  function.slots_max = std::max(function.slots_max, function.slots_used);
  return first;
}

void Resolver::declare_pattern(Node& holder, Node* pattern, Declaration as) {
  if (pattern == nullptr || failed()) return;
  switch (pattern->kind) {
    case NodeKind::pattern_name:
      pattern->variable = declare(holder, *pattern, pattern->text, as);
      break;
    case NodeKind::pattern_property: declare_pattern(holder, pattern->kids[1], as); break;
    case NodeKind::pattern_rest:
    case NodeKind::pattern_default: declare_pattern(holder, pattern->kids[0], as); break;
    case NodeKind::pattern_object:
    case NodeKind::pattern_array: {
      bool rest = pattern->kind == NodeKind::pattern_object && !pattern->kids.empty() &&
                  pattern->kids.back()->kind == NodeKind::pattern_rest;
      for (Node* part : pattern->kids) {
        Declaration each = as;
        each.beside_rest = rest && part != pattern->kids.back();
        declare_pattern(holder, part, each);
      }
      break;
    }
    default: break;
  }
}

/// Declares what a block declares before its first statement, so that closures may name what
/// comes later and functions may call each other.
void Resolver::hoist(Node& holder, const std::vector<Node*>& statements) {
  for (Node* statement : statements) {
    if (statement->kind == NodeKind::function_declaration) {
      Declaration as{.origin = Origin::function};
      Variable* variable = declare(holder, *statement, statement->text, as);
      variable->live = true;
      variable->initial = statement->kids[0];
      statement->variable = variable;
    } else if (statement->kind == NodeKind::declare) {
      for (Node* declarator : statement->kids) {
        Declaration as{.constant = statement->constant,
                       .origin = statement->implicit ? Origin::implicit : Origin::declared};
        declare_pattern(holder, declarator->kids[0], as);
      }
    } else if (statement->kind == NodeKind::broken) {
      for (Node* name : statement->kids) {
        declare_pattern(holder, name, {.origin = Origin::broken});
        go_live(name);
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
    if (node.early && is_script() && !options_.rhythm) {
      fail(Check::used_before_declaration, node,
           quoted(node.text) + " is used before its declaration has run")
          .related.push_back({variable->offset, "declared here"});
    }
    return;
  }
  variable->captured = true;
  for (; function != variable->owner; function = function->parent) {
    auto& captures = function->captures;
    if (std::ranges::find(captures, variable) == captures.end()) captures.push_back(variable);
  }
}

/// A function that only calls itself is still of no use.
void Resolver::read(Node& node, Variable* variable) {
  use(node, variable);
  for (const FunctionScope* at = scope_->function; at != nullptr; at = at->parent) {
    if (at == variable->function) return;
  }
  variable->read = true;
}

void Resolver::visit_all(const std::vector<Node*>& nodes, size_t from) {
  for (size_t i = from; i < nodes.size() && !failed(); ++i) visit(nodes[i]);
}

void Resolver::visit(Node* node) {
  if (node == nullptr || failed()) return;
  switch (node->kind) {
    case NodeKind::name: return visit_name(*node, true);
    case NodeKind::member: return visit_member(*node);
    case NodeKind::call: return visit_call(*node);
    case NodeKind::function: return visit_function(*node);
    case NodeKind::assign: return visit_assign(*node);
    case NodeKind::update: return visit_target(node->kids[0], true);
    case NodeKind::expression_statement: return visit_for_effect(node->kids[0]);
    case NodeKind::sequence:
      for (Node* part : node->kids) visit_for_effect(part);
      return;
    case NodeKind::function_declaration: return visit_function(*node->kids[0], node->variable);
    case NodeKind::block: return visit_block(*node);
    case NodeKind::declare: return visit_declare(*node);
    case NodeKind::for_statement: return visit_for(*node);
    case NodeKind::for_of:
    case NodeKind::for_in: return visit_for_each(*node);
    case NodeKind::switch_statement: return visit_switch(*node);
    case NodeKind::try_statement: return visit_try(*node);
    case NodeKind::pattern_default:
      fail(Check::syntax, *node, "`=` in an object literal is allowed only in a pattern");
      return;
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
      labels_.push_back({node->text, is_loop(*node->kids[0])});
      visit(node->kids[0]);
      labels_.pop_back();
      return;
    }
    case NodeKind::break_statement:
    case NodeKind::continue_statement: return visit_jump(*node);
    default: return visit_all(node->kids);
  }
}

void Resolver::visit_jump(const Node& node) {
  bool breaks = node.kind == NodeKind::break_statement;
  std::string word = breaks ? "break" : "continue";
  if (node.text.empty()) {
    if (breaks ? breakables_ == 0 : loops_ == 0) {
      fail(Check::break_outside_loop, node, quoted(word) + " stands outside a loop");
    }
    return;
  }
  auto found = std::ranges::find(labels_, node.text, &Label::name);
  if (found == labels_.end()) {
    std::vector<std::string_view> known;
    for (const Label& label : labels_) known.push_back(label.name);
    fail(Check::unknown_label, node,
         "no loop around this " + word + " is called " + quoted(node.text) +
             did_you_mean(node.text, known));
  } else if (!breaks && !found->loop) {
    fail(Check::unknown_label, node, quoted(node.text) + " does not name a loop");
  }
}

}  // namespace fermata::flow
