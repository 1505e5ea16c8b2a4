#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "adapters/http/http_test_server.h"
#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";

std::string traceparent(const std::string& flags) {
  return "00-" + trace_id + "-00f067aa0ba902b7-" + flags;
}

std::map<std::string, Value> by_name(const HttpTestServer& collector) {
  std::map<std::string, Value> spans;
  for (const TestRequest& request : collector.requests()) {
    auto body = parse_json(request.body);
    EXPECT_TRUE(body) << request.body;
    for (const Value& resource : body->get("resourceSpans").items())
      for (const Value& scope : resource.get("scopeSpans").items())
        for (const Value& span : scope.get("spans").items())
          spans[std::string(span.get("name").as_string())] = span;
  }
  return spans;
}

bool await(const std::function<bool()>& holds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// A workflow that calls `url`, then logs a line.
std::string calling_workflow(const Scratch& scratch, const std::string& url) {
  std::string file = scratch.path("calling.json");
  std::ofstream(file) << R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"call","type":"http","parameters":{"url":")" +
                             url + R"("}},
    {"id":"say","type":"log","parameters":{"message":"called","level":"info"}}],
    "edges":[{"id":"1","src":"t","dst":"call"},{"id":"2","src":"call","dst":"say"}]})";
  return file;
}

/// Stores the workflow by a first run, which is over afterwards: what comes next is the second's.
void start_and_wait(const ServeProcess& server, const std::string& workflow) {
  EXPECT_EQ(server.command({"start", workflow, "--wait", "30s"}).exit, 0);
}

/// One request over the wire with a header of its own; the answer as it came.
std::string post(const std::string& server_url, const std::string& path,
                 const std::string& header) {
  int port = std::stoi(server_url.substr(server_url.rfind(':') + 1));
  int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::string text = "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
                     header + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(send(file, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = recv(file, buffer, sizeof buffer, 0)) > 0;)
    answer.append(buffer, static_cast<size_t>(got));
  close(file);
  return answer;
}

// A-33: from the request that starts a run to the call that it makes, one trace.
TEST(Tracing, request_run_step_and_call_arrive_at_the_collector) {
  HttpTestServer collector([](const TestRequest&) {
    TestReply reply;
    reply.body = "{}";
    return reply;
  });
  HttpTestServer callee([](const TestRequest&) { return TestReply{}; });
  Scratch scratch;
  ServeProcess server({"--store", "memory", "--log", "json", "--otlp", collector.url("")});
  start_and_wait(server, calling_workflow(scratch, callee.url("/a?secret=1")));
  std::string answer = post(server.url(), "/api/v1/workflows/calling/executions?wait=30s",
                            "traceparent: " + traceparent("01"));
  ASSERT_TRUE(callee.await_requests(2));
  EXPECT_EQ(server.stop(), 0);

  std::map<std::string, Value> spans = by_name(collector);
  std::string start = "POST /api/v1/workflows/{workflow_id}/executions";
  for (const std::string& name : {start, std::string("run calling"), std::string("node call"),
                                  std::string("GET"), std::string("node say")})
    ASSERT_TRUE(spans.contains(name)) << name;
  EXPECT_EQ(spans[start].get("traceId"), Value(trace_id)) << answer;
  EXPECT_EQ(spans[start].get("parentSpanId"), Value("00f067aa0ba902b7"));
  EXPECT_EQ(spans["run calling"].get("parentSpanId"), spans[start].get("spanId"));
  EXPECT_EQ(spans["node call"].get("parentSpanId"), spans["run calling"].get("spanId"));
  EXPECT_EQ(spans["GET"].get("parentSpanId"), spans["node call"].get("spanId"));
  EXPECT_EQ(spans["GET"].get("kind"), Value(3));
  std::string seen = callee.requests().back().header("traceparent");
  EXPECT_EQ(seen,
            "00-" + trace_id + "-" + std::string(spans["GET"].get("spanId").as_string()) + "-01");
  for (const TestRequest& request : collector.requests())
    EXPECT_EQ(request.body.find("secret"), std::string::npos) << "no query is told";
  EXPECT_NE(server.log().find("\"trace_id\":\"" + trace_id), std::string::npos) << server.log();
}

TEST(Tracing, without_a_collector_the_senders_trace_is_passed_on_as_it_came) {
  HttpTestServer callee([](const TestRequest&) { return TestReply{}; });
  Scratch scratch;
  ServeProcess server({"--store", "memory"});
  start_and_wait(server, calling_workflow(scratch, callee.url("/a")));
  post(server.url(), "/api/v1/workflows/calling/executions?wait=30s",
       "traceparent: " + traceparent("00"));
  ASSERT_TRUE(callee.await_requests(2));
  EXPECT_EQ(callee.requests().back().header("traceparent"), traceparent("00"));
}

TEST(Tracing, collector_that_is_away_is_told_once_and_holds_nothing_up) {
  std::string url;
  {
    HttpTestServer gone([](const TestRequest&) { return TestReply{}; });
    url = gone.url("");
  }
  ServeProcess server({"--store", "memory", "--otlp", url});
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(server.command({"start", "examples/hello.json", "--wait", "10s"}).exit, 0);
  EXPECT_TRUE(await([&] {
    return server.log().find("cannot be delivered to the collector") != std::string::npos;
  }));
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(server.stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  std::string log = server.log();
  EXPECT_EQ(log.find("cannot be delivered"), log.rfind("cannot be delivered")) << log;
}

TEST(Tracing, address_that_is_none_is_refused_at_the_start) {
  Finished refused = fermata({"serve", "--store", "memory", "--otlp", "collector:4318"});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_NE(refused.err.find("otlp"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace fermata::test
