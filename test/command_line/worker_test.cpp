#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/json.h"
#include "test/command_line/process.h"
#include "test/command_line/worker_process.h"

namespace fermata::test {
namespace {

/// A workflow of one job with this topic, whose output is the run's.
std::string graph_of(const Scratch& scratch, const std::string& topic) {
  std::string path = scratch.path(topic + ".json");
  std::ofstream(path) << R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
      {"id":"j","name":"J","type":"job","parameters":{"topic":")"
                      << topic << R"(","input":{"n":"{{ $input.n }}"}}}],
      "edges":[{"id":"1","src":"t","dst":"j"}],"result":"{{ $J.output }}"})";
  return path;
}

Value run_to_end(const ServeProcess& server, const std::string& graph) {
  Finished done = server.command({"start", graph, "--set", "n=21", "--wait", "30s", "--json"});
  auto answer = parse_json(done.out);
  EXPECT_TRUE(answer) << done.out << done.err;
  return answer ? *answer : Value();
}

// J-68
TEST(Worker, command_does_the_jobs_of_a_run) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  WorkerProcess worker(server.url(), {"--slots", "2", "--task", "echo=cat"});
  Value run = run_to_end(server, graph_of(scratch, "echo"));
  EXPECT_EQ(run.get("status"), Value("completed")) << to_json(run);
  EXPECT_EQ(run.get("output").get("n"), Value(21)) << to_json(run);
  EXPECT_EQ(worker.stop(), 0);
}

// J-68: 100 is fatal; what the command said last is the message.
TEST(Worker, exit_code_says_how_it_failed) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  WorkerProcess worker(server.url(), {"--task", "bad=echo no luck >&2; exit 100"});
  Value run = run_to_end(server, graph_of(scratch, "bad"));
  EXPECT_EQ(run.get("status"), Value("failed")) << to_json(run);
  EXPECT_NE(to_json(run).find("no luck"), std::string::npos) << to_json(run);
}

// J-68
TEST(Worker, environment_names_the_job) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  std::string task = R"(env=printf '{"id":"%s","attempt":%s,"key":"%s"}' )"
                     R"("$FERMATA_JOB_ID" "$FERMATA_JOB_ATTEMPT" "$FERMATA_JOB_IDEMPOTENCY_KEY")";
  WorkerProcess worker(server.url(), {"--task", task});
  Value output = run_to_end(server, graph_of(scratch, "env")).get("output");
  EXPECT_EQ(output.get("attempt"), Value(1)) << to_json(output);
  EXPECT_FALSE(output.get("id").as_string().empty());
  EXPECT_FALSE(output.get("key").as_string().empty());
}

// JT-10: the server dies while a job is being done; the worker comes back with it.
TEST(Worker, job_under_way_outlives_the_server) {
  Scratch scratch;
  std::string graph = graph_of(scratch, "slow");
  std::string id, url;
  std::unique_ptr<WorkerProcess> worker;
  {
    ServeProcess server({"--data", scratch.path("data")});
    url = server.url();
    worker = std::make_unique<WorkerProcess>(
        url, std::vector<std::string>{"--task",
                                      "slow=touch " + scratch.path("begun") + "; sleep 2; cat"});
    Finished begun = server.command({"start", graph, "--set", "n=5"});
    id = begun.out.substr(0, begun.out.find('\n'));
    for (int i = 0; i < 600 && !std::filesystem::exists(scratch.path("begun")); ++i) usleep(50'000);
    server.kill_hard();
  }
  ServeProcess server({"--data", scratch.path("data"), "--listen", url.substr(url.find("127."))});
  EXPECT_EQ(server.command({"watch", id}).exit, 0);
  Finished shown = server.command({"show", id, "--json"});
  auto run = parse_json(shown.out);
  ASSERT_TRUE(run) << shown.out;
  EXPECT_EQ(run->get("status"), Value("completed")) << shown.out;
  EXPECT_EQ(run->get("output").get("n"), Value(5)) << shown.out;
}

// J-65, J-68: what a command writes may be large, or no text at all; the worker goes on.
TEST(Worker, words_of_any_size_and_bytes_are_told) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  WorkerProcess worker(
      server.url(),
      {"--slots", "3", "--task",
       R"(large=printf '"'; head -c 3900000 /dev/zero | tr '\0' x; printf '"')", "--task",
       R"(bytes=printf 'no \377 luck' >&2; exit 100)", "--task", "echo=cat", "--task",
       R"(deep=head -c 200 /dev/zero | tr '\0' '['; head -c 200 /dev/zero | tr '\0' ']')"});
  Value large = run_to_end(server, graph_of(scratch, "large"));
  EXPECT_EQ(large.get("status"), Value("completed"));
  EXPECT_EQ(large.get("output").as_string().size(), 3'900'000u);
  std::string bytes = to_json(run_to_end(server, graph_of(scratch, "bytes")));
  EXPECT_NE(bytes.find("no \xef\xbf\xbd luck"), std::string::npos) << bytes;
  std::string deep = to_json(run_to_end(server, graph_of(scratch, "deep")));
  EXPECT_NE(deep.find("output_not_json"), std::string::npos) << deep;
  EXPECT_EQ(run_to_end(server, graph_of(scratch, "echo")).get("status"), Value("completed"));
  EXPECT_EQ(worker.stop(), 0);
}

// J-62
TEST(Worker, ends_when_another_works_under_its_name) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  WorkerProcess first(server.url(), {"--name", "w", "--task", "echo=cat"});
  EXPECT_EQ(run_to_end(server, graph_of(scratch, "echo")).get("status"), Value("completed"));
  WorkerProcess second(server.url(), {"--name", "w", "--task", "other=cat"});
  EXPECT_EQ(first.ended(), 4);
  EXPECT_EQ(run_to_end(server, graph_of(scratch, "other")).get("status"), Value("completed"));
}

TEST(Worker, wrong_words_are_told) {
  EXPECT_EQ(fermata({"worker"}).exit, 2);
  EXPECT_EQ(fermata({"worker", "--task", "nothing"}).exit, 2);
  EXPECT_EQ(fermata({"worker", "--task", "a=b", "--task", "job.a=c"}).exit, 2);
  EXPECT_EQ(fermata({"worker", "--task", "a=b", "--slots", "0"}).exit, 2);
  EXPECT_EQ(fermata({"worker", "--task", "a=b", "--server", "127.0.0.1:1"}).exit, 5);
}

}  // namespace
}  // namespace fermata::test
