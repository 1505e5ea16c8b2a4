#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow/ast.h"
#include "core/flow/expression.h"
#include "core/flow/issues.h"
#include "core/flow/library.h"

namespace fermata::flow {

/// Finds out what every name means: a variable (and whether closures share it), a function of the
/// library, a root, or a bare word of a condition. Reports names that mean nothing, assignments to
/// constants, and effects where only pure code may stand. In a script it goes on behind a mistake.
class Resolver {
 public:
  struct Options {
    Grammar grammar = Grammar::expression;
    bool prelude = false;  ///< the library's own code, which may name its helpers
    bool rhythm = false;   ///< `compat: rhythm` (F-66)
  };
  Resolver(Ast& ast, Options options) : ast_(ast), options_(options) {}

  /// The scope of the whole text, or the first mistake.
  Result<FunctionScope*, SyntaxError> run();
  /// The scope of the whole text; whether it can be used is up to the issues.
  FunctionScope* run(Issues& issues);

 private:
  struct Scope {
    Scope* parent;
    FunctionScope* function;
    uint32_t slots_before;
    std::map<std::string_view, Variable*> names;
  };
  class Opened;

  /// Where the name of a member stands, behind its object.
  static Node name_of(const Node& member);
  Issue& fail(Check check, const Node& node, std::string message,
              std::string_view code = "expression_invalid");
  /// Where the first mistake is enough nothing is looked at behind it.
  bool failed() const { return !is_script() && issues_->failed(); }
  bool is_script() const { return options_.grammar == Grammar::script; }

  // Scopes.
  struct Declaration {
    bool constant = false;
    Origin origin = Origin::declared;
    bool beside_rest = false;
  };
  Variable* declare(Node& holder, const Node& at, std::string_view name, Declaration as);
  Variable* declare_again(Variable& first, const Node& at, Declaration as);
  void declare_pattern(Node& holder, Node* pattern, Declaration as);
  void hoist(Node& holder, const std::vector<Node*>& statements);
  uint32_t hidden_slots(uint32_t count);
  void go_live(Node* pattern);
  Variable* find(std::string_view name) const;
  void use(Node& node, Variable* variable);
  void read(Node& node, Variable* variable);

  // Nodes.
  void visit(Node* node);
  void visit_all(const std::vector<Node*>& nodes, size_t from = 0);
  void visit_block(Node& node);
  void visit_declare(Node& node);
  void visit_function(Node& node, Variable* own = nullptr);
  void visit_parameters(Node& node);
  /// An expression whose value nobody takes.
  void visit_for_effect(Node* node);
  void visit_for(Node& node);
  void visit_for_each(Node& node);
  void visit_switch(Node& node);
  void visit_try(Node& node);
  void visit_pattern(Node* pattern);
  void visit_assign(Node& node);
  void visit_target(Node* target, bool also_read = false);
  void fail_assignment(const Node& target);
  static void mark_path(Node& target);
  void visit_jump(const Node& node);

  // Names.
  void visit_name(Node& node, bool may_be_word);
  bool take_global(Node& node);
  bool take_given(Node& node);
  bool names_space(const Node& node, Owner& owner) const;
  void take_root(Node& node);
  void visit_member(Node& node);
  void visit_call(Node& node);
  void visit_instance_of(Node& node);
  void check_method_name(const Node& node);
  void unknown_name(const Node& node);
  bool shadowed(std::string_view name) const { return find(name) != nullptr; }

  // resolver_implicit.cpp
  void declare_implicit(Node& body);
  void declare_script_wide();

  Ast& ast_;
  Options options_;
  Issues* issues_ = nullptr;
  bool implicit_lets_ = false;  ///< a statement `name = value` may declare its name (F-19)
  Scope* scope_ = nullptr;
  std::set<std::string_view> literal_keys_;  ///< keys that some object literal gives
  struct Label {
    std::string_view name;
    bool loop;
  };
  std::vector<Label> labels_;
  int loops_ = 0;
  int breakables_ = 0;
};

}  // namespace fermata::flow
