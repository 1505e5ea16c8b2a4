#include <random>

#include "base/bytes.h"
#include "base/hash.h"
#include "core/flow/code.h"
#include "core/flow/code_bytes.h"
#include "core/flow/durable/activate.h"
#include "core/flow/library.h"
#include "test/flow/script_runs.h"

/// Scripts go on with the code they were parked with, whatever compiler the program has (F-46).
namespace fermata::test {
namespace {

using flow::Expression;
using flow::Function;
using flow::Instruction;
using flow::Opcode;

constexpr const char* scripts[] = {
    "let s = 0\nfor (const n of [1, 2, 3]) { if (n == 2) continue; s += n + await Task.run('x', n) "
    "}\n"
    "return s",
    "const f = n => n < 1 ? 0 : n + f(n - 1)\n"
    "const got = [3, 1, 2].map(x => x * await Task.run('x', { x }))\n"
    "try { throw Error('e', { code: 'E' }) } catch ({ code }) { return [got, f(4), code] }\n"
    "finally { await Task.run('end') }",
    "async function work(i = 5, ...more) { return [i, await Task.run('x'), more, Inputs?.a] }\n"
    "const { a = 'x', ...rest } = { b: 1, c: [2] }\n"
    "switch (a) { case 'x': return [await Promise.all([work(), work(1, 2)]), rest, `${a}!`]; }",
};

bool jumps(const Instruction& in) {
  switch (in.op) {
    case Opcode::jump:
    case Opcode::jump_if_false:
    case Opcode::jump_if_true:
    case Opcode::keep_if_false:
    case Opcode::keep_if_true:
    case Opcode::keep_if_set:
    case Opcode::skip_if_null:
    case Opcode::next:
    case Opcode::push_handler: return true;
    case Opcode::load_root:
    case Opcode::get_member:
    case Opcode::get_index: return in.b == static_cast<uint8_t>(flow::Missing::is_null);
    default: return false;
  }
}

/// What another compiler might have made of the same source: it does something in vain first.
void lengthen(Function& function) {
  constexpr uint32_t more = 2;
  for (Instruction& in : function.code)
    if (jumps(in)) in.a += more;
  for (Function::Point& point : function.points) point.next += more;
  for (Function::Local& local : function.locals) {
    local.from += more;
    local.to += more;
  }
  function.code.insert(function.code.begin(),
                       {Instruction{Opcode::null}, Instruction{Opcode::pop}});
  function.offsets.insert(function.offsets.begin(), more, 0);
  function.steps.clear();
}

std::shared_ptr<Expression::Program> by_another_compiler(const Expression::Program& program) {
  auto out = std::make_shared<Expression::Program>();
  out->text = program.text;
  out->grammar = program.grammar;
  out->constants = program.constants;
  out->roots = program.roots;
  out->paths = program.paths;
  out->hash = program.hash;
  out->rhythm = program.rhythm;
  out->library_size = program.library_size;
  for (const auto& function : program.functions) {
    auto& made = *out->functions.emplace_back(std::make_unique<Function>(*function));
    made.program = out.get();
    if (function->around) made.around = out->functions[function->around->index].get();
    lengthen(made);
  }
  EXPECT_TRUE(make_ready(*out));
  return out;
}

Expression compiled_otherwise(const std::string& source) {
  flow::CheckedScript checked = flow::check_script(source);
  EXPECT_TRUE(checked.program) << source;
  auto library = by_another_compiler(*flow::prelude_program());
  EXPECT_TRUE(flow::name_scripted(*library));
  auto program = by_another_compiler(checked.program.program());
  program->prelude = std::move(library);
  return Expression(std::move(program));
}

flow::FlowGiven given_now() {
  flow::FlowGiven out{Instant{1'770'000'000'000}, 5, {}, nullptr};
  out.limits.fuel = 50'000;
  out.limits.memory_bytes = 4 << 20;
  return out;
}

/// Settles tasks in their order until the end, rebuilding the machine from its snapshot each time.
Value played(flow::Execution execution, const Expression& script) {
  std::vector<flow::Outgoing> asks;
  for (int turns = 0; turns < 100 && !execution.ended(); ++turns) {
    while (flow::wants_activation(execution)) {
      auto activated = flow::activate(execution, script, given_now(), asks);
      EXPECT_TRUE(activated) << activated.error().message;
      if (!activated) return {};
    }
    for (const auto& [number, record] : std::map(execution.awaitables)) {
      if (record.kind != flow::AwaitableKind::task ||
          record.status != flow::AwaitableStatus::pending)
        continue;
      flow::SettleAwaitable settle{number, flow::AwaitableStatus::completed,
                                   Value(static_cast<int64_t>(number) * 10)};
      EXPECT_EQ(flow::take(execution, settle, given_now(), asks), flow::Taken::done);
      break;
    }
  }
  EXPECT_EQ(execution.end, flow::FlowEnd::completed) << to_json(execution.error.to_value());
  return execution.output;
}

Value played(const Expression& script) {
  return played(flow::begin_flow("r", Value::object(), Value::object()), script);
}

// F-46
TEST(StoredCode, is_the_code_it_was_made_from) {
  for (const char* source : scripts) {
    Expression script = flow::check_script(source).program;
    std::string bytes = flow::encode_code(script);
    auto read = flow::decode_code(bytes, source);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(flow::encode_code(*read), bytes);
    EXPECT_EQ(read->program().prelude, flow::prelude_program()) << "the library is there once";
    EXPECT_EQ(to_json(played(*read)), to_json(played(script)));
  }
}

// F-46
TEST(StoredCode, of_another_compiler_is_gone_on_with) {
  for (const char* source : scripts) {
    Expression before = compiled_otherwise(source);
    std::string bytes = flow::encode_code(before);
    flow::Execution parked = flow::begin_flow("r", Value::object(), Value::object());
    std::vector<flow::Outgoing> asks;
    ASSERT_TRUE(flow::activate(parked, before, given_now(), asks));
    ASSERT_FALSE(parked.ended());

    auto later = flow::decode_code(bytes, source);
    ASSERT_TRUE(later) << later.error().message;
    Expression today = flow::check_script(source).program;
    EXPECT_NE(later->program().functions[0]->code.size(),
              today.program().functions[0]->code.size());
    EXPECT_NE(later->program().prelude, today.program().prelude);
    EXPECT_EQ(to_json(played(parked, *later)), to_json(played(today))) << source;
  }
}

// F-46: a run of a definition that was stored by another release, from its start to its end.
TEST(StoredCode, comes_with_the_definition) {
  std::string source = "const got = await Task.run('x', {})\nreturn [got].map(g => g + 1)";
  Value stored = define_script(source)->canonical;
  stored.set("code", base64(flow::encode_code(compiled_otherwise(source))));
  auto definition = ready_definition(stored);
  ASSERT_TRUE(definition) << definition.error().message;
  EXPECT_EQ((*definition)->canonical, stored);
  EXPECT_EQ((*definition)->hash, define_script(source)->hash);
  ScriptRun run(*definition);
  run.start();
  run.settle("r.1", "SUCCEEDED", Value(4));
  EXPECT_EQ(to_json(run.run.output), "[5]");
  // One that was stored without code is compiled.
  stored.erase("code");
  ASSERT_TRUE(ready_definition(stored));
}

// F-46
TEST(StoredCode, knows_no_function_that_the_library_got_later) {
  std::string source =
      "const f = async () => 1\ntry { return f().cancel() } catch (e) { return e.code }";
  Expression today = flow::check_script(source).program;
  EXPECT_EQ(played(today), Value(false)) << "it is over already";
  auto before = by_another_compiler(today.program());
  auto library = by_another_compiler(*flow::prelude_program());
  before->library_size = library->library_size =
      flow::find_builtin(flow::Owner::awaitable_type, "cancel");
  ASSERT_TRUE(flow::name_scripted(*library));
  before->prelude = library;
  ASSERT_TRUE(flow::make_ready(*before));
  auto read = flow::decode_code(flow::encode_code(Expression(before)), source);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(played(*read), Value("NOT_A_FUNCTION"));
}

// F-46
TEST(StoredCode, of_a_later_release_is_told_from_damage) {
  std::string source = "return 1";
  std::string bytes = flow::encode_code(flow::check_script(source).program);
  auto later = [&](size_t at) {
    std::string changed = bytes;
    changed[at] = 99;
    return flow::decode_code(resealed(changed), source);
  };
  for (size_t at : {3u, 4u}) {  // its format, its code version
    auto read = later(at);
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().newer);
  }
  std::string flipped = bytes;
  flipped[20] = static_cast<char>(flipped[20] ^ 1);
  EXPECT_FALSE(flow::decode_code(flipped, source).error().newer);
  Value stored = define_script(source)->canonical;
  std::string newer = bytes;
  newer[4] = 99;
  stored.set("code", base64(resealed(newer)));
  EXPECT_EQ(ready_definition(stored).error().code, ErrorCode::schema_newer);
  stored.set("code", base64(flipped));
  EXPECT_EQ(ready_definition(stored).error().code, ErrorCode::data_damaged);
  stored.set("code", "%");
  EXPECT_EQ(ready_definition(stored).error().code, ErrorCode::data_damaged);
}

/// Runs for a while, answering whatever it asks for; only that it comes back counts.
void run_for_a_while(const Expression& script) {
  flow::Execution execution = flow::begin_flow("r", Value::object(), Value::object());
  std::vector<flow::Outgoing> asks;
  for (int turns = 0; turns < 10 && !execution.ended(); ++turns) {
    for (int i = 0; i < 10 && flow::wants_activation(execution); ++i)
      if (!flow::activate(execution, script, given_now(), asks)) return;
    if (execution.awaitables.empty()) return;
    flow::SettleAwaitable settle{execution.awaitables.begin()->first,
                                 flow::AwaitableStatus::completed, Value(1)};
    (void)flow::take(execution, settle, given_now(), asks);
  }
}

// F-46, F-49: whoever has the store in his hands can write any code, and crash nothing with it.
/// The code of `script` with another body for `map` of its library.
Expression with_map(std::vector<Instruction> body) {
  flow::CheckedScript checked = flow::check_script("return [1].map(x => x)");
  auto library = by_another_compiler(*flow::prelude_program());
  for (const auto& function : library->functions) {
    if (function->name != "array_map") continue;
    function->code = body;
    function->offsets.assign(body.size(), 0);
    function->locals.clear();
    function->points.clear();
  }
  auto program = by_another_compiler(checked.program.program());
  program->prelude = std::move(library);
  return Expression(std::move(program));
}

TEST(StoredCode, of_the_library_that_goes_round_for_ever_uses_up_the_fuel) {
  Expression endless = with_map({{Opcode::jump, 0, 0, 0}});
  auto read = flow::decode_code(flow::encode_code(endless), "return [1].map(x => x)");
  ASSERT_TRUE(read);
  flow::Execution execution = flow::begin_flow("r", Value::object(), Value::object());
  std::vector<flow::Outgoing> asks;
  while (flow::wants_activation(execution))
    ASSERT_TRUE(flow::activate(execution, *read, given_now(), asks));
  EXPECT_EQ(execution.error.code, "fuel_exhausted");
}

TEST(StoredCode, of_the_library_repeats_nothing_that_costs_nothing) {
  for (std::vector<Instruction> body : std::vector<std::vector<Instruction>>{
           {{Opcode::null}, {Opcode::jump_if_false, 0, 0, 0}, {Opcode::null}, {Opcode::give}},
           {{Opcode::push_handler, 0, 0, 3},
            {Opcode::null},
            {Opcode::throw_value},
            {Opcode::throw_value}}}) {
    auto read = flow::decode_code(flow::encode_code(with_map(body)), "return [1].map(x => x)");
    EXPECT_FALSE(read);
  }
}

TEST(StoredCode, that_is_hostile_is_refused_or_runs_within_its_budgets) {
  std::mt19937 dice(7);
  size_t refused = 0, ran = 0;
  for (const char* source : scripts) {
    std::string whole = flow::encode_code(compiled_otherwise(source));
    for (int i = 0; i < 3'000; ++i) {
      std::string bytes = whole;
      for (size_t edits = 1 + dice() % 3; edits > 0; --edits) {
        size_t at = 8 + dice() % (bytes.size() - 12);
        char by = dice() % 3 == 0 ? static_cast<char>(dice()) : static_cast<char>(dice() % 8);
        bytes[at] = dice() % 2 == 0 ? by : static_cast<char>(bytes[at] ^ (1 << dice() % 8));
      }
      auto read = flow::decode_code(resealed(bytes), source);
      ++(read ? ran : refused);
      if (read) run_for_a_while(*read);
    }
  }
  EXPECT_GT(refused, 1'000u);
  EXPECT_GT(ran, 100u);
}

}  // namespace
}  // namespace fermata::test
