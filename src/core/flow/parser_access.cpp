#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

Node* Parser::access() {
  uint32_t begin = current().span.begin;
  Node* node = primary();
  bool optional = false;
  while (!failed_ && access_step(node, optional)) node->span.begin = begin;
  return optional ? make(NodeKind::chain, begin, {node}) : node;
}

/// Takes one `.name`, `[key]` or `(arguments)`; false when the access ends here.
bool Parser::access_step(Node*& node, bool& optional) {
  uint32_t begin = node->span.begin;
  bool guarded = at(TokenKind::optional_dot);
  if (guarded || at(TokenKind::dot)) {
    advance();
    optional = optional || guarded;
    bool bracket = guarded && (at(TokenKind::left_bracket) || at(TokenKind::left_paren));
    if (!bracket) {
      if (!at(TokenKind::name) && !is_reserved_word(current().kind)) {
        fail_unexpected("a name after the point");
        return false;
      }
      std::string_view name = text_of(current());
      advance();
      node = make(NodeKind::member, begin, {node});
      node->text = name;
      node->optional = guarded;
      return true;
    }
  } else if (breaks_line()) {
    return false;
  }
  uint32_t open = current().span.begin;
  if (take(TokenKind::left_bracket)) {
    Scoped lines(lines_matter_, false);
    Node* key = expression();
    close(TokenKind::right_bracket, "after the key", open);
    node = make(NodeKind::index, begin, {node, key});
  } else if (at(TokenKind::left_paren)) {
    std::vector<Node*> kids{node};
    for (Node* argument : arguments()) kids.push_back(argument);
    node = make(NodeKind::call, begin, std::move(kids));
  } else {
    return false;
  }
  node->optional = guarded;
  return true;
}

std::vector<Node*> Parser::arguments() {
  Scoped lines(lines_matter_, false);
  uint32_t begin_of_all = current().span.begin;
  expect(TokenKind::left_paren, "before the arguments");
  std::vector<Node*> out;
  while (!failed_ && !at(TokenKind::right_paren)) {
    uint32_t begin = current().span.begin;
    bool spread = take(TokenKind::ellipsis);
    Node* value = assignment();
    out.push_back(spread ? make(NodeKind::spread, begin, {value}) : value);
    if (!take(TokenKind::comma)) break;
  }
  close(TokenKind::right_paren, "after the arguments", begin_of_all);
  return out;
}

Node* Parser::primary() {
  const Token& token = current();
  uint32_t begin = token.span.begin;
  switch (token.kind) {
    case TokenKind::number:
    case TokenKind::string:
    case TokenKind::template_whole: {
      Value value = token.value;
      advance();
      return make_literal(begin, std::move(value));
    }
    case TokenKind::template_head: return text_template();
    case TokenKind::left_paren: return parenthesised();
    case TokenKind::left_bracket: return array_literal();
    case TokenKind::left_brace: {
      bool doubled =
          ahead(1).kind == TokenKind::left_brace && ahead(1).span.begin == token.span.end;
      return words_ && doubled ? mustache() : object_literal();
    }
    case TokenKind::name: return name_or_root();
    default: return primary_word();
  }
}

Node* Parser::primary_word() {
  uint32_t begin = current().span.begin;
  auto constant = [&](Value value) {
    advance();
    return make_literal(begin, std::move(value));
  };
  bool before_paren = ahead(1).kind == TokenKind::left_paren;
  switch (current().kind) {
    case TokenKind::true_word: return constant(true);
    case TokenKind::false_word: return constant(false);
    case TokenKind::null_word:
    case TokenKind::undefined_word: return constant(nullptr);
    case TokenKind::default_word:
      if (before_paren && !effects_) return default_call();
      break;
    case TokenKind::new_word:
      if (ahead(1).kind == TokenKind::name) return new_error();
      break;
    case TokenKind::function_word:
      if (!words_) return function_expression();
      break;
    case TokenKind::this_word:
      if (!effects_) break;
      note_unsupported("pass the object as a parameter");
      return constant(nullptr);
    default: break;
  }
  // In condition text any other word stands for itself: `$order.state == new`.
  if (words_ && is_reserved_word(current().kind)) {
    return constant(Value(text_of(current())));
  }
  return fail_unexpected("a value");
}

Node* Parser::name_or_root() {
  uint32_t begin = current().span.begin;
  std::string_view name = text_of(current());
  bool before_function = ahead(1).kind == TokenKind::function_word && !ahead(1).after_line_break;
  if (name == "async" && before_function) {
    return effects_ ? function_expression() : fail_effect("async");
  }
  advance();
  if (name == "$" && !effects_) {
    expect(TokenKind::left_bracket, "and a name in quotes, or a name, after `$`");
    if (!at(TokenKind::string)) return fail_unexpected("a node name in quotes");
    Value key = current().value;
    advance();
    expect(TokenKind::right_bracket, "after the node name");
    Node* node = make(NodeKind::root, begin);
    node->value = std::move(key);
    node->text = node->value.as_string();
    return node;
  }
  bool joins = name == "and" || name == "or" || name == "not" || name == "contains";
  if (words_ && joins)
    return fail_at(begin, "unexpected `" + std::string(name) + "`: expected a value");
  Node* node = make(NodeKind::name, begin);
  node->text = name;
  node->loose = words_;
  return node;
}

/// `{{ … }}` inside condition text is a plain expression in parentheses.
Node* Parser::mustache() {
  uint32_t begin = current().span.begin;
  advance();
  advance();
  Node* inner = nullptr;
  {
    Scoped words(words_, false);
    inner = expression();
  }
  expect(TokenKind::right_brace, "to end {{");
  expect(TokenKind::right_brace, "to end {{");
  inner->span = {begin, tokens_[index_ > 0 ? index_ - 1 : 0].span.end};
  inner->parenthesised = true;
  return inner;
}

Node* Parser::parenthesised() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  advance();
  Node* inner = expression();
  if (at(TokenKind::comma)) return fail("there is no comma operator", Check::unsupported);
  close(TokenKind::right_paren, "to close the parenthesis", begin);
  inner->parenthesised = true;
  return inner;
}

Node* Parser::text_template() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  std::vector<Node*> pieces{make_literal(begin, current().value)};
  bool more = true;
  while (more && !failed_) {
    advance();
    pieces.push_back(expression());
    more = at(TokenKind::template_middle);
    if (!more && !at(TokenKind::template_tail)) return fail_unexpected("`}` to end ${");
    pieces.push_back(make_literal(current().span.begin, current().value));
  }
  advance();
  return make(NodeKind::text_template, begin, std::move(pieces));
}

Node* Parser::array_literal() {
  Scoped lines(lines_matter_, false);
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> elements;
  while (!failed_ && !at(TokenKind::right_bracket)) {
    uint32_t element_begin = current().span.begin;
    bool spread = take(TokenKind::ellipsis);
    Node* value = assignment();
    elements.push_back(spread ? make(NodeKind::spread, element_begin, {value}) : value);
    if (!take(TokenKind::comma)) break;
  }
  close(TokenKind::right_bracket, "to close the list", begin);
  return make(NodeKind::array, begin, std::move(elements));
}

Node* Parser::new_error() {
  uint32_t begin = current().span.begin;
  advance();
  bool known = at_name("Error");
  if (!known && !effects_) return fail("only `new Error(…)` can be made with new");
  if (!known) {
    note(Check::unsupported, begin, "only `new Error(…)` can be made with new");
  }
  Node* callee = name_or_root();
  std::vector<Node*> kids{callee};
  if (known || at(TokenKind::left_paren)) {
    for (Node* argument : arguments()) kids.push_back(argument);
  }
  // The name of a class would only be called unknown on top.
  return known ? make(NodeKind::call, begin, std::move(kids)) : make_literal(begin, Value());
}

Node* Parser::default_call() {
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> values = arguments();
  if (failed_) return &broken_;
  bool spread = !values.empty() && (values[0]->kind == NodeKind::spread);
  if (values.size() != 2 || spread) return fail_at(begin, "default takes two: default(e, d)");
  return make(NodeKind::default_value, begin, std::move(values));
}

}  // namespace fermata::flow
