#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

struct Row {
  std::string_view text;
  std::string_view value;
};

void expect_all(std::initializer_list<Row> rows, std::string_view roots = "{}") {
  for (const Row& row : rows) EXPECT_EQ(run_code(row.text, roots), row.value) << row.text;
}
void expect_failures(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    std::string outcome = run_code(row.text);
    EXPECT_NE(outcome.find(row.value), std::string::npos) << row.text << " gave " << outcome;
  }
}

// G-51
TEST(Fragment, return_gives_the_value_and_the_end_gives_null) {
  expect_all(
      {{"return 1 + 1", "2"}, {"1 + 1", "null"}, {"", "null"}, {"if (true) return", "null"}});
}

// F-12
TEST(Fragment, arrays_and_objects_are_shared_by_reference) {
  expect_all({{"const a = [1]; const b = a; b.push(2); return a", "[1,2]"},
              {"const o = {x: {}}; const i = o.x; i.y = 1; return o", R"({"x":{"y":1}})"},
              {"const f = o => { o.a = 1 }; const o = {}; f(o); return o", R"({"a":1})"}});
}

// F-12
TEST(Fragment, given_json_is_the_scripts_own_and_shared_within_it) {
  std::string_view roots = R"({"json": {"list": [1, 2], "o": {"deep": {"k": 1}}}})";
  expect_all(
      {{"const a = $json.list; a.push(3); return [$json.list, $json.list.length]", "[[1,2,3],3]"},
       {"$json.o.deep.k = 2; const o = $json.o; o.n = 1; return $json",
        R"({"list":[1,2],"o":{"deep":{"k":2},"n":1}})"},
       {"const all = [$json, $json]; $json.list[0] = 9; return all[1].list[0]", "9"},
       {"for (const x of $json.list) { $json.list.push(x) } return $json.list", "[1,2,1,2]"},
       {"delete $json.o; $json.list.reverse(); return $json", R"({"list":[2,1]})"},
       {"const d = $json.o.deep; $json.o = null; d.k++; return [d, $json.o]", R"([{"k":2},null])"}},
      roots);
  JsonRoots given(roots);
  auto parsed = parse("$json.list.push(9)\nreturn $json", Grammar::fragment);
  ASSERT_TRUE(parsed);
  ASSERT_TRUE(evaluate(*parsed, given, {}));
  EXPECT_EQ(to_json(*given.root("json")), R"({"list":[1,2],"o":{"deep":{"k":1}}})");
}

// F-16
TEST(Fragment, writing) {
  expect_all(
      {{"const a = [1]; a[1] = 2; a[0] = 0; return a", "[0,2]"},
       {"const o = {}; o.a = 1; o['b c'] = 2; o[3] = 4; return o", R"({"a":1,"b c":2,"3":4})"},
       {"const o = {a: 1, b: 2}; delete o.a; delete o['zz']; return o", R"({"b":2})"},
       {"let n = 1; n += 2; n *= 3; n -= 1; n /= 2; n **= 2; n %= 10; return n", "6"},
       {"let o = {n: null, z: 0}; o.n ?\?= 5; o.z ||= 6; o.n &&= 7; o['z'] ?\?= 8; return o",
        R"({"n":7,"z":6})"},
       {"let i = 1; const a = [i++, i, ++i, i--, --i]; return a", "[1,2,3,3,1]"},
       {"const o = {n: 1}; const a = [o.n++, o['n']++, ++o.n]; return [a, o.n]", "[[1,2,4],4]"}});
  expect_failures({{"[1][2] = 1", "TYPE_ERROR"},
                   {"[1][-1] = 1", "TYPE_ERROR"},
                   {"'x'.a = 1", "TYPE_ERROR"},
                   {"Error('x').message = 1", "TYPE_ERROR"},
                   {"null.a = 1", "TYPE_ERROR"},
                   {"const o = {}; o[{}] = 1", "TYPE_ERROR"},
                   {"[...5]", "TYPE_ERROR"},
                   {"return {...[1]}", "TYPE_ERROR"}});
}

TEST(Fragment, patterns_take_values_apart) {
  expect_all(
      {{"const {a, b: {c = 5}, ...r} = {a: 1, b: {}, d: 2, e: 3}; return [a, c, r]",
        R"([1,5,{"d":2,"e":3}])"},
       {"const [a, , b = 7, ...c] = [1, 2, null, 4, 5]; return [a, b, c]", "[1,7,[4,5]]"},
       {"const [a, b] = 'é😀'; return b", "\"😀\""},
       {"let a = 1, b = 2; [a, b] = [b, a]; return [a, b]", "[2,1]"},
       {"const o = {}; ({x: o.a, y: o['b'], z: o.c = 3} = {x: 1, y: 2}); return o",
        R"({"a":1,"b":2,"c":3})"},
       {"let x; let rest; [x, ...rest] = [1, 2, 3]; return rest", "[2,3]"},
       {"const {['k' + 1]: v} = {k1: 4}; return v", "4"},
       {"let a; const r = ({a} = {a: 3}); return [a, r]", R"([3,{"a":3}])"},
       {"function f({a = 1, b} = {b: 2}, [c] = [3]) { return [a, b, c] } return f()", "[1,2,3]"}});
  expect_failures({{"const {a} = null", "TYPE_ERROR"},
                   {"const {} = 5", "TYPE_ERROR"},
                   {"const [a] = {}", "TYPE_ERROR"}});
}

// F-18
TEST(Fragment, variables_belong_to_their_block) {
  expect_all({{"let a = 1; { let a = 2; a = 3 } return a", "1"},
              {"let a = 1; if (true) { a = 2 } return a", "2"},
              {"const o = {n: 1}; o.n = 2; return o.n", "2"},
              {"let Math = {max: () => 5}; return Math.max(1)", "5"}});
  expect_failures({{"return y; let y = 1", "UNDEFINED_VARIABLE"},
                   {"const f = () => z; f(); let z = 1", "UNDEFINED_VARIABLE"},
                   {"{ y = 2; let y = 1 }", "UNDEFINED_VARIABLE"},
                   {"switch (2) { case 1: let q = 1; case 2: return q }", "UNDEFINED_VARIABLE"}});
}

// F-20
TEST(Fragment, functions_are_values_and_closures_share_variables) {
  expect_all(
      {{"return f(4)\nfunction f(n) { return n < 2 ? 1 : n * f(n - 1) }", "24"},
       {"const even = n => n == 0 || odd(n - 1); const odd = n => n != 0 && even(n - 1)\n"
        "return even(10)",
        "true"},
       {"const counter = () => { let n = 0; return {up: () => ++n, get: () => n} }\n"
        "const c = counter(); c.up(); c.up(); return c.get()",
        "2"},
       {"const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); return fs.map(f => f())",
        "[0,1,2]"},
       {"const fs = []; for (const x of [1, 2]) fs.push(() => x); return fs.map(f => f())",
        "[1,2]"},
       {"const fs = []; let i = 0; while (i < 2) { let j = i++; fs.push(() => j++) }\n"
        "fs[0](); return fs.map(f => f())",
        "[1,1]"},
       {"const f = (a, b) => [a, b]; return [f(1), f(1, 2, 3)]", "[[1,null],[1,2]]"},
       {"const f = (a = 1, b = a + 1) => [a, b]; return [f(), f(null, 5), f(7)]",
        "[[1,2],[1,5],[7,8]]"},
       {"const f = function g(n) { return n == 0 ? 0 : n + g(n - 1) }; return f(4)", "10"},
       {"const o = {double(x) { return x * 2 }, ['k']: x => x}; return [o.double(4), o.k(1)]",
        "[8,1]"},
       {"const trim = ' x '.trim; return trim()", "\"x\""},
       {"const f = x => y => z => x + y + z; return f(1)(2)(3)", "6"}});
}

// F-21
TEST(Fragment, loops) {
  expect_all(
      {{"let s = 0; for (const x of [1, 2, 3]) s += x; return s", "6"},
       {"let s = ''; for (const c of 'aé😀') s = c + s; return s", "\"😀éa\""},
       {"const k = []; for (const x in {b: 1, a: 2}) k.push(x); return k", R"(["b","a"])"},
       {"const k = []; for (const i in ['x', 'y']) k.push(i); return k", "[0,1]"},
       {"const a = [1, 2]; for (const x of a) { a.push(x); a.shift() } return a", "[1,2]"},
       {"let n = 0; for (let i = 0, j = 10; i < j; i++, j--) n++; return n", "5"},
       {"let i = 0; for (;;) { if (++i > 4) break } return i", "5"},
       {"let i = 0; do i++; while (i < 3)\nreturn i", "3"},
       {"let s = 0; for (let i = 0; i < 6; i++) { if (i % 2) continue; s += i } return s", "6"},
       {"let n = 0; a: for (const x of [1, 2, 3]) { for (const y of [1, 2, 3]) {\n"
        "if (y == 2) continue a; if (x == 3) break a; n += x * 10 + y } } return n",
        "32"},
       {"for (const [k, v] of Object.entries({a: 1})) return k + v", "\"a1\""},
       {"let o = {k: 1}; for (let i = 'k' in o ? 0 : 5; i < 1; i++) return i", "0"}});
  expect_failures(
      {{"for (const x of 5) {}", "TYPE_ERROR"}, {"for (const x in 5) {}", "TYPE_ERROR"}});
}

// F-21
TEST(Fragment, switch_compares_deeply_and_falls_through) {
  expect_all(
      {{"switch ([1]) { case [1]: return 'deep'; default: return 'no' }", "\"deep\""},
       {"const r = []; switch (2) { case 1: r.push(1); case 2: r.push(2); case 3: r.push(3); "
        "break; default: r.push(4) } return r",
        "[2,3]"},
       {"const r = []; switch (9) { default: r.push('d'); case 1: r.push(1) } return r",
        R"(["d",1])"},
       {"for (const x of [1, 2]) { switch (x) { case 1: continue } return x }", "2"},
       {"switch (1) { }\nreturn 'end'", "\"end\""}});
}

// F-22
TEST(Fragment, errors_are_thrown_and_caught) {
  expect_all({{"try { throw Error('m', {code: 'C', details: {a: 1}, cause: 'x'}) } catch (e) {\n"
               "return [e.name, e.code, e.message, e.details, e.cause, e.at] }",
               R"(["Error","C","m",{"a":1},"x","1:13"])"},
              {"try { throw new Error('m') } catch ({code, message}) { return [code, message] }",
               R"(["ERROR","m"])"},
              {"try { null.x } catch (e) { return e.code }", "\"TYPE_ERROR\""},
              {"try { throw 5 } catch (e) { return e }", "5"},
              {"try { throw 5 } catch { return 'c' }", "\"c\""},
              {"function f() { null.x } try { f() } catch (e) { return e.stack }",
               "\"at f (1:21)\\nat top (1:31)\""},
              {"try { [1].map(x => { throw x }) } catch (e) { return e }", "1"},
              {"try { try { throw 1 } catch (e) { throw e + 1 } } catch (e) { return e }", "2"},
              {"try { JSON.parse('{') } catch (e) { return e.code }", "\"JSON_ERROR\""}});
}

// F-22
TEST(Fragment, finally_always_runs_and_may_replace_what_was_pending) {
  expect_all(
      {{"const r = []; const f = () => { try { return r.push('t') } finally { r.push('f') } }\n"
        "f(); return r",
        R"(["t","f"])"},
       {"const f = () => { try { return 1 } finally { return 2 } } return f()", "2"},
       {"const f = () => { try { throw 1 } finally { return 2 } } return f()", "2"},
       {"try { try { throw 1 } finally { throw 2 } } catch (e) { return e }", "2"},
       {"const r = []; try { try { throw 1 } finally { r.push('f') } } catch (e) { r.push(e) }\n"
        "return r",
        R"(["f",1])"},
       {"const r = []; for (const x of [1, 2, 3]) { try { if (x == 1) continue; if (x == 2) break }"
        " finally { r.push(x) } } return r",
        "[1,2]"},
       {"const r = []; const f = () => { try { try { return 'v' } finally { r.push(1) } }"
        " finally { r.push(2) } } return [f(), r]",
        R"(["v",[1,2]])"},
       {"const r = []; try { r.push(1) } catch (e) { r.push(2) } finally { r.push(3) } return r",
        "[1,3]"},
       {"const f = () => { for (;;) { try { return 1 } finally { break } } return 2 } return f()",
        "2"},
       {"const f = () => { try { throw 1 } catch (e) { return e + 1 } finally { } } return f()",
        "2"}});
}

// F-22, G-51
TEST(Fragment, an_uncaught_error_fails_with_its_place) {
  Evaluation code{.grammar = Grammar::fragment};
  EvalError error = code.error("let a = 1\n  throw Error('no', {code: 'BAD', details: [1]})");
  EXPECT_EQ(error.code, "code_failed");
  EXPECT_EQ(error.message, "BAD: no");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 9);
  EXPECT_EQ(to_json(error.details), R"({"code":"BAD","line":2,"column":9,"details":[1]})");
  EXPECT_EQ(code.error("throw {code: 'X', message: 'm'}").message, "X: m");
  error = code.error("\nthrow 5");
  EXPECT_EQ(error.details.get("code"), Value("THROWN"));
  EXPECT_EQ(error.details.get("details"), Value(5));
  EXPECT_EQ(error.line, 2);
}

// F-17
TEST(Fragment, circles_and_functions_are_not_json) {
  expect_failures({{"const a = []; a.push(a); return a", "NOT_JSON"},
                   {"const o = {}; o.o = o; return o", "NOT_JSON"},
                   {"return {f: x => x}", "NOT_JSON"}});
  EXPECT_EQ(run_code("const a = [1]; return [a, a]"), "[[1],[1]]");
}

}  // namespace
}  // namespace fermata::flow
