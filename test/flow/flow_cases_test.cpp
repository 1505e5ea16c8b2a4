#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "core/flow/evaluate/evaluation.h"

/// Every line of test/flow/*.jsonl is a case (README.md). Each is run plainly, with the machine
/// rebuilt from its snapshot after every step, and in small slices; the bytes must be the same.
namespace fermata::flow {
namespace {

struct Case {
  std::string file;
  size_t line = 0;
  Value value;
};

std::vector<Case> read_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("test/flow")) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Case> out;
  for (const auto& path : files) {
    std::ifstream in(path);
    std::string text;
    for (size_t number = 1; std::getline(in, text); ++number) {
      if (text.empty()) continue;
      auto parsed = parse_json(text);
      EXPECT_TRUE(parsed) << path << ":" << number << " " << (parsed ? "" : parsed.error().message);
      if (parsed) out.push_back({path.stem().string(), number, *std::move(parsed)});
    }
  }
  return out;
}

std::vector<Value> list(const Value& value) {
  if (!value.is_array()) return {};
  return {value.items().begin(), value.items().end()};
}

EvaluationCase case_of(const Value& value) {
  EvaluationCase out;
  out.source = value.get("source").as_string();
  if (const Value* inputs = value.find("inputs")) out.inputs = *inputs;
  out.resume = list(value.get("resume"));
  out.steps = list(value.get("steps"));
  out.rhythm = value.get("compat").is_string();
  out.states = true;
  const Value& limits = value.get("limits");
  auto set = [&](std::string_view name, auto& limit) {
    if (limits.get(name).is_integer()) {
      limit = static_cast<std::remove_reference_t<decltype(limit)>>(limits.get(name).as_integer());
    }
  };
  set("fuel", out.limits.fuel);
  set("slice", out.limits.slice);
  set("memory", out.limits.memory_bytes);
  set("fibers", out.limits.fibers);
  set("awaitables", out.limits.awaitables);
  set("string_bytes", out.limits.string_bytes);
  set("list_items", out.limits.list_items);
  set("snapshot_warn", out.limits.snapshot_warn_bytes);
  set("snapshot_max", out.limits.snapshot_max_bytes);
  set("log_lines", out.limits.log_lines);
  return out;
}

/// What is expected must be there; objects may hold more. Gives the path of the first difference.
std::string difference(const Value& expected, const Value& actual, const std::string& path) {
  if (expected.is_object() && actual.is_object()) {
    for (const Value::Member& member : expected.members()) {
      std::string key(member.key.as_string());
      const Value* found = actual.find(key);
      if (found == nullptr) return path + "/" + key + " is missing";
      std::string inner = difference(member.value, *found, path + "/" + key);
      if (!inner.empty()) return inner;
    }
    return {};
  }
  if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      std::string inner =
          difference(expected.items()[i], actual.items()[i], path + "/" + std::to_string(i));
      if (!inner.empty()) return inner;
    }
    return {};
  }
  if (to_json(expected) == to_json(actual)) return {};
  return path + " is " + to_json(actual) + ", not " + to_json(expected);
}

class FlowCase : public testing::TestWithParam<Case> {};

// F-2, F-9 to F-18, F-20, F-21, F-22, F-23, F-24, F-25, F-26, F-27, F-29, F-30, F-31, F-32, F-33,
// F-34, F-35, F-36, F-37, F-38, F-42, F-44, F-45, F-51, F-52, F-53, F-64, F-65, F-66
TEST_P(FlowCase, gives_what_it_says_and_the_same_after_every_crash) {
  const Case& one = GetParam();
  EvaluationCase plain = case_of(one.value);
  Value answer = evaluate_flow(plain).value;
  std::string where = "test/flow/" + one.file + ".jsonl:" + std::to_string(one.line);
  EXPECT_EQ(difference(one.value.get("expect"), answer, ""), "") << where << "\n"
                                                                 << to_json(answer);
  EvaluationCase crashing = plain;
  crashing.crash = true;
  EXPECT_EQ(to_json(evaluate_flow(crashing).value), to_json(answer)) << where;
  EXPECT_EQ(to_json(evaluate_flow(plain).value), to_json(answer)) << where;
  // A cut activation is the same activation; only the snapshots of its cuts are more. How much
  // garbage lies around when a budget of bytes is looked at depends on the cuts.
  if (one.value.find("whole") != nullptr) return;
  EvaluationCase resident = plain;
  resident.resident = true;
  EXPECT_EQ(to_json(evaluate_flow(resident).value), to_json(answer)) << where << " in memory";
  crashing.limits.slice = 25;
  EXPECT_EQ(to_json(evaluate_flow(crashing).value), to_json(answer)) << where << " in slices";
}

std::string keys_of(const Value& object) {
  std::string out;
  for (const Value::Member& member : object.members())
    out += (out.empty() ? "" : " ") + std::string(member.key.as_string());
  return out;
}

// F-63: whatever became of the script.
TEST(FlowEvaluation, prints_all_keys_in_one_order) {
  const std::string all =
      "status result error awaiting tasks timers children approvals signals logs warnings stats";
  const std::pair<const char*, const char*> scripts[] = {
      {"completed", "return 1"},
      {"failed", "throw Error('no')"},
      {"failed", "return nobody"},
      {"suspended", "await Promise.race_kv({ t: Task.run('a'), c: Workflow.run('w') })"}};
  for (auto [status, source] : scripts) {
    EvaluationCase given;
    given.source = source;
    Value shown = evaluate_flow(given).value;
    EXPECT_EQ(shown.get("status"), Value(status)) << to_json(shown);
    EXPECT_EQ(keys_of(shown), all);
    EXPECT_EQ(keys_of(shown.get("stats")), "activations fuel snapshot_bytes ignored");
    given.states = true;
    given.steps = {Value::object({{"complete", "nobody"}})};
    Value stopped = evaluate_flow(given).value;
    bool misfit = status == std::string_view("suspended");
    EXPECT_EQ(keys_of(stopped), all + " states" + (misfit ? " step_error" : ""));
    for (const Value& state : stopped.get("states").items()) EXPECT_EQ(keys_of(state), all);
    if (!misfit) continue;
    Value awaited = shown.get("awaiting").items()[0];
    EXPECT_EQ(keys_of(awaited), "fiber at id kind name form keys shape open items");
    EXPECT_EQ(keys_of(shown.get("tasks").items()[0]), "id name input status");
    EXPECT_EQ(keys_of(shown.get("children").items()[0]), "id workflow input status");
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.file + "_";
  const Value& id = info.param.value.get("id");
  name += id.is_string() ? std::string(id.as_string()) : std::to_string(info.param.line);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(cases, FlowCase, testing::ValuesIn(read_cases()), name_of);

}  // namespace
}  // namespace fermata::flow
