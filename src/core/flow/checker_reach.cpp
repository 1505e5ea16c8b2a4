#include <algorithm>

#include "core/flow/checker.h"

/// Which statements can be reached (F-57).
namespace fermata::flow {

namespace {

bool is_breakable(NodeKind kind) {
  switch (kind) {
    case NodeKind::while_statement:
    case NodeKind::do_statement:
    case NodeKind::for_statement:
    case NodeKind::for_of:
    case NodeKind::for_in:
    case NodeKind::switch_statement: return true;
    default: return false;
  }
}

/// True when a `break` inside leaves the statement around it: a plain one that no inner loop
/// takes, or one with one of its labels.
bool has_break(const Node& node, const std::vector<std::string_view>& labels, bool plain_counts) {
  if (node.kind == NodeKind::break_statement) {
    if (node.text.empty()) return plain_counts;
    return std::ranges::find(labels, node.text) != labels.end();
  }
  if (node.kind == NodeKind::function) return false;
  bool plain = plain_counts && !is_breakable(node.kind);
  return std::ranges::any_of(
      node.kids, [&](const Node* kid) { return kid != nullptr && has_break(*kid, labels, plain); });
}

bool breaks_out(const Node& statement, const std::vector<std::string_view>& labels) {
  return std::ranges::any_of(statement.kids, [&](const Node* kid) {
    return kid != nullptr && has_break(*kid, labels, true);
  });
}

bool is_always_true(const Node* condition) {
  if (condition == nullptr) return true;
  return condition->kind == NodeKind::literal && truthy(condition->value);
}

bool ends(const Node* node, std::vector<std::string_view> labels = {});

bool switch_ends(const Node& node, const std::vector<std::string_view>& labels) {
  if (node.kids.size() < 2 || breaks_out(node, labels)) return false;
  bool has_default = std::ranges::any_of(node.kids, [](const Node* one) {
    return one->kind == NodeKind::switch_case && one->kids[0] == nullptr;
  });
  const auto& last = node.kids.back()->kids;
  return has_default && std::any_of(last.begin() + 1, last.end(),
                                    [](const Node* statement) { return ends(statement); });
}

/// True when nothing behind the statement in its list can run.
bool ends(const Node* node, std::vector<std::string_view> labels) {
  if (node == nullptr) return false;
  switch (node->kind) {
    case NodeKind::return_statement:
    case NodeKind::throw_statement:
    case NodeKind::break_statement:
    case NodeKind::continue_statement: return true;
    case NodeKind::block:
      return std::ranges::any_of(node->kids, [](const Node* kid) { return ends(kid); });
    case NodeKind::if_statement: return ends(node->kids[1]) && ends(node->kids[2]);
    case NodeKind::labeled:
      labels.push_back(node->text);
      return !has_break(*node->kids[0], labels, false) && ends(node->kids[0], labels);
    case NodeKind::while_statement:
      return is_always_true(node->kids[0]) && !breaks_out(*node, labels);
    case NodeKind::do_statement:
    case NodeKind::for_statement:
      return is_always_true(node->kids[1]) && !breaks_out(*node, labels);
    case NodeKind::switch_statement: return switch_ends(*node, labels);
    case NodeKind::try_statement:
      if (ends(node->kids[3])) return true;
      return ends(node->kids[0]) && (node->kids[2] == nullptr || ends(node->kids[2]));
    default: return false;
  }
}

}  // namespace

/// A value that a line break cut off from its `return` has been told already.
bool Checker::cut_off(const Node& statement) const {
  return std::ranges::any_of(issues_.all(), [&](const Issue& issue) {
    return issue.check == Check::return_line_break && !issue.related.empty() &&
           issue.related[0].offset == statement.span.begin;
  });
}

void Checker::check_reach(const std::vector<Node*>& statements, size_t from) {
  bool over = false;
  bool told = false;
  for (size_t i = from; i < statements.size(); ++i) {
    const Node& one = *statements[i];
    bool harmless = one.kind == NodeKind::function_declaration || one.kind == NodeKind::empty ||
                    one.kind == NodeKind::entry || one.kind == NodeKind::broken;
    if (over && !told && !harmless) {
      told = true;
      if (!cut_off(one)) add(Check::unreachable_code, one, "no way leads here");
    }
    if (!over) check_effect(one);
    over = over || ends(&one);
  }
}

}  // namespace fermata::flow
