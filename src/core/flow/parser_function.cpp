#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

/// Looks for `name =>` or `(…) =>`, each perhaps behind `async`.
bool Parser::at_arrow() const {
  if (at(TokenKind::name)) {
    if (ahead(1).kind == TokenKind::arrow) return true;
    if (text_of(current()) != "async" || ahead(1).after_line_break) return false;
    if (ahead(1).kind == TokenKind::name) return ahead(2).kind == TokenKind::arrow;
    return ahead(1).kind == TokenKind::left_paren && arrow_behind_parens(index_ + 1);
  }
  return at(TokenKind::left_paren) && arrow_behind_parens(index_);
}

/// True when `=>` follows the parenthesis that closes the one at `open`.
bool Parser::arrow_behind_parens(size_t open) const {
  size_t close = closes_[open];
  return close + 1 < tokens_.size() && tokens_[close + 1].kind == TokenKind::arrow;
}

/// Finds every bracket's partner once, so that looking ahead for `=>` costs nothing.
void Parser::pair_brackets() {
  std::vector<uint32_t> open;
  closes_.assign(tokens_.size(), static_cast<uint32_t>(tokens_.size() - 1));
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    switch (tokens_[i].kind) {
      case TokenKind::left_paren:
      case TokenKind::left_bracket:
      case TokenKind::left_brace: open.push_back(i); break;
      case TokenKind::right_paren:
      case TokenKind::right_bracket:
      case TokenKind::right_brace:
        if (open.empty()) break;
        closes_[open.back()] = i;
        open.pop_back();
        break;
      default: break;
    }
  }
}

Node* Parser::arrow_function() {
  uint32_t begin = current().span.begin;
  bool is_async = at_name("async") && ahead(1).kind != TokenKind::arrow;
  if (is_async && !effects_) return fail_effect("async");
  if (is_async) advance();
  std::vector<Node*> kids;
  if (at(TokenKind::name)) {
    kids.push_back(pattern());
  } else {
    kids = parameters();
  }
  if (current().after_line_break && (lines_matter_ || effects_)) {
    return fail("a line break may not stand before =>");
  }
  expect(TokenKind::arrow, "of the function");
  if (at(TokenKind::left_brace)) {
    if (pure_expression_) return fail("in an expression the body after => is an expression");
    kids.push_back(block());
  } else {
    kids.push_back(assignment());
  }
  Node* node = make(NodeKind::function, begin, std::move(kids));
  node->arrow = true;
  node->is_async = is_async;
  return node;
}

/// The word `async` belongs to a function only when that follows on the same line.
bool Parser::take_async_before_function() {
  bool found =
      at_name("async") && ahead(1).kind == TokenKind::function_word && !ahead(1).after_line_break;
  if (!found) return false;
  if (!effects_) {
    fail_effect("async");
  } else {
    advance();
  }
  return true;
}

/// Generators are left out; the rest of the function may still be right.
void Parser::take_generator_mark() {
  if (!effects_ || !at(TokenKind::times)) return;
  note(Check::unsupported, current().span.begin,
       "there are no generators; collect the values in an array");
  advance();
}

Node* Parser::function_expression() {
  uint32_t begin = current().span.begin;
  if (pure_expression_) return fail("an expression takes functions as x => value only");
  bool is_async = take_async_before_function();
  advance();
  take_generator_mark();
  std::string_view name;
  if (at(TokenKind::name)) {
    name = text_of(current());
    advance();
  }
  Node* node = function_rest(begin, name);
  node->names_itself = !name.empty();
  node->is_async = is_async;
  return node;
}

Node* Parser::function_rest(uint32_t begin, std::string_view name) {
  std::vector<Node*> kids = parameters();
  kids.push_back(block());
  Node* node = make(NodeKind::function, begin, std::move(kids));
  node->text = name;
  return node;
}

std::vector<Node*> Parser::parameters() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  expect(TokenKind::left_paren, "before the parameters");
  std::vector<Node*> out;
  while (!failed_ && !at(TokenKind::right_paren)) {
    Node* element = pattern_element();
    out.push_back(element);
    if (!take(TokenKind::comma)) break;
    if (element->kind == NodeKind::pattern_rest) {
      fail_at(element->span.begin, "`...` must be the last parameter");
    }
  }
  close(TokenKind::right_paren, "after the parameters", begin);
  return out;
}

Node* Parser::object_literal() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> properties;
  while (!failed_ && !at(TokenKind::right_brace)) {
    properties.push_back(object_property());
    if (!take(TokenKind::comma)) break;
  }
  close(TokenKind::right_brace, "to close the object", begin);
  return make(NodeKind::object, begin, std::move(properties));
}

Node* Parser::object_property() {
  uint32_t begin = current().span.begin;
  if (take(TokenKind::ellipsis)) return make(NodeKind::spread, begin, {assignment()});
  if (effects_) skip_unsupported_modifier();
  bool shorthand = at(TokenKind::name);
  std::string_view name = text_of(current());
  bool computed = false;
  Node* key = property_key(computed);
  if (failed_) return &broken_;
  Node* property = nullptr;
  if (take(TokenKind::colon)) {
    property = make(NodeKind::property, begin, {key, assignment()});
  } else if (at(TokenKind::left_paren)) {
    return method(begin, key, computed);
  } else if (shorthand) {
    Node* value = make(NodeKind::name, begin);
    value->text = name;
    // `{a = 1}` is right only if this object turns out to be a pattern; see to_pattern.
    if (at(TokenKind::assign) && !pure_expression_) {
      advance();
      value = make(NodeKind::pattern_default, begin, {value, assignment()});
    }
    property = make(NodeKind::property, begin, {key, value});
  } else {
    return fail_unexpected("`:` after the key");
  }
  property->computed = computed;
  return property;
}

/// `get x() {…}`, `async x() {…}` and `*x() {…}` are no members of the language's objects.
void Parser::skip_unsupported_modifier() {
  take_generator_mark();
  bool word = at_name("get") || at_name("set") || at_name("async");
  TokenKind next = ahead(1).kind;
  bool before_key = next == TokenKind::name || next == TokenKind::string ||
                    next == TokenKind::left_bracket || is_reserved_word(next);
  if (!word || !before_key) return;
  note(Check::unsupported, current().span.begin,
       at_name("async") ? "a method cannot be async; write name: async () => …"
                        : "there are no getters and setters; write a method");
  advance();
}

Node* Parser::property_key(bool& computed) {
  uint32_t begin = current().span.begin;
  if (at(TokenKind::name) || is_reserved_word(current().kind)) {
    Value name(text_of(current()));
    advance();
    return make_literal(begin, std::move(name));
  }
  if (at(TokenKind::string) || at(TokenKind::number)) {
    Value key = current().value;
    advance();
    return make_literal(begin, std::move(key));
  }
  if (take(TokenKind::left_bracket)) {
    computed = true;
    Node* key = assignment();
    close(TokenKind::right_bracket, "after the key", begin);
    return key;
  }
  return fail_unexpected("a key");
}

Node* Parser::method(uint32_t begin, Node* key, bool computed) {
  if (pure_expression_) return fail("an expression takes functions as x => value only");
  std::string_view name = computed || !key->value.is_string() ? "" : key->value.as_string();
  Node* function = function_rest(begin, name);
  Node* property = make(NodeKind::property, begin, {key, function});
  property->computed = computed;
  return property;
}

}  // namespace fermata::flow
