#include "core/flow/parser.h"

#include <algorithm>

#include "core/flow/parser_nesting.h"

namespace fermata::flow {

namespace {

constexpr size_t fragment_nodes_factor = 10;
/// More than a source of a megabyte can hold; the size of the source is what limits scripts.
constexpr size_t script_nodes_max = 4 << 20;

}  // namespace

Parser::Parser(std::string_view text, Grammar grammar, const ParseLimits& limits)
    : text_(text), grammar_(grammar), nodes_max_(limits.tree_nodes_max), names_(limits.names) {
  effects_ = grammar == Grammar::script;
  pure_expression_ = grammar != Grammar::fragment && !effects_;
  words_ = grammar == Grammar::condition;
  lines_matter_ = !pure_expression_;
  if (grammar == Grammar::fragment) nodes_max_ *= fragment_nodes_factor;
  if (effects_) nodes_max_ = script_nodes_max;
}

Result<Ast, SyntaxError> Parser::run() {
  LexOptions options{.condition_text = grammar_ == Grammar::condition, .names = names_};
  FERMATA_TRY(tokens, lex(text_, options));
  tokens_ = std::move(tokens);
  pair_brackets();
  ast_.text = text_;
  if (pure_expression_) {
    if (at(TokenKind::end)) fail("expected an expression");
    ast_.root = expression();
    if (!at(TokenKind::end)) fail_unexpected("an operator or the end");
  } else {
    ast_.root = effects_ ? file() : statements_until(TokenKind::end);
  }
  if (failed_) return Failure{std::move(error_)};
  return std::move(ast_);
}

const Token& Parser::ahead(size_t count) const {
  return tokens_[std::min(index_ + count, tokens_.size() - 1)];
}

bool Parser::at_name(std::string_view word) const {
  return at(TokenKind::name) && text_of(current()) == word;
}

bool Parser::take(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

void Parser::expect(TokenKind kind, std::string_view where) {
  if (take(kind)) return;
  fail_unexpected(std::string("`") + std::string(spelling(kind)) + "` " + std::string(where));
}

void Parser::advance() {
  if (index_ + 1 < tokens_.size()) ++index_;
}

std::string_view Parser::text_of(const Token& token) const {
  return text_.substr(token.span.begin, token.span.end - token.span.begin);
}

Node* Parser::make(NodeKind kind, uint32_t begin, std::vector<Node*> kids) {
  if (failed_) return &broken_;
  if (ast_.nodes.size() >= nodes_max_) {
    std::string setting = pure_expression_ ? "" : "ten times ";
    setting += "graph_expression_tree_nodes_max";
    return fail("the text has more than " + std::to_string(nodes_max_) + " parts (" + setting + ")",
                "limit_exceeded");
  }
  Node& node = ast_.nodes.emplace_back();
  node.kind = kind;
  node.kids = std::move(kids);
  uint32_t end = index_ > 0 ? tokens_[index_ - 1].span.end : begin;
  node.span = {begin, std::max(begin, end)};
  for (const Node* kid : node.kids) {
    if (kid != nullptr) node.height = std::max<uint16_t>(node.height, kid->height + 1);
  }
  if (node.height > height_max) return fail("the text is nested too deeply");
  return &node;
}

Node* Parser::make_literal(uint32_t begin, Value value) {
  Node* node = make(NodeKind::literal, begin);
  if (!failed_) node->value = std::move(value);
  return node;
}

Node* Parser::fail(std::string message, std::string_view code) {
  return fail_at(current().span.begin, std::move(message), code);
}

Node* Parser::fail_at(size_t offset, std::string message, std::string_view code) {
  if (!failed_) {
    failed_ = true;
    error_ = syntax_error(text_, offset, std::move(message), code);
    index_ = tokens_.size() - 1;
  }
  return &broken_;
}

std::string Parser::describe_current() const {
  if (at(TokenKind::end)) return "the end";
  std::string_view text = text_of(current()).substr(0, 40);
  return "`" + std::string(text) + "`";
}

Node* Parser::fail_unexpected(std::string_view expected) {
  if (is_unused_word(current().kind)) {
    return fail("`" + std::string(spelling(current().kind)) + "` is not part of the language");
  }
  return fail("unexpected " + describe_current() + ": expected " + std::string(expected));
}

Node* Parser::fail_effect(std::string_view what) {
  std::string found = "`" + std::string(what) + "`";
  if (grammar_ == Grammar::fragment) {
    return fail(found + " is not pure: code may not wait or act", "code_not_pure");
  }
  return fail(found + " is not allowed in an expression");
}

}  // namespace fermata::flow
