#include <algorithm>

#include "core/flow/names.h"
#include "core/flow/resolver.h"

/// Names that a workflow declares by assigning to them (F-19).
namespace fermata::flow {

namespace {

using Names = std::set<std::string_view>;

void add_pattern(const Node* pattern, Names& names) {
  if (pattern == nullptr) return;
  if (pattern->kind == NodeKind::pattern_name) names.insert(pattern->text);
  bool nested = pattern->kind > NodeKind::pattern_name && pattern->kind < NodeKind::pattern_target;
  if (!nested) return;
  for (const Node* part : pattern->kids) add_pattern(part, names);
}

void add_declared(const Node& statement, Names& names) {
  switch (statement.kind) {
    case NodeKind::declare:
      for (const Node* declarator : statement.kids) add_pattern(declarator->kids[0], names);
      break;
    case NodeKind::function_declaration: names.insert(statement.text); break;
    case NodeKind::broken:
      for (const Node* name : statement.kids) add_pattern(name, names);
      break;
    default: break;
  }
}

/// Walks the statements of one function, not those of functions inside it, and gathers the first
/// `name = value` of every name that no block around it declares.
class Assignments {
 public:
  std::vector<Node*> found;

  void walk(Node* node) {
    if (node == nullptr) return;
    switch (node->kind) {
      case NodeKind::expression_statement: return take(*node->kids[0]);
      case NodeKind::block:
      case NodeKind::switch_case: return walk_list(*node);
      case NodeKind::switch_statement: {
        Names& names = scopes_.emplace_back();
        for (const Node* one : node->kids) {
          if (one->kind != NodeKind::switch_case) continue;
          for (const Node* statement : one->kids) {
            if (statement != nullptr) add_declared(*statement, names);
          }
        }
        break;
      }
      case NodeKind::for_statement:
        scopes_.emplace_back();
        if (node->kids[0] != nullptr) add_declared(*node->kids[0], scopes_.back());
        break;
      case NodeKind::for_of:
      case NodeKind::for_in:
        scopes_.emplace_back();
        add_pattern(node->kids[0], scopes_.back());
        break;
      case NodeKind::try_statement:
        walk(node->kids[0]);
        scopes_.emplace_back();
        add_pattern(node->kids[1], scopes_.back());
        walk(node->kids[2]);
        scopes_.pop_back();
        return walk(node->kids[3]);
      case NodeKind::if_statement:
      case NodeKind::while_statement:
      case NodeKind::do_statement:
      case NodeKind::labeled: scopes_.emplace_back(); break;
      default: return;
    }
    for (Node* kid : node->kids) walk(kid);
    scopes_.pop_back();
  }

 private:
  void walk_list(Node& node) {
    scopes_.emplace_back();
    for (const Node* statement : node.kids) {
      if (statement != nullptr) add_declared(*statement, scopes_.back());
    }
    for (Node* statement : node.kids) walk(statement);
    scopes_.pop_back();
  }

  void take(Node& expression) {
    if (expression.kind != NodeKind::assign || expression.op != Operator::none) return;
    Node* target = expression.kids[0];
    if (target->kind != NodeKind::name) return;
    auto declares = [&](const Names& names) { return names.contains(target->text); };
    if (std::ranges::any_of(scopes_, declares)) return;
    if (std::ranges::find(found, target->text, &Node::text) == found.end()) found.push_back(target);
  }

  std::vector<Names> scopes_;
};

}  // namespace

/// Puts `let name` in front of the function's statements for each of them.
void Resolver::declare_implicit(Node& body) {
  Assignments assignments;
  assignments.walk(&body);
  auto known = global_names(true);
  std::vector<Node*> declarators;
  for (const Node* target : assignments.found) {
    if (shadowed(target->text) || std::ranges::find(known, target->text) != known.end()) continue;
    Node& name = ast_.nodes.emplace_back();
    name.kind = NodeKind::pattern_name;
    name.span = target->span;
    name.text = target->text;
    Node& declarator = ast_.nodes.emplace_back();
    declarator.kind = NodeKind::declarator;
    declarator.span = target->span;
    declarator.kids = {&name, nullptr};
    declarators.push_back(&declarator);
    fail(Check::implicit_let, *target,
         "this declares " + quoted(target->text) + " for the whole function; write let");
  }
  if (declarators.empty()) return;
  Node& declare = ast_.nodes.emplace_back();
  declare.kind = NodeKind::declare;
  declare.span = declarators.front()->span;
  declare.implicit = true;
  declare.kids = std::move(declarators);
  body.kids.insert(body.kids.begin(), &declare);
}

/// In a Rhythm script an assignment makes its name known to the whole script, unset until then.
void Resolver::declare_script_wide() {
  auto known = global_names(true);
  std::map<std::string_view, const Node*> first;
  auto take = [&](const Node* target) {
    if (target->kind != NodeKind::name) return;
    if (std::ranges::find(known, target->text) == known.end())
      first.try_emplace(target->text, target);
  };
  for (const Node& node : ast_.nodes) {
    bool changes = node.kind == NodeKind::assign || node.kind == NodeKind::update ||
                   node.kind == NodeKind::pattern_target;
    if (changes) take(node.kids[0]);
  }
  for (const auto& [name, target] : first) {
    declare(*ast_.root, *target, name, {.origin = Origin::script})->live = true;
  }
}

}  // namespace fermata::flow
