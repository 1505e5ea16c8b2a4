#include "adapters/http/http_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "adapters/http/http_calls_fixture.h"
#include "base/hash.h"

namespace fermata {
namespace {

TestReply text(std::string body) {
  TestReply reply;
  reply.body = std::move(body);
  return reply;
}

constexpr std::string_view small_gzip =  // of {"packed":true}
    "H4sIAAAAAAACA6tWKkhMzk5NUbIqKSpNrQUAieC13A8AAAA=";
constexpr std::string_view bomb_gzip =  // of 200,000 zero bytes
    "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBcQA0DAA==";

std::string gzip(std::string_view base64) {
  std::string bytes;
  EXPECT_TRUE(unbase64(base64, bytes));
  return bytes;
}

class HttpCallsTest : public testing::Test {
 protected:
  TestCaller caller{TestCaller::policy("allow")};
};

// G-33
TEST_F(HttpCallsTest, a_request_arrives_as_written_and_its_response_comes_back) {
  HttpTestServer server([](const TestRequest&) {
    TestReply reply = text("made");
    reply.status = 201;
    reply.reason = "Created Here";
    reply.headers = {{"X-One", "1"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}};
    return reply;
  });
  CallRequest request = TestCaller::get(server.url("/things?x=1"));
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}, {"X-Mine", "yes"}};
  request.body = std::string("{\"a\":\0}", 7);
  const CallAnswer answer = caller.call(request);
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.status_text, "Created Here");
  EXPECT_EQ(answer.body, "made");
  EXPECT_EQ(header_of(answer, "x-one"), "1");
  EXPECT_EQ(std::count_if(answer.headers.begin(), answer.headers.end(),
                          [](const auto& header) { return header.first == "set-cookie"; }),
            2);
  EXPECT_GE(answer.duration_ms, 0);
  ASSERT_EQ(server.requests().size(), 1U);
  const TestRequest seen = server.requests()[0];
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/things?x=1");
  EXPECT_EQ(seen.body, request.body);
  EXPECT_EQ(seen.header("content-type"), "application/json");
  EXPECT_EQ(seen.header("x-mine"), "yes");
  EXPECT_TRUE(seen.has_header("x-empty"));
  EXPECT_FALSE(seen.has_header("expect"));
  EXPECT_FALSE(seen.has_header("cookie"));
}

TEST_F(HttpCallsTest, every_method_is_sent_with_the_framing_it_needs) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    if (seen.method == "HEAD") reply.raw = "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n";
    return reply;
  });
  for (const char* method :
       {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"}) {
    CallRequest request = TestCaller::get(server.url("/"));
    request.method = method;
    const CallAnswer answer = caller.call(request);
    EXPECT_EQ(answer.error + answer.message, "") << method;
    const TestRequest seen = server.requests().back();
    EXPECT_EQ(seen.method, method);
    EXPECT_FALSE(seen.has_header("content-type")) << method;
    const bool announces = request.method[0] == 'P';
    EXPECT_EQ(seen.header("content-length"), announces ? "0" : "") << method;
  }
  EXPECT_EQ(server.connections(), 1U);
}

// G-38
TEST_F(HttpCallsTest, a_status_of_failure_is_a_response) {
  HttpTestServer server([](const TestRequest&) {
    TestReply reply;
    reply.status = 500;
    reply.reason = "Oops";
    return reply;
  });
  const CallAnswer answer = caller.call(TestCaller::get(server.url("/")));
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.status, 500);
}

TEST_F(HttpCallsTest, an_answer_that_does_not_come_is_a_timeout) {
  HttpTestServer server([](const TestRequest&) {
    TestReply reply;
    reply.hold_before = true;
    return reply;
  });
  CallRequest request = TestCaller::get(server.url("/"));
  request.timeout_ms = 150;
  const CallAnswer answer = caller.call(request);
  EXPECT_EQ(answer.error, "timeout");
  EXPECT_EQ(answer.message, "No complete answer within 150 ms.");
  EXPECT_GE(answer.duration_ms, 150);
}

TEST_F(HttpCallsTest, the_timeout_covers_all_redirects_together) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply = TestReply::redirect(302, "/second");
    reply.hold_before = seen.target == "/second";
    return reply;
  });
  CallRequest request = TestCaller::get(server.url("/"));
  request.timeout_ms = 150;
  EXPECT_EQ(caller.call(request).error, "timeout");
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(HttpCallsTest, failures_of_the_connection_are_network_errors_with_a_message) {
  int closed_port = 0;
  {
    HttpTestServer gone([](const TestRequest&) { return TestReply(); });
    closed_port = gone.port();
  }
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.hang_up = true;
    if (seen.target == "/silent") reply.status = 0;
    if (seen.target == "/short") reply.raw = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
    if (seen.target == "/noise") reply.raw = "this is not HTTP at all\r\n\r\n";
    if (seen.target == "/packed")
      reply.raw = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc";
    return reply;
  });
  const std::string nobody = "http://127.0.0.1:" + std::to_string(closed_port) + "/";
  const std::string no_name = "http://" + std::string(64, 'a') + ".test/";
  for (const std::string& url : {nobody, no_name, server.url("/silent"), server.url("/short"),
                                 server.url("/noise"), server.url("/packed")}) {
    const CallAnswer answer = caller.call(TestCaller::get(url));
    EXPECT_EQ(answer.error, "network") << url;
    EXPECT_FALSE(answer.message.empty()) << url;
    EXPECT_EQ(answer.status, 0) << url;
  }
}

TEST_F(HttpCallsTest, what_cannot_be_written_as_a_request_is_an_invalid_parameter) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  std::vector<CallRequest> bad(5, TestCaller::get(server.url("/")));
  bad[0].headers = {{"X", "a\r\nHost: evil"}};
  bad[1].headers = {{"X\n", "a"}};
  bad[2].method = "GET /";
  bad[3].url = "127.0.0.1/no-scheme";
  bad[4].url = "ftp://127.0.0.1/";
  for (const CallRequest& request : bad) {
    const CallAnswer answer = caller.call(request);
    EXPECT_EQ(answer.error, "parameter_invalid") << request.url;
    EXPECT_TRUE(answer.message.starts_with("The request cannot be sent: ")) << answer.message;
  }
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpCallsTest, a_response_may_have_as_many_bytes_as_allowed_and_no_more) {
  HttpTestServer server([](const TestRequest& seen) {
    if (seen.target == "/fits") return text(std::string(1'000, 'x'));
    TestReply reply;
    // Neither ever ends: the answer must come from what is known so far.
    reply.hold_after = true;
    reply.raw = seen.target == "/announced" ? "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"
                                            : "HTTP/1.1 200 OK\r\n\r\n" + std::string(1'001, 'x');
    return reply;
  });
  CallRequest request = TestCaller::get(server.url("/fits"));
  request.response_bytes_max = 1'000;
  EXPECT_EQ(caller.call(request).body.size(), 1'000U);
  for (const char* path : {"/announced", "/streamed"}) {
    request.url = server.url(path);
    const CallAnswer answer = caller.call(request);
    EXPECT_EQ(answer.error, "response_too_large") << path;
    EXPECT_EQ(answer.message, "The response is larger than 1000 bytes.");
    EXPECT_EQ(answer.body, "");
  }
}

TEST_F(HttpCallsTest, packed_bodies_are_decoded_before_their_size_is_judged) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply = text(gzip(seen.target == "/small" ? small_gzip : bomb_gzip));
    reply.headers = {{"Content-Encoding", "gzip"}};
    return reply;
  });
  const CallAnswer small = caller.call(TestCaller::get(server.url("/small")));
  EXPECT_EQ(small.body, "{\"packed\":true}");
  EXPECT_NE(server.requests()[0].header("accept-encoding").find("gzip"), std::string::npos);
  CallRequest request = TestCaller::get(server.url("/bomb"));
  request.response_bytes_max = 200'000;
  EXPECT_EQ(caller.call(request).body.size(), 200'000U);
  request.response_bytes_max = 199'999;
  EXPECT_EQ(caller.call(request).error, "response_too_large");
}

TEST_F(HttpCallsTest, framing_headers_of_a_request_cannot_smuggle_another) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  CallRequest request = TestCaller::get(server.url("/outer"));
  request.method = "POST";
  request.body = "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n";
  request.headers = {{"Content-Length", "0"}, {"Transfer-Encoding", "chunked"}};
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/next"))).status, 200);
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].body, request.body);
  EXPECT_EQ(server.requests()[1].target, "/next");
}

// G-39
TEST_F(HttpCallsTest, only_safe_methods_are_sent_again_when_a_kept_connection_closes) {
  std::atomic<int> seen_count = 0;
  HttpTestServer server([&](const TestRequest&) {
    TestReply reply;
    // The second request meets a connection that closes without a word.
    if (++seen_count == 2) {
      reply.status = 0;
      reply.hang_up = true;
    }
    return reply;
  });
  CallRequest request = TestCaller::get(server.url("/"));
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_EQ(server.requests().size(), 3U);

  seen_count = 0;
  request.method = "POST";
  EXPECT_EQ(caller.call(request).status, 200);
  const CallAnswer answer = caller.call(request);
  EXPECT_EQ(answer.error, "network");
  EXPECT_EQ(answer.message, "The connection was closed before an answer came.");
  EXPECT_EQ(server.requests().size(), 5U);
}

}  // namespace
}  // namespace fermata
