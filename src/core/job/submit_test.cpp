#include "core/job/job_fixture.h"
#include "core/job/request_hash.h"
#include "core/job/request_read.h"

namespace fermata::job {
namespace {

SubmitJob asked(Request request, std::string account = "acme") {
  return SubmitJob{AccountId(account), std::move(request), {}, "key"};
}

// J-1, J-4
TEST(JobSubmit, the_same_request_under_the_same_id_is_answered_again) {
  JobFixture at;
  at.submit();
  at.place();
  at.must(asked(JobFixture::request()));
  EXPECT_EQ(at.last.answer, Answer::duplicate);
  EXPECT_TRUE(at.last.events.empty());
  EXPECT_TRUE(at.last.records.empty());
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-1
TEST(JobSubmit, another_request_under_the_same_id_is_refused) {
  JobFixture at;
  at.submit();
  EXPECT_EQ(at.refused(asked(JobFixture::request("other"))), ErrorCode::job_id_taken);
  EXPECT_EQ(at.refused(asked(JobFixture::request(), "other")), ErrorCode::job_id_taken);
}

TEST(JobSubmit, another_request_under_the_same_idempotency_key_is_told_so) {
  JobFixture at;
  Request request = JobFixture::request();
  request.idempotency_key = "k";
  at.job.id = job_id_of_key(AccountId("acme"), "k");
  at.submit(request);
  Request other = JobFixture::request("other");
  other.idempotency_key = "k";
  EXPECT_EQ(at.refused(asked(other)), ErrorCode::idempotency_key_reused);
}

TEST(JobSubmit, a_key_means_one_job_of_its_account) {
  EXPECT_EQ(job_id_of_key(AccountId("a"), "k"), job_id_of_key(AccountId("a"), "k"));
  EXPECT_NE(job_id_of_key(AccountId("a"), "k"), job_id_of_key(AccountId("b"), "k"));
  EXPECT_TRUE(check_job_id(job_id_of_key(AccountId("a"), "k").text(), "").empty());
}

TEST(JobOrder, a_step_of_a_run_asks_in_the_words_of_graphs_and_scripts) {
  OrderJob order;
  order.job = JobId("run-1.7");
  order.account = AccountId("acme");
  order.run = RunId("run-1");
  order.workflow = WorkflowId("flow");
  order.definition = DefinitionHash("h");
  order.step = "charge";
  order.idempotency_key = "run-1/charge";
  order.request = Value::object({{"topic", "pay.charge"},
                                 {"input", 5},
                                 {"pool", "eu"},
                                 {"deadline_ms", 60'000},
                                 {"timeout_ms", 1'000},
                                 {"on_parent_end", "cancel"}});
  auto read = read_order(order, {});
  ASSERT_TRUE(read) << read.error().message;
  const Request& request = read->request;
  EXPECT_EQ(request.topic, "job.pay.charge");
  EXPECT_EQ(request.labels, Value::object({{"preferred_pool", "eu"}}));
  EXPECT_EQ(request.budget->deadline_ms, 60'000);
  EXPECT_EQ(request.run_timeout_ms, 1'000);
  EXPECT_EQ(request.idempotency_key, "run-1/charge");
  EXPECT_EQ(request.step,
            (RunStep{RunId("run-1"), WorkflowId("flow"), DefinitionHash("h"), "charge", 0}));
  order.request.set("budget", "much");
  order.request.set("colour", "red");
  auto wrong = read_order(order, {});
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().findings.size(), 2u);
  EXPECT_EQ(wrong.error().findings[0].path, "/budget");
  EXPECT_EQ(wrong.error().findings[1].path, "/colour");
}

TEST(JobSubmit, an_invalid_request_is_refused_with_every_finding) {
  JobFixture at;
  at.job.id = JobId("no spaces");
  Request request = JobFixture::request("mail..send");
  request.labels = Value::object({{"saga_id", "x"}, {"fine", 1}});
  auto decision = at.send(asked(request));
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, ErrorCode::invalid_field);
  std::vector<std::string> paths;
  for (const Finding& finding : decision.error().findings) paths.push_back(finding.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/topic", "/labels/saga_id", "/labels/fine", "/id"}));
  EXPECT_FALSE(at.job.exists());
}

TEST(JobSubmit, the_deadline_is_counted_from_the_submit) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 5'000};
  at.submit(request);
  EXPECT_EQ(at.job.deadline_at, at.given.now + Duration{5'000});
}

// J-6
TEST(JobAmend, makes_a_new_revision_with_a_new_hash_and_is_judged_again) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 600'000};
  Instant start = at.given.now;
  at.submit(request);
  std::string first = at.job.request_hash;
  at.pass(60'000);
  at.must(AmendJob{.topic = "mail.bulk",
                   .input = Payload::of(Value(1)),
                   .labels = Value::object({{"team", "red"}}),
                   .budget = Budget{.deadline_ms = 120'000}});
  EXPECT_EQ(at.job.revision, 2u);
  EXPECT_NE(at.job.request_hash, first);
  EXPECT_EQ(at.job.request_hash, request_hash(at.job.account, at.job.request));
  EXPECT_EQ(at.job.request.topic, "job.mail.bulk");
  EXPECT_EQ(at.job.request.input.value, Value(1));
  // Amending gives no time: the deadline still counts from the submit.
  EXPECT_EQ(at.job.deadline_at, start + Duration{120'000});
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.effects<WithdrawJob>(), 1u);
  EXPECT_EQ(at.effects<OfferJob>(), 1u);
}

// J-6
TEST(JobAmend, is_too_late_after_the_first_dispatch) {
  JobFixture at;
  at.submit();
  at.place();
  EXPECT_EQ(at.refused(AmendJob{.topic = "other"}), ErrorCode::wrong_state);
  at.must(LoseLease{at.job.last_fence});
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.refused(AmendJob{.topic = "other"}), ErrorCode::wrong_state);
}

TEST(JobAmend, is_checked_like_a_submit) {
  JobFixture at;
  at.submit();
  auto decision = at.send(AmendJob{.labels = Value::object({{"safety_bypassed", "true"}})});
  ASSERT_FALSE(decision);
  ASSERT_EQ(decision.error().findings.size(), 1u);
  EXPECT_EQ(decision.error().findings[0].code, "reserved_label");
}

// J-5
TEST(JobSubmit, an_account_with_a_full_queue_is_refused_and_its_runs_are_not) {
  JobFixture at;
  at.given.limits.queued_max = 3;
  at.given.queued = 3;
  EXPECT_EQ(at.refused(asked(JobFixture::request())), ErrorCode::queue_full);
  SubmitJob order = asked(JobFixture::request());
  order.source = Source::run;
  at.must(order);
  at.must(order);
  EXPECT_EQ(at.last.answer, Answer::duplicate) << "what is there is found, however full";
}

}  // namespace
}  // namespace fermata::job
