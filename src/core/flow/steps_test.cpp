#include <gtest/gtest.h>

#include "base/json.h"
#include "core/flow/code.h"
#include "core/flow/compile_script.h"
#include "core/flow/durable/activate.h"

namespace fermata::flow {
namespace {

/// Every kind of step, with operands that it takes and with some that it leaves to others.
constexpr std::string_view scripts[] = {
    "let s = 0\nlet i = 0\nwhile (i < 4) {\n  s = s + i % 3\n  i = i + 1\n}\nreturn s",
    "let s = 0\nfor (let i = 0; i < 3; i++) { s += i; --s; s -= -0.5 }\nreturn [s, s / 2, s * -1]",
    "const a = Inputs.big\nlet b = 2\nreturn [a < 9007199254740993, a == Inputs.big, a > b, b >= "
    "a]",
    "let t = 'a'\nlet n = 1\nt = t + n\nt = t + 'b'\nn = n + t\nreturn [t, n, t < 'b', n == t]",
    "function f(n, m, k) { if (n < 2) return n\n  const r = f(n - 1, 1) + f(n - 2, 1, 2, 3)\n"
    "  return r }\nreturn f(5)",
    "const o = {x: 0, y: 1}\nlet i = 0\nwhile (i < 3) { o.x = o.x + o.y; o.z = o.x; o.y += 2; i++ "
    "}\n"
    "return [o, o.none, o.x == o.z]",
    "const o = {}\nfor (const k of ['x', 'y']) o[k + ''] = 1\no.x = o.x + o.y\nawait "
    "Task.delay(1)\n"
    "o.y += o.x\nreturn [o, o.x, o.z]",
    "const o = JSON.parse('{\"x\": 1, \"in\": {\"y\": 2}}')\no.x = o.x + o.in.y\no.x = o.x + 1\n"
    "o.in.y = o.in.y + o.in.none\nreturn [o, o.x]",
    "const l = [1, 2, 3]\nlet i = 0\nwhile (i < 3) { l[i] = l[i] + l[0] + l[2]; i = i + 1 }\n"
    "l[3] = l[9]\nl[i + 1] = l.length\nreturn [l, l[-1], l[1], l['length' == 'x' ? 0 : 1]]",
    "const c = (() => { let n = 0; return () => { n = n + 1; return n } })()\nc()\nreturn c() + "
    "c()",
    "let out = []\nfor (const x of [3, 4, 5]) { if (x == 4) continue; out.push(x) }\n"
    "for (const k in {a: 1, b: 2}) out.push(k)\nfor (const p of 'äb') out.push(p)\nreturn out",
    "return [1, 2, 3, 4].map(x => x * 2).filter((x, i) => i > 0 && x % 4 == 0).reduce((a, x) => a "
    "+ x)",
    "const w = 'open'\nlet n = 0\nif (w == 'open') n += 1\nif (w != 'shut') n += 2\n"
    "if (n == 'open') n += 4\nconst same = (w + '') == 'open'\nreturn [n, same, w.length, !same]",
    "const v = null\nlet d = v ?? 3\nd = v?.x ?? d\nd ||= 9\nd &&= d + 1\nreturn [d, v == null, "
    "!d, !v]",
    "try { let q = 1\n  q.x.y = 2 } catch (e) { return [e.code, e.at] }",
    "function f() { return g + 1 }\ntry { f() } catch (e) { return e.code }\nlet g = 1\nreturn f()",
    "let a = -0\nreturn [1 / (a % 5), 7.5 % 2, -7 % 3, 5 % 0 == 0, 9 % 3]",
    "const t = Task.run('a')\nlet n = 0\nwhile (n < 3) n++\nconst r = await t\nreturn [r, n]",
    "async function f(n) { let s = 0\n  for (let i = 0; i < n; i++) s += i\n  return s }\n"
    "return (await f(3)) + (await Promise.all([f(2), f(4)])).length",
};

Expression compiled(std::string_view source) {
  CompiledScript out = compile_script(source);
  EXPECT_TRUE(out.checked.errors.empty()) << source << out.checked.errors[0].message;
  return out.script;
}

/// A script that is run in slices.
class SlicedRun {
 public:
  explicit SlicedRun(std::string_view source) : script_(compiled(source)) {
    given_.now = Instant{1'772'359'200'000};
    Value inputs = Value::object({{"big", int64_t{9'007'199'254'740'993}}});
    state = begin_flow("r", std::move(inputs), Value());
  }
  void fuel(uint64_t most) { given_.limits.fuel = most; }

  /// True when it was cut.
  bool run(uint64_t slice) {
    given_.limits.slice = slice;
    auto ran = activate(state, script_, given_, out_);
    EXPECT_TRUE(ran);
    return ran && ran->cut;
  }
  void run_to_end(uint64_t slice) {
    while (run(slice)) {
    }
  }
  uint64_t used() const { return state.open ? state.open->fuel_used : state.fuel; }
  std::string told() const {
    return std::string(end_name(state.end)) + " " + to_json(state.output) + " " + state.error.code +
           " " + state.error.message + " " + std::to_string(state.error.line) + ":" +
           std::to_string(state.error.column) + " fuel " + std::to_string(state.fuel);
  }

  Execution state;

 private:
  Expression script_;
  FlowGiven given_;
  std::vector<Outgoing> out_;
};

constexpr uint64_t whole = uint64_t{1} << 40;

// F-51, F-52: in slices of one, every instruction runs alone and as itself.
TEST(Steps, are_the_instructions_that_they_stand_for) {
  for (std::string_view source : scripts) {
    SlicedRun together(source), alone(source);
    together.run_to_end(whole);
    alone.run_to_end(1);
    EXPECT_EQ(together.told(), alone.told()) << source;
    if (!together.state.ended()) EXPECT_EQ(together.state.snapshot, alone.state.snapshot) << source;
  }
}

// F-45, F-51: a slice may end between any two instructions, and what is written down then is what
// one would have found there who went step by step.
TEST(Steps, are_cut_where_the_fuel_ends) {
  for (std::string_view source : scripts) {
    for (uint64_t slice = 2; slice <= 60; slice += slice < 12 ? 1 : 7) {
      SlicedRun together(source), alone(source);
      while (together.run(slice)) {
        while (alone.used() < together.used()) ASSERT_TRUE(alone.run(1)) << source;
        ASSERT_EQ(alone.used(), together.used()) << source;
        ASSERT_EQ(alone.state.snapshot, together.state.snapshot) << source << slice;
      }
    }
  }
}

// F-51: where a budget ends, and the line that is told of it.
TEST(Steps, end_where_the_budget_does) {
  for (std::string_view source : scripts) {
    SlicedRun free(source);
    free.run_to_end(whole);
    uint64_t most = std::min<uint64_t>(free.state.fuel, 150);
    for (uint64_t fuel = 1; fuel < most; ++fuel) {
      SlicedRun together(source), alone(source);
      together.fuel(fuel);
      alone.fuel(fuel);
      together.run_to_end(whole);
      alone.run_to_end(1);
      ASSERT_EQ(together.told(), alone.told()) << source << fuel;
    }
  }
}

/// How many steps lead from an instruction back to itself, taking the first way at every fork.
size_t steps_around(const Function& function, size_t from) {
  const Step* begin = function.step(from);
  size_t count = 0;
  for (const Step* at = begin; count < 100 && (at != begin || count == 0); at = at->next) ++count;
  return count;
}

// F-52
TEST(Steps, do_several_instructions_at_once) {
  Expression script =
      compiled("let s = 0\nlet i = 0\nwhile (i < 4) { s = s + i % 3; i = i + 1 }\nreturn s");
  const Function& function = *script.program().functions[0];
  size_t test = 0;
  while (function.code[test].op != Opcode::less) ++test;
  size_t turn = test - 2;  // the two operands
  EXPECT_EQ(steps_around(function, turn), 5);
  for (size_t i = 0; i < function.code.size(); ++i) {
    EXPECT_EQ(function.step(i)->in.op, function.code[i].op);
    EXPECT_GE(function.step(i)->cost, 1);
  }
}

TEST(Steps, of_the_library_cost_nothing_but_turns) {
  Expression script = compiled("return [1].map(x => x)");
  for (const auto& function : script.program().prelude->functions) {
    for (const Step& step : function->steps) {
      auto at = static_cast<size_t>(&step - function->steps.data());
      EXPECT_EQ(step.cost, step.next <= function->step(at) ? 1 : 0) << function->name;
    }
  }
}

}  // namespace
}  // namespace fermata::flow
