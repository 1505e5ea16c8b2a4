#include "core/flow/parser.h"
#include "core/flow/script_fixture.h"

/// Where statements end (F-7, F-8), statement by statement.
namespace fermata::flow {
namespace {

/// How many statements a text has at its top, or 0 when it does not follow the grammar.
size_t statements(std::string_view text) {
  auto ast = Parser(text, Grammar::script, {}).run();
  return ast ? ast->root->kids.size() : 0;
}

// F-7
TEST(ScriptLines, every_continuation_joins_its_line) {
  for (std::string_view rest : {".b",   "?.b",   "? b : c", "in b",  "instanceof Object",
                                "= b",  "+= b",  "-= b",    "*= b",  "/= b",
                                "%= b", "**= b", "?\?= b",  "||= b", "&&= b",
                                "+ b",  "- b",   "* b",     "/ b",   "% b",
                                "** b", "== b",  "!= b",    "=== b", "!== b",
                                "< b",  "<= b",  "> b",     ">= b",  "&& b",
                                "|| b", "?? b",  "?.[b]",   "?.(b)"}) {
    EXPECT_EQ(statements("a\n" + std::string(rest)), 1u) << rest;
  }
  EXPECT_EQ(statements("a ? b\n: c"), 1u);
  EXPECT_EQ(statements("if (a) b()\nelse c()"), 1u);
  EXPECT_EQ(statements("if (a) { }\n\nelse { }"), 1u);
  EXPECT_EQ(statements("try { }\ncatch (e) { }\nfinally { }"), 1u);
  EXPECT_EQ(statements("let a\n= 1"), 1u);
}

// F-7
TEST(ScriptLines, an_incomplete_statement_goes_on) {
  for (std::string_view text : {"let a =\n1",
                                "a +\nb",
                                "a.\nb",
                                "if (a)\nb()",
                                "while (a)\nb()",
                                "for (;;)\na()",
                                "f(\na\n,\nb\n)",
                                "[\na,\nb\n]",
                                "let x = {\na,\nb: 1\n}",
                                "const\na = 1",
                                "let {\na\n} = b",
                                "`${\na\n}`",
                                "a ?\nb :\nc",
                                "await\na",
                                "typeof\na",
                                "!\na",
                                "function\nf\n(\n)\n{\n}",
                                "do\na()\nwhile (b)",
                                "x =>\nx",
                                "new\nError('x')",
                                "a = b\n? c\n: d",
                                "(a\n(b)\n[c])"}) {
    EXPECT_EQ(statements(text), 1u) << text;
  }
}

// F-7
TEST(ScriptLines, these_lines_begin_anew) {
  for (std::string_view text :
       {"a\n(b)", "a\n[b]", "a\n`b`", "a\n++b", "a\n--b", "a\nb", "let a = b\n(c)", "a = b\n[c]",
        "a\n!b", "a\n{ }", "a\nfunction f() { }", "async\nfunction f() { }", "a\nnew Error('x')",
        "a\nawait b", "a /* and\n */ b", "x => { }\n(y)"}) {
    EXPECT_EQ(statements(text), 2u) << text;
  }
  EXPECT_EQ(statements("a // b\nc"), 2u);
  EXPECT_EQ(statements("for (;;) { break\na }"), 1u);
  EXPECT_EQ(findings("a: for (;;) { break\na() }\nfunction a() { }"),
            Found{"2:1 unreachable-code"});
}

// F-7
TEST(ScriptLines, a_function_body_inside_brackets_has_lines_of_its_own) {
  EXPECT_EQ(findings("return [1].map(x => {\n  const y = x\n  return y\n    + 1\n})"), Found{});
  EXPECT_EQ(findings("return [1].map(x => {\n  const y = [x]\n  [y].length\n  return y\n})"),
            Found{"3:3 no-effect"});
  EXPECT_EQ(findings("return (Inputs.f\n(2))"), Found{});
}

// F-7
TEST(ScriptLines, a_break_after_throw_or_before_an_arrow_is_an_error) {
  EXPECT_EQ(findings("throw\nError('x')"), Found{"1:1 syntax"});
  EXPECT_EQ(findings("return [1].map(x\n=> x)"), Found{"2:1 syntax"});
  EXPECT_EQ(findings("return [1].map((x)\n=> x)"), Found{"2:1 syntax"});
}

// F-7
TEST(ScriptLines, trailing_blanks_and_comments_change_nothing) {
  EXPECT_EQ(statements("a \t \n \t b"), 2u);
  EXPECT_EQ(statements("a // why\n  .b"), 1u);
  EXPECT_EQ(statements("a /* why */\n  .b"), 1u);
  EXPECT_EQ(statements("let a = 1 ;; let b"), 3u);
}

// F-8
TEST(ScriptLines, only_these_words_may_begin_a_second_statement) {
  for (std::string_view second :
       {"let b", "const b = 1", "if (b) { }", "for (;;) { }", "while (b) { }", "do { } while (b)",
        "switch (b) { }", "try { } finally { }", "return b", "throw b", "function f() { }",
        "async function f() { }"}) {
    EXPECT_EQ(statements("a() " + std::string(second)), 2u) << second;
  }
  EXPECT_EQ(statements("for (;;) { a() break }"), 1u);
  EXPECT_EQ(statements("for (;;) { a() continue }"), 1u);
  EXPECT_EQ(statements("let x = 1 let y = 2 return x + y"), 3u);
  for (std::string_view second :
       {"b()", "b = 1", "await b", "{ }", "5", "x: b", "'s'", "delete b.c"}) {
    std::string text = "a() " + std::string(second);
    EXPECT_EQ(statements(text), 0u) << text;
  }
  EXPECT_EQ(first_message("let a = 1 a = 2"), "unexpected `a`: expected `;` or a new line");
}

// F-5
TEST(ScriptLines, reserved_words_are_told_as_such) {
  EXPECT_EQ(first_message("let default = 1"), "`default` is a reserved word and cannot be a name");
  EXPECT_EQ(first_message("const f = (class) => 1"),
            "`class` is a reserved word and cannot be a name");
  EXPECT_EQ(first_message("yield 1"),
            "`yield` is not part of the language; collect the values in an array");
  EXPECT_EQ(findings("let letter = 1, nullable = 2, awaiting = 3, returned = 4\n"
                     "return { class: letter, new: nullable, if: awaiting }.class + returned"),
            Found{});
}

}  // namespace
}  // namespace fermata::flow
