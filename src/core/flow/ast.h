#pragma once
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "core/flow/datum.h"
#include "core/flow/token.h"

namespace fermata::flow {

/// What a node of the syntax tree is. The comment lists its children; `?` may be nullptr.
enum class NodeKind : uint8_t {
  /// Stands for a mistake and is never compiled. A statement: the names it would have declared; an
  /// expression: its parts.
  broken,
  // Expressions.
  literal,        ///< value
  name,           ///< text
  root,           ///< text without the dollar sign
  text_template,  ///< pieces: literals and expressions in turn
  array,          ///< elements, spreads among them
  object,         ///< properties and spreads
  property,       ///< key (a literal, or any expression), value
  spread,         ///< operand
  function,       ///< parameters (patterns) …, body; text = its name or empty
  unary,          ///< operand
  binary,         ///< left, right
  logical,        ///< left, right
  conditional,    ///< condition, then, otherwise
  assign,         ///< target, value
  update,         ///< target
  member,         ///< object; text = name
  index,          ///< object, key
  call,           ///< callee, arguments …
  chain,          ///< an access with `?.` in it: where its short cut ends
  default_value,  ///< expression, fallback
  await,          ///< operand
  // Patterns; in an assignment any target may stand in place of a name.
  pattern_name,      ///< text
  pattern_object,    ///< pattern_property … and pattern_rest
  pattern_property,  ///< key (as in property), pattern
  pattern_array,     ///< patterns?, pattern_rest last
  pattern_rest,      ///< pattern
  pattern_default,   ///< pattern, default value
  pattern_target,    ///< member or index
  // Statements.
  block,                 ///< statements
  declare,               ///< declarators; constant or not
  declarator,            ///< pattern, initial value?
  function_declaration,  ///< function; text = its name
  if_statement,          ///< condition, then, otherwise?
  while_statement,       ///< condition, body
  do_statement,          ///< body, condition
  for_statement,         ///< initial?, condition?, update?, body
  for_of,                ///< pattern, items, body
  for_in,                ///< pattern, object, body
  sequence,              ///< expressions of a `for` header
  switch_statement,      ///< subject, cases
  switch_case,           ///< test?, statements
  break_statement,       ///< text = label or empty
  continue_statement,    ///< text = label or empty
  return_statement,      ///< value?
  throw_statement,       ///< value
  try_statement,         ///< block, catch pattern?, catch block?, finally block?
  labeled,               ///< statement; text = label
  expression_statement,  ///< expression
  /// callee, arguments …: the last statement of a file with a workflow or main. It calls in the
  /// fiber it stands in, an async function too, and returns what that gives (F-1).
  entry,
  empty,
};

enum class Operator : uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  instance_of,
  contains,
  logical_and,
  logical_or,
  nullish,
  logical_not,
  negate,
  plus,
  type_of,
  remove,
};

/// What declares a variable.
enum class Origin : uint8_t {
  declared,   ///< let or const
  function,   ///< a declaration
  parameter,  ///< also what `catch` gives, and the own name of a function expression
  implicit,   ///< its first assignment (F-19)
  script,     ///< any assignment anywhere: `compat: rhythm` (F-66)
  broken,     ///< a statement that could not be read
};

/// A declared name. Found by the resolver; the compiler turns it into a slot or a cell.
struct Variable {
  std::string_view name;
  uint32_t slot = 0;
  bool constant = false;
  bool was_constant = false;  ///< written `const`, though it may be assigned (F-66)
  bool captured = false;      ///< some closure uses it, so it lives in a cell of the heap
  bool live = false;          ///< while resolving: its declaration has been passed
  const struct FunctionScope* owner = nullptr;
  // For the checks.
  Origin origin = Origin::declared;
  bool read = false;
  bool assigned = false;                 ///< after its declaration
  bool beside_rest = false;              ///< taken out of an object so that `...` does not hold it
  uint32_t offset = 0;                   ///< of its declaration
  const struct Node* initial = nullptr;  ///< what it is declared as, if that is certain
  const struct FunctionScope* function = nullptr;  ///< of a declared function: its own scope
};

struct Node {
  NodeKind kind = NodeKind::broken;
  Operator op = Operator::none;
  bool optional = false;      ///< member, index, call: written with `?.`
  bool constant = false;      ///< declare, for_of, for_in: const
  bool names_itself = false;  ///< function: its own name is visible inside only
  bool computed = false;      ///< property: the key is an expression in brackets
  bool arrow = false;         ///< function: its body may be a bare expression
  bool is_async = false;      ///< function
  bool prefix = false;        ///< update
  bool loose = false;         ///< by the rules of conditions: a comparison, a bare word (G-16)
  bool parenthesised = false;
  bool early = false;     ///< name: used before its declaration could have run
  bool implicit = false;  ///< declare: stands for assignments without a declaration (F-19)
  /// name: nothing declares it, and reading it fails at run time; `in_path` when that is on the way
  /// to something that is assigned (F-66)
  bool unknown = false;
  bool in_path = false;
  uint16_t height = 1;
  Span span;
  std::string_view text;
  Value value;
  std::vector<Node*> kids;
  Variable* variable = nullptr;           ///< name, pattern_name: what it means, if declared
  uint32_t slot = 0;                      ///< statements: the first of their hidden slots
  uint32_t builtin = no_builtin;          ///< name, member: the library function it means
  struct FunctionScope* scope = nullptr;  ///< function: its variables
  std::vector<Variable*> declared;        ///< block-like nodes: what they declare, in order
};

/// Variables of one function: how many slots it needs and what it takes from outside.
struct FunctionScope {
  FunctionScope* parent = nullptr;
  uint32_t slots_used = 0;
  uint32_t slots_max = 0;
  std::vector<Variable*> captures;  ///< of enclosing functions, in the order of its cells
};

/// Owns every node of one text. The text itself must outlive it.
struct Ast {
  std::string_view text;
  std::deque<Node> nodes;
  std::deque<Variable> variables;
  std::deque<FunctionScope> scopes;
  Node* root = nullptr;                     ///< a block of statements, or one expression
  std::set<std::string_view> broken_names;  ///< whatever broken statements mention
};

}  // namespace fermata::flow
