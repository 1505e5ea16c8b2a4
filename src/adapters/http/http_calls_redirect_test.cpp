#include <gtest/gtest.h>

#include "adapters/http/http_calls_fixture.h"

namespace fermata {
namespace {

class HttpCallsRedirectTest : public testing::Test {
 protected:
  TestCaller caller{TestCaller::policy("allow")};
};

CallRequest post(std::string url) {
  CallRequest request = TestCaller::get(std::move(url));
  request.method = "POST";
  request.body = "payload";
  request.headers = {{"Content-Type", "text/plain"}, {"X-Plain", "p"}};
  return request;
}

// G-33
TEST_F(HttpCallsRedirectTest, are_followed_as_often_as_allowed_and_then_are_the_response) {
  HttpTestServer server([](const TestRequest& seen) {
    const int n = std::stoi(seen.target.substr(1));
    if (n == 5) return TestReply();
    return TestReply::redirect(302, "/" + std::to_string(n + 1));
  });
  CallRequest request = TestCaller::get(server.url("/0"));
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_EQ(server.requests().size(), 6U);
  request.follow_redirects = 4;
  const CallAnswer last = caller.call(request);
  EXPECT_EQ(last.error, "");
  EXPECT_EQ(last.status, 302);
  EXPECT_EQ(header_of(last, "location"), "/5");
  request.follow_redirects = 0;
  EXPECT_EQ(header_of(caller.call(request), "location"), "/1");
}

TEST_F(HttpCallsRedirectTest, without_a_location_or_a_known_status_are_the_response) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply = TestReply::redirect(304, "/elsewhere");
    if (seen.target == "/nowhere") {
      reply.status = 302;
      reply.headers.clear();
    }
    reply.raw = "HTTP/1.1 " + std::to_string(reply.status) + " Stay\r\n\r\n";
    reply.hang_up = true;
    return reply;
  });
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/nowhere"))).status, 302);
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/unchanged"))).status, 304);
}

TEST_F(HttpCallsRedirectTest, change_the_method_or_keep_it_with_the_body) {
  HttpTestServer server([](const TestRequest& seen) {
    if (seen.target == "/end") return TestReply();
    return TestReply::redirect(std::stoi(seen.target.substr(1)), "/end");
  });
  for (const int status : {301, 302, 303}) {
    EXPECT_EQ(caller.call(post(server.url("/" + std::to_string(status)))).status, 200);
    const TestRequest seen = server.requests().back();
    EXPECT_EQ(seen.method, "GET") << status;
    EXPECT_EQ(seen.body, "") << status;
    EXPECT_FALSE(seen.has_header("content-type")) << status;
    EXPECT_EQ(seen.header("x-plain"), "p") << status;
  }
  for (const int status : {307, 308}) {
    EXPECT_EQ(caller.call(post(server.url("/" + std::to_string(status)))).status, 200);
    const TestRequest seen = server.requests().back();
    EXPECT_EQ(seen.method, "POST") << status;
    EXPECT_EQ(seen.body, "payload") << status;
    EXPECT_EQ(seen.header("content-type"), "text/plain") << status;
  }
}

TEST_F(HttpCallsRedirectTest, do_not_carry_secrets_to_another_host) {
  HttpTestServer other([](const TestRequest&) { return TestReply(); });
  HttpTestServer first([&](const TestRequest& seen) {
    if (seen.target == "/start") return TestReply::redirect(307, "/same");
    return TestReply::redirect(307, other.url("/end"));
  });
  CallRequest request = post(first.url("/start"));
  request.headers.insert(request.headers.end(),
                         {{"Authorization", "Bearer t"}, {"Cookie", "c=1"}, {"X-Api-Key", "k"}});
  EXPECT_EQ(caller.call(request).status, 200);
  ASSERT_EQ(first.requests().size(), 2U);
  EXPECT_EQ(first.requests()[1].header("authorization"), "Bearer t");
  EXPECT_EQ(first.requests()[1].header("x-api-key"), "k");
  ASSERT_EQ(other.requests().size(), 1U);
  const TestRequest seen = other.requests()[0];
  for (const char* secret : {"authorization", "cookie", "x-api-key"})
    EXPECT_FALSE(seen.has_header(secret)) << secret;
  EXPECT_EQ(seen.header("x-plain"), "p");
  EXPECT_EQ(seen.body, "payload");
}

TEST_F(HttpCallsRedirectTest, a_login_in_the_address_stays_with_its_host) {
  HttpTestServer other([](const TestRequest&) { return TestReply(); });
  HttpTestServer first(
      [&](const TestRequest&) { return TestReply::redirect(302, other.url("/end")); });
  CallRequest request = TestCaller::get(first.url("/", "user:pass@127.0.0.1"));
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_TRUE(first.requests()[0].has_header("authorization"));
  EXPECT_FALSE(other.requests()[0].has_header("authorization"));
}

TEST_F(HttpCallsRedirectTest, to_an_address_that_cannot_be_read_are_network_errors) {
  HttpTestServer server(
      [](const TestRequest&) { return TestReply::redirect(302, "http://h:99999/"); });
  const CallAnswer answer = caller.call(TestCaller::get(server.url("/")));
  EXPECT_EQ(answer.error, "network");
  EXPECT_TRUE(answer.message.starts_with("The redirect cannot be followed: ")) << answer.message;
}

}  // namespace
}  // namespace fermata
