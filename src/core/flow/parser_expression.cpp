#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

namespace fermata::flow {

namespace {

struct BinaryMark {
  TokenKind kind;
  int level;
  Operator op;
};

/// From the loosest to the tightest; `**` stands apart because it groups to the right.
constexpr BinaryMark binary_marks[] = {
    {TokenKind::nullish, 1, Operator::nullish},
    {TokenKind::or_or, 2, Operator::logical_or},
    {TokenKind::and_and, 3, Operator::logical_and},
    {TokenKind::equal, 4, Operator::equal},
    {TokenKind::strict_equal, 4, Operator::equal},
    {TokenKind::not_equal, 4, Operator::not_equal},
    {TokenKind::strict_not_equal, 4, Operator::not_equal},
    {TokenKind::less, 5, Operator::less},
    {TokenKind::less_equal, 5, Operator::less_equal},
    {TokenKind::greater, 5, Operator::greater},
    {TokenKind::greater_equal, 5, Operator::greater_equal},
    {TokenKind::in_word, 5, Operator::in},
    {TokenKind::instanceof_word, 5, Operator::instance_of},
    {TokenKind::plus, 6, Operator::add},
    {TokenKind::minus, 6, Operator::subtract},
    {TokenKind::times, 7, Operator::multiply},
    {TokenKind::divide, 7, Operator::divide},
    {TokenKind::modulo, 7, Operator::modulo},
};
constexpr int equality_level = 4;
constexpr int unary_level = 8;

struct AssignMark {
  TokenKind kind;
  Operator op;
};
constexpr AssignMark assign_marks[] = {
    {TokenKind::assign, Operator::none},           {TokenKind::plus_assign, Operator::add},
    {TokenKind::minus_assign, Operator::subtract}, {TokenKind::times_assign, Operator::multiply},
    {TokenKind::divide_assign, Operator::divide},  {TokenKind::modulo_assign, Operator::modulo},
    {TokenKind::power_assign, Operator::power},    {TokenKind::nullish_assign, Operator::nullish},
    {TokenKind::or_assign, Operator::logical_or},  {TokenKind::and_assign, Operator::logical_and},
};

struct WordMark {
  std::string_view word;
  int level;
  Operator op;
};
constexpr WordMark word_marks[] = {
    {"or", 2, Operator::logical_or},
    {"and", 3, Operator::logical_and},
    {"contains", 5, Operator::contains},
};

bool is_logical(Operator op) {
  return op == Operator::nullish || op == Operator::logical_or || op == Operator::logical_and;
}

}  // namespace

Node* Parser::assignment() {
  Nesting nesting(*this);
  if (at_arrow()) return arrow_function();
  uint32_t begin = current().span.begin;
  Node* left = conditional();
  return assignment_operator(left, begin);
}

Node* Parser::assignment_operator(Node* target, uint32_t begin) {
  for (const AssignMark& mark : assign_marks) {
    if (!at(mark.kind)) continue;
    if (pure_expression_) {
      return fail("an expression cannot assign" +
                  std::string(at(TokenKind::assign) ? "; compare with ==" : ""));
    }
    bool is_pattern = target->kind == NodeKind::array || target->kind == NodeKind::object;
    if (is_pattern && mark.op == Operator::none && !target->parenthesised) {
      target = to_pattern(target);
    } else if (!failed_ && !is_target(target)) {
      note(Check::invalid_target, begin, "this cannot be assigned to");
      advance();
      Node* value = assignment();
      return make(NodeKind::broken, begin, {target, value});
    }
    advance();
    Node* value = assignment();
    Node* node = make(NodeKind::assign, begin, {target, value});
    node->op = mark.op;
    return node;
  }
  return target;
}

Node* Parser::conditional() {
  uint32_t begin = current().span.begin;
  Node* condition = binary(1);
  if (!take(TokenKind::question)) return condition;
  Node* chosen = assignment();
  expect(TokenKind::colon, "of the choice ? :");
  Node* otherwise = assignment();
  return make(NodeKind::conditional, begin, {condition, chosen, otherwise});
}

bool Parser::at_binary(int level, Operator& op) const {
  if (words_ && at(TokenKind::name)) {
    for (const WordMark& mark : word_marks) {
      if (mark.level == level && text_of(current()) == mark.word) {
        op = mark.op;
        return true;
      }
    }
  }
  for (const BinaryMark& mark : binary_marks) {
    if (mark.level == level && at(mark.kind)) {
      op = mark.op;
      return true;
    }
  }
  return false;
}

bool Parser::comparison_is_loose(Operator op) const {
  if (!words_) return false;
  return (op >= Operator::equal && op <= Operator::greater_equal) || op == Operator::in ||
         op == Operator::contains;
}

Node* Parser::binary(int level) {
  if (level == unary_level) return unary();
  uint32_t begin = current().span.begin;
  Node* left = binary(level + 1);
  Operator op = Operator::none;
  while (!failed_ && at_binary(level, op)) {
    note_joined_line();
    advance();
    Node* right = binary(level + 1);
    note_mixed_nullish(op, *left, *right);
    left = make(is_logical(op) ? NodeKind::logical : NodeKind::binary, begin, {left, right});
    left->op = op;
    left->loose = comparison_is_loose(op);
  }
  return left;
}

/// A line that begins with `-x` may have been meant as a statement of its own.
void Parser::note_joined_line() {
  bool sign = at(TokenKind::plus) || at(TokenKind::minus);
  if (!effects_ || !sign || !breaks_line()) return;
  if (ahead(1).span.begin != current().span.end) return;
  issues_->add(Check::joined_line, current().span.begin,
               "this line goes on with the one before; put a space behind the sign, or `;` before");
}

void Parser::note_mixed_nullish(Operator op, const Node& left, const Node& right) {
  if (!effects_ || failed_ || !is_logical(op)) return;
  auto mixes = [&](const Node& operand) {
    if (operand.kind != NodeKind::logical || operand.parenthesised) return false;
    return (op == Operator::nullish) != (operand.op == Operator::nullish);
  };
  const Node* inner = mixes(left) ? &left : mixes(right) ? &right : nullptr;
  if (inner == nullptr) return;
  issues_->add(
      Check::mixed_nullish, inner->span.begin,
      "put parentheses around the part that belongs together: ?? is looser than || and &&");
}

Node* Parser::unary() {
  uint32_t begin = current().span.begin;
  Operator op = Operator::none;
  switch (current().kind) {
    case TokenKind::not_mark: op = Operator::logical_not; break;
    case TokenKind::minus: op = Operator::negate; break;
    case TokenKind::plus: op = Operator::plus; break;
    case TokenKind::typeof_word: op = Operator::type_of; break;
    case TokenKind::delete_word: op = Operator::remove; break;
    case TokenKind::await_word: return await_operand();
    case TokenKind::plus_plus:
    case TokenKind::minus_minus: return prefix_update();
    case TokenKind::void_word:
    case TokenKind::yield_word:
      if (!effects_) return postfix();
      note_unsupported(at(TokenKind::void_word) ? "leave it out"
                                                : "collect the values in an array");
      advance();
      return unary();
    default: return at_condition_word("not") ? negation_word() : postfix();
  }
  if (op == Operator::remove && pure_expression_) return fail("an expression cannot delete");
  Nesting nesting(*this);
  advance();
  Node* operand = unary();
  if (op == Operator::remove && operand->kind != NodeKind::member &&
      operand->kind != NodeKind::index && !failed_) {
    note(Check::invalid_target, begin, "delete takes a member: delete object.key");
    return make(NodeKind::broken, begin, {operand});
  }
  note_raised_operand(*operand, begin);
  Node* node = make(NodeKind::unary, begin, {operand});
  node->op = op;
  return node;
}

Node* Parser::await_operand() {
  uint32_t begin = current().span.begin;
  if (!effects_) return fail_effect("await");
  Nesting nesting(*this);
  advance();
  Node* operand = unary();
  note_raised_operand(*operand, begin);
  return make(NodeKind::await, begin, {operand});
}

/// `-2 ** 2` could mean either; it has to be said.
void Parser::note_raised_operand(const Node& operand, uint32_t begin) {
  bool raised = operand.op == Operator::power && operand.kind == NodeKind::binary;
  if (failed_ || !raised || operand.parenthesised) return;
  note(Check::syntax, begin, "put parentheses around the operand left of **");
}

/// `not` takes a whole comparison, as people read it: `not $a == 1`.
Node* Parser::negation_word() {
  uint32_t begin = current().span.begin;
  advance();
  Node* node = make(NodeKind::unary, begin, {binary(equality_level)});
  node->op = Operator::logical_not;
  return node;
}

Node* Parser::prefix_update() {
  uint32_t begin = current().span.begin;
  Operator op = at(TokenKind::plus_plus) ? Operator::add : Operator::subtract;
  if (pure_expression_) return fail("an expression cannot assign");
  Nesting nesting(*this);
  advance();
  Node* target = unary();
  if (!failed_ && !is_target(target)) {
    note(Check::invalid_target, begin, "this cannot be assigned to");
    return make(NodeKind::broken, begin, {target});
  }
  Node* node = make(NodeKind::update, begin, {target});
  node->op = op;
  node->prefix = true;
  return node;
}

Node* Parser::postfix() {
  uint32_t begin = current().span.begin;
  Node* operand = access();
  bool updates = at(TokenKind::plus_plus) || at(TokenKind::minus_minus);
  if (updates && !breaks_line()) {
    if (pure_expression_) return fail("an expression cannot assign");
    Operator op = at(TokenKind::plus_plus) ? Operator::add : Operator::subtract;
    advance();
    if (is_target(operand)) {
      operand = make(NodeKind::update, begin, {operand});
      operand->op = op;
    } else if (!failed_) {
      note(Check::invalid_target, begin, "this cannot be assigned to");
      operand = make(NodeKind::broken, begin, {operand});
    }
  }
  if (!at(TokenKind::power)) return operand;
  Nesting nesting(*this);
  advance();
  Node* exponent = unary();
  Node* node = make(NodeKind::binary, begin, {operand, exponent});
  node->op = Operator::power;
  return node;
}

}  // namespace fermata::flow
