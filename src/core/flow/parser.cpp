#include "core/flow/parser.h"

#include <algorithm>

#include "core/flow/names.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

namespace {

constexpr size_t fragment_nodes_factor = 10;
/// More than a source of a megabyte can hold; the size of the source is what limits scripts.
constexpr size_t script_nodes_max = 4 << 20;

/// What to write instead of a word that the language leaves out (F-9).
struct WordHint {
  TokenKind kind;
  std::string_view hint;
};
constexpr WordHint word_hints[] = {
    {TokenKind::class_word, "use plain objects and functions"},
    {TokenKind::enum_word, "use an object of constants"},
    {TokenKind::export_word, "a script is one file"},
    {TokenKind::extends_word, "use plain objects and functions"},
    {TokenKind::import_word, "a script is one file"},
    {TokenKind::super_word, "use plain objects and functions"},
    {TokenKind::this_word, "pass the object as a parameter"},
    {TokenKind::var_word, "write let"},
    {TokenKind::void_word, "leave it out"},
    {TokenKind::with_word, "name the object in front of its members"},
    {TokenKind::yield_word, "collect the values in an array"},
};

std::string_view hint_for(TokenKind kind) {
  auto found = std::ranges::find(word_hints, kind, &WordHint::kind);
  return found == std::end(word_hints) ? std::string_view() : found->hint;
}

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

Parser::Parser(std::string_view text, File file) : Parser(text, Grammar::script, {}) {
  file_ = file;
}

Result<Ast, SyntaxError> Parser::run() {
  Issues issues(text_);
  Ast ast = run(issues);
  if (issues.failed()) return Failure{issues.first()};
  return ast;
}

Ast Parser::run(Issues& issues) {
  issues_ = &issues;
  LexOptions options;
  options.condition_text = grammar_ == Grammar::condition;
  options.names = names_;
  options.script = effects_;
  options.plain_strings = file_.rhythm;
  options.begin = file_.begin;
  tokens_ = lex(text_, options, issues);
  pair_brackets();
  ast_.text = text_;
  if (!pure_expression_) {
    ast_.root = effects_ ? file() : statements_until(TokenKind::end);
  } else if (!issues.failed()) {
    if (at(TokenKind::end)) fail("expected an expression");
    ast_.root = expression();
    if (!at(TokenKind::end)) fail_unexpected("an operator or the end");
  }
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
  fail_unexpected(quoted(spelling(kind)) + " " + std::string(where));
}

void Parser::close(TokenKind kind, std::string_view where, uint32_t opened) {
  if (failed_ || take(kind)) return;
  if (noted_index_ == index_ || at(TokenKind::bad)) return;
  std::string message = "unexpected " + describe_current() + ": expected " +
                        quoted(spelling(kind)) + " " + std::string(where);
  Issue& issue = note(Check::syntax, current().span.begin, std::move(message));
  issue.related.push_back({opened, "opened here"});
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
    return fail_at(
        current().span.begin,
        "the text has more than " + std::to_string(nodes_max_) + " parts (" + setting + ")",
        Check::too_large, "limit_exceeded");
  }
  Node& node = ast_.nodes.emplace_back();
  node.kind = kind;
  node.kids = std::move(kids);
  uint32_t end = index_ > 0 ? tokens_[index_ - 1].span.end : begin;
  node.span = {begin, std::max(begin, end)};
  for (const Node* kid : node.kids) {
    if (kid != nullptr) node.height = std::max<uint16_t>(node.height, kid->height + 1);
  }
  if (node.height > height_max) {
    return fail_size("the expression is a chain of more than " + std::to_string(height_max) +
                     " parts; split it");
  }
  return &node;
}

Node* Parser::make_literal(uint32_t begin, Value value) {
  Node* node = make(NodeKind::literal, begin);
  if (!failed_) node->value = std::move(value);
  return node;
}

/// One mistake per token: what follows from it, or was noted by the lexer, is not told again.
Node* Parser::fail_at(size_t offset, std::string message, Check check, std::string_view code) {
  if (failed_) return &broken_;
  bool told = noted_index_ == index_ || at(TokenKind::bad);
  if (!told) issues_->add(check, offset, std::move(message), code);
  failed_ = true;
  gave_up_ = gave_up_ || check == Check::too_large || issues_->full();
  failed_index_ = noted_index_ = index_;
  index_ = tokens_.size() - 1;
  return &broken_;
}

Issue& Parser::note(Check check, size_t offset, std::string message) {
  noted_index_ = index_;
  return issues_->add(check, offset, std::move(message));
}

void Parser::note_unsupported(std::string_view hint) {
  note(Check::unsupported, current().span.begin,
       quoted(text_of(current())) + " is not part of the language; " + std::string(hint));
}

std::string Parser::describe_current() const {
  if (at(TokenKind::end)) return "end of the text";
  return quoted(text_of(current()).substr(0, 40));
}

Node* Parser::fail_unexpected(std::string_view expected) {
  TokenKind kind = current().kind;
  if (is_unused_word(kind)) {
    return fail(
        quoted(spelling(kind)) + " is not part of the language; " + std::string(hint_for(kind)),
        Check::unsupported);
  }
  return fail("unexpected " + describe_current() + ": expected " + std::string(expected));
}

Node* Parser::fail_effect(std::string_view what) {
  if (grammar_ == Grammar::fragment) {
    return fail_at(current().span.begin, quoted(what) + " is not pure: code may not wait or act",
                   Check::unsupported, "code_not_pure");
  }
  return fail(quoted(what) + " is not allowed in an expression");
}

}  // namespace fermata::flow
