#include "core/job/request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/job/report.h"
#include "core/job/request_hash.h"

namespace fermata::job {
namespace {

Request valid() {
  Request request;
  request.topic = "job.mail.send";
  request.input = Payload::of(Value::object());
  return request;
}

std::vector<std::string> findings(const Request& request, RequestLimits limits = {}) {
  std::vector<std::string> out;
  for (const Finding& finding : check_request(request, limits))
    out.push_back(finding.path + " " + finding.code);
  return out;
}

using Found = std::vector<std::string>;

TEST(JobRequest, a_bare_name_lies_under_job) {
  EXPECT_EQ(full_topic("x"), "job.x");
  EXPECT_EQ(full_topic("pay.charge"), "job.pay.charge");
  EXPECT_EQ(full_topic("job.x"), "job.x");
  EXPECT_EQ(full_topic("job"), "job.job");
}

TEST(JobRequest, topics_are_words_joined_by_dots) {
  EXPECT_TRUE(is_valid_topic("job.a"));
  EXPECT_TRUE(is_valid_topic("job.A-b_9.c"));
  EXPECT_TRUE(is_valid_topic("job." + std::string(196, 'x')));
  for (const char* bad : {"", "job.", "job..a", "job.a.", "job.a b", "job.ä", "job.*", "a.b"})
    EXPECT_FALSE(is_valid_topic(bad)) << bad;
  EXPECT_FALSE(is_valid_topic("job." + std::string(197, 'x')));
  Request request = valid();
  request.topic = "job.a b";
  EXPECT_EQ(findings(request), Found{"/topic topic_invalid"});
}

TEST(JobRequest, facts_are_lower_cased_sorted_and_kept_once) {
  Request request = valid();
  request.topic = "x";
  request.capability = "GPU";
  request.risk_tags = {"Money", "eu", "money"};
  request.requires_ = {"PCI", "a"};
  normalize(request);
  EXPECT_EQ(request.topic, "job.x");
  EXPECT_EQ(request.capability, "gpu");
  EXPECT_EQ(request.risk_tags, (Found{"eu", "money"}));
  EXPECT_EQ(request.requires_, (Found{"a", "pci"}));
}

TEST(JobRequest, a_valid_request_has_no_findings) { EXPECT_EQ(findings(valid()), Found{}); }

TEST(JobRequest, the_engines_own_labels_are_refused_by_name) {
  for (const char* key :
       {"approval_granted", "safety_bypassed", "saga_run_id", "fermata.x", "is_compensation"}) {
    Request request = valid();
    request.labels = Value::object({{key, "v"}});
    EXPECT_EQ(findings(request), Found{std::string("/labels/") + key + " reserved_label"});
  }
  EXPECT_FALSE(is_reserved_label("approval"));
  EXPECT_FALSE(is_reserved_label("fermata"));
}

TEST(JobRequest, labels_have_limits) {
  Request request = valid();
  Value labels = Value::object();
  for (size_t i = 0; i < labels_max; ++i) labels.set("k" + std::to_string(i), "v");
  request.labels = labels;
  EXPECT_EQ(findings(request), Found{});
  labels.set("one more", "v");
  request.labels = labels;
  EXPECT_EQ(findings(request), Found{"/labels invalid_field"});
  request.labels = Value::object({{std::string(128, 'k'), std::string(1024, 'v')}});
  EXPECT_EQ(findings(request), Found{});
  request.labels = Value::object({{"long", std::string(1025, 'v')}, {"a/b", 5}, {"", "v"}});
  EXPECT_EQ(findings(request), (Found{"/labels/long invalid_field", "/labels/a~1b invalid_field",
                                      "/labels/ invalid_field"}));
}

// J-76: a saga is an execution, and its id stands in paths.
TEST(JobRequest, saga_id_is_the_id_of_an_execution) {
  Request request = valid();
  request.saga_id = "order:17_a";
  EXPECT_EQ(findings(request), Found{});
  for (std::string id : {std::string("../x"), std::string("a b"), std::string("a%2f"),
                         std::string("\x7f"), std::string(101, 'a')}) {
    request.saga_id = id;
    EXPECT_EQ(findings(request), Found{"/saga_id invalid_id"}) << id;
  }
}

TEST(JobRequest, facts_have_limits) {
  Request request = valid();
  request.risk_tags = {"a|b"};
  request.requires_ = {std::string(65, 'x')};
  request.capability = "c\n";
  EXPECT_EQ(findings(request), (Found{"/capability invalid_field", "/risk_tags invalid_field",
                                      "/requires invalid_field"}));
  request = valid();
  request.risk_tags.clear();
  for (int i = 0; i < 65; ++i) request.risk_tags.push_back(std::to_string(i));
  EXPECT_EQ(findings(request), Found{"/risk_tags invalid_field"});
}

TEST(JobRequest, every_number_has_its_range) {
  Request request = valid();
  request.budget = Budget{.deadline_ms = 0, .max_cost_micros = -1};
  request.run_timeout_ms = -1;
  request.retry = RetryPolicy{.max_attempts = 0, .multiplier = 0.5, .jitter = 2, .retry_on = {}};
  request.concurrency = Concurrency{"", 0};
  EXPECT_EQ(findings(request),
            (Found{"/budget/deadline_ms invalid_field", "/budget/max_cost_micros invalid_field",
                   "/run_timeout_ms invalid_field", "/retry/max_attempts invalid_field",
                   "/retry/multiplier invalid_field", "/retry/jitter invalid_field",
                   "/retry/retry_on invalid_field", "/concurrency/key invalid_field",
                   "/concurrency/limit invalid_field"}));
  request = valid();
  request.retry = RetryPolicy{.multiplier = std::nan("")};
  EXPECT_EQ(findings(request), Found{"/retry/multiplier invalid_field"});
}

TEST(JobRequest, an_input_that_is_too_large_or_too_deep_is_refused) {
  Request request = valid();
  request.input = Payload::of(Value(std::string(100, 'x')));
  EXPECT_EQ(findings(request, {.input_bytes_max = 101}), Found{"/input invalid_field"});
  EXPECT_EQ(findings(request, {.input_bytes_max = 102}), Found{});
  Value deep = Value::array();
  for (int i = 0; i < 128; ++i) deep = Value::array({deep});
  request.input = Payload::of(deep);
  EXPECT_EQ(findings(request), Found{"/input invalid_field"});
}

TEST(JobRequest, a_compensation_is_checked_like_a_request) {
  Request request = valid();
  request.compensation = Compensation{.topic = "job.", .labels = Value::object({{"saga_x", "y"}})};
  EXPECT_EQ(findings(request), (Found{"/compensation/topic topic_invalid",
                                      "/compensation/labels/saga_x reserved_label"}));
}

TEST(JobRequest, ids_are_short_and_plain) {
  EXPECT_TRUE(check_job_id("run-1:charge@2[3]._X", "/id").empty());
  EXPECT_TRUE(check_job_id(std::string(128, 'a'), "/id").empty());
  for (const std::string& bad : {std::string(), std::string(129, 'a'), std::string("a b"),
                                 std::string("a/b"), std::string("ä")})
    EXPECT_EQ(check_job_id(bad, "/id").size(), 1u) << bad;
}

// J-4
TEST(JobRequest, the_hash_tells_requests_apart_but_not_their_spelling) {
  AccountId acme("acme");
  Request request = valid();
  std::string hash = request_hash(acme, request);
  EXPECT_EQ(hash.size(), 64u);
  Request spelled = valid();
  spelled.idempotency_key = "k";
  spelled.traceparent = "00-1";
  spelled.parent_job = JobId("p");
  spelled.labels = Value::object();
  EXPECT_EQ(request_hash(acme, spelled), hash);
  EXPECT_NE(request_hash(AccountId("b"), request), hash);
  Request longer = valid();
  longer.run_timeout_ms = 900'000;
  EXPECT_NE(request_hash(acme, longer), hash);
  Request undone = valid();
  undone.compensation = Compensation{.topic = "job.x", .input = Payload::of(Value(1))};
  std::string undone_hash = request_hash(acme, undone);
  EXPECT_NE(undone_hash, hash);
  // Where a payload lies makes no difference.
  undone.compensation->input = undone.compensation->input->as_blob();
  undone.input = undone.input.as_blob();
  EXPECT_EQ(request_hash(acme, undone), undone_hash);
}

TEST(JobReport, an_error_text_is_cut_between_characters) {
  std::string text(error_text_bytes_max - 1, 'x');
  Value error = make_error("c", text + "äöü");
  EXPECT_EQ(error.get("message").as_string(), text);
  EXPECT_FALSE(error.find("details"));
}

TEST(JobReport, findings_name_the_field) {
  Report report;
  report.status = AttemptOutcome::succeeded;
  report.error = Value::object({{"message", 5}});
  report.execution_ms = -1;
  report.artifacts = {{"", "zz", uint64_t{65} << 20}};
  std::vector<std::string> paths;
  for (const Finding& finding : check_report(report, {})) paths.push_back(finding.path);
  EXPECT_EQ(paths, (Found{"/error/code", "/error/message", "/execution_ms", "/artifacts/0/name",
                          "/artifacts/0/sha256", "/artifacts/0/size"}));
}

TEST(JobReport, artifacts_are_few) {
  Report report;
  report.artifacts.resize(artifacts_max + 1, {"a", std::string(64, 'a'), 1});
  ASSERT_EQ(check_report(report, {}).size(), 1u);
  EXPECT_EQ(check_report(report, {})[0].path, "/artifacts");
}

TEST(JobReport, the_digest_covers_everything_that_was_said) {
  Report report;
  report.status = AttemptOutcome::succeeded;
  report.output = Payload::of(Value(1));
  std::string digest = digest_of(report);
  EXPECT_EQ(digest_of(report), digest);
  Report slower = report;
  slower.execution_ms = 1;
  EXPECT_NE(digest_of(slower), digest);
  Report other = report;
  other.output = Payload::of(Value(2));
  EXPECT_NE(digest_of(other), digest);
}

}  // namespace
}  // namespace fermata::job
