#include "core/flow/library.h"

#include "core/flow/flow_fixture.h"
#include "core/wait/zone_table.h"

namespace fermata::flow {
namespace {

struct Row {
  std::string_view text;
  std::string_view value;
};

void expect_all(std::initializer_list<Row> rows, std::string_view roots = "{}") {
  for (const Row& row : rows) EXPECT_EQ(evaluated(row.text, roots), row.value) << row.text;
}
void expect_failures(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    std::string outcome = evaluated(row.text);
    EXPECT_NE(outcome.find(row.value), std::string::npos) << row.text << " gave " << outcome;
  }
}

// F-40
TEST(Library, arrays_are_read) {
  expect_all({{"[1, 2, 3].at(-1)", "3"},
              {"[1].at(5)", "null"},
              {"[1, 2, 3, 4].slice(1, -1)", "[2,3]"},
              {"[1, 2].slice(5)", "[]"},
              {"[1].concat([2, [3]], 4)", "[1,2,[3],4]"},
              {"[1, [2]].includes([2])", "true"},
              {"[NaN].includes(NaN)", "true"},
              {"[NaN].indexOf(NaN)", "-1"},
              {"['a', 'b', 'a'].indexOf('a', 1)", "2"},
              {"['a', 'b', 'a'].lastIndexOf('a')", "2"},
              {"[1, null, [2, 3]].join('-')", "\"1--2,3\""},
              {"[1, 2].join()", "\"1,2\""},
              {"[1, 2, 3].toReversed()", "[3,2,1]"},
              {"[1, [2, [3, [4]]]].flat()", "[1,2,[3,[4]]]"},
              {"[1, [2, [3, [4]]]].flat(9)", "[1,2,3,4]"},
              {"['a', 'b'].entries()", R"([[0,"a"],[1,"b"]])"},
              {"[].length", "0"}});
}

// F-40
TEST(Library, arrays_are_changed_in_place) {
  EXPECT_EQ(
      run_code("const a = [1]; return [a.push(2, 3), a.pop(), a.shift(), a.unshift(8, 9), a]"),
      "[3,3,1,3,[8,9,2]]");
  EXPECT_EQ(run_code("const a = [1, 2, 3, 4]; return [a.splice(1, 2, 'x', 'y', 'z'), a]"),
            R"([[2,3],[1,"x","y","z",4]])");
  EXPECT_EQ(run_code("const a = [1, 2, 3]; return [a.splice(-2), a]"), "[[2,3],[1]]");
  EXPECT_EQ(run_code("const a = [1, 2, 3]; a.reverse(); a.fill(0, 1, 2); return a"), "[3,0,1]");
  EXPECT_EQ(run_code("const a = [3, 1]; const b = a.sort(); return [a, Object.is(a, b)]"),
            "[[1,3],true]");
  EXPECT_EQ(run_code("return [[].pop(), [].shift()]"), "[null,null]");
  EXPECT_EQ(run_code("$a.sort()\nreturn $a", R"({"a": [3, 1, 2]})"), "[1,2,3]");
}

// F-40
TEST(Library, callbacks_get_item_index_and_array) {
  expect_all({{"[5, 6].map((x, i, a) => [x, i, a.length])", "[[5,0,2],[6,1,2]]"},
              {"[1, 2, 3].filter(x => x % 2)", "[1,3]"},
              {"[1, 2, 3].reduce((a, x) => a + x)", "6"},
              {"[1, 2, 3].reduce((a, x, i) => a + x * i, 10)", "18"},
              {"['a', 'b'].reduceRight((a, x) => a + x, '')", "\"ba\""},
              {"[null].reduce((a, x) => 1, null)", "1"},
              {"[1, 2, 3].find(x => x > 1)", "2"},
              {"[1].find(x => x > 1)", "null"},
              {"[1, 2].findIndex(x => x == 2)", "1"},
              {"[1].findIndex(x => x == 2)", "-1"},
              {"[1, 2, 3].findLast(x => x < 3)", "2"},
              {"[1, 2].some(x => x == 2)", "true"},
              {"[].every(x => false)", "true"},
              {"[1, 2].flatMap(x => [x, [x]])", "[1,[1],2,[2]]"},
              {"[1, 2].flatMap(x => x)", "[1,2]"},
              {"[1].forEach(x => x)", "null"},
              {"Array.from('ab', (c, i) => c + i)", R"(["a0","b1"])"},
              {"Array.from({length: 3}, (x, i) => i * i)", "[0,1,4]"},
              {"Array.from({length: 2})", "[null,null]"}});
  expect_failures({{"[].reduce((a, b) => a)", "TYPE_ERROR"},
                   {"[1].map(5)", "WRONG_ARG_TYPE"},
                   {"[1].map()", "WRONG_ARG_COUNT"},
                   {"[1].map(x => x, 2)", "WRONG_ARG_COUNT"},
                   {"Array.from({size: 3})", "WRONG_ARG_TYPE"},
                   {"Array.from({length: -1})", "WRONG_ARG_TYPE"},
                   {"Array.from(5)", "TYPE_ERROR"}});
}

// F-40
TEST(Library, builtin_functions_as_callbacks_get_as_many_arguments_as_they_take) {
  expect_all({{"['1', '2', '3'].map(Number)", "[1,2,3]"},
              {"[1, null].map(String)", R"(["1","null"])"},
              {"[0, 1, ''].filter(Boolean)", "[1]"},
              {"[1.5, -1.5].map(Math.abs)", "[1.5,1.5]"},
              {"[[1, 5], [7]].map(x => Math.max(...x))", "[5,7]"}});
}

// F-40
TEST(Library, sort_is_stable_and_refuses_mixtures) {
  expect_all({{"[10, 9, 1].toSorted()", "[1,9,10]"},
              {"['b', 'é', 'a'].toSorted()", R"(["a","b","é"])"},
              {"[].toSorted()", "[]"},
              {"[5, 3, 9, 1, 7, 2].toSorted((a, b) => b - a)", "[9,7,5,3,2,1]"},
              {"[{k: 1, n: 'a'}, {k: 0, n: 'b'}, {k: 1, n: 'c'}, {k: 0, n: 'd'}]"
               ".sort((a, b) => a.k - b.k).map(x => x.n).join('')",
               "\"bdac\""}});
  expect_failures({{"[1, 'a'].sort()", "TYPE_ERROR"},
                   {"[null].sort()", "TYPE_ERROR"},
                   {"[2, 1].sort((a, b) => 'x')", "TYPE_ERROR"}});
}

// F-40
TEST(Library, strings) {
  expect_all({{"'aé😀'.at(-1) + 'abc'.charAt(1) + 'a'.charAt(9)", "\"😀b\""},
              {"'😀'.codePointAt(0)", "128512"},
              {"'a'.codePointAt(4)", "null"},
              {"'héllo'.includes('él')", "true"},
              {"'héllo'.startsWith('llo', 2)", "true"},
              {"'héllo'.endsWith('lo')", "true"},
              {"'😀é😀é'.indexOf('é', 2)", "3"},
              {"'😀é😀é'.lastIndexOf('😀')", "2"},
              {"'x'.indexOf('y')", "-1"},
              {"'héllo'.slice(1, -1)", "\"éll\""},
              {"'héllo'.substring(3, 1)", "\"él\""},
              {"'a,b,,c'.split(',')", R"(["a","b","","c"])"},
              {"'é😀'.split('')", R"(["é","😀"])"},
              {"'a,b,c'.split(',', 2)", R"(["a","b"])"},
              {"'abc'.split()", R"(["abc"])"},
              {"'\\t é \\u00a0\\n'.trim()", "\"é\""},
              {"'[' + ' x '.trimStart() + ']' + ' x '.trimEnd()", "\"[x ] x\""},
              {"'straße éñ яж αω'.toUpperCase()", "\"STRASSE ÉÑ ЯЖ ΑΩ\""},
              {"'ÀÉ ЯЖ ΑΩ Ÿ'.toLowerCase()", "\"àé яж αω ÿ\""},
              {"'ﬁ ŉ ა ꭰ ͅ 𐐨'.toUpperCase()", "\"FI ʼN Ა Ꭰ Ι 𐐀\""},
              {"'ΟΔΥΣΣΕΥΣ ΑΣ. Σ İ'.toLowerCase()", "\"οδυσσευς ας. σ i̇\""},
              {"'7'.padStart(3, '0') + 'é'.padEnd(4, '<>')", "\"007é<><\""},
              {"'long'.padStart(2)", "\"long\""},
              {"'ab'.repeat(3) + 'x'.repeat(0)", "\"ababab\""},
              {"'a.a.a'.replace('a', '$&')", "\"$&.a.a\""},
              {"'a.a.a'.replaceAll('.', '')", "\"aaa\""},
              {"'ab'.replaceAll('', '-')", "\"-a-b-\""},
              {"'é'.replaceAll('', '-')", "\"-é-\""},
              {"'aXbX'.replace('X', '') + 'ab'.replace('', '-') + 'ab'.replace('z', 1 + '')",
               "\"abX-abab\""},
              {"'aaab'.indexOf('aab') + 'aaab'.lastIndexOf('aa') + 'ab'.indexOf('')", "2"},
              {"'ab'.lastIndexOf('') + 'ab'.indexOf('', 9) + 'a'.lastIndexOf('ab')", "3"},
              {"'a'.concat(1, null)", "\"a1null\""}});
  expect_failures({{"'a'.repeat(-1)", "WRONG_ARG_TYPE"},
                   {"'a'.includes(1)", "WRONG_ARG_TYPE"},
                   {"'a'.replace('a')", "WRONG_ARG_COUNT"}});
}

// F-40
TEST(Library, objects) {
  std::string_view roots = R"({"o": {"b": 1, "a": {"c": [2]}}})";
  expect_all({{"Object.keys($o)", R"(["b","a"])"},
              {"Object.values($o)", R"([1,{"c":[2]}])"},
              {"Object.entries({x: 1})", R"([["x",1]])"},
              {"Object.fromEntries([['a', 1], [2, 'b'], ['a', 3]])", R"({"a":3,"2":"b"})"},
              {"Object.assign({}, $o, null, {b: 2})", R"({"b":2,"a":{"c":[2]}})"},
              {"Object.hasOwn($o, 'b')", "true"},
              {"Object.hasOwn({1: 1}, 1)", "true"},
              {"Object.equals($o, {a: {c: [2]}, b: 1})", "true"},
              {"Object.is(NaN, NaN)", "true"},
              {"Object.is(0, -0)", "false"},
              {"Array.isArray($o.a.c) && !Array.isArray($o)", "true"},
              {"Array.of(1, [2])", "[1,[2]]"},
              {"Array.from([1, 2])", "[1,2]"}},
             roots);
  EXPECT_EQ(run_code("const c = Object.clone($o); c.a.c.push(3); return [c.a.c, $o.a.c]", roots),
            "[[2,3],[2]]");
  EXPECT_EQ(run_code("const x = []; const c = Object.clone({a: x, b: x}); c.a.push(1)\n"
                     "return [c, x]"),
            R"([{"a":[1],"b":[1]},[]])");
  EXPECT_EQ(run_code("const o = {}; o.self = o; const c = Object.clone(o)\n"
                     "return [Object.is(c.self, c), Object.is(c, o)]"),
            "[true,false]");
  expect_failures(
      {{"Object.keys(5)", "WRONG_ARG_TYPE"}, {"Object.fromEntries([1])", "WRONG_ARG_TYPE"}});
}

// F-40
TEST(Library, numbers) {
  expect_all(
      {{"Number('12.5') + Number(' 0x10 ') + Number(true)", "29.5"},
       {"['', null, '1a', 'x', []].map(Number).every(isNaN)", "true"},
       {"String(1.50) + String([1, 2]) + String(null)", "\"1.51,2null\""},
       {"parseInt('42px') + parseInt('ff', 16) + parseInt('-0x1f')", "266"},
       {"isNaN(parseInt('x'))", "true"},
       {"parseFloat('3.14abc')", "3.14"},
       {"isFinite(1 / 0)", "false"},
       {"isNaN('x')", "false"},
       {"[1, 1.5, '1', 1e300].map(Number.isInteger)", "[true,false,false,true]"},
       {"Number.isSafeInteger(9007199254740993)", "false"},
       {"Number.MAX_SAFE_INTEGER", "9007199254740991"},
       {"(1.005).toFixed(2) + ' ' + (-1.5).toFixed(3) + ' ' + (1e21).toFixed(2)",
        "\"1.00 -1.500 1e+21\""},
       {"(0.5).toFixed(0) + ' ' + (2.5).toFixed() + ' ' + (-1.5).toFixed(0)", "\"1 3 -2\""},
       {"(9.5).toFixed(0) + ' ' + (0.125).toFixed(2) + ' ' + (99.95).toFixed(1)",
        "\"10 0.13 100.0\""},
       {"(-9.5).toFixed(0) + ' ' + (1.45).toFixed(1) + ' ' + (0).toFixed(2)", "\"-10 1.4 0.00\""},
       {"(255).toString(16) + (0.5).toString(2)", "\"ff0.1\""},
       {"(5).toString()", "\"5\""}});
}

// F-40
TEST(Library, mathematics) {
  expect_all({{"[2.5, -2.5, 2.4, -0.5].map(Math.round)", "[3,-2,2,0]"},
              {"Math.max() < Math.min()", "true"},
              {"Math.min(3, 1, 2)", "1"},
              {"isNaN(Math.max(1, NaN))", "true"},
              {"Math.hypot(3, 4) + Math.sqrt(9) + Math.cbrt(8)", "10"},
              {"Math.trunc(-1.7) + Math.sign(-3) + Math.ceil(1.2) + Math.floor(-1.2)", "-2"},
              {"Math.pow(2, 10) + Math.log2(8) + Math.log10(1000) + Math.exp(0)", "1031"},
              {"Math.round(Math.PI * 100) + Math.round(Math.E * 100)", "586"},
              {"Math.atan2(0, 1) + Math.sin(0) + Math.cos(0)", "1"}});
  expect_failures({{"Math.abs('1')", "WRONG_ARG_TYPE"}, {"Math.abs()", "WRONG_ARG_COUNT"}});
}

// F-40, F-17
TEST(Library, json) {
  expect_all({{"JSON.parse('{\"a\": [1, 2.5, null]}').a[1]", "2.5"},
              {"JSON.stringify({a: [1, NaN, x => x], f: x => x, s: 'é\"'})",
               R"("{\"a\":[1,null,null],\"s\":\"é\\\"\"}")"},
              {"JSON.stringify([1, {}], null, 2)", R"("[\n  1,\n  {}\n]")"},
              {"JSON.stringify({a: 1}, null, '--')", R"("{\n--\"a\": 1\n}")"},
              {"JSON.stringify(x => x)", "null"}});
  std::string outcome = evaluated("JSON.parse('{\"a\": tru}')");
  EXPECT_NE(outcome.find("JSON_ERROR"), std::string::npos) << outcome;
  EXPECT_EQ(run_code("const o = JSON.parse('{\"a\": []}'); o.a.push(1); return o"), R"({"a":[1]})");
}

// F-40
TEST(Library, time_and_durations) {
  expect_all({{"Time.now() == Date.now()", "true"},
              {"Time.now()", "1769385600000"},
              {"Time.iso()", "\"2026-01-26T00:00:00.000Z\""},
              {"Time.iso(0)", "\"1970-01-01T00:00:00.000Z\""},
              {"Time.parse('2026-01-26T01:00:00+01:00')", "1769385600000"},
              {"Time.add(0, '1d12h')", "129600000"},
              {"Time.add(1000, 1.5)", "2500"},
              {"Time.add(0, 'PT30M')", "1800000"},
              {"Time.startOfDay(1769385600000 + 5)", "1769385600000"},
              {"Time.parts(1769385600000, 'UTC').weekday", "1"},
              {"Time.parts(-1)", R"({"year":1969,"month":12,"day":31,"hour":23,"minute":59,)"
                                 R"("second":59,"millisecond":999,"weekday":3})"},
              {"Duration.ms('1m30s') + Duration.ms('P1DT1H')", "90090000"},
              {"Duration.seconds('1500ms')", "1.5"},
              {"Duration.format(90061005)", "\"1d1h1m1s5ms\""},
              {"Duration.format(0)", "\"0ms\""}});
  expect_failures({{"Time.parse('soon')", "WRONG_ARG_TYPE"},
                   {"Duration.ms('P1M')", "WRONG_ARG_TYPE"},
                   {"Time.iso(1e18)", "WRONG_ARG_TYPE"},
                   {"Time.parts(0, 'Europe/Berlin')", "WRONG_ARG_TYPE"}});
}

// F-40
TEST(Library, time_is_shown_in_a_zone) {
  expect_all({{"Time.format(0, '+05:30')", "\"1970-01-01T05:30:00.000+05:30\""},
              {"Time.format(0, '-02:00')", "\"1969-12-31T22:00:00.000-02:00\""},
              {"Time.format(0, 'UTC') + Time.format(0)",
               "\"1970-01-01T00:00:00.000Z1970-01-01T00:00:00.000Z\""},
              {"Time.parse(Time.format(1769385600123, '+05:45'))", "1769385600123"},
              {"Time.startOfDay(0, '+01:00')", "-3600000"},
              {"Time.parts(0, '-00:30').day", "31"}});
  auto rule = parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(rule);
  ZoneData berlin{.offsets = {rule->standard}, .changes_s = {}, .offset_after = {}, .rule = rule};
  auto zone = Zone::from(berlin);
  ASSERT_TRUE(zone);
  ZoneTable table("test", {{"Europe/Berlin", std::make_shared<const Zone>(*std::move(zone))}});
  Evaluation in_berlin{.zones = &table};
  EXPECT_EQ(in_berlin("Time.format(Time.parse('2026-07-01T10:00:00Z'), 'Europe/Berlin')"),
            "\"2026-07-01T12:00:00.000+02:00\"");
  EXPECT_EQ(in_berlin("Time.parts(Time.parse('2026-01-31T23:30:00Z'), 'Europe/Berlin').month"),
            "2");
  EXPECT_EQ(in_berlin("Time.iso(Time.startOfDay(Time.parse('2026-03-29T12:00:00Z'), "
                      "'Europe/Berlin'))"),
            "\"2026-03-28T23:00:00.000Z\"");
  std::string unknown = in_berlin("Time.format(0, 'Europe/Berlim')");
  EXPECT_TRUE(unknown.starts_with("expression_failed: WRONG_ARG_TYPE: ")) << unknown;
  EXPECT_NE(unknown.find("Europe/Berlin"), std::string::npos) << unknown;
}

// F-40
TEST(Library, chance_comes_from_the_given_entropy) {
  Evaluation first{.entropy = 1};
  Evaluation second{.entropy = 2};
  std::string_view text = "[Random.uuid(), Random.number(), Random.int(1, 6), Math.random()]";
  EXPECT_EQ(first(text), first(text));
  EXPECT_NE(first(text), second(text));
  EXPECT_EQ(first("[0, 0, 0, 0].map(x => Random.int(3, 4)).every(x => x == 3 || x == 4)"), "true");
  EXPECT_EQ(first("['a', 'b'].includes(Random.pick(['a', 'b']))"), "true");
  expect_failures({{"Random.int(2, 1)", "WRONG_ARG_TYPE"}, {"Random.pick([])", "WRONG_ARG_TYPE"}});
}

// F-40
TEST(Library, encodings_and_hashes) {
  expect_all({{"Base64.encode('é?>')", "\"w6k/Pg==\""},
              {"Base64.encode('é?>', {url: true})", "\"w6k_Pg\""},
              {"Base64.decode('w6k_Pg') + Base64.decode('w6k/Pg==')", "\"é?>é?>\""},
              {"Hash.sha256('abc')",
               "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""}});
  expect_failures(
      {{"Base64.decode('*')", "WRONG_ARG_TYPE"}, {"Base64.decode('/w==')", "WRONG_ARG_TYPE"}});
}

// F-40
TEST(Library, every_function_refuses_a_wrong_number_of_arguments) {
  for (uint32_t i = 0; i < builtins_count(); ++i) {
    const Builtin& one = builtin(i);
    bool named = !one.effect && one.owner != Owner::prelude && one.owner != Owner::rhythm;
    if (!named) continue;
    std::string called;
    switch (one.owner) {
      case Owner::array_type: called = "[1]." + std::string(one.name); break;
      case Owner::string_type: called = "'x'." + std::string(one.name); break;
      case Owner::number_type: called = "(1)." + std::string(one.name); break;
      case Owner::global: called = one.name; break;
      default:
        for (std::string_view name : global_names(false)) {
          Owner owner;
          if (find_namespace(name, owner) && owner == one.owner) {
            called = std::string(name) + "." + std::string(one.name);
          }
        }
    }
    auto with = [&](int count) {
      std::string text = called + "(";
      for (int n = 0; n < count; ++n) text += n == 0 ? "1" : ", 1";
      return evaluated(text + ")");
    };
    std::string_view refusal = "expression_failed: WRONG_ARG_COUNT: ";
    if (one.arguments_min > 0) {
      EXPECT_TRUE(with(one.arguments_min - 1).starts_with(refusal)) << called;
    }
    if (one.arguments_max != any_count) {
      EXPECT_TRUE(with(one.arguments_max + 1).starts_with(refusal)) << called;
    }
  }
}

// F-40
TEST(Library, wrong_types_are_refused_and_named) {
  for (std::string_view text :
       {"[1].at('x')",           "[1].slice({})",         "[1].splice('a')",
        "[1].join(5)",           "[1].flat('x')",         "[1].fill(1, 'x')",
        "[1].filter(null)",      "[1].reduce(1)",         "[1].find('x')",
        "[1].every({})",         "[1].flatMap([])",       "[1].sort(5)",
        "'a'.at('x')",           "'a'.charAt(null)",      "'a'.codePointAt('x')",
        "'a'.startsWith(1)",     "'a'.endsWith(null)",    "'a'.indexOf(1)",
        "'a'.lastIndexOf([])",   "'a'.slice('x')",        "'a'.substring('x')",
        "'a'.split(1)",          "'a'.padStart('x')",     "'a'.padEnd(2, 5)",
        "'a'.repeat('x')",       "'a'.replace(1, 'x')",   "'a'.replaceAll('a', 1)",
        "(1).toFixed('x')",      "(1).toFixed(101)",      "(1).toString(1)",
        "Object.values([])",     "Object.entries('x')",   "Object.assign(1)",
        "Object.assign({}, 1)",  "Object.hasOwn({}, {})", "parseInt('1', 'x')",
        "Math.min('x')",         "Math.hypot(1, null)",   "Math.atan2(1, 'x')",
        "JSON.parse(1)",         "JSON.stringify(1, {})", "JSON.stringify(1, null, {})",
        "Time.iso('x')",         "Time.parse(1)",         "Time.parts('x')",
        "Time.parts(0, 5)",      "Time.add(0, {})",       "Time.add('x', 1)",
        "Time.startOfDay(null)", "Duration.ms({})",       "Duration.format('x')",
        "Random.int('a', 1)",    "Random.int(1.2, 1.8)",  "Random.pick('ab')",
        "Base64.encode(1)",      "Base64.encode('a', 1)", "Base64.decode(1)",
        "Hash.sha256(null)",     "Error('x', 1)",         "Error('x', {code: 1})"}) {
    std::string outcome = evaluated(text);
    EXPECT_TRUE(outcome.starts_with("expression_failed: WRONG_ARG_TYPE: "))
        << text << " gave " << outcome;
  }
}

// F-40
TEST(Library, json_errors_say_where) {
  std::string outcome = evaluated("JSON.parse('{\"a\":\\n tru}')");
  EXPECT_TRUE(outcome.starts_with("expression_failed: JSON_ERROR: line 2, column 2: ")) << outcome;
}

TEST(Library, namespaces_are_no_values) {
  EXPECT_EQ(mistake("Math").code, "expression_invalid");
  EXPECT_EQ(mistake("[Math]").message, "`Math` needs a member, as in Math.abs");
}

TEST(Library, every_function_can_be_found_by_its_owner_and_name) {
  for (uint32_t i = 0; i < builtins_count(); ++i) {
    EXPECT_EQ(find_builtin(builtin(i).owner, builtin(i).name), i);
  }
}

}  // namespace
}  // namespace fermata::flow
