#include <gtest/gtest.h>

#include "core/flow/parser.h"
#include "core/flow/resolver.h"

namespace fermata::flow {
namespace {

/// Kinds of the statements of a script, in order; or what is wrong with it.
struct Read {
  std::vector<NodeKind> kinds;
  Ast ast;
  std::string mistake;
};

Read read(std::string_view text) {
  Read out;
  auto ast = Parser(text, Grammar::script, {}).run();
  if (!ast) {
    out.mistake = ast.error().message;
    return out;
  }
  out.ast = *std::move(ast);
  auto scope = Resolver(out.ast, {.grammar = Grammar::script}).run();
  if (!scope) out.mistake = scope.error().message;
  for (const Node* node : out.ast.root->kids) out.kinds.push_back(node->kind);
  return out;
}

// F-1
TEST(ScriptParser, a_workflow_is_called_after_everything_beside_it) {
  Read file = read(
      "workflow refund(inputs, context) { return helper(inputs) + rate }\n"
      "function helper(x) { return x }\nconst rate = 2");
  EXPECT_EQ(file.mistake, "");
  EXPECT_EQ(file.kinds,
            (std::vector{NodeKind::function_declaration, NodeKind::declare, NodeKind::entry}));
  const Node& entry = *file.ast.root->kids.back();
  ASSERT_EQ(entry.kids.size(), 3u);
  EXPECT_EQ(entry.kids[0]->text, "refund");
  EXPECT_EQ(entry.kids[1]->text, "Inputs");
  EXPECT_EQ(entry.kids[2]->text, "Context");
}

// F-1, F-2
TEST(ScriptParser, a_workflow_may_lack_name_and_parameters_or_take_its_inputs_apart) {
  EXPECT_EQ(read("workflow () { return 1 }").kinds, std::vector{NodeKind::entry});
  EXPECT_EQ(
      read("workflow({ order: { id }, ...rest }) { return [id, rest, Inputs, Context] }").mistake,
      "");
}

// F-1
TEST(ScriptParser, an_async_main_among_declarations_is_the_entry) {
  Read file = read("const a = 1\nasync function main() { return await a }\nfunction f() {}");
  EXPECT_EQ(file.mistake, "");
  ASSERT_EQ(file.kinds.size(), 4u);
  EXPECT_EQ(file.kinds.back(), NodeKind::entry);
  EXPECT_EQ(file.ast.root->kids.back()->kids[0]->kind, NodeKind::name);
  EXPECT_NE(file.ast.root->kids.back()->kids[0]->variable, nullptr);
}

// F-1
TEST(ScriptParser, other_statements_make_the_file_a_bare_one) {
  for (std::string_view text :
       {"async function main() { return 1 }\nreturn 2", "function main() { return 1 }",
        "let a = 1\nasync function main() { }", "return Inputs.x"}) {
    Read file = read(text);
    EXPECT_EQ(file.mistake, "") << text;
    EXPECT_NE(file.kinds.back(), NodeKind::entry) << text;
  }
}

// F-1
TEST(ScriptParser, workflow_async_and_of_are_names_elsewhere) {
  Read file = read(
      "let workflow = 1, async = 2, of = 3\nconst f = workflow => async + of\n"
      "function async2() { return workflow }\nasync = f(of)\n{ workflow = 2 }\n"
      "const g = async(1)\nfor (const of of [1]) { of }\nreturn workflow");
  EXPECT_EQ(file.mistake, "");
  EXPECT_EQ(read("let workflow = x => x\nworkflow(1)\n{ }\nworkflow (2)").mistake, "");
}

// F-20, F-24
TEST(ScriptParser, await_and_async_stand_wherever_an_expression_may) {
  EXPECT_EQ(read("const a = async x => await x, b = async (x, y) => { await y }\n"
                 "const c = async function (x) { return `${await x}` }\n"
                 "async function d(x = await a(1)) { if (await x) while (!await b(x)) { } }\n"
                 "return { [await a(1)]: -(await c(2)) + await d(3) * 2 }")
                .mistake,
            "");
  EXPECT_EQ(read("await 2 ** 3").mistake, "put parentheses around the operand left of **");
}

// F-38
TEST(ScriptParser, scripts_may_name_what_waits_and_acts) {
  EXPECT_EQ(read("Task.run('x')\nTimer.delay(1)\nSignal.next('a')\nwait_for_signal('a')\n"
                 "Workflow.run('w')\nApproval.request({})\nLog.info('x')\nRun.label('a', 'b')\n"
                 "Promise.all([])\nconsole.log(1)")
                .mistake,
            "");
  EXPECT_EQ(read("Task.rum('x')").mistake, "unknown function `Task.rum`; did you mean `run`?");
}

}  // namespace
}  // namespace fermata::flow
