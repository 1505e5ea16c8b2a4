#include "core/flow/script.h"

#include "core/flow/issues.h"
#include "core/flow/script_fixture.h"

namespace fermata::flow {
namespace {

/// A script that has a finding, and one much like it that has not.
struct Case {
  Check check;
  std::string_view script;
  std::string_view place;
  std::string_view near_miss;
};

std::string padded_source(size_t bytes) {
  std::string out = "return 1 //";
  out.resize(bytes, 'x');
  return out;
}

std::string nested(int levels) {
  return "return " + std::string(levels, '(') + "1" + std::string(levels, ')');
}

const std::string& too_large() {
  static const std::string text = padded_source(script_bytes_max + 1);
  return text;
}
const std::string& just_fits() {
  static const std::string text = padded_source(script_bytes_max);
  return text;
}

const Case cases[] = {
    {Check::syntax, "let x = ;\nreturn 1", "1:9", "let _x = 1;\nreturn 1"},
    {Check::syntax, "let x = 1 x = 2\nreturn x", "1:11", "let x = 1\nx = 2\nreturn x"},
    {Check::syntax, "return 'a\\q'", "1:10", "return 'a\\\\q'"},
    {Check::syntax, "throw\n  1", "1:1", "throw 1"},
    {Check::syntax, "const f = x\n  => x\nreturn f", "2:3", "const f = x =>\n  x\nreturn f"},
    {Check::syntax, "workflow w() { return x }\nlet x = 1", "2:1",
     "workflow w() { return x }\nconst x = 1"},
    {Check::syntax, "```\ncompat: ruby\n```\nreturn 1", "2:9",
     "```\ncompat: rhythm\n```\nreturn 1"},
    {Check::unsupported, "class A { x() { return this.y } }\nreturn 1", "1:1",
     "const o = { class: 1 }\nreturn o.class"},
    {Check::unsupported, "var x = 1\nreturn x", "1:1", "let x = 1\nreturn x"},
    {Check::unsupported, "return Inputs.a & 1", "1:17", "return Inputs.a && 1"},
    {Check::unsupported, "return Inputs.a.replace(/x/g, '')", "1:25",
     "return Inputs.a / 2 / Inputs.b"},
    {Check::unsupported, "return new Date()", "1:8", "throw new Error('x')"},
    {Check::unsupported, "const o = { get x() { return 1 } }\nreturn o", "1:13",
     "const o = { get() { return 1 }, set: 1 }\nreturn o"},
    {Check::unsupported, "function* f() { }\nreturn f", "1:9", "function f() { }\nreturn f"},
    {Check::unsupported, "return Inputs instanceof Date", "1:26",
     "return Inputs instanceof Object"},
    {Check::unsupported, "const m = Math\nreturn m", "1:11", "const m = Math.max\nreturn m"},
    {Check::empty_program, "// nothing\n/* at all */\n", "3:1", ";"},
    {Check::multiple_workflows, "workflow a() { }\nworkflow b() { }", "2:1",
     "workflow a() { return b() }\nfunction b() { }"},
    {Check::undefined_variable, "return ordr", "1:8", "const ordr = 1\nreturn ordr"},
    {Check::undefined_variable, "return fetch('x')", "1:8", "return Task.run('fetch')"},
    {Check::undeclared_assignment, "total = 1", "1:1", "let total\ntotal = 1\nreturn total"},
    {Check::undeclared_assignment, "workflow w() { return x = 1 }", "1:23",
     "workflow w() { let x\nLog.info('', x = 1)\nreturn x }"},
    {Check::used_before_declaration, "const a = b\nconst b = 1\nreturn a + b", "1:11",
     "const a = () => b\nconst b = 1\nreturn a() + b"},
    {Check::redeclared, "let a = 1\nlet a = 2\nreturn a", "2:5",
     "let a = 1\n{ let a = 2; Log.info('', a) }\nreturn a"},
    {Check::const_assignment, "const a = 1\na = 2\nreturn a", "2:1",
     "const a = {}\na.x = 2\nreturn a"},
    {Check::const_assignment, "Math = 2", "1:1", "let math = 1\nmath = 2\nreturn math"},
    {Check::const_assignment, "for (const i = 0; i < 2; i++) { }", "1:26",
     "for (let i = 0; i < 2; i++) { }"},
    {Check::const_without_value, "const a\nreturn a", "1:7", "let a\nreturn a"},
    {Check::duplicate_parameter, "const f = (a, { a }) => a\nreturn f", "1:17",
     "const f = (a, { b: { a: c } }) => a + c\nreturn f"},
    {Check::invalid_target, "f() = 1\nfunction f() { }", "1:1", "f().x = 1\nfunction f() { }"},
    {Check::invalid_target, "Inputs?.a.b = 1", "1:1", "Inputs.a.b = 1"},
    {Check::invalid_target, "(1)++", "1:1", "Inputs.n++"},
    {Check::invalid_target, "let x = 1\ndelete x\nreturn x", "2:1", "delete Inputs.x"},
    {Check::break_outside_loop, "if (Inputs.a) break", "1:15", "while (Inputs.a) break"},
    {Check::break_outside_loop, "switch (Inputs.a) { default: continue }", "1:30",
     "switch (Inputs.a) { default: break }"},
    {Check::break_outside_loop, "for (const x of [1]) { [x].map(() => { break }) }", "1:40",
     "for (const x of [1]) { [x].map(() => { for (;;) break }) }"},
    {Check::unknown_label, "outer: for (;;) { break inner }", "1:19",
     "outer: for (;;) { break outer }"},
    {Check::unknown_label, "a: { for (;;) continue a }", "1:15", "a: { for (;;) break a }"},
    {Check::unknown_member, "return Math.flor(1)", "1:13", "const o = {}\nreturn o.flor"},
    {Check::unknown_member, "Task.start('x')", "1:6", "Workflow.start('x')"},
    {Check::unknown_option, "Task.run('x', {}, { retries: 3 })", "1:21",
     "Task.run('x', {}, { retry: { max_attempts: 3 } })"},
    {Check::unknown_option, "Task.run('x', {}, { retry: { attempts: 3 } })", "1:30",
     "Task.run('x', {}, { ...Inputs.options })"},
    {Check::unknown_option, "Task.race([Task.delay(1)], { cancelled: true })", "1:30",
     "Task.race([Task.delay(1)], { cancel: true })"},
    {Check::unknown_option, "throw Error('x', { kode: 'A' })", "1:20",
     "throw Error('x', { code: 'A' })"},
    {Check::wrong_argument, "Task.run(5)", "1:10", "Task.run(Inputs.name)"},
    {Check::wrong_argument, "Task.run('')", "1:10", "Task.run('x')"},
    {Check::wrong_argument, "Task.delay('2 hours')", "1:12", "Task.delay('2h')"},
    {Check::wrong_argument, "Task.delay(-1)", "1:12", "Task.delay(0)"},
    {Check::wrong_argument, "Timer.until('tomorrow')", "1:13",
     "Timer.until('2026-02-14T09:00:00Z')"},
    {Check::wrong_argument, "Task.run('x', {}, { priority: 'high' })", "1:31",
     "Task.run('x', {}, { priority: 'batch' })"},
    {Check::wrong_argument, "Task.run('x', {}, { timeout_ms: '5s' })", "1:33",
     "Task.run('x', {}, { timeout_ms: null })"},
    {Check::wrong_argument, "Task.all(5)", "1:10", "Task.all([5])"},
    {Check::wrong_argument, "return Math.max(1, Inputs.a, '3')", "1:30",
     "return Math.max(1, Inputs.a, 3)"},
    {Check::return_line_break, "const x = 1\nreturn\n  x + 1", "2:1",
     "const x = 1\nreturn x\n  + 1"},
    {Check::return_line_break, "return\n{ a: 1 }", "1:1", "return {\n a: 1 }"},
    {Check::return_line_break, "if (Inputs.a) { return\n 5 }", "1:17",
     "if (Inputs.a) return\nLog.info('x')"},
    {Check::too_large, too_large(), "1:1", just_fits()},
    {Check::unreachable_code, "return 1\nLog.info('x')", "2:1",
     "if (Inputs.a) return 1\nLog.info('x')"},
    {Check::unreachable_code, "while (true) { }\nLog.info('x')", "2:1",
     "while (true) { break }\nLog.info('x')"},
    {Check::unreachable_code,
     "switch (1) { case 1: Log.info('a'); default: throw 1 }\nLog.info('x')", "2:1",
     "switch (1) { case 1: Log.info('a'); break; default: throw 1 }\nLog.info('x')"},
    {Check::unreachable_code, "try { return 1 } finally { Log.info('f') }\nLog.info('x')", "2:1",
     "try { return 1 } catch { Log.info('f') }\nLog.info('x')"},
    {Check::unreachable_code, "throw 1\nlet x = f()\nreturn x\nfunction f() { }", "2:1",
     "throw f()\nfunction f() { }"},
    {Check::unused_variable, "const a = 1\nreturn 2", "1:7", "const _a = 1\nreturn 2"},
    {Check::unused_variable, "let n = 0\nfor (const x of [1]) n += x", "1:5",
     "let n = 0\nfor (const x of [1]) n += x\nreturn n"},
    {Check::unused_variable, "const { a, b } = Inputs\nreturn b", "1:9",
     "const { a, ...rest } = Inputs\nreturn rest"},
    {Check::unused_function, "function f() { return f() }\nreturn 1", "1:1",
     "function f() { return 1 }\nreturn f()"},
    {Check::implicit_let, "workflow w() { x = 1\nreturn x }", "1:16",
     "workflow w() { let x = 1\nx = 2\nreturn x }"},
    {Check::await_literal, "return await 5", "1:8", "return await Inputs.five"},
    {Check::await_literal, "return await [Task.run('x')]", "1:8",
     "return await Task.all([Task.run('x')])"},
    {Check::missing_await, "if (Task.run('x')) return 1", "1:5",
     "if (await Task.run('x')) return 1"},
    {Check::missing_await, "return Task.run('x').total", "1:8", "return Task.run('x').id"},
    {Check::missing_await, "return 1 + f()\nasync function f() { return 1 }", "1:12",
     "return 1 + f()\nfunction f() { return 1 }"},
    {Check::missing_await, "return `${Task.run('x')}`", "1:11", "return `${await Task.run('x')}`"},
    {Check::missing_await, "const t = Task.run('x')\nt.then(r => r)", "2:1",
     "const t = Task.run('x')\nt.cancel()"},
    {Check::shadows_stdlib, "const Task = 1\nreturn Task", "1:7", "const task = 1\nreturn task"},
    {Check::mixed_nullish, "return Inputs.a ?? Inputs.b || 1", "1:20",
     "return Inputs.a ?? (Inputs.b || 1)"},
    {Check::assignment_in_condition, "let a\nif (a = Inputs.b) return a", "2:5",
     "let a\nif ((a = Inputs.b)) return a"},
    {Check::joined_line, "let a = Inputs.x\n-1\nreturn a", "2:1",
     "let a = Inputs.x\n- 1\nreturn a"},
    {Check::no_effect, "Inputs.a == 1", "1:1", "Inputs.a = 1"},
    {Check::no_effect, "Error('x')", "1:1", "throw Error('x')"},
    {Check::typeof_undefined, "return typeof Inputs.a == 'undefined'", "1:27",
     "return typeof Inputs.a == 'null'"},
};

// F-57
TEST(Script, every_rule_finds_its_mistake_and_leaves_its_neighbour_alone) {
  std::set<Check> seen{Check::name_mismatch};
  for (const Case& one : cases) {
    seen.insert(one.check);
    Found wanted{std::string(one.place) + " " + std::string(rule_of(one.check))};
    EXPECT_EQ(findings(one.script), wanted) << one.script.substr(0, 200);
    EXPECT_EQ(findings(one.near_miss), Found{}) << one.near_miss.substr(0, 200);
  }
  EXPECT_EQ(seen.size(), checks_count()) << "a rule without a case";
}

// F-3
TEST(Script, a_workflow_stored_under_another_name_is_warned_of) {
  ScriptOptions as_refund{.name = "refund"};
  EXPECT_EQ(findings("workflow refund() { }", as_refund), Found{});
  EXPECT_EQ(findings("workflow () { }", as_refund), Found{});
  EXPECT_EQ(findings("return 1", as_refund), Found{});
  EXPECT_EQ(findings("\nworkflow refnd() { }", as_refund), Found{"2:1 name-mismatch"});
}

// F-57
TEST(Script, nesting_has_a_limit_that_is_not_a_crash) {
  EXPECT_EQ(findings(nested(190)), Found{});
  CheckedScript deep = check_script(nested(5'000));
  ASSERT_EQ(deep.errors.size(), 1u);
  EXPECT_EQ(deep.errors[0].code, "too-large");
  EXPECT_NE(deep.errors[0].message.find("200"), std::string::npos);
  for (std::string_view piece :
       {"{", "[", "!", "x => ", "`${", "if (1) ", "a = ", "function f() {"}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += piece;
    EXPECT_FALSE(check_script(text).errors.empty()) << piece;
  }
}

// F-57
TEST(Script, findings_have_a_limit) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "let = 1\n";
  EXPECT_EQ(check_script(text).errors.size(), Issues::issues_max);
}

// F-57
TEST(Script, ten_different_mistakes_are_ten_findings) {
  EXPECT_EQ(findings("workflow many(inputs) {\n"
                     "  const a = \n"  // 3: the next line
                     "  const total = inputs.x\n"
                     "  Log.info(totl, total)\n"
                     "  total = 5\n"
                     "  class Foo { bar() { return 1 } }\n"
                     "  let s = 'never closed\n"
                     "  Task.rnu('x')\n"
                     "  Task.run('x', {}, { pol: 'a' })\n"
                     "  if (inputs.y) { break }\n"
                     "  Log.info(1, 2\n"
                     "  const ok = inputs.list.map(x => x + 1)\n"
                     "  for (const item of ok) { Log.info(`é ${item}`, undeclared) }\n"
                     "  return s\n"
                     "}\n"),
            (Found{"3:3 syntax", "4:12 undefined-variable", "5:3 const-assignment",
                   "6:3 unsupported", "7:11 syntax", "8:8 unknown-member", "9:23 unknown-option",
                   "10:19 break-outside-loop", "12:3 syntax", "13:50 undefined-variable"}));
}

// F-57
TEST(Script, a_broken_declaration_makes_no_second_mistake_elsewhere) {
  EXPECT_EQ(findings("let total = 5 +\nlet broken = (1]\nlet x = total\nreturn broken(x)"),
            (Found{"2:1 syntax", "2:16 syntax"}));
  EXPECT_EQ(findings("const { a, b: [c } = Inputs\nreturn a + c"), Found{"1:18 syntax"});
  EXPECT_EQ(findings("const used = 1\nlet y = (used + \nreturn 1"), Found{"3:1 syntax"});
}

// F-57
TEST(Script, a_missing_bracket_does_not_swallow_what_follows) {
  EXPECT_EQ(findings("if (Inputs.a {\n  ndef1()\n}\nndef2()"),
            (Found{"1:14 syntax", "2:3 undefined-variable", "4:1 undefined-variable"}));
  EXPECT_EQ(findings("workflow w(inputs {\n  return inputs.x + ndef\n}"),
            (Found{"1:19 syntax", "2:21 undefined-variable"}));
  EXPECT_EQ(findings("function f() {\n  return 1\n"), (Found{"3:1 syntax", "1:1 unused-function"}));
  CheckedScript open = check_script("function f() {\n  return 1\n");
  EXPECT_EQ(open.errors[0].related, std::vector<std::string>{"1:14 opened here"});
}

// F-57
TEST(Script, columns_count_code_points) {
  EXPECT_EQ(findings("const s = 'é😀'; return ndef + s"), Found{"1:24 undefined-variable"});
}

// F-57
TEST(Script, findings_point_to_related_places_and_near_names) {
  CheckedScript twice = check_script("let order = 1\nlet order = 2\nreturn ordr + order");
  ASSERT_EQ(twice.errors.size(), 2u);
  EXPECT_EQ(twice.errors[0].related, std::vector<std::string>{"1:5 first declared here"});
  EXPECT_EQ(twice.errors[1].message, "unknown name `ordr`; did you mean `order`?");
}

// Grammar of section 3: only the rest of an array may be taken apart further.
TEST(Script, the_rest_of_an_object_is_a_name) {
  EXPECT_EQ(findings("const { ...{ a } } = {}\nreturn a")[0], "1:12 syntax");
  EXPECT_EQ(findings("let a\n({ ...[a] } = {})\nreturn a"), Found{"2:7 syntax"});
  EXPECT_TRUE(findings("const [...[a]] = [1]\nconst { ...b } = {}\nreturn [a, b]").empty());
}

// F-4
TEST(Script, front_matter_is_read_and_what_it_does_not_know_is_ignored) {
  CheckedScript checked = check_script(
      "\n```\ndescription: Pays back: all of it\nowner: someone\ntimeout: 2h\n\nany text\n```\n"
      "return 1");
  EXPECT_TRUE(checked.errors.empty());
  EXPECT_EQ(checked.front.description, "Pays back: all of it");
  EXPECT_EQ(checked.front.timeout, Duration{7'200'000});
  EXPECT_FALSE(checked.front.rolls_back);
  EXPECT_TRUE(check_script("```\non_failure: rollback\n```\nreturn 1").front.rolls_back);
  EXPECT_TRUE(check_script("```\non_failure: keep\n```\nreturn 1").errors.empty());
  EXPECT_EQ(findings("```\non_failure: panic\n```\nreturn 1"), Found{"2:13 syntax"});
  EXPECT_EQ(findings("```\nreturn 1"), Found{"1:1 syntax"});
  EXPECT_EQ(findings("```\ntimeout: soon\nstrict: maybe\n```\nreturn 1"),
            (Found{"2:10 syntax", "3:9 syntax"}));
}

// F-4
TEST(Script, strict_makes_errors_of_warnings) {
  CheckedScript checked = check_script("```\nstrict: true\n```\nconst a = 1");
  ASSERT_EQ(checked.errors.size(), 1u);
  EXPECT_EQ(checked.errors[0].code, "unused-variable");
  EXPECT_TRUE(checked.warnings.empty());
}

// F-1, F-54
TEST(Script, byte_order_mark_and_line_ends_make_no_difference) {
  EXPECT_EQ(check_script("\xef\xbb\xbfreturn 1\r\nx\rtrue\n").source, "return 1\nx\ntrue\n");
  EXPECT_EQ(findings("let a = 1\r\nreturn ndef\r\n"),
            (Found{"2:8 undefined-variable", "1:5 unused-variable"}));
}

// F-19
TEST(Script, an_assignment_in_a_workflow_declares_its_name_for_the_whole_function) {
  EXPECT_EQ(findings("workflow w() {\n  if (a == null) a = 1\n  for (const x of [1]) { b = x }\n"
                     "  const f = () => { c = b\n    a = c }\n  f()\n  return [a, b]\n}"),
            (Found{"2:18 implicit-let", "3:26 implicit-let", "4:21 implicit-let"}));
  EXPECT_EQ(findings("workflow w() { x = 1\nreturn helper() }\nfunction helper() { return x }"),
            (Found{"3:28 undefined-variable", "1:16 implicit-let"}));
  EXPECT_EQ(findings("x = 1\nreturn x"),
            (Found{"1:1 undeclared-assignment", "2:8 undefined-variable"}));
}

// F-66, scenario 32
TEST(Script, rhythm_scripts_may_assign_and_read_what_nothing_declares) {
  std::string_view source =
      "total = add(1, 2)\nfunction f() { other = total; return missing }\n"
      "const c\nc = 1 let c = 2 f() return \"a\\n\n\" + other + c";
  EXPECT_EQ(findings(source, {.name = "", .rhythm = true}),
            (Found{"2:38 undefined-variable", "3:7 const-without-value", "4:1 const-assignment",
                   "4:11 redeclared"}));
  EXPECT_TRUE(check_script(source, {.name = "", .rhythm = true}).errors.empty());
  EXPECT_TRUE(check_script("```\ncompat: rhythm\n```\n" + std::string(source)).errors.empty());
  Found without = findings("total = add(1, 2)\nreturn total");
  EXPECT_EQ(without, (Found{"1:1 undeclared-assignment", "1:9 undefined-variable",
                            "2:8 undefined-variable"}));
}

// F-66
TEST(Script, the_seed_s_examples_are_taken_with_warnings_only) {
  for (std::string_view example :
       {"workflow example(inputs) {\n  result = await Task.run(\"process_data\", inputs)\n"
        "  // Workflow needs to resume here when task completes\n  return result\n}",
        "workflow x(inputs) {\nfastest = await Task.any([\n  Task.run(\"api1\", inputs),\n"
        "  Task.run(\"api2\", inputs),\n  Task.run(\"api3\", inputs)\n])\n"
        "// Returns first successful result\n}",
        "workflow x(inputs) {\ntimeout_timer = Task.delay(30)\nresult = await Task.race([\n"
        "  Task.run(\"operation\", inputs),\n  timeout_timer  // Timeout\n])\n\n"
        "if (result.item_id == timeout_timer) {\n  return {error: \"Operation timed out\"}\n}\n}",
        "workflow x(inputs) {\nresults = await Task.all([task1, task2, task3])\n}\n"
        "const task1 = 1, task2 = 2, task3 = 3",
        "workflow x(inputs) {\napproval = await wait_for_signal(\"approval\")\n}"}) {
    CheckedScript checked = check_script(example);
    EXPECT_TRUE(checked.errors.empty()) << example << checked.errors[0].message;
    EXPECT_FALSE(checked.warnings.empty());
  }
}

}  // namespace
}  // namespace fermata::flow
