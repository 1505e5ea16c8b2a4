#include "adapters/otlp/otlp_telemetry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "adapters/http/http_test_server.h"
#include "base/json.h"

namespace fermata {
namespace {

using SteadyClock = std::chrono::steady_clock;

Span example(int number) {
  Span span;
  span.context = {std::string(31, 'a') + "1", span_id_of(static_cast<uint64_t>(number) + 1), 1, ""};
  span.name = "step " + std::to_string(number);
  span.start_ns = 1'700'000'000'000'000'001;
  span.end_ns = 1'700'000'000'250'000'000;
  return span;
}

void tell(Telemetry& telemetry, int number, size_t bytes = 100) {
  telemetry.record([number] { return std::vector<Span>{example(number)}; }, bytes);
}

/// A collector that answers as told and remembers the names of the spans it took.
class Collector {
 public:
  explicit Collector(std::vector<TestReply> replies = {}) : replies_(std::move(replies)) {}

  std::string url() { return server_.url("/v1/traces"); }
  HttpTestServer& server() { return server_; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const TestRequest& request : server_.requests()) {
      auto body = parse_json(request.body);
      EXPECT_TRUE(body) << request.body;
      for (const Value& span : spans_in(*body)) out.emplace_back(span.get("name").as_string());
    }
    return out;
  }
  static std::vector<Value> spans_in(const Value& body) {
    const Value& scope = body.get("resourceSpans").items()[0].get("scopeSpans").items()[0];
    return {scope.get("spans").items().begin(), scope.get("spans").items().end()};
  }

 private:
  TestReply answer() {
    size_t number = asked_++;
    TestReply reply = number < replies_.size() ? replies_[number] : TestReply{};
    if (reply.body.empty()) reply.body = "{}";
    return reply;
  }
  std::vector<TestReply> replies_;
  std::atomic<size_t> asked_{0};
  HttpTestServer server_{[this](const TestRequest&) { return answer(); }};
};

OtlpOptions options_for(const std::string& url) {
  OtlpOptions options;
  options.url = url;
  options.service_version = "1.2.3";
  options.instance_id = "host-7";
  options.interval_ms = 5;
  options.retry_ms = 5;
  options.flush_ms = 5'000;
  return options;
}

bool await(const std::function<bool()>& holds) {
  auto deadline = SteadyClock::now() + std::chrono::seconds(30);
  while (SteadyClock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

// A-33
TEST(Otlp, spans_arrive_in_the_form_that_the_protocol_says) {
  Collector collector;
  OtlpOptions options = options_for(collector.url());
  options.headers = {{"x-tenant", "acme"}};
  OtlpTelemetry telemetry(std::move(options));
  telemetry.record(
      [] {
        Span span = example(1);
        span.context.state = "v=1";
        span.parent_id = "00f067aa0ba902b7";
        span.kind = SpanKind::client;
        span.failed = true;
        span.failure = "timeout";
        span.attributes = {{"text", "a"}, {"count", 7}, {"share", 0.5}, {"yes", true}};
        span.links = {example(9).context};
        return std::vector<Span>{span};
      },
      100);
  ASSERT_TRUE(collector.server().await_requests(1));
  TestRequest request = collector.server().requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v1/traces");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("x-tenant"), "acme");
  Value body = *parse_json(request.body);
  Value expected = *parse_json(R"({"traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
    "spanId":"0000000000000002","parentSpanId":"00f067aa0ba902b7","traceState":"v=1",
    "name":"step 1","kind":3,"flags":1,
    "startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000250000000",
    "attributes":[{"key":"text","value":{"stringValue":"a"}},
      {"key":"count","value":{"intValue":"7"}},{"key":"share","value":{"doubleValue":0.5}},
      {"key":"yes","value":{"boolValue":true}}],
    "links":[{"traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1","spanId":"000000000000000a"}],
    "status":{"code":2,"message":"timeout"}})");
  EXPECT_EQ(to_canonical_json(Collector::spans_in(body).at(0)), to_canonical_json(expected));
  Value resource = body.get("resourceSpans").items()[0].get("resource").get("attributes");
  EXPECT_EQ(to_json(resource),
            R"([{"key":"service.name","value":{"stringValue":"fermata"}},)"
            R"({"key":"service.version","value":{"stringValue":"1.2.3"}},)"
            R"({"key":"service.instance.id","value":{"stringValue":"host-7"}}])");
  EXPECT_TRUE(await([&] { return telemetry.counts().exported == 1; }));
}

TEST(Otlp, what_comes_together_is_sent_together) {
  Collector collector;
  OtlpOptions options = options_for(collector.url());
  options.interval_ms = 60'000;
  options.batch_spans_max = 50;
  OtlpTelemetry telemetry(std::move(options));
  for (int i = 0; i < 50; ++i) tell(telemetry, i);
  ASSERT_TRUE(collector.server().await_requests(1));
  EXPECT_EQ(collector.names().size(), 50u);
  EXPECT_EQ(collector.names().front(), "step 0");
}

TEST(Otlp, statuses_worth_another_try_get_one) {
  for (int status : {429, 502, 503, 504}) {
    TestReply busy;
    busy.status = status;
    Collector collector({busy, busy});
    OtlpTelemetry telemetry(options_for(collector.url()));
    tell(telemetry, 1);
    ASSERT_TRUE(await([&] { return telemetry.counts().exported == 1; })) << status;
    EXPECT_EQ(collector.server().requests().size(), 3u);
    EXPECT_EQ(telemetry.counts().failures, 2u);
    EXPECT_EQ(telemetry.counts().dropped, 0u);
  }
}

TEST(Otlp, waits_as_long_as_the_collector_asks) {
  TestReply busy;
  busy.status = 429;
  busy.headers = {{"Retry-After", "1"}};
  Collector collector({busy});
  OtlpTelemetry telemetry(options_for(collector.url()));
  auto began = SteadyClock::now();
  tell(telemetry, 1);
  ASSERT_TRUE(await([&] { return telemetry.counts().exported == 1; }));
  EXPECT_GE(SteadyClock::now() - began, std::chrono::seconds(1));
}

TEST(Otlp, other_refusals_are_final) {
  for (int status : {400, 401, 404, 500}) {
    TestReply refusal;
    refusal.status = status;
    Collector collector({refusal});
    OtlpTelemetry telemetry(options_for(collector.url()));
    tell(telemetry, 1);
    ASSERT_TRUE(await([&] { return telemetry.counts().dropped == 1; })) << status;
    EXPECT_EQ(collector.server().requests().size(), 1u);
  }
}

TEST(Otlp, spans_that_were_taken_only_in_part_are_counted) {
  TestReply partly;
  partly.body = R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}})";
  Collector collector({partly});
  OtlpOptions options = options_for(collector.url());
  options.batch_spans_max = 5;
  options.interval_ms = 60'000;
  OtlpTelemetry telemetry(std::move(options));
  for (int i = 0; i < 5; ++i) tell(telemetry, i);
  ASSERT_TRUE(await([&] { return telemetry.counts().exported == 3; }));
  EXPECT_EQ(telemetry.counts().dropped, 2u);
}

TEST(Otlp, collector_that_is_away_costs_spans_and_no_time) {
  std::string url;
  {
    url = Collector().url();
  }
  OtlpOptions options = options_for(url);
  options.tries_max = 3;
  std::vector<std::string> told;
  options.on_trouble = [&](const std::string& reason) { told.push_back(reason); };
  auto began = SteadyClock::now();
  {
    OtlpTelemetry telemetry(std::move(options));
    for (int i = 0; i < 10'000; ++i) tell(telemetry, i);
    EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(5));
    EXPECT_TRUE(await([&] { return telemetry.counts().dropped == 10'000; }));
    EXPECT_GE(telemetry.counts().failures, 3u);
    EXPECT_EQ(telemetry.counts().exported, 0u);
  }
  ASSERT_EQ(told.size(), 1u) << "told once, not for each request";
  EXPECT_NE(told[0], "");
}

TEST(Otlp, end_of_trouble_is_told) {
  TestReply busy;
  busy.status = 503;
  Collector collector({busy});
  OtlpOptions options = options_for(collector.url());
  std::mutex mutex;
  std::vector<std::string> told;
  options.on_trouble = [&](const std::string& reason) {
    std::lock_guard lock(mutex);
    told.push_back(reason);
  };
  OtlpTelemetry telemetry(std::move(options));
  tell(telemetry, 1);
  EXPECT_TRUE(await([&] {
    std::lock_guard lock(mutex);
    return told == std::vector<std::string>{"the collector answered 503", ""};
  }));
}

TEST(Otlp, queue_has_room_for_so_many_and_so_much) {
  TestReply slow;
  slow.hold_before = true;
  Collector collector({slow});
  OtlpOptions options = options_for(collector.url());
  options.queue_max = 10;
  options.queue_bytes_max = 5'000;
  options.batch_spans_max = 1;
  OtlpTelemetry telemetry(std::move(options));
  tell(telemetry, 0);
  ASSERT_TRUE(collector.server().await_requests(1));
  for (int i = 0; i < 30; ++i) tell(telemetry, i);
  EXPECT_EQ(telemetry.counts().queued, 10u);
  EXPECT_EQ(telemetry.counts().dropped, 20u);
  collector.server().release();
  ASSERT_TRUE(await([&] { return telemetry.counts().exported == 11; }));
  tell(telemetry, 1, 5'001);
  EXPECT_EQ(telemetry.counts().dropped, 21u);
}

TEST(Otlp, the_rest_is_delivered_at_the_end) {
  Collector collector;
  {
    OtlpOptions options = options_for(collector.url());
    options.interval_ms = 60'000;
    OtlpTelemetry telemetry(std::move(options));
    for (int i = 0; i < 1'200; ++i) tell(telemetry, i);
  }
  EXPECT_EQ(collector.names().size(), 1'200u);
}

TEST(Otlp, the_end_does_not_wait_for_a_collector_that_does_not_answer) {
  TestReply never;
  never.hold_before = true;
  Collector collector({never, never, never});
  auto telemetry = [&] {
    OtlpOptions options = options_for(collector.url());
    options.flush_ms = 50;
    return std::make_unique<OtlpTelemetry>(std::move(options));
  }();
  tell(*telemetry, 1);
  ASSERT_TRUE(collector.server().await_requests(1));
  auto began = SteadyClock::now();
  telemetry.reset();
  EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(5));
}

TEST(Otlp, endpoint_is_an_address_with_or_without_the_path) {
  EXPECT_EQ(*otlp_url("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/traces");
  EXPECT_EQ(*otlp_url("https://collector/"), "https://collector/v1/traces");
  EXPECT_EQ(*otlp_url("https://host/otel"), "https://host/otel/v1/traces");
  EXPECT_EQ(*otlp_url("https://host/otel/v1/traces"), "https://host/otel/v1/traces");
  for (const char* bad : {"", "localhost:4318", "ftp://host", "http://", "http:///x",
                          "http://host?x=1", "http://a b", "http://user:word@host"}) {
    auto url = otlp_url(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_EQ(url.error().code, ErrorCode::invalid_setting);
  }
}

TEST(Otlp, headers_are_pairs) {
  auto headers = otlp_headers("authorization=Basic abc=, x-tenant=7");
  ASSERT_TRUE(headers);
  EXPECT_EQ(*headers, (std::vector<std::pair<std::string, std::string>>{
                          {"authorization", "Basic abc="}, {"x-tenant", "7"}}));
  EXPECT_TRUE(otlp_headers("")->empty());
  for (const char* bad : {"secret", "=secret", "a b=secret", "a=sec\nret"}) {
    auto refused = otlp_headers(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().message.find("sec"), std::string::npos);
  }
}

}  // namespace
}  // namespace fermata
