#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string sender = "00-" + trace_id + "-00f067aa0ba902b7-01";

/// Keeps the spans it is given.
class KeptSpans final : public Telemetry {
 public:
  void record(Make make, size_t) override {
    std::vector<Span> made = make();
    std::lock_guard lock(mutex_);
    for (Span& span : made) spans_.push_back(std::move(span));
  }
  Counts counts() const override { return {7, 2, 1, 0}; }

  /// The first of that name, once there is one.
  Span await(const std::string& name) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      std::lock_guard lock(mutex_);
      for (const Span& span : spans_)
        if (span.name == name) return span;
    }
    ADD_FAILURE() << "no span " << name;
    return {};
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return spans_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
};

Value attribute(const Span& span, std::string_view name) {
  for (const auto& [key, value] : span.attributes)
    if (key == name) return value;
  return {};
}

class Traces : public testing::Test {
 protected:
  Traces() : world([this](ApiOptions& options) { options.telemetry = &kept; }) {
    world.put_workflows();
  }
  std::string start(const std::string& workflow, const std::string& headers) {
    auto answer = world.ask("POST", "/api/v1/workflows/" + workflow + "/executions",
                            R"({"input":{"n":1}})", headers);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return std::string(answer.body.get("id").as_string());
  }
  KeptSpans kept;
  TestWorld world;
};

// A-33
TEST_F(Traces, request_run_and_steps_hang_together) {
  std::string id =
      start("instant", "traceparent: " + sender + "\r\ntracestate: a=1\r\ntracestate: b=2\r\n");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  Span run = kept.await("run instant");
  Span step = kept.await("node e");
  Span request = kept.await("POST /api/v1/workflows/{workflow_id}/executions");
  for (const Span* span : {&run, &step, &request}) {
    EXPECT_EQ(span->context.trace_id, trace_id);
    EXPECT_EQ(span->context.state, "a=1,b=2");
  }
  EXPECT_EQ(request.parent_id, "00f067aa0ba902b7");
  EXPECT_EQ(request.kind, SpanKind::server);
  EXPECT_EQ(attribute(request, "http.response.status_code"), Value(201));
  EXPECT_EQ(run.parent_id, request.context.span_id);
  EXPECT_EQ(run.context.span_id, run_span(RunId(id)));
  EXPECT_EQ(attribute(run, "fermata.status"), Value("completed"));
  EXPECT_EQ(step.parent_id, run.context.span_id);
  EXPECT_EQ(attribute(step, "fermata.node_type"), Value("edit"));
}

TEST_F(Traces, the_trace_is_recorded_with_the_run) {
  std::string id = start("waiting", "traceparent: " + sender + "\r\n");
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).body.get("trace_id"), Value(trace_id));
  std::string history = world.ask("GET", "/api/v1/executions/" + id + "/history").text;
  EXPECT_NE(history.find("00-" + trace_id), std::string::npos) << history;
}

TEST_F(Traces, signal_is_linked_to_its_sender) {
  std::string id = start("waiting", "traceparent: " + sender + "\r\n");
  std::string other = "00-" + std::string(32, 'b') + "-" + std::string(16, 'c') + "-01";
  ASSERT_EQ(world
                .ask("POST", "/api/v1/executions/" + id + "/signals/go", "{}",
                     "traceparent: " + other + "\r\n")
                .status,
            200);
  Span signal = kept.await("signal go");
  EXPECT_EQ(signal.context.trace_id, trace_id);
  ASSERT_EQ(signal.links.size(), 1u);
  EXPECT_EQ(signal.links[0].trace_id, std::string(32, 'b'));
  Span wait = kept.await("node w");
  EXPECT_EQ(attribute(wait, "fermata.resumed_by"), Value("signal"));
}

TEST_F(Traces, who_does_not_want_to_be_sampled_is_not) {
  std::string unsampled = sender.substr(0, 53) + "00";
  size_t before = kept.size();
  std::string id = start("instant", "traceparent: " + unsampled + "\r\n");
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (world.ask("GET", "/api/v1/executions/" + id, "", "traceparent: " + unsampled + "\r\n")
                 .body.get("status") != Value("completed") &&
         std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(kept.size(), before);
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id, "", "traceparent: " + unsampled + "\r\n")
                .body.get("trace_id"),
            Value(trace_id))
      << "the run knows its trace all the same";
}

TEST_F(Traces, request_without_a_trace_begins_one) {
  std::string id = start("instant", "");
  Span run = kept.await("run instant");
  EXPECT_EQ(run.context.trace_id.size(), 32u);
  EXPECT_TRUE(run.context.sampled());
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).body.get("trace_id"),
            Value(run.context.trace_id));
}

TEST_F(Traces, broken_and_doubled_headers_are_no_trace) {
  for (const std::string& headers :
       {"traceparent: 00-xyz\r\n" + std::string(),
        "traceparent: " + sender + "\r\ntraceparent: " + sender + "\r\n"}) {
    std::string id = start("waiting", headers);
    EXPECT_NE(world.ask("GET", "/api/v1/executions/" + id).body.get("trace_id"), Value(trace_id));
  }
}

TEST_F(Traces, health_checks_are_not_told_and_deliveries_are_counted) {
  size_t before = kept.size();
  EXPECT_EQ(world.ask("GET", "/healthz").status, 200);
  std::string metrics = world.ask("GET", "/metrics").text;
  EXPECT_EQ(kept.size(), before);
  EXPECT_NE(metrics.find("fermata_otlp_spans_exported_total 7"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("fermata_otlp_spans_dropped_total 2"), std::string::npos) << metrics;
}

TEST(TracesOff, a_trace_is_passed_on_without_a_collector) {
  TestWorld world;
  world.put_workflows();
  auto started = world.ask("POST", "/api/v1/workflows/waiting/executions", "{}",
                           "traceparent: " + sender + "\r\n");
  std::string id(started.body.get("id").as_string());
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).body.get("trace_id"), Value(trace_id));
  std::string plain = world.start("waiting");
  EXPECT_TRUE(world.ask("GET", "/api/v1/executions/" + plain).body.get("trace_id").is_null());
}

}  // namespace
}  // namespace fermata::server
