#include <algorithm>

#include "core/flow/library.h"
#include "core/flow/names.h"
#include "core/flow/resolver.h"

namespace fermata::flow {

namespace {

/// Names that wait or act; a pure text may not hold them (G-51).
constexpr std::string_view effect_names[] = {
    "Task", "Signal", "Timer",   "Workflow", "Approval",
    "Log",  "Run",    "Promise", "console",  "wait_for_signal"};
/// Names people try from elsewhere (F-38).
constexpr std::string_view outside_names[] = {"Http", "fetch", "require", "process"};

template <size_t n>
bool among(const std::string_view (&names)[n], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

void Resolver::visit_name(Node& node, bool may_be_word) {
  if (Variable* variable = find(node.text)) return read(node, variable);
  if (take_given(node)) return;
  // What looks like a word with a dash may have been meant as a difference of variables.
  size_t dash = node.text.find('-');
  if (dash != std::string_view::npos && shadowed(node.text.substr(0, dash))) {
    fail(Check::syntax, node, "put spaces around the minus in " + quoted(node.text));
    return;
  }
  if (node.loose && may_be_word) {
    node.kind = NodeKind::literal;
    node.value = Value(node.text);
    return;
  }
  double constant = 0;
  if (find_global_constant(node.text, constant)) {
    node.kind = NodeKind::literal;
    node.value = Value(constant);
    return;
  }
  if (take_global(node)) return;
  node.unknown = options_.rhythm;
  unknown_name(node);
}

bool Resolver::take_global(Node& node) {
  node.builtin = find_builtin(Owner::global, node.text);
  if (node.builtin != no_builtin && builtin(node.builtin).effect && !is_script()) {
    node.builtin = no_builtin;
  }
  if (node.builtin == no_builtin && options_.prelude) {
    node.builtin = find_builtin(Owner::prelude, node.text);
  }
  if (node.builtin == no_builtin && options_.rhythm) {
    node.builtin = find_builtin(Owner::rhythm, node.text);
  }
  return node.builtin != no_builtin;
}

/// What comes from outside: `$name` in expressions, the two names of F-2 in scripts.
bool Resolver::take_given(Node& node) {
  if (!is_script()) {
    if (!node.text.starts_with("$")) return false;
    take_root(node);
    return true;
  }
  if (node.text != "Inputs" && node.text != "Context") return false;
  node.kind = NodeKind::root;
  return true;
}

/// True when a name means a namespace of the library here.
bool Resolver::names_space(const Node& node, Owner& owner) const {
  if (node.kind != NodeKind::name || shadowed(node.text)) return false;
  return find_namespace(node.text, owner) && (is_script() || !is_effect(owner));
}

void Resolver::take_root(Node& node) {
  node.kind = NodeKind::root;
  node.text.remove_prefix(1);
  if (node.text.empty()) fail(Check::syntax, node, "expected a name after `$`");
}

void Resolver::unknown_name(const Node& node) {
  std::string_view name = node.text;
  bool pure_code = options_.grammar == Grammar::fragment;
  if (!is_script() && among(effect_names, name)) {
    std::string why =
        pure_code ? " is not pure: code may not wait or act" : " is not allowed in an expression";
    fail(Check::unsupported, node, quoted(name) + why,
         pure_code ? "code_not_pure" : "expression_invalid");
    return;
  }
  if (among(outside_names, name)) {
    std::string_view instead = is_script() ? "a task, with Task.run" : "nodes and tasks";
    issues_->add_as(
        node.unknown ? Severity::warning : Severity::error, Check::undefined_variable,
        node.span.begin,
        quoted(name) + " does not exist: work outside is done by " + std::string(instead));
    return;
  }
  Owner owner;
  if (find_namespace(name, owner)) {
    fail(Check::unsupported, node,
         quoted(name) + " needs a member, as in " + std::string(name) + "." +
             std::string(member_names(owner).front()));
    return;
  }
  std::vector<std::string_view> known = global_names(is_script());
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    for (const auto& [known_name, variable] : scope->names) known.push_back(known_name);
  }
  issues_->add_as(node.unknown ? Severity::warning : Severity::error, Check::undefined_variable,
                  node.span.begin, "unknown name " + quoted(name) + did_you_mean(name, known));
}

/// `Math.max` is looked up here and now; any other member belongs to a value.
void Resolver::visit_member(Node& node) {
  Node& object = *node.kids[0];
  Owner owner;
  if (!names_space(object, owner)) {
    bool plain_name = object.kind == NodeKind::name && !shadowed(object.text);
    if (plain_name) return visit_name(object, false);
    return visit(&object);
  }
  double constant = 0;
  if (find_constant(owner, node.text, constant)) {
    node.kind = NodeKind::literal;
    node.value = Value(constant);
    node.kids.clear();
    return;
  }
  node.builtin = find_builtin(owner, node.text);
  if (node.builtin != no_builtin) return;
  std::string whole = std::string(object.text) + "." + std::string(node.text);
  fail(Check::unknown_member, name_of(node),
       "unknown function " + quoted(whole) + did_you_mean(node.text, member_names(owner)));
}

Node Resolver::name_of(const Node& member) {
  Node out;
  out.span = {member.span.end - static_cast<uint32_t>(member.text.size()), member.span.end};
  return out;
}

void Resolver::visit_call(Node& node) {
  Node& callee = *node.kids[0];
  if (callee.kind == NodeKind::name) {
    visit_name(callee, false);
  } else {
    visit(&callee);
    bool method = callee.kind == NodeKind::member && callee.builtin == no_builtin;
    if (method && !node.optional) check_method_name(callee);
  }
  for (size_t i = 1; i < node.kids.size() && !failed(); ++i) {
    Node* argument = node.kids[i];
    // In a condition `String` as an argument is the function, elsewhere a word.
    bool known = argument->kind == NodeKind::name &&
                 find_builtin(Owner::global, argument->text) != no_builtin;
    if (known) {
      visit_name(*argument, false);
    } else {
      visit(argument);
    }
  }
}

/// A method that no type has is a mistake, unless an object written here brings it along. In code
/// objects may get their functions by assignment, so nothing is certain there.
void Resolver::check_method_name(const Node& node) {
  if (options_.grammar == Grammar::fragment || is_script()) return;
  if (is_known_method(node.text) || literal_keys_.contains(node.text)) return;
  fail(Check::unknown_member, name_of(node),
       "unknown function " + quoted(node.text) + did_you_mean(node.text, method_names()));
}

void Resolver::visit_instance_of(Node& node) {
  visit(node.kids[0]);
  Node& type = *node.kids[1];
  constexpr std::string_view types[] = {"Error", "Array", "Object", "Function", "Promise"};
  if (type.kind != NodeKind::name || !among(types, type.text)) {
    fail(Check::unsupported, type, "instanceof takes Error, Array, Object, Function or Promise");
  }
}

}  // namespace fermata::flow
