#include "test/command_line/typed.h"

namespace fermata::test {
namespace {

constexpr const char* wait_service = "docs/guide/wait-service.md";
constexpr const char* jobs_page = "docs/guide/jobs.md";
constexpr const char* policy_page = "docs/guide/policy.md";

bool says(const Finished& done, const std::string& what) {
  return (done.out + done.err).find(what) != std::string::npos;
}

/// A command of the page on waits, and what stands behind it: `# STATUS FIELD…`.
struct Told {
  std::string command;
  std::string status;
  std::vector<std::string> fields;
};

std::vector<Told> told_commands() {
  std::vector<Told> out;
  for (const std::string& block : blocks(wait_service)) {
    std::istringstream lines(block);
    std::string command;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("F=") || line.empty()) continue;
      if (!line.starts_with("# ")) {
        command += line + "\n";
        continue;
      }
      Told& one = out.emplace_back();
      one.command = std::exchange(command, "");
      std::istringstream words(line.substr(2));
      words >> one.status;
      for (std::string field; words >> field;) one.fields.push_back(field);
    }
    EXPECT_TRUE(command.empty()) << "nothing is said of what this answers: " << command;
  }
  return out;
}

// W-71: curl alone, as it stands on the page
TEST(GuidePages, wait_service_is_used_with_nothing_but_curl) {
  ServeProcess server({"--store", "memory"});
  auto commands = told_commands();
  ASSERT_GE(commands.size(), 12u);
  for (const Told& one : commands) {
    std::string line = replaced(one.command, "curl ", "curl --write-out '\\n%{http_code}\\n' ");
    Finished done = typed("F=" + server.url() + "/api/v1\n" + line, server);
    EXPECT_TRUE(says(done, "\n" + one.status + "\n")) << one.command << done.out << done.err;
    for (const std::string& field : one.fields)
      EXPECT_TRUE(says(done, "\"" + field + "\":")) << field << " of " << one.command << done.out;
  }
}

// J-1, J-82, J-84
TEST(GuidePages, commands_about_jobs_do_what_they_say) {
  ServeProcess server({"--store", "memory"});
  auto type = [&](const std::string& block) {
    return typed(replaced(block, "localhost:4747", server.url().substr(7)), server);
  };
  Finished submitted = type(block_with(jobs_page, "/api/v1/jobs "));
  EXPECT_EQ(submitted.exit, 0) << submitted.out << submitted.err;
  EXPECT_TRUE(says(submitted, "\"state\":\"SCHEDULED\"")) << submitted.out;
  EXPECT_TRUE(says(submitted, "\"request_hash\":")) << submitted.out;
  Finished letters = type(block_with(jobs_page, "/dlq/purge"));
  EXPECT_EQ(letters.exit, 0) << letters.out << letters.err;
  Finished retried = type(block_with(jobs_page, "fermata dlq retry"));
  EXPECT_EQ(retried.exit, 0) << retried.out << retried.err;
  EXPECT_TRUE(says(retried, "\"dry_run\": true")) << retried.out;
}

// J-68
TEST(GuidePages, worker_of_the_page_does_its_task) {
  ServeProcess server({"--store", "memory"});
  Scratch folder;
  std::ofstream(folder.path("resize.sh")) << "#!/bin/sh\nsed 's/large/small/'\n";
  std::filesystem::permissions(folder.path("resize.sh"), std::filesystem::perms::owner_all);
  std::string worker = block_with(jobs_page, "fermata worker");
  worker.insert(worker.find_last_not_of('\n') + 1, " &");
  Finished done = typed(
      worker + "fermata jobs submit resize --input '{\"size\":\"large\"}' --wait 30s --json\n",
      server, folder.path(""));
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_TRUE(says(done, "SUCCEEDED")) << done.out << done.err;
  EXPECT_TRUE(says(done, R"({"size":"small"})")) << done.out;
}

// J-23, J-25, J-26, J-52
TEST(GuidePages, files_of_policy_and_pools_are_read_and_explained) {
  Scratch folder;
  auto files = blocks(policy_page, "yaml");
  ASSERT_GE(files.size(), 3u);
  std::string whole = files[0] + block_with(policy_page, "output_rules", "yaml");
  std::ofstream(folder.path("safety.yaml")) << whole;
  std::ofstream(folder.path("new.yaml")) << whole;
  std::ofstream(folder.path("pools.yaml")) << block_with(jobs_page, "pools:", "yaml");
  ServeProcess server({"--store", "memory", "--policy-file", folder.path("safety.yaml"),
                       "--pools-file", folder.path("pools.yaml")});
  Finished checked = typed("fermata policy check safety.yaml\n", server, folder.path(""));
  EXPECT_EQ(checked.exit, 0) << checked.out << checked.err;
  EXPECT_TRUE(says(checked, "no mistakes")) << checked.out;
  checked = typed("fermata pools check pools.yaml\n", server, folder.path(""));
  EXPECT_EQ(checked.exit, 0) << checked.out << checked.err;
  EXPECT_TRUE(says(checked, "3 pools, no mistakes")) << checked.out;
  std::ofstream(folder.path("broken.yaml")) << "version: 1\npools:\n  mail: {lease_ms: 1}\n";
  checked = typed("fermata pools check broken.yaml || true\n", server, folder.path(""));
  EXPECT_TRUE(says(checked, "broken.yaml:3:10: /pools/mail/lease_ms: ")) << checked.out;
  Finished explained =
      typed(block_with(policy_page, "fermata policy explain"), server, folder.path(""));
  EXPECT_TRUE(says(explained, "require_approval")) << explained.out << explained.err;
  EXPECT_TRUE(says(explained, "above 1000 a person decides")) << explained.out;
  Finished pools = typed("fermata pools\nfermata pools --queues\n", server);
  EXPECT_EQ(pools.exit, 0) << pools.err;
  for (const char* name : {"mail", "pay-eu", "pay-us"}) EXPECT_TRUE(says(pools, name)) << pools.out;
}

}  // namespace
}  // namespace fermata::test
