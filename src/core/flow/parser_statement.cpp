#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

bool Parser::at_list_end(ListEnd end) const {
  if (at(TokenKind::end)) return true;
  if (end == ListEnd::file) return false;
  if (at(TokenKind::right_brace)) return true;
  bool is_default = at(TokenKind::default_word) && ahead(1).kind == TokenKind::colon;
  return end == ListEnd::next_case && (is_default || at(TokenKind::case_word));
}

void Parser::statement_list(std::vector<Node*>& statements, ListEnd end) {
  while (!failed_ && !at_list_end(end)) {
    size_t first = index_;
    Node* cut = effects_ && behind_bare_return(statements) ? statements.back() : nullptr;
    bool entry = end == ListEnd::file && effects_ && at_workflow();
    Node* one = cut != nullptr && at_object_after_return() ? cut_off_value()
                : entry                                    ? workflow()
                                                           : statement();
    if (failed_) {
      if (!effects_ || gave_up_) return;
      recover(first, statements);
      continue;
    }
    if (cut != nullptr && one->kind == NodeKind::expression_statement) {
      size_t value = one->span.begin;
      issues_
          ->add(Check::return_line_break, cut->span.begin,
                "the line break ends return here; put the value on the same line")
          .related.push_back({value, "this value is not returned"});
    }
    statements.push_back(one);
  }
}

/// The statement before was `return` and a line break.
bool Parser::behind_bare_return(const std::vector<Node*>& list) const {
  if (list.empty() || list.back() == nullptr) return false;
  if (list.back()->kind != NodeKind::return_statement) return false;
  return list.back()->kids[0] == nullptr && tokens_[index_ - 1].kind == TokenKind::return_word;
}

/// A brace begins a block here, but nobody writes a block behind `return`.
bool Parser::at_object_after_return() const {
  if (!at(TokenKind::left_brace)) return false;
  TokenKind first = ahead(1).kind;
  TokenKind second = ahead(2).kind;
  if (first == TokenKind::right_brace || first == TokenKind::ellipsis) return true;
  bool key = first == TokenKind::name || first == TokenKind::string || is_reserved_word(first);
  return key && (second == TokenKind::colon || second == TokenKind::comma);
}

Node* Parser::cut_off_value() {
  uint32_t begin = current().span.begin;
  Node* value = expression();
  end_of_statement();
  return make(NodeKind::expression_statement, begin, {value});
}

Node* Parser::statements_until(TokenKind close) {
  Scoped lines(lines_matter_, true);
  uint32_t begin = current().span.begin;
  std::vector<Node*> statements;
  statement_list(statements, close == TokenKind::end ? ListEnd::file : ListEnd::brace);
  return make(NodeKind::block, begin, std::move(statements));
}

Node* Parser::block() {
  uint32_t begin = current().span.begin;
  expect(TokenKind::left_brace, "to begin the block");
  Node* node = statements_until(TokenKind::right_brace);
  close(TokenKind::right_brace, "to end the block", begin);
  node->span = {begin, tokens_[index_ > 0 ? index_ - 1 : 0].span.end};
  return node;
}

Node* Parser::statement() {
  Nesting nesting(*this);
  uint32_t begin = current().span.begin;
  switch (current().kind) {
    case TokenKind::left_brace: return block();
    case TokenKind::semicolon: {
      advance();
      return make(NodeKind::empty, begin);
    }
    case TokenKind::var_word:
      if (effects_) note_unsupported("write let");
      [[fallthrough]];
    case TokenKind::let_word:
    case TokenKind::const_word: {
      Node* node = declaration();
      end_of_statement();
      return node;
    }
    case TokenKind::function_word: return function_declaration();
    case TokenKind::if_word: return if_statement();
    case TokenKind::while_word: return while_statement();
    case TokenKind::do_word: return do_statement();
    case TokenKind::for_word: return for_statement();
    case TokenKind::switch_word: return switch_statement();
    case TokenKind::try_word: return try_statement();
    case TokenKind::return_word:
    case TokenKind::break_word:
    case TokenKind::continue_word: return jump();
    case TokenKind::throw_word: return throw_statement();
    default: return labeled_or_expression();
  }
}

Node* Parser::declaration() {
  uint32_t begin = current().span.begin;
  if (at(TokenKind::var_word) && !effects_) return fail_unexpected("a statement");
  bool constant = at(TokenKind::const_word);
  advance();
  std::vector<Node*> declarators;
  do {
    declarators.push_back(declarator(constant));
  } while (!failed_ && take(TokenKind::comma));
  Node* node = make(NodeKind::declare, begin, std::move(declarators));
  node->constant = constant;
  return node;
}

Node* Parser::declarator(bool constant) {
  uint32_t begin = current().span.begin;
  Node* target = pattern();
  Node* initial = nullptr;
  if (take(TokenKind::assign)) {
    initial = assignment();
  } else if (!failed_ && target->kind != NodeKind::pattern_name) {
    return fail_unexpected("`=` and a value");
  } else if (!failed_ && constant) {
    std::string name(target->text);
    Severity severity = file_.rhythm ? Severity::warning : Severity::error;
    issues_->add_as(severity, Check::const_without_value, begin,
                    "`" + name + "` is a constant and needs its value: const " + name + " = …");
  }
  return make(NodeKind::declarator, begin, {target, initial});
}

Node* Parser::function_declaration() {
  uint32_t begin = current().span.begin;
  bool is_async = take_async_before_function();
  advance();
  take_generator_mark();
  if (!at(TokenKind::name)) return fail_unexpected("a name for the function");
  std::string_view name = text_of(current());
  advance();
  Node* function = function_rest(begin, name);
  function->is_async = is_async;
  Node* node = make(NodeKind::function_declaration, begin, {function});
  node->text = name;
  return node;
}

Node* Parser::labeled_or_expression() {
  uint32_t begin = current().span.begin;
  bool before_function = ahead(1).kind == TokenKind::function_word && !ahead(1).after_line_break;
  if (at_name("async") && before_function) return function_declaration();
  if (at(TokenKind::name) && ahead(1).kind == TokenKind::colon) {
    std::string_view label = text_of(current());
    advance();
    advance();
    Node* node = make(NodeKind::labeled, begin, {statement()});
    node->text = label;
    return node;
  }
  Node* value = expression();
  end_of_statement();
  return make(NodeKind::expression_statement, begin, {value});
}

Node* Parser::jump() {
  uint32_t begin = current().span.begin;
  TokenKind kind = current().kind;
  advance();
  bool ends = at(TokenKind::semicolon) || at(TokenKind::right_brace) || at(TokenKind::end) ||
              current().after_line_break;
  if (kind == TokenKind::return_word) {
    Node* value = ends ? nullptr : expression();
    end_of_statement();
    return make(NodeKind::return_statement, begin, {value});
  }
  std::string_view label;
  if (!ends && at(TokenKind::name)) {
    label = text_of(current());
    advance();
  }
  end_of_statement();
  bool breaks = kind == TokenKind::break_word;
  Node* node = make(breaks ? NodeKind::break_statement : NodeKind::continue_statement, begin);
  node->text = label;
  return node;
}

Node* Parser::throw_statement() {
  uint32_t begin = current().span.begin;
  advance();
  if (current().after_line_break) {
    note(Check::syntax, begin, "a line break may not stand after throw");
  }
  Node* value = expression();
  end_of_statement();
  return make(NodeKind::throw_statement, begin, {value});
}

/// F-8: these words may begin a second statement on the same line.
bool Parser::starts_statement_on_same_line() const {
  switch (current().kind) {
    case TokenKind::let_word:
    case TokenKind::const_word:
    case TokenKind::if_word:
    case TokenKind::for_word:
    case TokenKind::while_word:
    case TokenKind::do_word:
    case TokenKind::switch_word:
    case TokenKind::try_word:
    case TokenKind::return_word:
    case TokenKind::throw_word:
    case TokenKind::break_word:
    case TokenKind::continue_word:
    case TokenKind::function_word: return true;
    default: return at_name("async");
  }
}

void Parser::end_of_statement() {
  if (take(TokenKind::semicolon) || failed_) return;
  if (at(TokenKind::right_brace) || at(TokenKind::end) || current().after_line_break) return;
  if (starts_statement_on_same_line() || file_.rhythm) return;
  if (at(TokenKind::comma)) {
    fail("there is no comma operator; write two statements", Check::unsupported);
    return;
  }
  fail_unexpected("`;` or a new line");
}

}  // namespace fermata::flow
