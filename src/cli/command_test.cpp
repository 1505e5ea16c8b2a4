#include "cli/command.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.h"
#include "cli/engine.h"
#include "core/run/checkpoint.h"
#include "core/run/decide.h"

namespace fermata::cli {
namespace {

class UtcOnly final : public ZoneSource {
 public:
  std::shared_ptr<const ZoneTable> zones(Instant) override { return utc_table(); }
};

/// A world without adapters, for commands that need none.
class NoWorld final : public World {
 public:
  std::unique_ptr<OpenStore> memory_store() override { return nullptr; }
  Outcome<std::unique_ptr<OpenStore>> open_data(const std::string& directory,
                                                StoreReports) override {
    return fail(ErrorCode::data_locked, directory + " is used by another process.");
  }
  Outcome<void> backup(const std::string&, const std::string& file) override {
    return fail(ErrorCode::io_failed, file + " exists.");
  }
  Outcome<void> restore(const std::string&, const std::string&) override { return {}; }
  Outcome<std::pair<uint64_t, uint64_t>> compact(const std::string&) override {
    return std::pair(uint64_t{8192}, uint64_t{4096});
  }
  Outcome<void> visit(const std::string&, const StoredThings& things) override {
    if (shows_damage) things.damage({ErrorCode::data_damaged, "page 7 is torn", {}});
    if (shows) shows(things);
    return {};
  }
  std::unique_ptr<Timers> timers() override { return nullptr; }
  Outcome<std::unique_ptr<Calls>> calls(CallsWanted) override { return std::unique_ptr<Calls>(); }
  Outcome<std::unique_ptr<Telemetry>> telemetry(TelemetryWanted) override {
    return std::unique_ptr<Telemetry>();
  }
  Outcome<std::unique_ptr<PolicyKernel>> policy_kernel(KernelWanted) override {
    return std::unique_ptr<PolicyKernel>();
  }
  Outcome<std::unique_ptr<OutputKernel>> output_kernel(KernelWanted) override {
    return std::unique_ptr<OutputKernel>();
  }
  std::unique_ptr<Counters> counters(const Clock&) override { return nullptr; }
  std::unique_ptr<Clock> system_clock() override { return nullptr; }
  std::unique_ptr<MovableClock> movable_clock(Instant) override { return nullptr; }
  std::unique_ptr<Entropy> entropy() override { return nullptr; }
  Outcome<std::unique_ptr<ZoneSource>> zones(const std::string&,
                                             std::function<void(const std::string&)>) override {
    return std::unique_ptr<ZoneSource>(std::make_unique<UtcOnly>());
  }
  std::unique_ptr<Scans> scans(ScanFiles&, ScansWanted) override { return nullptr; }
  policy::TextReader policy_texts() override {
    return [](std::string_view text) -> Outcome<policy::ReadText> {
      auto value = parse_json(text);
      if (!value) return Failure{value.error()};
      return policy::ReadText{*std::move(value), {{"/default_decision", {2, 5, 0}}}};
    };
  }
  std::unique_ptr<FileWatch> watch_file(const std::string&, std::function<void()>) override {
    return nullptr;
  }

  bool shows_damage = false;
  std::function<void(const StoredThings&)> shows;
};

class CommandLine : public testing::Test {
 protected:
  int run(std::vector<std::string> words) {
    out.clear();
    err.clear();
    Terminal terminal([this](std::string_view text) { out += text; },
                      [this](std::string_view text) { err += text; });
    Surroundings around{terminal, world, environment, "fermata"};
    return static_cast<int>(run_command_line(words, around));
  }

  std::string write_graph(const std::string& text) {
    std::string path = testing::TempDir() + "command_test.json";
    std::ofstream(path) << text;
    return path;
  }

  NoWorld world;
  std::vector<std::string> environment;
  std::string out, err;
};

// A-20
TEST_F(CommandLine, every_command_has_help_with_an_example_and_takes_json) {
  std::set<std::string_view> names;
  for (const CliCommand& command : commands()) {
    std::string name(command.name);
    EXPECT_TRUE(names.insert(command.name).second) << name << " stands there twice";
    EXPECT_EQ(run({name, "--help"}), 0) << name;
    EXPECT_NE(out.find("Example:\n  fermata " + name), std::string::npos) << name;
    EXPECT_NE(out.find("--json"), std::string::npos) << name;
    EXPECT_NE(overview().find("  " + name), std::string::npos) << name;
    EXPECT_NE(man_page().find("fermata " + name), std::string::npos) << name;
  }
}

// A-20
TEST_F(CommandLine, unknown_command_is_usage_with_the_nearest_name) {
  EXPECT_EQ(run({"cancle"}), 2);
  EXPECT_NE(err.find("Did you mean cancel?"), std::string::npos);
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({"ps", "--statsu", "x"}), 2);
  EXPECT_NE(err.find("--status"), std::string::npos);
}

TEST_F(CommandLine, version_is_one_line) {
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out, "fermata " + std::string(program_version) + " (zone data " +
                     utc_table()->version() + ")\n");
  EXPECT_EQ(run({"version", "--json"}), 0);
  EXPECT_EQ(parse_json(out)->get("version"), Value(program_version));
  EXPECT_EQ(parse_json(out)->get("tzdata"), Value(utc_table()->version()));
}

TEST_F(CommandLine, completion_knows_every_command_and_option) {
  for (std::string shell : {"bash", "zsh", "fish"}) {
    EXPECT_EQ(run({"completion", shell}), 0);
    for (const CliCommand& command : commands())
      EXPECT_NE(out.find(command.name), std::string::npos) << shell << " " << command.name;
    EXPECT_NE(out.find("http-body-bytes-max"), std::string::npos) << shell;
  }
  EXPECT_EQ(run({"completion", "cmd"}), 2);
}

// A-30
TEST_F(CommandLine, print_config_shows_values_and_where_they_came_from) {
  environment = {"FERMATA_LOG=json"};
  EXPECT_EQ(run({"serve", "--print-config", "--listen", "127.0.0.1:1"}), 0);
  EXPECT_NE(out.find("127.0.0.1:1"), std::string::npos);
  EXPECT_NE(out.find("--listen"), std::string::npos);
  EXPECT_NE(out.find("FERMATA_LOG"), std::string::npos);
  EXPECT_EQ(run({"serve", "--print-config", "--json"}), 0);
  EXPECT_EQ(parse_json(out)->get("data").get("source"), Value("default"));
  EXPECT_EQ(run({"serve", "--print-config", "--lisen", "x"}), 2);
  EXPECT_NE(err.find("--listen"), std::string::npos);
}

// G-7
TEST_F(CommandLine, check_tells_every_error_with_file_line_and_column) {
  std::string path = write_graph(
      "{\n  \"nodes\": [\n    {\"id\": \"a\", \"type\": \"manual\", \"trigger\": true},\n"
      "    {\"id\": \"a\", \"type\": \"nothing\"}\n  ],\n"
      "  \"edges\": [{\"id\": \"e\", \"src\": \"a\", \"dst\": \"zz\"}]\n}\n");
  EXPECT_EQ(run({"check", path}), 1);
  EXPECT_NE(out.find(path + ":4:"), std::string::npos) << out;
  EXPECT_NE(out.find("[node_id_duplicate]"), std::string::npos) << out;
  EXPECT_NE(out.find("[node_type_unknown]"), std::string::npos) << out;
  EXPECT_NE(out.find("[edge_node_unknown]"), std::string::npos) << out;
  EXPECT_EQ(run({"check", "--json", path}), 1);
  const Value file = parse_json(out)->get("files").items()[0];
  EXPECT_EQ(file.get("valid"), Value(false));
  EXPECT_GE(file.get("errors").size(), 3u);
}

TEST_F(CommandLine, check_tells_where_text_is_no_json) {
  std::string path = write_graph("{\n  \"nodes\": ]\n}");
  EXPECT_EQ(run({"check", path}), 1);
  EXPECT_NE(out.find(path + ":2:12:"), std::string::npos) << out;
  EXPECT_EQ(run({"check", path + ".missing"}), 2);
  EXPECT_NE(err.find("No such file"), std::string::npos) << err;
}

// F-57, A-20
TEST_F(CommandLine, check_takes_scripts_and_graphs_together) {
  std::string graph = write_graph("{\"nodes\": [], \"edges\": []}");
  std::string script = graph + ".flow";
  std::ofstream(script) << "workflow w(inputs) {\n  const é = 1\n  x = inputs.a\n"
                           "  let y = 1\n  let y = 2\n  return [x, y]\n}\n";
  EXPECT_EQ(run({"check", script, graph}), 1);
  EXPECT_NE(out.find(script + ":2:9: error[syntax]: unexpected character"), std::string::npos)
      << out;
  EXPECT_NE(out.find(script + ":5:7: error[redeclared]: `y` is declared twice in one block\n  " +
                     script + ":4:7 first declared here\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(script + ":3:3: warning[implicit-let]: "), std::string::npos) << out;
  EXPECT_NE(out.find("error " + graph), std::string::npos) << out;
  EXPECT_EQ(run({"check", "--json", script}), 1);
  const Value file = parse_json(out)->get("files").items()[0];
  EXPECT_EQ(file.get("language"), Value("flow"));
  EXPECT_EQ(file.get("valid"), Value(false));
  EXPECT_EQ(file.get("errors").items()[0].get("line"), Value(2));
  EXPECT_EQ(file.get("warnings").items()[0].get("rule"), Value("implicit-let"));
  std::ofstream(script) << "let _unused = 1\nreturn 2\n";
  EXPECT_EQ(run({"check", script}), 0);
  EXPECT_NE(out.find(": valid, workflow "), std::string::npos) << out;
  EXPECT_EQ(run({"check", script + ".missing.flow"}), 2);
}

TEST_F(CommandLine, server_that_cannot_be_reached_is_unavailable) {
  EXPECT_EQ(run({"ps", "--server", "http://127.0.0.1:1"}), 5);
  EXPECT_NE(err.find("fermata serve"), std::string::npos) << err;
  environment = {"FERMATA_SERVER=nonsense://x"};
  EXPECT_EQ(run({"ps"}), 2);
}

TEST_F(CommandLine, missing_words_are_usage) {
  for (std::string name : {"show", "history", "watch", "cancel", "pause", "resume", "retry",
                           "signal", "start", "run", "check", "backup", "restore", "keys"})
    EXPECT_EQ(run({name}), 2) << name;
  EXPECT_EQ(run({"fork", "x"}), 2);
  EXPECT_EQ(run({"keys", "destroy"}), 2);
}

TEST_F(CommandLine, data_in_use_is_unavailable) {
  EXPECT_EQ(run({"keys", "create", "--data", "d"}), 5);
  EXPECT_NE(err.find("used by another process"), std::string::npos);
  EXPECT_EQ(run({"backup", "f", "--data", "d"}), 5);
}

// A-14
TEST_F(CommandLine, verify_fails_when_the_store_shows_damage) {
  EXPECT_EQ(run({"verify", "--data", "d"}), 0);
  EXPECT_NE(out.find("sound"), std::string::npos);
  world.shows_damage = true;
  EXPECT_EQ(run({"verify", "--data", "d"}), 1);
  EXPECT_NE(out.find("page 7 is torn"), std::string::npos);
  EXPECT_EQ(run({"verify", "--data", "d", "--json"}), 1);
  EXPECT_EQ(parse_json(out)->get("problems").size(), 1u);
}

TEST_F(CommandLine, verify_holds_checkpoints_against_the_history) {
  auto checked = graph::check_definition(*parse_json(
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                   {"id":"w","type":"wait","parameters":{"amount":10,"unit":"days"}}],
          "edges":[{"id":"e","src":"t","dst":"w"}]})"));
  ASSERT_TRUE(checked.definition);
  fermata::Run state;
  StartRun start;
  start.definition = checked.definition;
  auto decision = decide(state, {RunId("r1"), start, "tester"}, {Instant{5}, 1, {}});
  ASSERT_TRUE(decision);
  StoredRun stored{1, summarize(state), {encode_history(decision->events)}};
  Checkpoint checkpoint{state.last_sequence, encode_checkpoint(state)};
  world.shows = [&](const StoredThings& things) {
    things.definition(checked.definition->hash, to_canonical_json(checked.definition->canonical));
    things.run(stored);
    things.checkpoint(stored, checkpoint);
  };
  EXPECT_EQ(run({"verify", "--data", "d", "--json"}), 0) << out;
  EXPECT_EQ(parse_json(out)->get("checkpoints"), Value(1));
  state.exit_reason = "never";
  checkpoint.bytes = encode_checkpoint(state);
  EXPECT_EQ(run({"verify", "--data", "d"}), 1);
  EXPECT_NE(out.find("it is not the fold of the history"), std::string::npos) << out;
  checkpoint.bytes = "nonsense";
  EXPECT_EQ(run({"verify", "--data", "d"}), 1);
  EXPECT_NE(out.find("its checkpoint at sequence 3"), std::string::npos) << out;
}

TEST(ReadInput, puts_fields_into_the_input) {
  std::vector<Option> options = {{"input", "JSON", ""}, {"set", "N=V", "", true}};
  std::vector<std::string> words = {"--input", "{\"a\":{\"b\":1}}", "--set", "a.c=true",
                                    "--set",   "name=Ada L",        "--set", "n=4"};
  auto input = read_input(*Arguments::parse(words, options));
  ASSERT_TRUE(input);
  EXPECT_EQ(to_json(*input), "{\"a\":{\"b\":1,\"c\":true},\"name\":\"Ada L\",\"n\":4}");
  std::vector<std::string> wrong = {"--input", "[1]", "--set", "a=1"};
  EXPECT_FALSE(read_input(*Arguments::parse(wrong, options)));
  std::vector<std::string> broken = {"--input", "{"};
  EXPECT_FALSE(read_input(*Arguments::parse(broken, options)));
}

TEST_F(CommandLine, policy_check_names_every_mistake_with_its_place) {
  std::string wrong = write_graph(R"({"version":1,"default_decision":"alow","rulez":[]})");
  EXPECT_EQ(run({"policy", "check", wrong}), 1);
  EXPECT_NE(out.find(wrong + ":2:5: /default_decision: `alow` is none of"), std::string::npos)
      << out;
  EXPECT_NE(out.find("/rulez: "), std::string::npos) << out;
  std::string good = write_graph(R"({"version":1,"default_decision":"deny"})");
  EXPECT_EQ(run({"policy", "check", good}), 0);
  EXPECT_NE(out.find("0 rules, no mistakes"), std::string::npos) << out;
  EXPECT_EQ(run({"policy", "check"}), 2);
  EXPECT_EQ(run({"policy", "frobnicate"}), 2);
}

}  // namespace
}  // namespace fermata::cli
