#include <gtest/gtest.h>
#include <poll.h>

#include <set>

#include "base/hash.h"
#include "base/json.h"
#include "test/chaos/cap_bus.h"
#include "test/chaos/server_process.h"

namespace fermata::test {
namespace {

/// Waits for a condition, with a deadline.
bool becomes(const std::function<bool()>& holds, int seconds = 40) {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (holds()) return true;
    poll(nullptr, 0, 20);
  }
  return false;
}

/// Fermata with its file, NATS, and programs that speak CAP: each a process or connection of its
/// own.
class CapOverNats : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(NatsTestServer::installed()) << "the package nats-server is needed";
    ASSERT_TRUE(nats.start());
    server = std::make_unique<ServerProcess>(
        directory.path() / "data",
        std::vector<std::string>{"--bus", nats.url(), "--jobs-lease-ms", "5000"});
    ASSERT_TRUE(server->start()) << server->log();
    bus = std::make_unique<CapBus>(nats.url());
  }

  static cap::JobRequest request(const std::string& id) {
    cap::JobRequest made;
    made.job_id = id;
    made.topic = "job.pay";
    made.context_ptr = R"(data:application/json,{"amount":12})";
    made.labels = {{"campaign", "spring"}, {"fermata.secret", "mine"}};
    return made;
  }
  static cap::JobResult result_of(const cap::JobRequest& job, const std::string& worker,
                                  bool echo = true) {
    cap::JobResult made;
    made.job_id = job.job_id;
    made.status = cap::Status::succeeded;
    made.worker_id = worker;
    made.result_ptr = "data:application/json,{\"by\":\"" + worker + "\"}";
    made.execution_ms = 7;
    if (echo) made.dispatch = job.dispatch;
    return made;
  }
  Value job(const std::string& id) { return get("/api/v1/jobs/" + id); }
  Value get(const std::string& path) { return request_path(path).body; }
  HttpReply request_path(const std::string& path) {
    return test::request(server->port(), "GET", path);
  }
  bool state_becomes(const std::string& id, const std::string& state) {
    return becomes([&] { return job(id).get("state") == Value(state); });
  }
  /// The part of a pointer that this server answers.
  static std::string path_of(const std::string& pointer) {
    size_t host = pointer.find("://");
    return pointer.substr(pointer.find('/', host + 3));
  }
  size_t ended(const std::string& id) {
    size_t count = 0;
    Value history = get("/api/v1/jobs/" + id + "/history");
    for (const Value& event : history.get("items").items())
      if (event.get("type") == Value("JobSucceeded")) ++count;
    return count;
  }

  TemporaryDirectory directory;
  NatsTestServer nats;
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<CapBus> bus;
};

// C-227, C-73, C-74, C-75, C-78
TEST_F(CapOverNats, job_is_submitted_dispatched_and_accepted_once) {
  auto ear = bus->listen("worker.w1.jobs");
  auto accepted = bus->listen("sys.job.accepted");
  Pulse worker(nats.url(), "w1");
  bus->say("sys.job.submit", request("j-1"));
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched) << server->log();
  EXPECT_EQ(bus->codec().write(dispatched->packet), dispatched->bytes);
  EXPECT_EQ(dispatched->packet.sender_id, "fermata:default");
  EXPECT_TRUE(dispatched->message_id.starts_with("jobreq:j-1:1.")) << dispatched->message_id;
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  EXPECT_EQ(given.job_id, "j-1");
  EXPECT_EQ(given.topic, "job.pay");
  EXPECT_EQ(given.tenant_id, "default");
  EXPECT_EQ(given.labels, (cap::Texts{{"campaign", "spring"}}));
  ASSERT_TRUE(given.dispatch);
  EXPECT_EQ(given.dispatch->attempt, 1u);
  EXPECT_EQ(given.dispatch->worker, "w1");
  EXPECT_EQ(given.dispatch->id.size(), 32u);
  EXPECT_EQ(given.meta->idempotency_key, "j-1");
  HttpReply input = request_path(path_of(given.context_ptr));
  EXPECT_EQ(input.status, 200);
  EXPECT_EQ(to_json(input.body), R"({"amount":12})");
  EXPECT_EQ(request_path("/api/v1/wire/jobs/j-1/context?token=wrong").status, 404);

  bus->say("sys.job.result", result_of(given, "w1"), "w1");
  auto end = accepted.next();
  ASSERT_TRUE(end) << server->log();
  EXPECT_EQ(end->message_id, "jobacc:j-1:1");
  const auto& outcome = std::get<cap::JobResult>(end->packet.payload);
  EXPECT_EQ(outcome.status, cap::Status::succeeded);
  EXPECT_EQ(outcome.worker_id, "w1");
  EXPECT_EQ(to_json(request_path(path_of(outcome.result_ptr)).body), R"({"by":"w1"})");
  Value seen = job("j-1");
  EXPECT_EQ(seen.get("state"), Value("SUCCEEDED")) << to_json(seen);

  // The same again changes nothing and is told to nobody.
  bus->say("sys.job.result", result_of(given, "w1"), "w1");
  bus->say("sys.job.submit", request("j-1"));
  EXPECT_TRUE(becomes([&] {
    return bus->unsettled("fermata_result") == 0 && bus->unsettled("fermata_submit") == 0;
  }));
  EXPECT_EQ(bus->kept("CORDUM_SYS", "sys.job.accepted").size(), 1u);
  EXPECT_EQ(ended("j-1"), 1u);
}

/// C-228, for workers that repeat the identity of a dispatch and for those that do not.
class LateResult : public CapOverNats, public testing::WithParamInterface<bool> {};

TEST_P(LateResult, of_a_lost_worker_is_refused_and_the_second_attempt_counts) {
  bool echo = GetParam();
  auto first_ear = bus->listen("worker.w1.jobs");
  auto second_ear = bus->listen("worker.w2.jobs");
  auto first_pulse = std::make_unique<Pulse>(nats.url(), "w1", 4, echo);
  bus->say("sys.job.submit", request("j-1"));
  auto first = first_ear.next();
  ASSERT_TRUE(first) << server->log();
  first_pulse.reset();
  Pulse second_pulse(nats.url(), "w2", 4, echo);
  auto second = second_ear.next();
  ASSERT_TRUE(second) << server->log();
  EXPECT_TRUE(second->message_id.starts_with("jobreq:j-1:2.")) << second->message_id;
  const auto& late = std::get<cap::JobRequest>(first->packet.payload);
  const auto& current = std::get<cap::JobRequest>(second->packet.payload);
  EXPECT_EQ(current.job_id, echo ? "j-1" : "j-1~2");
  EXPECT_NE(current.dispatch->id, late.dispatch->id);

  bus->say("sys.job.result", result_of(late, "w1", echo), "w1");
  ASSERT_TRUE(becomes([&] { return bus->unsettled("fermata_result") == 0; }));
  EXPECT_NE(job("j-1").get("state"), Value("SUCCEEDED"));
  bus->say("sys.job.result", result_of(current, "w2", echo), "w2");
  ASSERT_TRUE(state_becomes("j-1", "SUCCEEDED")) << to_json(job("j-1"));
  EXPECT_EQ(to_json(get("/api/v1/jobs/j-1/result").get("output")), R"({"by":"w2"})");
  EXPECT_TRUE(becomes([&] { return bus->kept("CORDUM_SYS", "sys.job.accepted").size() == 1; }));
  EXPECT_EQ(bus->kept("CORDUM_SYS", "sys.job.accepted")[0].message_id, "jobacc:j-1:2");
}

INSTANTIATE_TEST_SUITE_P(Workers, LateResult, testing::Bool());

// C-230, J-83
TEST_F(CapOverNats, message_that_cannot_be_read_is_a_dead_letter_before_it_is_dead) {
  auto notices = bus->listen("sys.job.dlq");
  std::string bytes = "\xff\xff not a packet";
  bus->say_bytes("sys.job.submit", bytes);
  // Three times it is put off by five seconds.
  EXPECT_EQ(get("/api/v1/dlq").get("items").size(), 0u);
  auto notice = notices.next(60'000);
  ASSERT_TRUE(notice) << server->log();
  Value entries = get("/api/v1/dlq").get("items");
  ASSERT_EQ(entries.size(), 1u);
  const Value& entry = entries.items()[0];
  EXPECT_EQ(entry.get("reason_code"), Value("poison_message"));
  EXPECT_EQ(entry.get("attempts"), Value(4));
  const Value& details = entry.get("error").get("details");
  EXPECT_EQ(details.get("subject"), Value("sys.job.submit"));
  EXPECT_EQ(details.get("bytes_base64"), Value(base64(bytes)));
  EXPECT_EQ(notice->message_id, "jobdlq:" + std::string(entry.get("id").as_string()));
  EXPECT_TRUE(becomes([&] { return bus->unsettled("fermata_submit") == 0; }));
}

// C-219, J-85
TEST_F(CapOverNats, results_of_a_server_that_dies_before_it_acknowledges_count_once) {
  constexpr int jobs = 20;
  auto ear = bus->listen("worker.w1.jobs");
  Pulse worker(nats.url(), "w1", 64);
  for (int i = 0; i < jobs; ++i) bus->say("sys.job.submit", request("j-" + std::to_string(i)));
  std::map<std::string, cap::JobRequest> held;
  while (held.size() < jobs) {
    auto dispatched = ear.next();
    ASSERT_TRUE(dispatched) << held.size();
    auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
    held[given.job_id] = given;
  }
  for (const auto& [id, given] : held) bus->say("sys.job.result", result_of(given, "w1"), "w1");
  // In the middle of it, wherever that is.
  ASSERT_TRUE(becomes([&] { return bus->unsettled("fermata_result") < jobs; }));
  server->kill_hard();
  ASSERT_TRUE(server->start()) << server->log();
  ASSERT_TRUE(becomes([&] { return bus->unsettled("fermata_result") == 0; }, 90));
  for (const auto& [id, given] : held) {
    EXPECT_EQ(job(id).get("state"), Value("SUCCEEDED")) << id;
    EXPECT_EQ(ended(id), 1u) << id;
  }
  std::set<std::string> told;
  auto accepted = [&] { return bus->kept("CORDUM_SYS", "sys.job.accepted"); };
  EXPECT_TRUE(becomes([&] { return accepted().size() >= jobs; }));
  for (const CapBus::Heard& end : accepted())
    EXPECT_TRUE(told.insert(end.message_id).second) << end.message_id;
  EXPECT_EQ(told.size(), static_cast<size_t>(jobs));
}

// C-7
TEST_F(CapOverNats, server_goes_on_without_nats_and_says_so) {
  EXPECT_TRUE(get("/readyz").get("degraded").is_null());
  nats.kill_hard();
  EXPECT_TRUE(becomes([&] { return to_json(get("/readyz").get("degraded")) == R"(["nats"])"; }));
  EXPECT_EQ(request_path("/readyz").status, 200);
  EXPECT_EQ(
      test::request(server->port(), "POST", "/api/v1/jobs", R"({"topic":"x","id":"h"})").status,
      201);
  ASSERT_TRUE(nats.start());
  EXPECT_TRUE(becomes([&] { return get("/readyz").get("degraded").is_null(); })) << server->log();
}

// C-74
TEST_F(CapOverNats, job_of_another_tenant_or_another_body_is_refused_and_audited) {
  bus->say("sys.job.submit", request("j-1"));
  ASSERT_TRUE(state_becomes("j-1", "SCHEDULED"));
  cap::JobRequest other = request("j-1");
  other.context_ptr = "data:application/json,13";
  bus->say("sys.job.submit", other);
  cap::JobRequest foreign = request("j-2");
  foreign.tenant_id = "acme";
  bus->say("sys.job.submit", foreign);
  ASSERT_TRUE(becomes([&] { return get("/api/v1/dlq").get("items").size() == 2; }, 60))
      << server->log();
  std::set<std::string> codes;
  Value audited = get("/api/v1/audit?action=wire.");
  for (const Value& line : audited.get("items").items())
    codes.insert(std::string(line.get("reason").as_string()));
  EXPECT_EQ(codes, (std::set<std::string>{"account_mismatch", "job_id_taken"}));
  EXPECT_EQ(request_path("/api/v1/jobs/j-2").status, 404);
}

// J-14, J-66
TEST_F(CapOverNats, worker_hears_that_its_job_was_cancelled) {
  auto ear = bus->listen("worker.w1.jobs");
  auto cancels = bus->listen("sys.job.cancel");
  Pulse worker(nats.url(), "w1");
  bus->say("sys.job.submit", request("j-1"));
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched);
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  cap::JobCancel wanted;
  wanted.job_id = "j-1";
  wanted.reason = "changed my mind";
  bus->say("sys.job.cancel", wanted, "somebody");
  ASSERT_TRUE(state_becomes("j-1", "CANCELLED")) << server->log();
  ASSERT_TRUE(cancels.next());  // the tester's own
  auto told = cancels.next();
  ASSERT_TRUE(told) << server->log();
  EXPECT_EQ(told->message_id, "jobcan:j-1:1");
  EXPECT_EQ(std::get<cap::JobCancel>(told->packet.payload).dispatch, given.dispatch);
}

// C-76, C-229
TEST_F(CapOverNats, dispatch_that_a_live_worker_never_got_is_sent_again) {
  auto ear = bus->listen("worker.w1.jobs");
  Pulse worker(nats.url(), "w1");
  worker.active = 1;
  bus->say("sys.job.submit", request("j-1"));
  auto lost = ear.next();
  ASSERT_TRUE(lost);
  // The worker has been busy and says now that it is not: it never got this one.
  ASSERT_TRUE(state_becomes("j-1", "RUNNING"));
  worker.active = 0;
  auto again = ear.next();
  ASSERT_TRUE(again) << server->log();
  EXPECT_TRUE(again->message_id.starts_with("jobreq:j-1:2.")) << again->message_id;
  Value attempts = get("/api/v1/jobs/j-1/attempts");
  EXPECT_EQ(attempts.get("items").items()[0].get("outcome"), Value("undelivered"))
      << to_json(attempts);
}

// C-78
TEST_F(CapOverNats, output_is_put_before_the_result_that_names_it) {
  auto ear = bus->listen("worker.w1.jobs");
  Pulse worker(nats.url(), "w1");
  bus->say("sys.job.submit", request("j-1"));
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched);
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  std::string path = path_of(given.context_ptr);
  path.replace(path.find("/context"), 8, "/output");
  HttpReply put = test::request(server->port(), "PUT", path, R"({"pages":[1,2,3]})");
  ASSERT_EQ(put.status, 201) << to_json(put.body);
  cap::JobResult result = result_of(given, "w1");
  result.result_ptr = std::string(put.body.get("result_ptr").as_string());
  bus->say("sys.job.result", result, "w1");
  ASSERT_TRUE(state_becomes("j-1", "SUCCEEDED")) << server->log();
  EXPECT_EQ(to_json(get("/api/v1/jobs/j-1/result").get("output")), R"({"pages":[1,2,3]})");
}

}  // namespace
}  // namespace fermata::test
