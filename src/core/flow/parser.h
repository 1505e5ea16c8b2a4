#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/flow/ast.h"
#include "core/flow/expression.h"
#include "core/flow/lexer.h"

namespace fermata::flow {

/// Builds the tree of one text. The grammar is that of section 3 of the language; a dialect leaves
/// out what its place does not allow. At a mistake the parser notes it and pretends that the text
/// ends there, so the rules need no error paths of their own. In a script the list of statements
/// around the mistake then takes up reading behind the broken statement (parser_recovery.cpp).
class Parser {
 public:
  /// How a script's file is read.
  struct File {
    size_t begin = 0;     ///< behind the front matter
    bool rhythm = false;  ///< `compat: rhythm` (F-66)
  };
  Parser(std::string_view text, Grammar grammar, const ParseLimits& limits);
  Parser(std::string_view text, File file);

  /// The tree, or the first mistake.
  Result<Ast, SyntaxError> run();
  /// The tree of what could be read; whether it can be used is up to the issues.
  Ast run(Issues& issues);

  /// Levels of brackets, blocks and functions inside each other (F-57).
  static constexpr int nesting_max = 200;

 private:
  /// Heights of trees that the host stack is known to bear.
  static constexpr uint16_t height_max = 1'000;

  struct Nesting;

  // Tokens.
  const Token& current() const { return tokens_[index_]; }
  const Token& ahead(size_t count) const;
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_name(std::string_view word) const;
  bool at_condition_word(std::string_view word) const { return words_ && at_name(word); }
  bool take(TokenKind kind);
  void expect(TokenKind kind, std::string_view where);
  /// Takes what closes a bracket. If that is missing, reading goes on as if it were there.
  void close(TokenKind kind, std::string_view where, uint32_t opened);
  void advance();
  std::string_view text_of(const Token& token) const;
  bool breaks_line() const { return lines_matter_ && current().after_line_break; }

  // Nodes and mistakes.
  Node* make(NodeKind kind, uint32_t begin, std::vector<Node*> kids = {});
  Node* make_literal(uint32_t begin, Value value);
  Node* fail(std::string message, Check check = Check::syntax) {
    return fail_at(current().span.begin, std::move(message), check);
  }
  Node* fail_at(size_t offset, std::string message, Check check = Check::syntax,
                std::string_view code = "expression_invalid");
  Node* fail_unexpected(std::string_view expected);
  Node* fail_size(std::string message) { return fail(std::move(message), Check::too_large); }
  /// A mistake behind which the rule can simply go on.
  Issue& note(Check check, size_t offset, std::string message);
  void note_unsupported(std::string_view hint);
  bool failed() const { return failed_; }
  /// In a fragment effects are not pure; elsewhere they are plainly not in the grammar.
  Node* fail_effect(std::string_view what);
  std::string describe_current() const;

  // parser_expression.cpp
  Node* expression() { return assignment(); }
  Node* assignment();
  Node* assignment_operator(Node* target, uint32_t begin);
  Node* conditional();
  Node* binary(int level);
  void note_joined_line();
  void note_raised_operand(const Node& operand, uint32_t begin);
  void note_mixed_nullish(Operator op, const Node& left, const Node& right);
  Node* unary();
  Node* await_operand();
  Node* negation_word();
  Node* prefix_update();
  Node* postfix();
  bool at_binary(int level, Operator& op) const;
  bool comparison_is_loose(Operator op) const;

  // parser_access.cpp
  Node* access();
  bool access_step(Node*& node, bool& optional);
  std::vector<Node*> arguments();
  Node* primary();
  Node* primary_word();
  Node* name_or_root();
  Node* mustache();
  Node* parenthesised();
  Node* text_template();
  Node* array_literal();
  Node* new_error();
  Node* default_call();

  // parser_function.cpp
  bool at_arrow() const;
  bool arrow_behind_parens(size_t open) const;
  void pair_brackets();
  Node* arrow_function();
  bool take_async_before_function();
  void take_generator_mark();
  Node* function_expression();
  Node* function_rest(uint32_t begin, std::string_view name);
  std::vector<Node*> parameters();
  Node* object_literal();
  Node* object_property();
  void skip_unsupported_modifier();
  Node* property_key(bool& computed);
  Node* method(uint32_t begin, Node* key, bool computed);

  // parser_pattern.cpp
  Node* pattern();
  Node* pattern_element();
  Node* with_default(Node* target);
  Node* object_pattern();
  Node* array_pattern();
  Node* to_pattern(Node* expression);
  Node* to_object_pattern(Node* expression);
  Node* to_array_pattern(Node* expression);
  bool is_target(const Node* node) const;

  // parser_file.cpp
  Node* file();
  void check_form(const std::vector<Node*>& statements);
  bool at_workflow() const;
  Node* workflow();
  Node* entry_of(const std::vector<Node*>& statements);

  // parser_recovery.cpp
  void recover(size_t first, std::vector<Node*>& statements);
  size_t sync_point(size_t first) const;
  Node* broken_statement(size_t first, size_t end);

  // parser_statement.cpp
  enum class ListEnd : uint8_t { file, brace, next_case };
  void statement_list(std::vector<Node*>& statements, ListEnd end);
  bool at_list_end(ListEnd end) const;
  Node* statements_until(TokenKind close);
  Node* statement();
  Node* block();
  Node* declaration();
  Node* declarator(bool constant);
  Node* function_declaration();
  Node* labeled_or_expression();
  Node* jump();
  Node* throw_statement();
  bool behind_bare_return(const std::vector<Node*>& list) const;
  Node* cut_off_value();
  bool at_object_after_return() const;
  void end_of_statement();
  bool starts_statement_on_same_line() const;

  // parser_control.cpp
  Node* if_statement();
  Node* while_statement();
  Node* do_statement();
  Node* for_statement();
  Node* for_each(uint32_t begin, uint32_t open, Node* target);
  Node* for_three_parts(uint32_t begin, uint32_t open, Node* initial);
  Node* expression_sequence();
  Node* switch_statement();
  Node* switch_case();
  Node* try_statement();
  Node* condition_in_parens(std::string_view what);

  std::string_view text_;
  Grammar grammar_;
  size_t nodes_max_;
  const std::vector<std::string>* names_;
  std::vector<Token> tokens_;
  std::vector<uint32_t>
      closes_;  ///< of each opening bracket: the token that closes it, or the last
  size_t index_ = 0;
  int nesting_ = 0;
  bool lines_matter_ = false;
  bool words_ = false;  ///< `and`, `or`, `not`, `contains` and bare words mean something here
  bool pure_expression_ = true;  ///< no assignment, statements or function bodies
  bool effects_ = false;         ///< await, async functions and workflows may stand here
  File file_;
  Issues* issues_ = nullptr;
  bool failed_ = false;            ///< the statement under way is broken
  bool gave_up_ = false;           ///< so badly that nothing behind it is read
  size_t failed_index_ = 0;        ///< the token where it broke
  size_t noted_index_ = SIZE_MAX;  ///< the last token that a mistake was noted at
  Node broken_;
  Ast ast_;
};

}  // namespace fermata::flow
