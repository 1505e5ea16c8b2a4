#include "core/flow/names.h"
#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

Node* Parser::pattern() {
  Nesting nesting(*this);
  Scoped lines(lines_matter_, false);
  if (at(TokenKind::left_brace)) return object_pattern();
  if (at(TokenKind::left_bracket)) return array_pattern();
  if (!at(TokenKind::name)) {
    if (effects_ && is_reserved_word(current().kind)) {
      return fail(quoted(text_of(current())) + " is a reserved word and cannot be a name");
    }
    return fail_unexpected("a name");
  }
  Node* node = make(NodeKind::pattern_name, current().span.begin);
  node->span = current().span;
  node->text = text_of(current());
  advance();
  return node;
}

/// A pattern with an optional default, or `...pattern`.
Node* Parser::pattern_element() {
  uint32_t begin = current().span.begin;
  if (take(TokenKind::ellipsis)) return make(NodeKind::pattern_rest, begin, {pattern()});
  return with_default(pattern());
}

Node* Parser::with_default(Node* target) {
  if (!take(TokenKind::assign)) return target;
  Scoped lines(lines_matter_, false);
  return make(NodeKind::pattern_default, target->span.begin, {target, assignment()});
}

Node* Parser::object_pattern() {
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> parts;
  while (!failed_ && !at(TokenKind::right_brace)) {
    uint32_t part_begin = current().span.begin;
    if (take(TokenKind::ellipsis)) {
      if (!at(TokenKind::name)) return fail_unexpected("a name after `...` in an object pattern");
      parts.push_back(make(NodeKind::pattern_rest, part_begin, {pattern()}));
      break;
    }
    bool shorthand = at(TokenKind::name) && ahead(1).kind != TokenKind::colon;
    Node* key = nullptr;
    Node* value = nullptr;
    bool computed = false;
    if (shorthand) {
      key = make_literal(part_begin, Value(text_of(current())));
      value = with_default(pattern());
    } else {
      key = property_key(computed);
      expect(TokenKind::colon, "after the key");
      value = with_default(pattern());
    }
    Node* part = make(NodeKind::pattern_property, part_begin, {key, value});
    part->computed = computed;
    parts.push_back(part);
    if (!take(TokenKind::comma)) break;
  }
  close(TokenKind::right_brace, "to close the pattern", begin);
  return make(NodeKind::pattern_object, begin, std::move(parts));
}

Node* Parser::array_pattern() {
  uint32_t begin = current().span.begin;
  advance();
  std::vector<Node*> parts;
  while (!failed_ && !at(TokenKind::right_bracket)) {
    if (take(TokenKind::comma)) {
      parts.push_back(nullptr);
      continue;
    }
    parts.push_back(pattern_element());
    bool rest = parts.back()->kind == NodeKind::pattern_rest;
    if (rest || !take(TokenKind::comma)) break;
  }
  close(TokenKind::right_bracket, "to close the pattern", begin);
  return make(NodeKind::pattern_array, begin, std::move(parts));
}

bool Parser::is_target(const Node* node) const {
  return node->kind == NodeKind::name || node->kind == NodeKind::member ||
         node->kind == NodeKind::index;
}

/// Reads a list or object literal as the pattern it turned out to be, once `=` is seen behind it.
Node* Parser::to_pattern(Node* expression) {
  uint32_t begin = expression->span.begin;
  switch (expression->kind) {
    case NodeKind::name:
    case NodeKind::member:
    case NodeKind::index: return make(NodeKind::pattern_target, begin, {expression});
    case NodeKind::array: return to_array_pattern(expression);
    case NodeKind::object: return to_object_pattern(expression);
    case NodeKind::spread:
      return make(NodeKind::pattern_rest, begin, {to_pattern(expression->kids[0])});
    case NodeKind::pattern_default:
      return make(NodeKind::pattern_default, begin,
                  {to_pattern(expression->kids[0]), expression->kids[1]});
    case NodeKind::assign:
      if (expression->op == Operator::none) {
        Node* target = expression->kids[0];
        bool is_pattern = !is_target(target);
        return make(NodeKind::pattern_default, begin,
                    {is_pattern ? target : to_pattern(target), expression->kids[1]});
      }
      [[fallthrough]];
    default: return fail_at(begin, "this cannot be assigned to", Check::invalid_target);
  }
}

Node* Parser::to_array_pattern(Node* expression) {
  std::vector<Node*> parts;
  for (Node* element : expression->kids) {
    if (!parts.empty() && parts.back()->kind == NodeKind::pattern_rest) {
      return fail_at(element->span.begin, "`...` must be the last part of a pattern");
    }
    parts.push_back(to_pattern(element));
  }
  return make(NodeKind::pattern_array, expression->span.begin, std::move(parts));
}

Node* Parser::to_object_pattern(Node* expression) {
  std::vector<Node*> parts;
  for (Node* property : expression->kids) {
    if (!parts.empty() && parts.back()->kind == NodeKind::pattern_rest) {
      return fail_at(property->span.begin, "`...` must be the last part of a pattern");
    }
    if (property->kind == NodeKind::spread) {
      Node* rest = property->kids[0];
      if (rest->kind == NodeKind::array || rest->kind == NodeKind::object) {
        return fail_at(rest->span.begin, "`...` in an object pattern takes a name");
      }
      parts.push_back(to_pattern(property));
      continue;
    }
    Node* part = make(NodeKind::pattern_property, property->span.begin,
                      {property->kids[0], to_pattern(property->kids[1])});
    part->computed = property->computed;
    parts.push_back(part);
  }
  return make(NodeKind::pattern_object, expression->span.begin, std::move(parts));
}

}  // namespace fermata::flow
