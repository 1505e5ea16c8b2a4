#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

class BulkJobs : public Jobs {
 protected:
  Answer bulk(const std::string& body) { return world.ask("POST", "/api/v1/jobs/bulk", body); }
  std::string submit(const std::string& topic) {
    return text(post("/jobs", Value::object({{"topic", topic}})).body.get("id"));
  }
  std::string state(const std::string& id) { return text(get("/jobs/" + id).body.get("state")); }
};

// U-40, U-12
TEST_F(BulkJobs, token_cancels_what_was_shown_and_nothing_else) {
  std::vector<std::string> shown;
  for (int i = 0; i < 12; ++i) shown.push_back(submit("mail.send"));
  std::string other = submit("pay");
  auto dry = bulk(R"({"action":"cancel","filter":{"topic":"mail.*"},"dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(12));
  EXPECT_EQ(dry.body.get("by_status").get("SCHEDULED"), Value(12));
  EXPECT_EQ(dry.body.get("sample").size(), 10u);
  std::string later = submit("mail.send");
  Value result =
      ended(bulk(R"({"token":")" + text(dry.body.get("token")) + R"(","reason":"enough"})"));
  EXPECT_EQ(result.get("done"), Value(12));
  for (const std::string& id : shown) EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(state(later), "SCHEDULED");
  EXPECT_EQ(state(other), "SCHEDULED");
}

// U-12
TEST_F(BulkJobs, refusals_are_told_before_and_after) {
  std::string first = submit("mail"), second = submit("mail");
  post("/jobs/" + first + "/cancel", Value::object());
  std::string ids = R"("ids":[")" + first + R"(",")" + second + R"(","nobody"])";
  auto dry = bulk(R"({"action":"cancel",)" + ids + R"(,"dry_run":true})");
  EXPECT_EQ(dry.body.get("refused").get("wrong_state"), Value(1)) << dry.text;
  EXPECT_EQ(dry.body.get("refused").get("job_not_found"), Value(1));
  Value result = ended(bulk(R"({"action":"cancel","reason":"x",)" + ids + "}"));
  EXPECT_EQ(result.get("done"), Value(1));
  EXPECT_EQ(result.get("refused"), Value(2));
  EXPECT_EQ(bulk(R"({"action":"cancel","filter":{},"dry_run":true})").code(), "filter_required");
  EXPECT_EQ(bulk(R"({"action":"pause","filter":{"topic":"x"}})").status, 422);
  EXPECT_EQ(bulk(R"({"action":"cancel","filter":{"colour":"red"},"dry_run":true})").status, 422);
}

}  // namespace
}  // namespace fermata::server
