#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "server/test_world.h"

namespace fermata::server {
namespace {

/// One example of the guide: a request, the status it gets and fields of the answer.
struct Example {
  std::string method;
  std::string target;
  std::string body;
  std::string status;
  std::vector<std::string> fields;
};

bool is_status(const std::string& line) {
  return line.size() >= 3 && isdigit(line[0]) && isdigit(line[1]) && isdigit(line[2]);
}

/// The examples of the blocks marked `http`; a blank line ends each.
std::vector<Example> examples_in(std::istream& page) {
  std::vector<Example> out;
  std::string line;
  bool inside = false;
  bool begins = false;
  while (std::getline(page, line)) {
    if (line.starts_with("```")) {
      inside = begins = line == "```http";
    } else if (inside && line.empty()) {
      begins = true;
    } else if (inside && begins) {
      std::istringstream words(line);
      words >> out.emplace_back().method >> out.back().target;
      begins = false;
    } else if (inside && is_status(line)) {
      std::istringstream words(line);
      words >> out.back().status;
      for (std::string field; words >> field;) out.back().fields.push_back(field);
    } else if (inside) {
      out.back().body += line + "\n";
    }
  }
  return out;
}

/// The same of a page in which everything is asked with curl: a command, then `# status fields`.
std::vector<Example> commands_in(std::istream& page) {
  std::vector<Example> out;
  std::string command, line;
  bool inside = false;
  auto part = [&](const std::string& before, char until) {
    size_t from = command.find(before);
    if (from == std::string::npos) return std::string();
    from += before.size();
    return command.substr(from, command.find(until, from) - from);
  };
  while (std::getline(page, line)) {
    if (line.starts_with("```")) inside = line == "```sh";
    if (!inside || line.starts_with("```") || line.starts_with("F=")) continue;
    if (!line.starts_with("# ")) {
      command += line + "\n";
      continue;
    }
    Example& example = out.emplace_back();
    example.method = part("-X ", ' ');
    if (example.method.empty()) example.method = "GET";
    bool quoted = command.find("\"$F") != std::string::npos;
    example.target = "/api/v1" + part("$F", quoted                                     ? '"'
                                            : command.find(" --json") < command.size() ? ' '
                                                                                       : '\n');
    example.body = part("--json '", '\'');
    std::istringstream words(line.substr(2));
    words >> example.status;
    for (std::string field; words >> field;) example.fields.push_back(field);
    command.clear();
  }
  return out;
}

std::string filled(std::string text, const std::map<std::string, std::string>& known) {
  for (const auto& [name, value] : known) {
    std::string hole = "{" + name + "}";
    for (size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at))
      text.replace(at, hole.size(), value);
  }
  return text;
}

using ReadExamples = std::vector<Example> (*)(std::istream&);

/// Asks what a page of the guide asks, one after the other.
void play(const std::string& page_name, size_t examples_min, ReadExamples read = examples_in) {
  std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();
  std::ifstream page(folder / "../../docs/guide" / page_name);
  ASSERT_TRUE(page);
  auto examples = read(page);
  EXPECT_GE(examples.size(), examples_min);
  TestWorld world;
  std::map<std::string, std::string> known;  // ids and tokens of the answers so far
  for (const Example& example : examples) {
    std::string target = filled(example.target, known);
    auto answer = world.ask(example.method, target, filled(example.body, known));
    EXPECT_EQ(std::to_string(answer.status), example.status) << target << answer.text;
    for (const std::string& field : example.fields)
      EXPECT_TRUE(answer.body.find(field)) << target << " has no " << field << answer.text;
    for (const char* name : {"id", "token", "bulk_id"})
      if (const Value& found = answer.body.get(name); found.is_string())
        known[name] = found.as_string();
    // What was started goes on by itself; the next request is about where it then stands.
    if (example.method == "POST" && target.ends_with("/executions"))
      EXPECT_TRUE(world.wait_for(known["id"], "waiting")) << target;
  }
}

TEST(Guide, every_example_of_the_api_gives_what_it_says) { play("api.md", 16); }
// W-71
TEST(Guide, every_command_of_the_wait_service_gives_what_it_says) {
  play("wait-service.md", 12, commands_in);
}
TEST(Guide, every_example_of_waits_gives_what_it_says) { play("waits.md", 15); }
/// The mail of the guide: who opens it is welcomed, who has not after 72 hours is reminded.
TEST(Guide, mail_of_the_page_on_waits_reminds_after_three_days) {
  std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();
  std::ifstream page(folder / "../../docs/guide/waits.md");
  TestWorld world;
  for (const Example& example : examples_in(page))
    if (example.method == "PUT" && example.target == "/api/v1/workflows/onboarding")
      ASSERT_EQ(world.ask("PUT", example.target, example.body).status, 201);
  std::string opens = world.start("onboarding", R"({"contact_id": "opens"})");
  std::string sleeps = world.start("onboarding", R"({"contact_id": "sleeps"})");
  ASSERT_TRUE(world.wait_for(sleeps, "waiting"));
  auto sent = world.ask("POST", "/api/v1/events",
                        R"({"event_type": "email_open", "contact_id": "opens",
                            "data": {"message_id": "email-123"}})");
  EXPECT_EQ(sent.body.get("matched_total"), Value(1)) << sent.text;
  constexpr int64_t three_days_ms = 72 * 3'600'000;
  world.advance(Duration{three_days_ms - 1});
  EXPECT_TRUE(world.wait_for(sleeps, "waiting"));
  world.advance(Duration{1});
  auto output = [&](const std::string& run) {
    EXPECT_TRUE(world.wait_for(run, "completed"));
    return world.ask("GET", "/api/v1/executions/" + run).body.get("output");
  };
  EXPECT_TRUE(output(sleeps).find("remind"));
  EXPECT_FALSE(output(sleeps).find("welcome"));
  EXPECT_TRUE(output(opens).find("welcome"));
  EXPECT_FALSE(output(opens).find("remind"));
}
TEST(Guide, every_example_of_contacts_gives_what_it_says) { play("contacts.md", 14); }

}  // namespace
}  // namespace fermata::server
