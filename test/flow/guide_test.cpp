#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/flow/issues.h"
#include "core/flow/script.h"

namespace fermata::test {
namespace {

std::string read(const char* path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
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
