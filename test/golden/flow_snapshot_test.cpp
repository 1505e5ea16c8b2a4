#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "base/json.h"
#include "core/flow/code_bytes.h"
#include "core/flow/compile_script.h"
#include "core/flow/durable/activate.h"
#include "core/flow/durable/execution_bytes.h"

namespace fermata::flow {
namespace {

Value golden(const char* path = "test/golden/flow_snapshots.json") {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto vectors = parse_json(text.str());
  return vectors ? *vectors : Value::array();
}

std::string from_hex(std::string_view digits) {
  auto half = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(half(digits[i]) * 16 + half(digits[i + 1]));
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string digits;
  for (unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

void go_on(Execution& execution, const Expression& script) {
  std::vector<Outgoing> out;
  while (wants_activation(execution)) {
    auto done = activate(execution, script, FlowGiven{Instant{1'770'000'000'000}, 7, {}}, out);
    ASSERT_TRUE(done) << done.error().message;
  }
}

/// Takes a parked script on from its bytes to its end, as its vector says.
void finish_parked(const Value& vector, const std::string& state, const Expression& script) {
  std::string name(vector.get("name").as_string());
  Execution execution;
  ByteReader in(state);
  decode_execution(in, execution);
  ASSERT_TRUE(in.done()) << name;
  for (const Value& step : vector.get("settle").items()) {
    std::vector<Outgoing> out;
    auto number = static_cast<uint32_t>(step.items()[0].as_integer());
    SettleAwaitable settle{number, AwaitableStatus::completed, step.items()[1]};
    ASSERT_EQ(take(execution, settle, {}, out), Taken::done) << name;
    go_on(execution, script);
  }
  ASSERT_EQ(execution.end, FlowEnd::completed) << name;
  ASSERT_EQ(to_json(execution.output), to_json(vector.get("output"))) << name;
}

// F-46: what a release has written every later one reads, and goes on to the same end. A change of
// the compiler that makes other code of these sources needs the next code version, and the code of
// the one before must still run.
TEST(Golden, parked_scripts_of_every_release_go_on) {
  Value vectors = golden();
  ASSERT_GE(vectors.size(), 6u);
  for (const Value& vector : vectors.items()) {
    CompiledScript compiled = compile_script(std::string(vector.get("source").as_string()));
    ASSERT_TRUE(compiled.script);
    finish_parked(vector, from_hex(vector.get("state").as_string()), compiled.script);
  }
}

Value golden_code() { return golden("test/golden/flow_code.json"); }

const Value& snapshot_named(const Value& vectors, const Value& name) {
  for (const Value& vector : vectors.items())
    if (vector.get("name") == name) return vector;
  static const Value none;
  return none;
}

// F-46: the code a release has stored beside a source is what scripts parked by it go on with.
TEST(Golden, stored_code_of_every_release_is_read_and_runs) {
  Value parked = golden();
  Value vectors = golden_code();
  ASSERT_GE(vectors.size(), 6u);
  for (const Value& vector : vectors.items()) {
    const Value& snapshot = snapshot_named(parked, vector.get("name"));
    ASSERT_TRUE(snapshot.is_object()) << to_json(vector.get("name"));
    std::string code;
    ASSERT_TRUE(unbase64(vector.get("code").as_string(), code));
    auto script = decode_code(code, snapshot.get("source").as_string());
    ASSERT_TRUE(script) << script.error().message;
    finish_parked(snapshot, from_hex(snapshot.get("state").as_string()), *script);
  }
}

// A compiler or library that makes other code is welcome: the old vectors stay, new ones are added.
// Other instructions or functions need the next code version.
TEST(Golden, sources_become_the_code_of_the_latest_vectors) {
  Value parked = golden();
  const Value codes = golden_code();
  for (const Value& vector : codes.items()) {
    if (vector.get("release") != Value("0.1")) continue;
    const Value& snapshot = snapshot_named(parked, vector.get("name"));
    CompiledScript compiled = compile_script(std::string(snapshot.get("source").as_string()));
    ASSERT_TRUE(compiled.script);
    EXPECT_EQ(base64(encode_code(compiled.script)), std::string(vector.get("code").as_string()))
        << to_json(vector.get("name"));
  }
}

// Row 14 of flow.md: as many as a store may hold when a new binary starts, one after the other from
// their bytes, each to its own right end.
TEST(Golden, a_hundred_thousand_parked_scripts_go_on) {
  constexpr size_t parked = 100'000;
  Value vectors = golden();
  std::vector<std::string> states;
  std::vector<Expression> scripts;
  for (const Value& vector : vectors.items()) {
    states.push_back(from_hex(vector.get("state").as_string()));
    scripts.push_back(compile_script(std::string(vector.get("source").as_string())).script);
  }
  for (size_t i = 0; i < parked && !HasFatalFailure(); ++i) {
    size_t which = i % vectors.size();
    finish_parked(vectors.items()[which], states[which], scripts[which]);
  }
}

// The form may change only with its number; then the old vectors stay and new ones are added.
TEST(Golden, scripts_are_parked_in_the_form_of_the_latest_vectors) {
  Value vectors = golden();
  size_t latest = 0;
  for (const Value& vector : vectors.items()) {
    if (vector.get("release") != Value("0.1")) continue;
    ++latest;
    CompiledScript compiled = compile_script(std::string(vector.get("source").as_string()));
    ASSERT_TRUE(compiled.script);
    Execution execution = begin_flow("r", vector.get("inputs"), Value::object());
    go_on(execution, compiled.script);
    ByteWriter out;
    encode_execution(execution, out);
    EXPECT_EQ(to_hex(out.bytes()), std::string(vector.get("state").as_string()))
        << to_json(vector.get("name"));
  }
  EXPECT_GE(latest, 6u);
}

}  // namespace
}  // namespace fermata::flow
