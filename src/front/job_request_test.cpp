#include "front/job_request.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/job/request_hash.h"

namespace fermata::front {
namespace {

const JobSubmitter somebody{AccountId("acme"), "key-1", {"ann", job::ActorType::human}};

Outcome<JobSubmission> read(std::string_view text, std::string header = "") {
  return read_job(*parse_json(text), somebody, header, {});
}

std::vector<std::string> findings(const Outcome<JobSubmission>& outcome) {
  std::vector<std::string> out;
  EXPECT_FALSE(outcome);
  if (outcome) return out;
  for (const Finding& finding : outcome.error().findings) out.push_back(finding.path);
  return out;
}

using Paths = std::vector<std::string>;

// J-1
TEST(JobRequestBody, a_topic_is_enough) {
  auto read_in = read(R"({"topic":"resize"})");
  ASSERT_TRUE(read_in);
  EXPECT_TRUE(read_in->id.empty());
  const job::Request& request = read_in->submit.request;
  EXPECT_EQ(request.topic, "job.resize");
  EXPECT_TRUE(request.input.value.is_null());
  EXPECT_EQ(request.priority, job::Priority::interactive);
  EXPECT_EQ(request.actor, (job::Actor{"ann", job::ActorType::human}));
  EXPECT_EQ(read_in->submit.account.text(), "acme");
  EXPECT_EQ(read_in->submit.submitter, "key-1:ann");
  EXPECT_FALSE(request.retry);
}

TEST(JobRequestBody, reads_every_field) {
  auto read_in = read(R"({"id":"j-1","account_id":"acme","topic":"job.pay.charge","input":{"a":1},
    "env":{"REGION":"eu"},"adapter_id":"ad","memory_id":"me","priority":"batch",
    "labels":{"team":"red"},"capability":"GPU","risk_tags":["Money"],"requires":["pci"],
    "pack_id":"p","actor":{"id":"bob","type":"human"},"principal_id":"pr",
    "budget":{"deadline_ms":60000,"max_input_tokens":1,"max_output_tokens":2,
              "max_total_tokens":3,"max_cost_micros":4},
    "run_timeout_ms":1000,"start_timeout_ms":2000,"queue_timeout_ms":3000,
    "retry":{"max_attempts":3,"backoff_ms":10,"multiplier":1.5,"max_backoff_ms":100,"jitter":0,
             "retry_on":["network"]},
    "scheduling":{"max_attempts":0},"concurrency":{"key":"erp","limit":2},
    "idempotency_key":"k","compensation":{"topic":"refund","input":null,"labels":{"l":"m"},
      "env":{"E":"f"},"budget":{"deadline_ms":5},"capability":"c","risk_tags":["x"],
      "requires":["y"],"retry":{"retry_on":"any"},"idempotency_key":"ck","when":"dispatched"},
    "parent_job_id":"j-0","saga_id":"s","traceparent":"00-ab-cd-01"})");
  ASSERT_TRUE(read_in) << read_in.error().message;
  EXPECT_EQ(read_in->id.text(), "j-1");
  const job::Request& request = read_in->submit.request;
  EXPECT_EQ(request.input.value, Value::object({{"a", 1}}));
  EXPECT_EQ(request.env.get("REGION"), Value("eu"));
  EXPECT_EQ(request.priority, job::Priority::batch);
  EXPECT_EQ(request.capability, "gpu");
  EXPECT_EQ(request.risk_tags, Paths{"money"});
  EXPECT_EQ(request.actor, (job::Actor{"bob", job::ActorType::human}));
  EXPECT_EQ(request.budget, (job::Budget{60'000, 1, 2, 3, 4}));
  EXPECT_EQ(request.queue_timeout_ms, 3'000);
  EXPECT_EQ(request.retry->retry_on, Paths{"network"});
  EXPECT_EQ(request.retry->multiplier, 1.5);
  EXPECT_EQ(request.scheduling_attempts_max, 0u);
  EXPECT_EQ(request.concurrency, (job::Concurrency{"erp", 2}));
  ASSERT_TRUE(request.compensation);
  EXPECT_EQ(request.compensation->topic, "job.refund");
  ASSERT_TRUE(request.compensation->input);
  EXPECT_TRUE(request.compensation->input->value.is_null());
  EXPECT_EQ(request.compensation->when, job::CompensateWhen::dispatched);
  EXPECT_EQ(request.compensation->retry->retry_on, Paths{"any"});
  EXPECT_EQ(request.parent_job.text(), "j-0");
  EXPECT_EQ(request.traceparent, "00-ab-cd-01");
}

TEST(JobRequestBody, finds_every_mistake_with_its_path) {
  auto wrong = read(R"({"id":"a b","topic":"x..y","priority":"soon","labels":{"saga_x":"y","n":1},
    "risk_tags":["a",5],"actor":{"type":"robot"},"retry":{"max_attempts":0,"jitter":"a bit"},
    "budget":{"deadline_ms":"soon","cents":1},"compensation":{"when":"always"},"colour":"red"})");
  EXPECT_EQ(findings(wrong), (Paths{"/priority", "/risk_tags/1", "/actor/id", "/actor/type",
                                    "/budget/deadline_ms", "/budget/cents", "/retry/max_attempts",
                                    "/retry/jitter", "/compensation/topic", "/compensation/when",
                                    "/colour", "/topic", "/labels/saga_x", "/labels/n", "/id"}));
  EXPECT_EQ(wrong.error().code, ErrorCode::invalid_field);
}

TEST(JobRequestBody, a_mistake_of_one_kind_gives_its_code) {
  EXPECT_EQ(read(R"({"topic":"x","labels":{"safety_x":"y"}})").error().code,
            ErrorCode::reserved_label);
  EXPECT_EQ(read(R"({"topic":"x y"})").error().code, ErrorCode::topic_invalid);
  EXPECT_EQ(read(R"({"topic":"x","id":"a/b"})").error().code, ErrorCode::invalid_id);
  EXPECT_EQ(read(R"({"topic":"x","nope":1})").error().code, ErrorCode::unknown_field);
  EXPECT_EQ(read(R"({"topic":7})").error().code, ErrorCode::invalid_field);
  EXPECT_EQ(findings(read("{}")), Paths{"/topic"});
}

TEST(JobRequestBody, paths_of_a_batch_begin_at_the_item) {
  auto wrong =
      read_job(*parse_json(R"({"topic":"a b","budget":{"x":1}})"), somebody, "", {}, "/jobs/3");
  EXPECT_EQ(findings(wrong), (Paths{"/jobs/3/budget/x", "/jobs/3/topic"}));
}

// A-4
TEST(JobRequestBody, the_header_and_the_field_are_one_key) {
  auto header = read(R"({"topic":"x"})", "k");
  ASSERT_TRUE(header);
  auto field = read(R"({"topic":"x","idempotency_key":"k"})");
  ASSERT_TRUE(field);
  EXPECT_EQ(header->id, field->id);
  EXPECT_FALSE(header->id.empty());
  EXPECT_TRUE(read(R"({"topic":"x","idempotency_key":"k"})", "k"));
  EXPECT_EQ(findings(read(R"({"topic":"x","idempotency_key":"k"})", "other")),
            Paths{"/idempotency_key"});
}

TEST(JobRequestBody, the_account_is_the_keys) {
  EXPECT_EQ(read(R"({"topic":"x","account_id":"other"})").error().code,
            ErrorCode::account_mismatch);
}

TEST(JobAmendBody, takes_the_parts_that_may_change) {
  auto amend = read_amend(*parse_json(R"({"input":null,"labels":{"a":"b"}})"));
  ASSERT_TRUE(amend);
  EXPECT_FALSE(amend->topic);
  ASSERT_TRUE(amend->input);
  EXPECT_TRUE(amend->input->value.is_null());
  EXPECT_EQ(amend->labels->get("a"), Value("b"));
  EXPECT_FALSE(read_amend(*parse_json(R"({"priority":"batch"})")));
  EXPECT_FALSE(read_amend(Value()));
}

}  // namespace
}  // namespace fermata::front
