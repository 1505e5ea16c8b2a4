#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "core/flow/evaluate/evaluation.h"
#include "core/flow/issues.h"
#include "core/flow/script.h"

namespace fermata::test {
namespace {

std::string read(const char* path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// What comes behind an example says how it is run and what comes out (F-64).
struct Example {
  std::string source;
  std::vector<std::string> runs;
};

std::vector<Example> examples_with_runs(const std::string& page) {
  std::vector<Example> out;
  std::istringstream lines(page);
  std::string line;
  std::string fence;
  while (std::getline(lines, line)) {
    if (fence.empty() && (line == "```flow" || line == "~~~flow")) {
      fence = line.substr(0, 3);
      out.emplace_back();
    } else if (!fence.empty() && line == fence) {
      fence.clear();
    } else if (!fence.empty()) {
      out.back().source += line + "\n";
    } else if (line.starts_with("<!-- runs ")) {
      std::string run = line.substr(10);
      while (!run.ends_with(" -->") && std::getline(lines, line)) run += line;
      out.back().runs.push_back(run.substr(0, run.size() - 4));
    }
  }
  return out;
}

/// The text between each line that begins with `fence` + "flow" and the next with `fence`.
std::vector<std::string> examples(const std::string& page, const std::string& fence) {
  std::vector<std::string> out;
  std::istringstream lines(page);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (!inside && line == fence + "flow") {
      inside = true;
      out.emplace_back();
    } else if (inside && line == fence) {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

// F-4, F-57
TEST(FlowGuide, every_example_passes_the_checks_without_a_warning) {
  std::string page = read("docs/guide/flow.md");
  std::vector<std::string> all = examples(page, "```");
  for (std::string& one : examples(page, "~~~")) all.push_back(std::move(one));
  ASSERT_GE(all.size(), 3u);
  for (const std::string& example : all) {
    flow::CheckedScript checked = flow::check_script(example);
    EXPECT_TRUE(checked.errors.empty()) << example << checked.errors[0].message;
    EXPECT_TRUE(checked.warnings.empty()) << example << checked.warnings[0].message;
  }
}

// F-63
TEST(FlowGuide, every_example_runs_and_comes_to_what_the_page_says) {
  std::vector<Example> all = examples_with_runs(read("docs/guide/flow.md"));
  ASSERT_GE(all.size(), 9u);
  for (const Example& example : all) {
    EXPECT_FALSE(example.runs.empty()) << "nothing runs\n" << example.source;
    for (const std::string& text : example.runs) {
      auto run = parse_json(text);
      ASSERT_TRUE(run) << text;
      flow::EvaluationCase given;
      given.source = example.source;
      if (const Value* inputs = run->find("inputs")) given.inputs = *inputs;
      const Value& steps = run->get("steps");
      if (steps.is_array()) given.steps.assign(steps.items().begin(), steps.items().end());
      for (bool crash : {false, true}) {
        given.crash = crash;
        Value answer = flow::evaluate_flow(given).value;
        for (const Value::Member& member : run->get("expect").members())
          EXPECT_EQ(to_json(answer.get(member.key.as_string())), to_json(member.value))
              << example.source << to_json(answer);
      }
    }
  }
}

// F-57
TEST(FlowGuide, every_rule_is_in_the_table) {
  std::string page = read("docs/guide/flow.md");
  for (size_t i = 0; i < flow::checks_count(); ++i) {
    auto check = static_cast<flow::Check>(i);
    std::string_view severity =
        flow::severity_of(check) == flow::Severity::error ? "error" : "warning";
    std::string row = "| `" + std::string(flow::rule_of(check)) + "` | " + std::string(severity) +
                      " | " + std::string(flow::meaning_of(check)) + " |\n";
    // A bar would end the cell.
    for (size_t at = row.find("||"); at != std::string::npos; at = row.find("||", at + 4)) {
      row.replace(at, 2, "\\|\\|");
    }
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace fermata::test
