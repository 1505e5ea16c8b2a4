#pragma once
#include "core/flow/ast.h"
#include "core/flow/issues.h"
#include "core/flow/signatures.h"

namespace fermata::flow {

/// The static checks of a resolved script that need no scopes (F-57): what cannot be reached, has
/// no effect or is never used, awaits that are missing or for nothing, and literals that a call of
/// the library would refuse.
class Checker {
 public:
  Checker(const Ast& ast, Issues& issues) : ast_(ast), issues_(issues) {}
  void run();

 private:
  Issue& add(Check check, const Node& node, std::string message) {
    return issues_.add(check, node.span.begin, std::move(message));
  }
  void visit(const Node& node);
  void visit_kids(const Node& node);
  void check_node(const Node& node);

  // checker.cpp
  void check_condition(const Node* condition);
  void check_type_of(const Node& left, const Node& right);
  void check_switch(const Node& node);
  void check_effect(const Node& statement);
  void check_unused();

  // checker_reach.cpp
  void check_reach(const std::vector<Node*>& statements, size_t from);
  bool cut_off(const Node& statement) const;

  // checker_await.cpp
  void check_await(const Node& node);
  void check_operands(const Node& node);
  void need_result(const Node* node);
  void check_base(const Node& member);

  // checker_call.cpp
  void check_call(const Node& node);
  void check_argument(const Node& argument, const Parameter& takes, const std::string& what);
  void check_options(const Node& object, std::span<const Option> known, const std::string& what);
  void check_literal(const Node& literal, Takes takes, const std::string& what);

  const Ast& ast_;
  Issues& issues_;
};

/// True when the call of a function gives an awaitable; `node` may stand for a chain.
bool makes_awaitable(const Node& node);

}  // namespace fermata::flow
