#include "cli/terminal.h"

#include <gtest/gtest.h>

#include "cli/log.h"
#include "cli/progress.h"

namespace fermata::cli {
namespace {

struct Captured {
  std::string out, err;
  Terminal terminal{[this](std::string_view text) { out += text; },
                    [this](std::string_view text) { err += text; }};
};

// A-20
TEST(Terminal, exit_codes_follow_the_kind_of_error) {
  auto exit = [](ErrorCode code) { return exit_of({code, "", {}}); };
  EXPECT_EQ(exit(ErrorCode::usage), Exit::usage);
  EXPECT_EQ(exit(ErrorCode::invalid_setting), Exit::usage);
  EXPECT_EQ(exit(ErrorCode::execution_not_found), Exit::not_found);
  EXPECT_EQ(exit(ErrorCode::forbidden), Exit::refused);
  EXPECT_EQ(exit(ErrorCode::run_finished), Exit::refused);
  EXPECT_EQ(exit(ErrorCode::io_failed), Exit::unavailable);
  EXPECT_EQ(exit(ErrorCode::address_in_use), Exit::unavailable);
  EXPECT_EQ(exit(ErrorCode::data_locked), Exit::unavailable);
}

// A-20
TEST(Terminal, errors_say_what_to_do_next_on_standard_error) {
  Captured captured;
  captured.terminal.fail({ErrorCode::invalid_definition,
                          "There are 2 errors.",
                          {{"field_missing", "/nodes/0/id", "`id` is missing.", {}, 3, 7}}});
  EXPECT_EQ(captured.out, "");
  EXPECT_NE(captured.err.find("There are 2 errors."), std::string::npos);
  EXPECT_NE(captured.err.find("3:7 `id` is missing."), std::string::npos);
  EXPECT_NE(captured.err.find("next: "), std::string::npos);
}

// A-20
TEST(Table, columns_are_aligned_by_code_points) {
  Captured captured;
  Table table({"ID", "STATUS"});
  table.row({"é1", "waiting"});
  table.row({"long-id", "completed"});
  table.print(captured.terminal, 1);
  EXPECT_EQ(captured.out, "ID       STATUS\né1       waiting\nlong-id  completed\n");
}

// A-20
TEST(Table, colours_appear_only_on_a_terminal) {
  Captured captured;
  captured.terminal.colour_out = true;
  Table table({"STATUS"});
  table.row({"failed"});
  table.print(captured.terminal, 0);
  EXPECT_NE(captured.out.find("\x1b[31mfailed\x1b[0m"), std::string::npos);
}

TEST(DurationText, grows_with_the_duration) {
  EXPECT_EQ(duration_text(340), "340 ms");
  EXPECT_EQ(duration_text(1'200), "1.2 s");
  EXPECT_EQ(duration_text(20'000), "20 s");
  EXPECT_EQ(duration_text(125'000), "2 min 5 s");
  EXPECT_EQ(duration_text(7'500'000), "2 h 5 min");
  EXPECT_EQ(duration_text(90LL * 86'400'000), "90 days 0 h");
}

TEST(Progress, tells_each_change_of_a_node_on_one_line) {
  Captured captured;
  Progress progress(captured.terminal, false);
  progress.show(
      "node",
      Value::object({{"node_name", "Pause"},
                     {"status", "waiting"},
                     {"at", "2026-03-01T10:00:00.000Z"},
                     {"lineage", Value::array()},
                     {"details", Value::object({{"resume_at", "2026-03-01T10:00:20.000Z"}})}}));
  EXPECT_EQ(captured.out, "");
  EXPECT_NE(captured.err.find("10:00:00.000  waiting   Pause"), std::string::npos);
  EXPECT_NE(captured.err.find("(20 s)"), std::string::npos);
}

TEST(Progress, tells_failures_with_code_and_message) {
  Value error = Value::object({{"code", "network"}, {"message", "refused"}});
  Value record =
      Value::object({{"status", "failed"}, {"details", Value::object({{"error", error}})}});
  EXPECT_EQ(node_remark(record), "network: refused");
}

TEST(Progress, bar_is_full_at_the_end) {
  EXPECT_EQ(bar(1, 4, 8), "##------");
  EXPECT_EQ(bar(4, 4, 4), "####");
  EXPECT_EQ(bar(0, 0, 2), "##");
}

// A-33
TEST(Log, writes_one_line_for_each_entry_with_its_fields) {
  std::string text;
  auto now = [] { return Instant{0}; };
  auto write = [&](std::string_view line) { text += line; };
  Log log(false, LogLevel::info, now, write);
  log.info("two\nlines", {{"execution_id", "r 1"}, {"count", 3}});
  log.write(LogLevel::debug, "too fine");
  EXPECT_EQ(text, "1970-01-01T00:00:00.000Z info  two\\nlines execution_id=\"r 1\" count=3\n");
  text.clear();
  Log json(true, LogLevel::warn, now, write);
  json.info("too fine");
  json.warn("careful", {{"code", "x"}});
  EXPECT_EQ(text,
            "{\"at\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warn\",\"message\":\"careful\","
            "\"code\":\"x\"}\n");
}

}  // namespace
}  // namespace fermata::cli
