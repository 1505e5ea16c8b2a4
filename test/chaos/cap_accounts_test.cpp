#include <gtest/gtest.h>

#include "base/json.h"
#include "test/chaos/cap_bus.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"

namespace fermata::test {
namespace {

/// Two accounts on one bus: one under the plain subjects, one under a prefix (C-74).
class CapAccounts : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(NatsTestServer::installed()) << "the package nats-server is needed";
    ASSERT_TRUE(nats.start());
    server = std::make_unique<ServerProcess>(
        directory.path() / "data",
        std::vector<std::string>{"--bus", nats.url(), "--nats-accounts", "acme=eu.acme"});
    ASSERT_TRUE(server->start()) << server->log();
    bus = std::make_unique<CapBus>(nats.url());
  }
  static cap::JobRequest request(const std::string& id, const std::string& tenant = "") {
    cap::JobRequest made;
    made.job_id = id;
    made.topic = "job.pay";
    made.tenant_id = tenant;
    made.context_ptr = R"(data:application/json,{"amount":12})";
    return made;
  }
  static cap::JobResult result_of(const cap::JobRequest& job, const std::string& worker) {
    cap::JobResult made;
    made.job_id = job.job_id;
    made.status = cap::Status::succeeded;
    made.worker_id = worker;
    made.result_ptr = "data:application/json,{}";
    made.dispatch = job.dispatch;
    return made;
  }
  int status_of(const std::string& job) {
    return test::request(server->port(), "GET", "/api/v1/jobs/" + job).status;
  }

  TemporaryDirectory directory;
  NatsTestServer nats;
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<CapBus> bus;
};

// C-74: a worker of the same name in the other account gets nothing of it, and cannot end it.
TEST_F(CapAccounts, job_belongs_to_the_account_of_its_subject_from_submit_to_end) {
  auto ear = bus->listen("eu.acme.worker.w1.jobs");
  auto other_ear = bus->listen("worker.w1.jobs");
  auto accepted = bus->listen("eu.acme.sys.job.accepted");
  auto other_accepted = bus->listen("sys.job.accepted");
  Pulse other(nats.url(), "w1");
  bus->say("eu.acme.sys.job.submit", request("theirs", "acme"));
  bus->say("sys.job.submit", request("ours"));
  auto mine = other_ear.next();
  ASSERT_TRUE(mine) << server->log();
  EXPECT_EQ(std::get<cap::JobRequest>(mine->packet.payload).job_id, "ours");
  EXPECT_FALSE(other_ear.next(1'000)) << "the other waits for a worker of its account";
  Pulse worker(nats.url(), "w1", 4, false, "eu.acme.");
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched) << server->log();
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  EXPECT_EQ(given.job_id, "theirs");
  EXPECT_EQ(given.tenant_id, "acme");
  EXPECT_EQ(status_of("ours"), 200);
  EXPECT_EQ(status_of("theirs"), 404) << "another account sees nothing of it";
  bus->say("sys.job.result", result_of(given, "w1"), "w1");
  bus->say("sys.job.result", result_of(std::get<cap::JobRequest>(mine->packet.payload), "w1"),
           "w1");
  auto own_end = other_accepted.next();
  ASSERT_TRUE(own_end) << server->log();
  EXPECT_EQ(own_end->message_id, "jobacc:ours:1");
  EXPECT_FALSE(accepted.next(500)) << "a result on subjects of others ends nothing";
  bus->say("eu.acme.sys.job.result", result_of(given, "w1"), "w1");
  auto end = accepted.next();
  ASSERT_TRUE(end) << server->log();
  EXPECT_EQ(end->message_id, "jobacc:theirs:1");
  EXPECT_FALSE(other_accepted.next(500)) << "it is told where it belongs";
}

// C-74
TEST_F(CapAccounts, tenant_of_another_account_is_refused_on_either_subject) {
  bus->say("eu.acme.sys.job.submit", request("j-1", "default"));
  bus->say("sys.job.submit", request("j-2", "acme"));
  EXPECT_TRUE(await(60, [&] {
    return test::request(server->port(), "GET", "/api/v1/dlq").body.get("items").size() == 1;
  })) << server->log();
  EXPECT_TRUE(await(60, [&] {
    auto dlq = bus->kept("CORDUM_SYS_eu_acme", "eu.acme.sys.job.dlq");
    return dlq.size() == 1 && bus->kept("CORDUM_SYS", "sys.job.dlq").size() == 1;
  })) << server->log();
  EXPECT_EQ(status_of("j-1"), 404);
  EXPECT_EQ(status_of("j-2"), 404);
}

}  // namespace
}  // namespace fermata::test
