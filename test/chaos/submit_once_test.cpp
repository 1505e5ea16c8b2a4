#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "base/json.h"
#include "base/random.h"
#include "test/chaos/load.h"

namespace fermata::test {
namespace {

std::string text(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : "";
}

/// Everybody asks the same until it is answered, while the server dies now and then.
class Crowd {
 public:
  using Ask = std::function<HttpReply(int client)>;
  Crowd(int clients, Ask ask) {
    for (int client = 0; client < clients; ++client)
      threads_.emplace_back([this, client, ask] {
        while (!stopping_) {
          HttpReply reply = ask(client);
          if (reply.status == 0 || reply.status >= 500 || reply.status == 429) {
            poll(nullptr, 0, 5);
            continue;
          }
          std::lock_guard lock(mutex_);
          replies_.push_back(std::move(reply));
          return;
        }
      });
  }
  ~Crowd() {
    stopping_ = true;
    join();
  }
  /// All of them were answered.
  const std::vector<HttpReply>& replies() {
    join();
    return replies_;
  }

 private:
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<HttpReply> replies_;
  std::vector<std::thread> threads_;
};

// JT-43, A-4
TEST(SubmitOnce, key_of_twenty_clients_at_once_is_one_job_however_often_the_server_dies) {
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data");
  Random random(20260127);
  size_t jobs = 0;
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(server.start()) << server.log();
    std::string key = "key-" + std::to_string(round);
    auto submit = [&](const std::string& body) {
      return request(server.port(), "POST", "/api/v1/jobs", body, {{"Idempotency-Key", key}});
    };
    std::set<std::string> ids;
    {
      Crowd crowd(20, [&](int) { return submit(R"({"topic":"mail","input":{"n":1}})"); });
      for (int kills = 0; kills < 2; ++kills) {
        poll(nullptr, 0, static_cast<int>(random.below(30)));
        server.kill_hard();
        ASSERT_TRUE(server.start()) << server.log();
      }
      for (const HttpReply& reply : crowd.replies()) {
        EXPECT_EQ(reply.status, 201) << to_json(reply.body);
        ids.insert(text(reply.body.get("id")));
      }
    }
    ++jobs;
    ASSERT_EQ(ids.size(), 1u);
    EXPECT_EQ(submit(R"({"topic":"mail","input":{"n":2}})").status, 409);
    HttpReply list = request(server.port(), "GET", "/api/v1/jobs?limit=100");
    EXPECT_EQ(list.body.get("items").size(), jobs) << "no job but one for each key";
    server.kill_hard();
  }
}

/// A job that failed, with all that a request can have.
std::string failed_job(int port, const std::string& id) {
  HttpReply worker = request(port, "POST", "/api/v1/worker/register",
                             R"({"worker_id":"w","topics":["*"],"max_parallel":8})");
  std::string registration = text(worker.body.get("registration_id"));
  request(port, "POST", "/api/v1/jobs",
          R"({"topic":"mail","priority":"batch","budget":{"max_cost_micros":7},
              "compensation":{"topic":"mail.undo"},"id":")" +
              id + R"("})");
  HttpReply claimed =
      request(port, "POST", "/api/v1/worker/claim",
              R"({"seq":1,"slots":1,"wait_ms":5000,"registration_id":")" + registration + R"("})");
  EXPECT_EQ(claimed.body.get("jobs").size(), 1u) << to_json(claimed.body);
  if (claimed.body.get("jobs").size() != 1) return "";
  const Value job = claimed.body.get("jobs").items()[0];
  request(port, "POST", "/api/v1/worker/results",
          R"({"registration_id":")" + registration + R"(","results":[{"job_id":")" + id +
              R"(","attempt":1,"status":"failed","fence":)" + to_json(job.get("fence")) + "}]}");
  request(port, "DELETE", "/api/v1/worker/registrations/" + registration);
  HttpReply letters = request(port, "GET", "/api/v1/dlq?job_id=" + id);
  EXPECT_EQ(letters.body.get("items").size(), 1u) << to_json(letters.body);
  if (letters.body.get("items").size() != 1) return "";
  return text(letters.body.get("items").items()[0].get("id"));
}

// JT-42
TEST(SubmitOnce, dead_letter_that_is_retried_by_many_while_the_server_dies_is_one_job) {
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data");
  Random random(20260128);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(server.start()) << server.log();
    std::string job = "job-" + std::to_string(round);
    std::string entry = failed_job(server.port(), job);
    ASSERT_NE(entry, "");
    std::set<std::string> ids;
    {
      Crowd crowd(4, [&](int) {
        return request(server.port(), "POST", "/api/v1/dlq/" + entry + "/retry", "{}");
      });
      poll(nullptr, 0, static_cast<int>(random.below(20)));
      server.kill_hard();
      ASSERT_TRUE(server.start()) << server.log();
      for (const HttpReply& reply : crowd.replies()) {
        EXPECT_EQ(reply.status, 201) << to_json(reply.body);
        ids.insert(text(reply.body.get("id")));
      }
    }
    // Pressed once more, whatever became of the first time.
    HttpReply again = request(server.port(), "POST", "/api/v1/dlq/" + entry + "/retry", "{}");
    EXPECT_EQ(again.status, 201) << to_json(again.body);
    ids.insert(text(again.body.get("id")));
    ASSERT_EQ(ids.size(), 1u);
    Value made = request(server.port(), "GET", "/api/v1/jobs/" + *ids.begin()).body;
    EXPECT_EQ(made.get("parent_job_id"), Value(job));
    EXPECT_EQ(made.get("priority"), Value("batch"));
    EXPECT_EQ(made.get("budget").get("max_cost_micros"), Value(7));
    EXPECT_EQ(made.get("compensation").get("topic"), Value("job.mail.undo"));
    Value letter = request(server.port(), "GET", "/api/v1/dlq/" + entry).body;
    EXPECT_EQ(letter.get("resolution"), Value("retried")) << to_json(letter);
    EXPECT_EQ(text(letter.get("retried_as")), *ids.begin());
    HttpReply cancelled =
        request(server.port(), "POST", "/api/v1/jobs/" + *ids.begin() + "/cancel", "{}");
    EXPECT_EQ(cancelled.status, 200);
    server.kill_hard();
  }
  ASSERT_TRUE(server.start()) << server.log();
  HttpReply list = request(server.port(), "GET", "/api/v1/jobs?limit=100");
  EXPECT_EQ(list.body.get("items").size(), 20u) << "one more for each";
}

}  // namespace
}  // namespace fermata::test
