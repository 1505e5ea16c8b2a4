#include "core/job/history.h"

#include "base/fields.h"
#include "core/job/job_fixture.h"
#include "core/job/view.h"

namespace fermata::job {
namespace {

JobFixture eventful() {
  JobFixture at;
  Request request = JobFixture::request();
  request.retry = RetryPolicy{.max_attempts = 2};
  request.labels = Value::object({{"team", "red"}});
  request.compensation = Compensation{.topic = "job.undo", .input = Payload::of(Value(1))};
  at.submit(request);
  at.must(AmendJob{.input = Payload::of(Value(5))});
  at.place();
  at.start();
  at.say(JobFixture::failure());
  at.wake();
  at.place();
  Report done = JobFixture::success();
  done.artifacts = {{"a.txt", std::string(64, '0'), 5}};
  at.say(done);
  return at;
}

TEST(JobHistory, damaged_bytes_are_refused) {
  JobFixture at = eventful();
  for (HistoryChunk chunk : at.history) {
    std::string whole = chunk.bytes;
    for (size_t size = 0; size < whole.size(); ++size) {
      chunk.bytes = whole.substr(0, size);
      EXPECT_FALSE(decode_history(chunk)) << size;
    }
    chunk.bytes = whole + "x";
    EXPECT_FALSE(decode_history(chunk));
    chunk.bytes = whole;
    chunk.bytes[0] = 9;
    EXPECT_FALSE(decode_history(chunk)) << "a format to come";
  }
}

TEST(JobHistory, a_gap_is_refused) {
  JobFixture at = eventful();
  std::vector<HistoryChunk> gap = at.history;
  gap.erase(gap.begin() + 1);
  EXPECT_FALSE(fold(at.job.id, gap));
}

TEST(JobHistory, words_that_are_not_known_are_refused) {
  ByteWriter out;
  FieldWriter writer(out);
  writer.put(static_cast<AttemptOutcome>(200));
  std::string bytes = out.take();
  ByteReader in(bytes);
  AttemptOutcome outcome{};
  FieldReader(in).take(outcome);
  EXPECT_FALSE(in.ok());
}

// A record of an earlier version lacks the fields that came later.
TEST(JobHistory, fields_that_came_later_keep_their_default) {
  ByteWriter old_fields;
  FieldWriter writer(old_fields);
  writer.put(std::string("no money"));
  ByteWriter chunk;
  chunk.u8(1);
  chunk.zigzag(1'000);
  chunk.u8(14);  // JobCancelled, with its reason only
  chunk.text(old_fields.bytes());
  auto events = decode_history({1, 1, chunk.take()});
  ASSERT_TRUE(events);
  const auto& cancelled = std::get<JobCancelled>((*events)[0].body);
  EXPECT_EQ(cancelled.reason, "no money");
  EXPECT_EQ(cancelled.by, "");
}

TEST(JobHistory, people_see_every_event_with_names) {
  JobFixture at = eventful();
  auto shown = view::history(at.history, 1, 100);
  ASSERT_TRUE(shown);
  ASSERT_EQ(shown->size(), at.job.last_sequence);
  const Value& submitted = shown->front();
  EXPECT_EQ(submitted.get("type"), Value("JobSubmitted"));
  EXPECT_EQ(submitted.get("sequence"), Value(1));
  EXPECT_EQ(submitted.get("at"), Value("2023-11-14T22:13:20.000Z"));
  EXPECT_EQ(submitted.get("request").get("topic"), Value("job.mail.send"));
  EXPECT_EQ(submitted.get("request").get("labels").get("team"), Value("red"));
  EXPECT_EQ(submitted.get("request").get("compensation").get("input"), Value(1));
  const Value& done = shown->back();
  EXPECT_EQ(done.get("type"), Value("JobSucceeded"));
  EXPECT_EQ(done.get("output"), Value::object({{"ok", true}}));
  EXPECT_EQ(done.get("artifacts").items()[0].get("name"), Value("a.txt"));
  auto two = view::history(at.history, 3, 2);
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].get("sequence"), Value(3));
}

// J-11
TEST(JobView, shows_what_was_asked_where_it_stands_and_its_attempts) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step = {RunId("run-1"), WorkflowId("flow"), DefinitionHash("h"), "charge", 2};
  request.scheduling_attempts_max = 7;
  at.submit(request);
  Value queued = view::job(at.job, at.given.now);
  EXPECT_EQ(queued.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(queued.get("phase"), Value("ready"));
  EXPECT_EQ(queued.get("run_id"), Value("run-1"));
  EXPECT_EQ(queued.get("step_index"), Value(2));
  EXPECT_EQ(queued.get("scheduling").get("max_attempts"), Value(7));
  EXPECT_EQ(queued.get("input"), Value::object({{"to", "a@example.org"}}));
  EXPECT_TRUE(queued.get("output").is_null());
  at.place();
  Value handed = view::delivery(at.job);
  EXPECT_EQ(handed.get("job_id"), Value("job-1"));
  EXPECT_EQ(handed.get("fence"), Value(2));
  EXPECT_EQ(handed.get("idempotency_key"), Value("job-1"));
  EXPECT_EQ(handed.get("run_timeout_ms"), Value(900'000));
  EXPECT_EQ(handed.get("lease_ms"), Value(30'000));
  at.say(JobFixture::failure());
  Value ended = view::job(at.job, at.given.now);
  EXPECT_EQ(ended.get("state"), Value("FAILED"));
  EXPECT_EQ(ended.get("reason_code"), Value("retries_exhausted"));
  EXPECT_EQ(ended.get("error").get("code"), Value("boom"));
  Value attempts = view::attempts(at.job);
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts.items()[0].get("outcome"), Value("failed"));
  Value listed = view::list_item(summarize(at.job, at.given.now));
  EXPECT_EQ(listed.get("worker_id"), Value("w1"));
  EXPECT_EQ(listed.get("attempt"), Value(1));
  Value receipt = view::receipt(summarize(at.job, at.given.now));
  EXPECT_EQ(receipt.get("request_hash"), Value(at.job.request_hash));
}

TEST(JobView, a_null_input_is_shown_and_a_blob_is_named) {
  JobFixture at;
  Request request = JobFixture::request();
  request.input = Payload::of(Value());
  at.submit(request);
  EXPECT_TRUE(view::job(at.job, at.given.now).find("input"));
  JobFixture big;
  request.input = Payload::of(Value(std::string(100'000, 'x')));
  big.submit(request);
  Value shown = view::job(big.job, big.given.now);
  EXPECT_FALSE(shown.find("input"));
  EXPECT_EQ(shown.get("input_blob").get("bytes"), Value(100'002));
}

TEST(JobWords, states_are_read_in_either_case) {
  EXPECT_EQ(state_of("OUTPUT_QUARANTINED"), State::output_quarantined);
  EXPECT_EQ(state_of("output_quarantined"), State::output_quarantined);
  EXPECT_FALSE(state_of(""));
  EXPECT_FALSE(state_of("none"));
  EXPECT_EQ(report_status_of("failed_fatal"), AttemptOutcome::failed_fatal);
  EXPECT_FALSE(report_status_of("lost"));
  EXPECT_FALSE(report_status_of("LOST"));
}

}  // namespace
}  // namespace fermata::job
