#include "host/tracing.h"

#include <gtest/gtest.h>

#include "core/run/history.h"
#include "host/run_spans.h"

namespace fermata {
namespace {

struct KeptSpans final : Telemetry {
  void record(Make make, size_t bytes) override {
    EXPECT_GT(bytes, 0u);
    for (Span& span : make()) spans.push_back(std::move(span));
  }
  Counts counts() const override { return {}; }
  std::vector<Span> spans;
};

struct HandClock final : Clock {
  Instant now() const override { return at; }
  Instant at{1'000'000};
};

/// Answers what it is told to.
struct HandCalls final : Calls {
  void submit(const CallTicket& ticket, CallRequest) override { held.push_back(ticket); }
  void abandon(const CallTicket& ticket) override { std::erase(held, ticket); }
  std::vector<CallAnswer> harvest() override { return std::exchange(answers, {}); }
  bool holds(const CallTicket& ticket) const override {
    return std::find(held.begin(), held.end(), ticket) != held.end();
  }
  size_t in_flight() const override { return held.size(); }
  std::vector<CallTicket> held;
  std::vector<CallAnswer> answers;
};

const CallTicket ticket{RunId("r1"), 7, 2};

CallRequest request(bool recorded = true) {
  CallRequest out;
  out.method = "POST";
  out.url = "https://user:word@api.example:8443/path?token=1";
  if (recorded) out.trace = CallTrace{{std::string(32, 'a'), "00000000000000cc", 1, ""}, "p", "n"};
  return out;
}

CallAnswer answer(int status, std::string error = "") {
  CallAnswer out;
  out.ticket = ticket;
  out.status = status;
  out.error = std::move(error);
  out.duration_ms = 30;
  return out;
}

std::string attribute(const Span& span, std::string_view name) {
  for (const auto& [key, value] : span.attributes)
    if (key == name) return value.is_string() ? std::string(value.as_string()) : "another kind";
  return "";
}

class Tracing : public testing::Test {
 protected:
  KeptSpans kept;
  HandClock clock;
  HandCalls* inner = new HandCalls;
  TracingCalls calls{std::unique_ptr<Calls>(inner), kept, clock};
};

TEST_F(Tracing, answered_call_is_a_step_of_its_trace) {
  calls.submit(ticket, request());
  EXPECT_TRUE(calls.holds(ticket));
  clock.at = clock.at + Duration{100};
  inner->answers = {answer(200)};
  ASSERT_EQ(calls.harvest().size(), 1u);
  ASSERT_EQ(kept.spans.size(), 1u);
  const Span& span = kept.spans[0];
  EXPECT_EQ(span.kind, SpanKind::client);
  EXPECT_EQ(span.name, "POST");
  EXPECT_EQ(span.parent_id, "p");
  EXPECT_EQ(span.context.span_id, "00000000000000cc");
  EXPECT_EQ(span.end_ns, 1'000'100'000'000);
  EXPECT_EQ(span.start_ns, 1'000'070'000'000) << "without the time in the queue";
  EXPECT_FALSE(span.failed);
  EXPECT_EQ(attribute(span, "server.address"), "api.example:8443") << "no user, path or query";
}

TEST_F(Tracing, call_that_fails_says_why) {
  calls.submit(ticket, request());
  inner->answers = {answer(0, "timeout")};
  calls.harvest();
  calls.submit(ticket, request());
  inner->answers = {answer(503)};
  calls.harvest();
  ASSERT_EQ(kept.spans.size(), 2u);
  EXPECT_TRUE(kept.spans[0].failed);
  EXPECT_EQ(kept.spans[0].failure, "timeout");
  EXPECT_TRUE(kept.spans[1].failed);
  EXPECT_EQ(attribute(kept.spans[1], "error.type"), "503");
}

TEST_F(Tracing, answer_that_comes_twice_is_told_once) {
  calls.submit(ticket, request());
  inner->answers = {answer(200), answer(200)};
  EXPECT_EQ(calls.harvest().size(), 2u) << "the engine judges answers, not the tracing";
  EXPECT_EQ(kept.spans.size(), 1u);
}

TEST_F(Tracing, what_is_abandoned_or_not_recorded_is_not_told) {
  calls.submit(ticket, request());
  calls.abandon(ticket);
  inner->answers = {answer(200)};
  calls.harvest();
  calls.submit(ticket, request(false));
  inner->answers = {answer(200)};
  calls.harvest();
  EXPECT_TRUE(kept.spans.empty());
}

HistoryChunk chunk_of(std::vector<EventBody> bodies) {
  std::vector<Event> events;
  for (EventBody& body : bodies)
    events.push_back({events.size() + 1, Instant{5'000}, std::move(body)});
  return encode_history(events);
}

RecordedRun some_run() {
  RecordedRun run;
  run.id = RunId("r1");
  run.workflow = WorkflowId("orders");
  run.started_at = Instant{2'000};
  run.trace = {"00-" + std::string(32, 'a') + "-00000000000000bb-01", "v=1", true};
  run.definition = std::make_shared<graph::Definition>();
  return run;
}

TEST(RunSpans, end_of_a_run_is_its_step) {
  auto spans =
      spans_of(some_run(),
               chunk_of({RunFailed{Value::object({{"code", "timeout"}, {"message", "private"}})}}));
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].name, "run orders");
  EXPECT_EQ(spans[0].parent_id, "00000000000000bb");
  EXPECT_EQ(spans[0].context.span_id, run_span(RunId("r1")));
  EXPECT_EQ(spans[0].start_ns, 2'000'000'000);
  EXPECT_EQ(spans[0].end_ns, 5'000'000'000);
  EXPECT_TRUE(spans[0].failed);
  EXPECT_EQ(spans[0].failure, "timeout") << "the code, not the message";
}

TEST(RunSpans, the_same_step_has_the_same_id_each_time_it_is_told) {
  NodeSucceeded done;
  done.activation.token = 4;
  done.started_at = Instant{3'000};
  auto first = spans_of(some_run(), chunk_of({done}));
  auto again = spans_of(some_run(), chunk_of({done}));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].context, again[0].context);
  EXPECT_EQ(first[0].context.span_id, activation_span(RunId("r1"), 4));
  done.activation.token = 5;
  EXPECT_NE(spans_of(some_run(), chunk_of({done}))[0].context, first[0].context);
}

TEST(RunSpans, commit_of_very_many_steps_is_cut_to_its_end) {
  std::vector<EventBody> bodies(spans_per_commit_max + 50, NodeSucceeded{});
  bodies.push_back(RunCompleted{});
  auto spans = spans_of(some_run(), chunk_of(std::move(bodies)));
  EXPECT_EQ(spans.size(), spans_per_commit_max);
  EXPECT_EQ(spans.back().name, "run orders");
}

TEST(RunSpans, events_that_cannot_be_read_give_nothing) {
  EXPECT_TRUE(spans_of(some_run(), {1, 3, "no events"}).empty());
}

}  // namespace
}  // namespace fermata
