#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

class DeadLetterQueue : public Jobs {
 protected:
  void fail_one(const std::string& topic, const std::string& id) {
    ASSERT_EQ(post("/jobs", Value::object({{"topic", topic}, {"id", id}})).status, 201);
    if (registration_.empty()) registration_ = enroll();
    const Value claimed = claim(registration_, ++seq_).get("jobs");
    Value error = Value::object({{"code", "smtp"}, {"message", "no such box"}});
    bool failed = false;
    for (const Value& job : claimed.items()) {
      if (job.get("job_id") != Value(id)) continue;
      report(registration_, result_of(job, "failed", Value::object({{"error", error}})));
      failed = true;
    }
    ASSERT_TRUE(failed) << to_json(claimed);
  }
  Value items(const std::string& query = "") { return get("/dlq" + query).body.get("items"); }

 private:
  std::string registration_;
  int seq_ = 0;
};

// J-82
TEST_F(DeadLetterQueue, job_that_failed_is_listed_shown_and_discarded) {
  fail_one("mail.send", "j1");
  Value list = items();
  ASSERT_EQ(list.size(), 1u);
  const Value& entry = list.items()[0];
  EXPECT_EQ(entry.get("job_id"), Value("j1"));
  EXPECT_EQ(entry.get("topic"), Value("job.mail.send"));
  EXPECT_EQ(entry.get("status"), Value("FAILED"));
  EXPECT_EQ(entry.get("reason_code"), Value("retries_exhausted"));
  EXPECT_EQ(entry.get("error").get("code"), Value("smtp"));
  EXPECT_EQ(entry.get("attempts"), Value(1));
  std::string id = text(entry.get("id"));
  EXPECT_EQ(get("/dlq/" + id).body, entry);
  EXPECT_EQ(get("/dlq/stats").body.get("reasons").get("retries_exhausted"), Value(1));

  Answer discarded = world.ask("DELETE", "/api/v1/dlq/" + id);
  ASSERT_EQ(discarded.status, 200) << discarded.text;
  EXPECT_EQ(discarded.body.get("resolution"), Value("discarded"));
  EXPECT_EQ(world.ask("DELETE", "/api/v1/dlq/" + id).code(), "wrong_state");
  EXPECT_EQ(items().size(), 0u);
  EXPECT_EQ(items("?state=resolved").size(), 1u);
  EXPECT_EQ(get("/dlq/none").code(), "value_not_found");
  EXPECT_EQ(get("/audit?action=dlq.").body.get("items").size(), 1u);
}

TEST_F(DeadLetterQueue, entries_are_filtered_and_purged) {
  fail_one("mail.send", "j1");
  fail_one("mail.send", "j2");
  fail_one("pay", "j3");
  EXPECT_EQ(items("?topic=mail.*").size(), 2u);
  EXPECT_EQ(items("?job_id=j3").size(), 1u);
  EXPECT_EQ(items("?status=timeout").size(), 0u);
  EXPECT_EQ(get("/dlq?state=lost").status, 422);
  EXPECT_EQ(get("/dlq?from=yesterday").status, 422);
  EXPECT_EQ(get("/dlq?topic=").status, 422);

  EXPECT_EQ(post("/dlq/purge", Value::object({})).code(), "filter_required");
  EXPECT_EQ(post("/dlq/purge", Value::object({{"filter", Value::object({})}})).code(),
            "filter_required");
  Value mails =
      Value::object({{"filter", Value::object({{"topic", "mail.*"}})}, {"dry_run", true}});
  Answer tried = post("/dlq/purge", mails);
  EXPECT_EQ(tried.body.get("matched"), Value(2)) << tried.text;
  EXPECT_EQ(tried.body.get("purged"), Value(0));
  mails.set("dry_run", false);
  EXPECT_EQ(post("/dlq/purge", mails).body.get("purged"), Value(2));
  EXPECT_EQ(items().size(), 1u);
  EXPECT_EQ(post("/dlq/purge", Value::object({{"filter", "all"}})).body.get("purged"), Value(1));
  EXPECT_EQ(items("?state=all").size(), 3u);
}

// JT-45
TEST_F(DeadLetterQueue, entries_of_another_account_do_not_exist) {
  fail_one("mail.send", "j1");
  std::string id = text(items().items()[0].get("id"));
  std::string other = "Authorization: Bearer " + world.add_key(Role::admin, "other") + "\r\n";
  auto ask = [&](const char* method, const std::string& target, const std::string& body = "") {
    return world.ask(method, "/api/v1" + target, body, other);
  };
  EXPECT_EQ(ask("GET", "/dlq").body.get("items").size(), 0u);
  EXPECT_EQ(ask("GET", "/dlq/stats").body.get("open"), Value(0));
  EXPECT_EQ(ask("GET", "/dlq/" + id).code(), "value_not_found");
  EXPECT_EQ(ask("DELETE", "/dlq/" + id).code(), "value_not_found");
  EXPECT_EQ(ask("POST", "/dlq/purge", R"({"filter":"all"})").body.get("matched"), Value(0));
  EXPECT_EQ(items().size(), 1u);
}

// J-90, J-91
TEST_F(DeadLetterQueue, metrics_tell_of_jobs_and_workers) {
  fail_one("mail.send", "j1");
  post("/jobs",
       Value::object({{"topic", "idle"}, {"id", "j2"}, {"requires", Value::array({"gpu"})}}));
  std::string metrics = world.ask("GET", "/metrics").text;
  for (const char* line :
       {"fermata_jobs_received_total{topic=\"job.mail.send\"} 1",
        "fermata_jobs_dispatched_total{topic=\"job.mail.send\"} 1",
        "fermata_jobs_completed_total{topic=\"job.mail.send\",status=\"FAILED\"} 1",
        "fermata_job_attempts_total{topic=\"job.mail.send\",outcome=\"failed\"} 1",
        "fermata_dispatch_latency_count{topic=\"job.mail.send\"} 1",
        "fermata_dispatch_latency_bucket{topic=\"job.mail.send\",le=\"+Inf\"} 1",
        "fermata_job_queue_depth{pool=\"default\",priority=\"interactive\","
        "phase=\"no_workers\"} 1",
        "fermata_job_queue_oldest_seconds{pool=\"default\"} 0",
        "fermata_leases_held{pool=\"default\"} 0",
        "fermata_workers{pool=\"default\",status=\"online\"} 1",
        "fermata_dlq_open{reason_code=\"retries_exhausted\"} 1", "# TYPE fermata_stale_jobs gauge",
        "# TYPE fermata_orphan_replayed_total counter"})
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  Value stale =
      Value::object({{"job_id", "j1"}, {"attempt", 1}, {"fence", 99}, {"status", "succeeded"}});
  report(enroll(), stale);
  metrics = world.ask("GET", "/metrics").text;
  EXPECT_NE(metrics.find("fermata_worker_reports_rejected_total{kind=\"future\"} 1"),
            std::string::npos)
      << metrics;
}

// J-84, JT-42
TEST_F(DeadLetterQueue, entry_is_retried_as_one_job_however_often) {
  Answer submitted =
      post("/jobs", Value::object({{"topic", "x"},
                                   {"input", 5},
                                   {"priority", "batch"},
                                   {"budget", Value::object({{"max_cost_micros", 7}})}}));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  std::string worker = enroll();
  Value job = claim(worker, 1).get("jobs").items()[0];
  report(worker, result_of(job, "failed", Value::object()));
  Value entry = get("/dlq").body.get("items").items()[0];
  std::string path = "/dlq/" + text(entry.get("id")) + "/retry";
  Answer wrong = post(path, Value::object({{"changes", Value::object({{"topci", "y"}})}}));
  EXPECT_EQ(wrong.status, 422) << wrong.text;
  wrong = post(path, Value::object({{"changes", Value::object({{"topic", "../y"}})}}));
  EXPECT_EQ(wrong.body.get("errors").items()[0].get("path"), Value("/changes/topic")) << wrong.text;
  Answer retried = post(path, Value::object());
  ASSERT_EQ(retried.status, 201) << retried.text;
  std::string id = text(retried.body.get("id"));
  Answer again = post(path, Value::object());
  EXPECT_EQ(text(again.body.get("id")), id) << again.text;
  Value made = get("/jobs/" + id).body;
  EXPECT_EQ(made.get("parent_job_id"), submitted.body.get("id"));
  EXPECT_EQ(made.get("priority"), Value("batch"));
  EXPECT_EQ(made.get("budget").get("max_cost_micros"), Value(7));
  EXPECT_EQ(made.get("input"), Value(5));
  EXPECT_EQ(made.get("labels").get("dlq_entry"), entry.get("id"));
  Value resolved = get("/dlq/" + text(entry.get("id"))).body;
  EXPECT_EQ(resolved.get("resolution"), Value("retried"));
  EXPECT_EQ(text(resolved.get("retried_as")), id);
  EXPECT_EQ(get("/jobs").body.get("items").size(), 2u);
}

// J-60, J-84: what it may have done already it does not do twice.
TEST_F(DeadLetterQueue, retried_job_hands_over_the_key_of_the_one_that_failed) {
  fail_one("mail.send", "j1");
  std::string entry = text(items().items()[0].get("id"));
  Answer retried = post("/dlq/" + entry + "/retry", Value::object());
  ASSERT_EQ(retried.status, 201) << retried.text;
  Value made = get("/jobs/" + text(retried.body.get("id"))).body;
  EXPECT_EQ(made.get("idempotency_key"), Value("j1"));
  fail_one("mail.send", "j2");
  entry = text(items().items()[0].get("id"));
  Value changes = Value::object({{"changes", Value::object({{"input", 6}})}});
  Answer changed = post("/dlq/" + entry + "/retry", changes);
  ASSERT_EQ(changed.status, 201) << changed.text;
  made = get("/jobs/" + text(changed.body.get("id"))).body;
  EXPECT_EQ(made.get("idempotency_key"), changed.body.get("id")) << "other work, another key";
}

// J-2, J-84
TEST_F(DeadLetterQueue, retried_job_has_its_large_input_too) {
  std::string worker = enroll("big");
  Value input = Value(std::string(100'000, 'x'));
  post("/jobs", Value::object({{"topic", "big"}, {"id", "j1"}, {"input", input}}));
  Value job = claim(worker, 1).get("jobs").items()[0];
  report(worker, result_of(job, "failed", Value::object()));
  Answer retried = post("/dlq/" + text(items().items()[0].get("id")) + "/retry", Value::object());
  ASSERT_EQ(retried.status, 201) << retried.text;
  Value again = claim(worker, 2).get("jobs").items()[0];
  EXPECT_EQ(again.get("job_id"), retried.body.get("id"));
  EXPECT_EQ(again.get("input_blob"), job.get("input_blob"));
  std::string sha = text(again.get("input_blob").get("sha256"));
  EXPECT_EQ(get("/worker/blobs/" + sha).text.size(), 100'002u);
}

// J-84
TEST_F(DeadLetterQueue, selection_is_retried_in_bulk_after_a_dry_run) {
  for (const char* id : {"j1", "j2", "j3"}) fail_one("mail.send", id);
  fail_one("pay", "j4");
  auto bulk = [&](const std::string& body) { return world.ask("POST", "/api/v1/dlq/bulk", body); };
  EXPECT_EQ(bulk(R"({"action":"retry","filter":{}})").code(), "filter_required");
  EXPECT_EQ(bulk(R"({"action":"burn","filter":{"topic":"x"}})").status, 422);
  EXPECT_EQ(bulk(R"({"action":"retry","filter":{"colour":"red"}})").status, 422);
  EXPECT_EQ(bulk(R"({"action":"retry","filter":{"topic":"x"},"rate_per_second":0})").status, 422);
  Answer dry = bulk(R"({"action":"retry","filter":{"topic":"mail.*"},"dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(3));
  EXPECT_EQ(dry.body.get("by_reason").get("retries_exhausted"), Value(3));
  EXPECT_EQ(items().size(), 4u) << "a dry run writes nothing";
  EXPECT_EQ(get("/jobs").body.get("items").size(), 4u);
  Answer begun = bulk(R"({"token":")" + text(dry.body.get("token")) +
                      R"(","rate_per_second":1000,"reason":"fixed"})");
  Value over = ended(begun);
  EXPECT_EQ(over.get("done"), Value(3));
  ASSERT_EQ(items().size(), 1u);
  EXPECT_EQ(items().items()[0].get("job_id"), Value("j4"));
  const Value resolved = items("?state=resolved");
  for (const Value& entry : resolved.items()) {
    EXPECT_EQ(entry.get("resolution"), Value("retried"));
    Value made = get("/jobs/" + text(entry.get("retried_as"))).body;
    EXPECT_EQ(made.get("parent_job_id"), entry.get("job_id"));
  }
  std::string j4 = text(items().items()[0].get("id"));
  Answer again = bulk(R"({"action":"retry","ids":[")" + j4 + R"(","nobody"]})");
  over = ended(again);
  EXPECT_EQ(over.get("done"), Value(1)) << to_json(over);
  EXPECT_EQ(over.get("refused"), Value(1));
  EXPECT_EQ(get("/jobs").body.get("items").size(), 8u);
}

TEST_F(DeadLetterQueue, selection_is_dropped_in_bulk_by_an_admin_who_says_why) {
  for (const char* id : {"j1", "j2"}) fail_one("mail.send", id);
  auto bulk = [&](const std::string& body) { return world.ask("POST", "/api/v1/dlq/bulk", body); };
  Answer dry = bulk(R"({"action":"drop","filter":{"topic":"mail.*"},"dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(2));
  // Whoever may retry may not drop, with a token that somebody else got neither.
  std::string lesser = "Authorization: Bearer " + world.add_key(Role::operator_) + "\r\n";
  std::string token = R"({"token":")" + text(dry.body.get("token")) + R"(","reason":"x"})";
  EXPECT_EQ(world.ask("POST", "/api/v1/dlq/bulk", token, lesser).code(), "forbidden");
  std::string asks = R"({"action":"drop","filter":{"topic":"mail.*"},"dry_run":true})";
  EXPECT_EQ(world.ask("POST", "/api/v1/dlq/bulk", asks, lesser).code(), "forbidden");
  // What comes after the dry run is not what was shown.
  fail_one("mail.send", "j3");
  Value over = ended(bulk(R"({"token":")" + text(dry.body.get("token")) +
                          R"(","reason":"nobody waits for them"})"));
  EXPECT_EQ(over.get("done"), Value(2)) << to_json(over);
  ASSERT_EQ(items().size(), 1u);
  EXPECT_EQ(items().items()[0].get("job_id"), Value("j3"));
  const Value audit = get("/audit?action=dlq.purge").body.get("items");
  ASSERT_EQ(audit.size(), 2u);
  EXPECT_EQ(audit.items()[0].get("reason"), Value("nobody waits for them"));
  // One by one with a reason too.
  std::string j3 = text(items().items()[0].get("id"));
  EXPECT_EQ(world.ask("DELETE", "/api/v1/dlq/" + j3 + "?reason=old").status, 200);
  EXPECT_EQ(get("/audit?action=dlq.discard").body.get("items").items()[0].get("reason"),
            Value("old"));
}

}  // namespace
}  // namespace fermata::server
