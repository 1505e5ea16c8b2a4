#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/job/decide.h"
#include "core/job/history.h"
#include "core/job/summary.h"

namespace fermata::job {

/// A job and its store: every command is one commit, and after each the fold of the history is
/// compared with the state.
struct JobFixture {
  Job job;
  std::vector<HistoryChunk> history;
  Given given;
  Decision last;  ///< of the latest command that was not refused
  uint64_t version = 0;

  JobFixture() {
    given.now = Instant{1'700'000'000'000};
    given.engine_started_at = given.now;
    given.entropy = 7;
    job.id = JobId("job-1");
  }

  static Request request(std::string topic = "mail.send") {
    Request request;
    request.topic = std::move(topic);
    request.input = Payload::of(Value::object({{"to", "a@example.org"}}));
    normalize(request);
    return request;
  }

  Outcome<Decision> send(CommandBody body, std::string actor = "tester") {
    given.version = version + 1;
    Job before = job;
    auto decision = decide(job, Command{job.id, std::move(body), std::move(actor)}, given);
    if (!decision) {
      EXPECT_EQ(job, before) << "a refusal changes nothing";
      return decision;
    }
    if (!decision->events.empty()) {
      ++version;
      history.push_back(encode_history(decision->events));
    }
    auto folded = fold(job.id, history);
    EXPECT_TRUE(folded) << (folded ? "" : folded.error().message);
    if (folded) {
      EXPECT_EQ(*folded, job) << "the fold of the history is the state";
    }
    last = *decision;
    return decision;
  }
  /// A command that must be taken.
  void must(CommandBody body) {
    auto decision = send(std::move(body));
    ASSERT_TRUE(decision) << decision.error().message;
  }
  void pass(int64_t ms) { given.now = given.now + Duration{ms}; }

  void submit(Request asked = request()) { must(SubmitJob{AccountId("acme"), asked, {}, "key"}); }
  static PlaceJob place_at(std::string worker = "w1") {
    PlaceJob place;
    place.worker = WorkerId(worker);
    place.registration = RegistrationId("r-" + worker);
    place.pool = "default";
    return place;
  }
  void place(std::string worker = "w1") { must(place_at(std::move(worker))); }
  void start() { must(NoteLife{job.last_fence}); }
  Spoken spoken() const {
    const Attempt& attempt = job.attempts.back();
    return {attempt.attempt, attempt.fence, attempt.worker, attempt.pool};
  }
  static Report success(Value output = Value::object({{"ok", true}})) {
    Report report;
    report.status = AttemptOutcome::succeeded;
    report.output = Payload::of(std::move(output));
    report.execution_ms = 12;
    return report;
  }
  static Report failure(AttemptOutcome status = AttemptOutcome::failed,
                        std::string_view code = "boom") {
    Report report;
    report.status = status;
    report.error = make_error(code, "it broke");
    return report;
  }
  Answer say(Report report) { return say(spoken(), std::move(report)); }
  Answer say(Spoken who, Report report) {
    auto decision = send(ReportResult{std::move(who), std::move(report)});
    EXPECT_TRUE(decision) << (decision ? "" : decision.error().message);
    return decision ? decision->answer : Answer::unknown_job;
  }
  /// Lets the clock reach the job's next due time and wakes it.
  void wake() {
    auto due = next_due(job, given.engine_started_at);
    ASSERT_TRUE(due);
    if (given.now < *due) given.now = *due;
    must(WakeJob{});
  }
  ErrorCode refused(CommandBody body) {
    auto decision = send(std::move(body));
    EXPECT_FALSE(decision);
    return decision ? ErrorCode::internal : decision.error().code;
  }

  template <class T>
  std::vector<T> records() const {
    std::vector<T> found;
    for (const Record& record : last.records)
      if (const T* one = std::get_if<T>(&record)) found.push_back(*one);
    return found;
  }
  template <class T>
  size_t effects() const {
    size_t count = 0;
    for (const Effect& effect : last.effects) count += std::holds_alternative<T>(effect);
    return count;
  }
};

}  // namespace fermata::job
