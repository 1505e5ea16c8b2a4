#include "core/flow/lexer.h"

#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

std::vector<std::string> words(std::string_view text) {
  auto tokens = lex(text);
  EXPECT_TRUE(tokens) << text;
  std::vector<std::string> out;
  if (!tokens) return out;
  for (const Token& token : *tokens) {
    if (token.kind == TokenKind::end) break;
    out.emplace_back(text.substr(token.span.begin, token.span.end - token.span.begin));
  }
  return out;
}

TokenKind first(std::string_view text) {
  auto tokens = lex(text);
  EXPECT_TRUE(tokens) << text;
  return tokens ? tokens->front().kind : TokenKind::end;
}

std::string literal(std::string_view text) {
  auto tokens = lex(text);
  if (!tokens) return tokens.error().message;
  EXPECT_EQ(tokens->size(), 2u) << text;
  return to_json(tokens->front().value);
}

// F-5
TEST(Lexer, keywords_match_whole_words_only) {
  for (std::string_view name : {"letter", "nullable", "awaiting", "returned", "_if", "$", "$x1"}) {
    EXPECT_EQ(first(name), TokenKind::name) << name;
  }
  EXPECT_EQ(first("let"), TokenKind::let_word);
  EXPECT_EQ(first("class"), TokenKind::class_word);
  for (std::string_view free : {"of", "async", "workflow"}) EXPECT_EQ(first(free), TokenKind::name);
}

// F-5
TEST(Lexer, comments_are_no_tokens_and_keep_line_breaks) {
  EXPECT_EQ(words("a // b\nc /* d\n e */ f"), (std::vector<std::string>{"a", "c", "f"}));
  auto tokens = lex("a /* x\n */ b");
  ASSERT_TRUE(tokens);
  EXPECT_TRUE((*tokens)[1].after_line_break);
  EXPECT_FALSE(lex("a /* b"));
}

// F-6
TEST(Lexer, numbers_in_every_notation) {
  EXPECT_EQ(literal("12"), "12");
  EXPECT_EQ(literal("1_000"), "1000");
  EXPECT_EQ(literal("0.5"), "0.5");
  EXPECT_EQ(literal(".5"), "0.5");
  EXPECT_EQ(literal("1e3"), "1000");
  EXPECT_EQ(literal("2.5e-1"), "0.25");
  EXPECT_EQ(literal("0xff"), "255");
  EXPECT_EQ(literal("0b11"), "3");
  EXPECT_EQ(literal("0o17"), "15");
  EXPECT_EQ(literal("9007199254740993"), "9007199254740992");
  for (std::string_view wrong : {"1_", "1__0", "0x", "1e", "3px", "0b12"}) {
    EXPECT_FALSE(lex(wrong)) << wrong;
  }
}

// F-6
TEST(Lexer, strings_know_these_escapes_and_no_others) {
  EXPECT_EQ(literal(R"('say "é"')"), R"("say \"é\"")");
  EXPECT_EQ(literal(R"("\n\t\r\b\f\v\0\\\'\"\`\$")"), R"("\n\t\r\b\f\u000b\u0000\\'\"`$")");
  EXPECT_EQ(literal(R"('\x41\u00e9\u{1f600}')"), "\"Aé😀\"");
  EXPECT_EQ(literal(R"("\ud83d\ude00")"), "\"😀\"");
  EXPECT_EQ(literal("'a\\\nb'"), "\"ab\"");
  for (std::string_view wrong :
       {R"("\q")", R"("\ud83d")", R"("\x4")", R"("\u{}")", "'a\nb'", "'a", R"("\u{110000}")"}) {
    EXPECT_FALSE(lex(wrong)) << wrong;
  }
}

// F-6
TEST(Lexer, templates_span_lines_and_nest) {
  EXPECT_EQ(literal("`a\r\nb\rc`"), R"("a\nb\nc")");
  EXPECT_EQ(words("`a ${ {b: `c${d}`} } e`").size(), 9u);
  EXPECT_FALSE(parse("`a ${1", Grammar::expression));
  EXPECT_FALSE(lex("`a"));
}

TEST(Lexer, the_longest_mark_wins_but_a_number_may_follow_a_question_mark) {
  EXPECT_EQ(words("a?.b"), (std::vector<std::string>{"a", "?.", "b"}));
  EXPECT_EQ(words("a?.5:1"), (std::vector<std::string>{"a", "?", ".5", ":", "1"}));
  EXPECT_EQ(words("a**=b===c"), (std::vector<std::string>{"a", "**=", "b", "===", "c"}));
  EXPECT_EQ(words("a?\?=b"), (std::vector<std::string>{"a", "?\?=", "b"}));
}

TEST(Lexer, mistakes_have_line_and_column_in_code_points) {
  auto tokens = lex("é = 'x'\n  @");
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().line, 1);
  tokens = lex("a\n 'é' @");
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().line, 2);
  EXPECT_EQ(tokens.error().column, 6);
}

TEST(Lexer, text_that_is_not_utf8_is_refused) { EXPECT_FALSE(lex("'\xff'")); }

// G-13
TEST(Lexer, dashes_belong_to_existing_names_in_condition_text_only) {
  std::vector<std::string> names{"my-node", "my"};
  LexOptions options{.condition_text = true, .names = &names};
  auto second = [&](std::string_view text) {
    auto tokens = lex(text, options);
    EXPECT_TRUE(tokens) << text;
    return tokens ? (*tokens)[0].span.end : 0;
  };
  EXPECT_EQ(second("$my-node.x"), 8u);
  EXPECT_EQ(second("$my-nodes"), 3u);
  EXPECT_EQ(second("$your-node"), 5u);
  auto inside = lex("{{ $my-node }}", options);
  ASSERT_TRUE(inside);
  EXPECT_EQ((*inside)[2].span.end, 6u);
}

}  // namespace
}  // namespace fermata::flow
