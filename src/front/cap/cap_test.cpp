#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "front/cap/incoming.h"
#include "front/cap/outgoing.h"
#include "front/cap/pointer.h"

namespace fermata::front::cap {
namespace {

namespace wire = fermata::cap;

const AccountId account("acme");

Outcome<WireSubmission> read(const wire::JobRequest& request, const std::string& message = "m-1") {
  wire::Packet packet;
  packet.sender_id = "crm";
  return read_submission(packet, request, account, message, {});
}

wire::JobRequest full() {
  wire::JobRequest request;
  request.job_id = "j-1";
  request.topic = "pay";
  request.priority = wire::Priority::critical;
  request.context_ptr = R"(data:application/json,{"a":1})";
  request.env = {{"E", "1"}};
  request.tenant_id = "acme";
  request.principal_id = "p";
  request.labels = {{"x", "y"}, {"approval_by", "me"}, {"run_id", "r-1"}};
  request.budget = wire::Budget{0, 0, 300, 60'000};
  request.meta = wire::Metadata{};
  request.meta->actor_id = "alice";
  request.meta->actor_type = wire::ActorType::human;
  request.meta->capability = "pdf";
  request.meta->risk_tags = {"Money"};
  request.meta->requires_ = {"gpu"};
  request.meta->labels = {{"x", "less"}, {"z", "1"}};
  request.compensation = wire::Compensation{};
  request.compensation->topic = "refund";
  request.compensation->context_ptr = "data:application/json;base64,MTI=";
  return request;
}

TEST(CapSubmission, is_the_same_job_as_by_http) {
  auto read_one = read(full());
  ASSERT_TRUE(read_one) << read_one.error().message;
  const job::SubmitJob& submit = read_one->job.submit;
  const job::Request& request = submit.request;
  EXPECT_EQ(read_one->job.id, JobId("j-1"));
  EXPECT_EQ(submit.source, job::Source::wire);
  EXPECT_EQ(submit.account, account);
  EXPECT_EQ(request.topic, "job.pay");
  EXPECT_EQ(request.priority, job::Priority::critical);
  EXPECT_EQ(to_json(request.input.value), R"({"a":1})");
  EXPECT_EQ(request.actor, (job::Actor{"alice", job::ActorType::human}));
  EXPECT_EQ(request.risk_tags, std::vector<std::string>{"money"});
  EXPECT_EQ(request.saga_id, "r-1");
  EXPECT_EQ(request.labels.get("x"), Value("y"));
  EXPECT_EQ(request.labels.get("z"), Value("1"));
  EXPECT_EQ(read_one->labels_stripped, 1u);
  EXPECT_TRUE(request.labels.get("approval_by").is_null());
  EXPECT_EQ(request.budget->deadline_ms, 60'000);
  EXPECT_FALSE(request.budget->max_input_tokens);
  EXPECT_EQ(to_json(request.compensation->input->value), "12");
}

TEST(CapSubmission, of_another_tenant_is_refused) {
  wire::JobRequest request = full();
  request.tenant_id = "other";
  EXPECT_EQ(read(request).error().code, ErrorCode::account_mismatch);
  request.tenant_id = "";
  request.meta->tenant_id = "other";
  EXPECT_EQ(read(request).error().code, ErrorCode::account_mismatch);
}

TEST(CapSubmission, without_id_or_key_is_known_by_its_message) {
  wire::JobRequest request;
  request.topic = "pay";
  EXPECT_EQ(read(request, "a")->job.id, read(request, "a")->job.id);
  EXPECT_NE(read(request, "a")->job.id, read(request, "b")->job.id);
}

TEST(CapSubmission, input_elsewhere_is_handed_on_as_it_came) {
  wire::JobRequest request = full();
  request.context_ptr = "redis://ctx:j-1";
  auto read_one = read(request);
  ASSERT_TRUE(read_one);
  EXPECT_EQ(pointer_of(read_one->job.submit.request.input.value), "redis://ctx:j-1");
  EXPECT_EQ(pointer_of(Value::object({{"context_ptr", "x"}, {"more", 1}})), "");
  EXPECT_EQ(pointer_of(Value(1)), "");
}

TEST(CapPointer, inlined_bytes_are_read_or_refused) {
  EXPECT_FALSE(*inline_value("https://x", 10));
  EXPECT_EQ(to_json(**inline_value("data:,%5B1%5D", 10)), "[1]");
  for (const char* bad : {"data:application/json", "data:,%5", "data:;base64,!", "data:,{"})
    EXPECT_FALSE(inline_value(bad, 10)) << bad;
  EXPECT_FALSE(inline_value("data:,[[[[1]]]]", 3));
}

TEST(CapPointer, own_ones_are_read_back) {
  OwnPointer own{"a:b/c", std::string(64, 'a'), "t0"};
  for (const char* base : {"", "https://f:1"}) {
    auto again = read_blob_pointer(blob_pointer(base, own));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->job, own.job);
    EXPECT_EQ(again->sha256, own.sha256);
    EXPECT_EQ(again->token, own.token);
  }
  EXPECT_FALSE(read_blob_pointer("https://f/api/v1/wire/jobs/j/blobs/short?token=t"));
  EXPECT_FALSE(read_blob_pointer("file:///api/v1/wire/jobs/j/blobs/" + own.sha256 + "?token=t"));
}

job::Job two_attempts() {
  job::Job job;
  job.id = JobId("j-1");
  for (uint32_t number : {1, 2}) {
    job::Attempt attempt;
    attempt.attempt = number;
    attempt.fence = number * 10;
    attempt.registration = RegistrationId("r" + std::to_string(number));
    attempt.pool = "p";
    job.attempts.push_back(attempt);
  }
  return job;
}

// C-75
TEST(CapIdentity, decides_which_attempt_is_meant) {
  job::Job job = two_attempts();
  auto fence_of = [&](const char* name, std::optional<wire::Dispatch> dispatch) {
    auto named = read_wire_job_id(name);
    EXPECT_TRUE(named);
    return attempt_meant(job, *named, dispatch).fence;
  };
  std::string second = dispatch_id(job.id, 2, 20, RegistrationId("r2"));
  EXPECT_EQ(second.size(), 32u);
  EXPECT_EQ(fence_of("j-1", std::nullopt), 10u);
  EXPECT_EQ(fence_of("j-1~2", std::nullopt), 20u);
  EXPECT_EQ(fence_of("j-1~3", std::nullopt), 0u);
  EXPECT_EQ(fence_of("j-1", wire::Dispatch{second, 2, "w"}), 20u);
  EXPECT_EQ(fence_of("j-1~2", wire::Dispatch{second, 0, "w"}), 20u);
  EXPECT_EQ(fence_of("j-1", wire::Dispatch{second, 1, "w"}), 0u);
  EXPECT_EQ(fence_of("j-1", wire::Dispatch{"guessed", 2, "w"}), 0u);
  EXPECT_TRUE(opens(job, body_token(job.id, 1, 10, RegistrationId("r1"))));
  EXPECT_FALSE(opens(job, ""));
  EXPECT_FALSE(opens(job, second));
}

TEST(CapIdentity, names_on_the_wire_say_the_attempt_from_the_second_on) {
  EXPECT_EQ(wire_job_id(JobId("j"), 1, false), "j");
  EXPECT_EQ(wire_job_id(JobId("j"), 2, false), "j~2");
  EXPECT_EQ(wire_job_id(JobId("j"), 2, true), "j");
  for (const char* bad : {"", "~2", "j~", "j~1", "j~x", "j~2x", "j~99999999999"})
    EXPECT_FALSE(read_wire_job_id(bad)) << bad;
}

// C-74
TEST(CapReport, statuses_are_outcomes) {
  using wire::Status;
  using Outcome = job::AttemptOutcome;
  auto report = [](Status status) {
    wire::JobResult result;
    result.job_id = "j";
    result.worker_id = "w";
    result.status = status;
    result.error_code = "E";
    return read_report(result);
  };
  EXPECT_EQ(report(Status::succeeded)->status, Outcome::succeeded);
  EXPECT_EQ(report(Status::failed)->status, Outcome::failed);
  EXPECT_EQ(report(Status::failed)->error.get("code"), Value("E"));
  EXPECT_EQ(report(Status::cancelled)->status, Outcome::cancelled);
  EXPECT_EQ(report(Status::failed_retryable)->status, Outcome::failed_retryable);
  EXPECT_EQ(report(Status::failed_fatal)->status, Outcome::failed_fatal);
  EXPECT_EQ(report(Status::denied)->status, Outcome::failed);
  EXPECT_EQ(report(Status::denied)->error.get("code"), Value("denied"));
  EXPECT_EQ(report(Status::timeout)->error.get("code"), Value("timeout"));
  EXPECT_FALSE(report(Status::unspecified));
  EXPECT_FALSE(report(static_cast<Status>(99)));
  EXPECT_TRUE(is_progress(Status::running));
  EXPECT_FALSE(is_progress(Status::failed));
  EXPECT_FALSE(read_report({.job_id = "", .status = Status::failed, .worker_id = "w"}));
  EXPECT_FALSE(read_report({.job_id = "j", .status = Status::failed}));
}

TEST(CapWorker, card_tells_what_it_said) {
  wire::Heartbeat beat;
  beat.worker_id = "w";
  beat.max_parallel_jobs = -3;
  beat.cpu_load = 12.34F;
  beat.gpu_utilization = std::nanf("");
  beat.memory_load = 1'000;
  beat.active_jobs = 5;
  Introduction said{{"job.pay"}, "1.0", true};
  fleet::WorkerCard card = card_of(beat, said, account);
  EXPECT_TRUE(fleet::check_card(card).empty());
  EXPECT_EQ(card.max_parallel, 1u);
  EXPECT_EQ(card.pool, "default");
  EXPECT_TRUE(is_wire_worker(card));
  EXPECT_TRUE(introduction_of(card) == said);
  EXPECT_TRUE(introduction_of(card_of(beat, {}, account)) == Introduction{});
  fleet::Load load = load_of(beat, 3);
  EXPECT_EQ(load.cpu, 123u);
  EXPECT_EQ(load.gpu, 0u);
  EXPECT_EQ(load.memory, 1'000u);
  EXPECT_EQ(load.external_jobs, 2u);
  EXPECT_EQ(load_of(beat, 9).external_jobs, 0u);
}

// C-73, C-74
TEST(CapAccepted, withheld_and_denied_ends_are_denied) {
  job::Job job = two_attempts();
  job.attempt_count = 2;
  job.output = job::Payload::of(Value(1));
  auto status = [&](job::State state) {
    job.state = state;
    Outgoing out = accepted_of(job, "fermata:x", "http://f");
    EXPECT_EQ(out.message_id, "jobacc:j-1:2");
    EXPECT_EQ(out.subject, "sys.job.accepted");
    const auto& result = std::get<wire::JobResult>(out.packet.payload);
    EXPECT_EQ(!result.result_ptr.empty(), state == job::State::succeeded);
    return result.status;
  };
  EXPECT_EQ(status(job::State::succeeded), wire::Status::succeeded);
  EXPECT_EQ(status(job::State::failed), wire::Status::failed);
  EXPECT_EQ(status(job::State::timeout), wire::Status::timeout);
  EXPECT_EQ(status(job::State::cancelled), wire::Status::cancelled);
  EXPECT_EQ(status(job::State::denied), wire::Status::denied);
  EXPECT_EQ(status(job::State::output_quarantined), wire::Status::denied);
}

}  // namespace
}  // namespace fermata::front::cap
