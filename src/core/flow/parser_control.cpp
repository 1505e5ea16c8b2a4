#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

Node* Parser::condition_in_parens(std::string_view what) {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  expect(TokenKind::left_paren, "before the " + std::string(what));
  Node* condition = expression();
  close(TokenKind::right_paren, "after the " + std::string(what), begin);
  return condition;
}

Node* Parser::if_statement() {
  uint32_t begin = current().span.begin;
  advance();
  Node* condition = condition_in_parens("condition");
  Node* chosen = statement();
  Node* otherwise = take(TokenKind::else_word) ? statement() : nullptr;
  return make(NodeKind::if_statement, begin, {condition, chosen, otherwise});
}

Node* Parser::while_statement() {
  uint32_t begin = current().span.begin;
  advance();
  Node* condition = condition_in_parens("condition");
  return make(NodeKind::while_statement, begin, {condition, statement()});
}

Node* Parser::do_statement() {
  uint32_t begin = current().span.begin;
  advance();
  Node* body = statement();
  expect(TokenKind::while_word, "after the body of do");
  Node* condition = condition_in_parens("condition");
  end_of_statement();
  return make(NodeKind::do_statement, begin, {body, condition});
}

Node* Parser::for_statement() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  advance();
  uint32_t open = current().span.begin;
  expect(TokenKind::left_paren, "after for");
  Node* initial = nullptr;
  bool bare = effects_ && at(TokenKind::name) &&
              ((ahead(1).kind == TokenKind::name && text_of(ahead(1)) == "of") ||
               ahead(1).kind == TokenKind::in_word);
  if (bare) {
    note(Check::syntax, current().span.begin,
         "the loop must declare its variable: const " + std::string(text_of(current())));
  }
  if (effects_ && at(TokenKind::var_word)) note_unsupported("write let");
  bool declares =
      at(TokenKind::let_word) || at(TokenKind::const_word) || (effects_ && at(TokenKind::var_word));
  if (bare || declares) {
    // `for (const x of …)` and `for (let i = 0; …)` part ways behind the pattern.
    size_t before = index_;
    size_t nodes_before = ast_.nodes.size();
    bool constant = bare || at(TokenKind::const_word);
    if (declares) advance();
    Node* target = pattern();
    if (failed_) return &broken_;
    if (at_name("of") || at(TokenKind::in_word)) {
      Node* node = for_each(begin, open, target);
      node->constant = constant;
      return node;
    }
    index_ = before;
    ast_.nodes.resize(nodes_before);
    initial = declaration();
  } else if (!at(TokenKind::semicolon)) {
    initial = expression_sequence();
  }
  return for_three_parts(begin, open, initial);
}

Node* Parser::for_each(uint32_t begin, uint32_t open, Node* target) {
  bool names_keys = at(TokenKind::in_word);
  advance();
  Node* items = expression();
  close(TokenKind::right_paren, "after the header of for", open);
  Scoped body_lines(lines_matter_, true);
  Node* body = statement();
  return make(names_keys ? NodeKind::for_in : NodeKind::for_of, begin, {target, items, body});
}

Node* Parser::for_three_parts(uint32_t begin, uint32_t open, Node* initial) {
  expect(TokenKind::semicolon, "in the header of for");
  Node* condition = at(TokenKind::semicolon) ? nullptr : expression();
  expect(TokenKind::semicolon, "in the header of for");
  Node* update = at(TokenKind::right_paren) ? nullptr : expression_sequence();
  close(TokenKind::right_paren, "after the header of for", open);
  Scoped body_lines(lines_matter_, true);
  Node* body = statement();
  return make(NodeKind::for_statement, begin, {initial, condition, update, body});
}

Node* Parser::expression_sequence() {
  uint32_t begin = current().span.begin;
  std::vector<Node*> expressions;
  do {
    expressions.push_back(expression());
  } while (!failed_ && take(TokenKind::comma));
  return make(NodeKind::sequence, begin, std::move(expressions));
}

Node* Parser::switch_statement() {
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> kids{condition_in_parens("value of the switch")};
  uint32_t open = current().span.begin;
  expect(TokenKind::left_brace, "to begin the cases");
  bool has_default = false;
  while (!failed_ && !at(TokenKind::right_brace) && !at(TokenKind::end)) {
    bool is_default = at(TokenKind::default_word);
    if (is_default && has_default) {
      note(Check::syntax, current().span.begin, "a switch has one default at most");
    }
    has_default = has_default || is_default;
    kids.push_back(switch_case());
  }
  close(TokenKind::right_brace, "to end the cases", open);
  return make(NodeKind::switch_statement, begin, std::move(kids));
}

Node* Parser::switch_case() {
  Scoped lines(lines_matter_, true);
  uint32_t begin = current().span.begin;
  std::vector<Node*> kids{nullptr};
  if (take(TokenKind::case_word)) {
    kids[0] = expression();
  } else if (!take(TokenKind::default_word)) {
    return fail_unexpected("case or default");
  }
  expect(TokenKind::colon, "after the case");
  statement_list(kids, ListEnd::next_case);
  return make(NodeKind::switch_case, begin, std::move(kids));
}

Node* Parser::try_statement() {
  uint32_t begin = current().span.begin;
  advance();
  Node* body = block();
  Node* caught = nullptr;
  Node* handler = nullptr;
  Node* final_block = nullptr;
  if (take(TokenKind::catch_word)) {
    uint32_t open = current().span.begin;
    if (take(TokenKind::left_paren)) {
      caught = pattern();
      close(TokenKind::right_paren, "after the caught error", open);
    }
    handler = block();
  }
  if (take(TokenKind::finally_word)) final_block = block();
  if (!failed_ && handler == nullptr && final_block == nullptr) {
    return fail_unexpected("catch or finally");
  }
  return make(NodeKind::try_statement, begin, {body, caught, handler, final_block});
}

}  // namespace fermata::flow
