#include <gtest/gtest.h>

#include <atomic>

#include "adapters/http/http_calls_fixture.h"

namespace fermata {
namespace {

using Found = Result<CallSecrets, SecretsRefusal>;

/// A caller whose credentials all stand for the same secrets.
HttpCallsOptions options_with(CallSecrets secrets) {
  HttpCallsOptions options = TestCaller::policy("allow");
  options.find_secrets = [secrets](const AccountId&, const Value&) -> Found { return secrets; };
  return options;
}

CallRequest with_credential(std::string url, const char* id = "x") {
  CallRequest request = TestCaller::get(std::move(url));
  request.credentials = Value::object({{"id", id}});
  return request;
}

TEST(HttpCallsCredentials, are_looked_up_at_use_and_written_headers_win) {  // G-4, G-38
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  HttpCallsOptions options = TestCaller::policy("allow");
  options.find_secrets = [](const AccountId& account, const Value& wanted) -> Found {
    if (account != AccountId("a") || wanted.get("id") != Value("known"))
      return Failure{SecretsRefusal{"credential_missing", "There is none."}};
    return CallSecrets{{{"Authorization", "Bearer t"}, {"X-Mine", "from credential"}}, {}, {}};
  };
  TestCaller caller(std::move(options));
  CallRequest request = with_credential(server.url("/"), "known");
  request.headers = {{"x-mine", "written"}};
  EXPECT_EQ(caller.call(request).status, 200);
  EXPECT_EQ(server.requests()[0].header("authorization"), "Bearer t");
  EXPECT_EQ(server.requests()[0].header("x-mine"), "written");
  CallAnswer refused = caller.call(with_credential(server.url("/"), "unknown"));
  EXPECT_EQ(refused.error, "credential_missing");
  EXPECT_EQ(refused.message, "There is none.");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpCallsCredentials, without_a_lookup_are_missing) {
  TestCaller caller;
  EXPECT_EQ(caller.call(with_credential("http://127.0.0.1:1/")).error, "credential_missing");
}

TEST(HttpCallsCredentials, count_as_they_are_when_the_call_leaves_the_queue) {  // G-4
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.hold_before = seen.target == "/first";
    return reply;
  });
  std::atomic<int> revision{1};
  HttpCallsOptions options = TestCaller::policy("allow");
  options.in_flight_per_account_max = 1;
  options.find_secrets = [&revision](const AccountId&, const Value& wanted) -> Found {
    if (revision == 2 && wanted.get("id") == Value("revoked"))
      return Failure{SecretsRefusal{"credential_missing", "The credential is revoked."}};
    return CallSecrets{{{"X-Key", "v" + std::to_string(revision)}}, {}, {}};
  };
  TestCaller caller(std::move(options));
  caller.calls.submit(TestCaller::ticket(1), with_credential(server.url("/first")));
  caller.calls.submit(TestCaller::ticket(2), with_credential(server.url("/second"), "revoked"));
  caller.calls.submit(TestCaller::ticket(3), with_credential(server.url("/third")));
  ASSERT_TRUE(server.await_requests(1));
  revision = 2;
  server.release();
  ASSERT_TRUE(caller.await(3));
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].header("x-key"), "v1");
  EXPECT_EQ(server.requests()[1].target, "/third");
  EXPECT_EQ(server.requests()[1].header("x-key"), "v2");
  for (const CallAnswer& answer : caller.answers)
    EXPECT_EQ(answer.error, answer.ticket.token == 2 ? "credential_missing" : "");
}

TEST(HttpCallsCredentials, may_be_parameters_of_the_address) {  // G-38
  HttpTestServer server([](const TestRequest& seen) {
    if (seen.target.starts_with("/moved")) return TestReply::redirect(302, "/here?x=1");
    return TestReply();
  });
  TestCaller caller(options_with({{}, {{"key", "a b"}}, {}}));
  EXPECT_EQ(caller.call(with_credential(server.url("/?q=1"))).status, 200);
  EXPECT_EQ(server.requests()[0].target, "/?q=1&key=a%20b");
  EXPECT_EQ(caller.call(with_credential(server.url("/moved"))).status, 200);
  EXPECT_EQ(server.requests()[2].target, "/here?x=1&key=a%20b");
}

TEST(HttpCallsCredentials, do_not_follow_a_redirect_to_another_host_whatever_their_name) {  // A-13
  HttpTestServer other([](const TestRequest&) { return TestReply(); });
  HttpTestServer first([&](const TestRequest& seen) {
    // The server sends the whole query along, secret included.
    return TestReply::redirect(302, other.url("/end" + seen.target.substr(1)));
  });
  TestCaller caller(options_with({{{"X-Harmless", "s"}}, {{"key", "s3cret"}}, {}}));
  EXPECT_EQ(caller.call(with_credential(first.url("/?q=1"))).status, 200);
  EXPECT_EQ(first.requests()[0].header("x-harmless"), "s");
  EXPECT_EQ(first.requests()[0].target, "/?q=1&key=s3cret");
  EXPECT_FALSE(other.requests()[0].has_header("x-harmless"));
  EXPECT_EQ(other.requests()[0].target, "/end?q=1");
}

TEST(HttpCallsCredentials, that_an_answer_repeats_are_not_in_it) {  // A-13
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.reason = "s3cret-token";
    reply.headers = {{"X-Echo", seen.header("authorization")}, {"Location", "/?t=s3cret-token"}};
    reply.body = "{\"authorization\":\"" + seen.header("authorization") + "\"}";
    return reply;
  });
  TestCaller caller(
      options_with({{{"Authorization", "Bearer s3cret-token"}}, {}, {"s3cret-token"}}));
  CallAnswer answer = caller.call(with_credential(server.url("/")));
  EXPECT_EQ(server.requests()[0].header("authorization"), "Bearer s3cret-token");
  EXPECT_EQ(answer.body, R"({"authorization":"Bearer ***"})");
  EXPECT_EQ(header_of(answer, "x-echo"), "Bearer ***");
  EXPECT_EQ(header_of(answer, "location"), "/?t=***");
  EXPECT_EQ(answer.status_text, "***");
}

TEST(HttpCallsCredentials, the_longest_secret_is_hidden_first) {
  HttpTestServer server([](const TestRequest&) {
    TestReply reply;
    reply.body = "secret-and-more secret";
    return reply;
  });
  TestCaller caller(options_with({{}, {}, {"secret", "secret-and-more"}}));
  EXPECT_EQ(caller.call(with_credential(server.url("/"))).body, "*** ***");
}

TEST(HttpCallsCredentials, that_cannot_be_written_as_a_request_are_told_without_their_value) {
  TestCaller caller(options_with({{{"X-Key", "s3cret\r\nX-Other: 1"}}, {}, {}}));
  CallAnswer answer = caller.call(with_credential("http://127.0.0.1:1/"));
  EXPECT_EQ(answer.error, "parameter_invalid");
  EXPECT_EQ(answer.message.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace fermata
