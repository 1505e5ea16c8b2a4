#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/http/http_calls_fixture.h"

namespace fermata {
namespace {

TestReply fine(const TestRequest&) { return {}; }

// G-40, scenario row 34
TEST(HttpCallsGuard, a_loopback_address_is_refused_in_every_spelling_without_a_connection) {
  HttpTestServer server(fine);
  TestCaller caller;
  for (const char* host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "017700000001",
                           "[::ffff:127.0.0.1]", "LOCALHOST"}) {
    const CallAnswer answer = caller.call(TestCaller::get(server.url("/", host)));
    EXPECT_EQ(answer.error, "address_forbidden") << host << ": " << answer.message;
    EXPECT_EQ(answer.message, "The address is not allowed: loopback.") << host;
    EXPECT_EQ(answer.status, 0) << host;
  }
  EXPECT_EQ(server.connections(), 0U);
}

// W-75: what an account allows its callbacks.
TEST(HttpCallsGuard, request_may_reach_networks_of_its_own) {
  HttpTestServer server(fine);
  TestCaller caller;
  CallRequest request = TestCaller::get(server.url("/", "127.0.0.1"));
  request.allowed_networks = {"10.1.0.0/16", "127.0.0.0/8"};
  EXPECT_EQ(caller.call(request).status, 200);
  request.allowed_networks = {"10.1.0.0/16", "no network"};
  EXPECT_EQ(caller.call(request).error, "address_forbidden");
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/", "127.0.0.1"))).error, "address_forbidden")
      << "what one may reach is no permission for the next";
}

TEST(HttpCallsGuard, the_refusal_names_the_class_and_nothing_more) {
  TestCaller caller;
  const std::pair<const char*, const char*> cases[] = {{"http://0.0.0.0/", "unspecified"},
                                                       {"http://[::1]/", "loopback"},
                                                       {"http://10.0.0.1/", "private"},
                                                       {"http://169.254.169.254/", "metadata"},
                                                       {"http://[fd00:ec2::254]/", "metadata"},
                                                       {"http://[64:ff9b::a00:1]/", "private"},
                                                       {"http://255.255.255.255/", "broadcast"},
                                                       {"https://224.0.0.1/", "multicast"},
                                                       {"http://100.64.0.1/", "carrier-grade NAT"}};
  for (const auto& [url, kind] : cases) {
    const CallAnswer answer = caller.call(TestCaller::get(url));
    EXPECT_EQ(answer.error, "address_forbidden") << url;
    EXPECT_EQ(answer.message, "The address is not allowed: " + std::string(kind) + ".");
  }
}

// G-40, scenario row 34
TEST(HttpCallsGuard, a_name_is_judged_by_the_address_it_resolves_to) {
  HttpTestServer server(fine);
  const std::string port = std::to_string(server.port());
  HttpCallsOptions options = TestCaller::policy("127.0.0.1/32");
  options.resolve = {"inside.test:80:10.0.0.1", "near.test:" + port + ":127.0.0.1",
                     "both.test:" + port + ":127.0.0.2,127.0.0.1"};
  TestCaller caller(std::move(options));
  const CallAnswer inside = caller.call(TestCaller::get("http://inside.test/"));
  EXPECT_EQ(inside.error, "address_forbidden");
  EXPECT_EQ(inside.message, "The address is not allowed: private.");
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/", "near.test"))).status, 200);
  // Of several addresses only those allowed are tried.
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/", "both.test"))).status, 200);
}

// G-40, scenario row 34
TEST(HttpCallsGuard, a_redirect_to_a_forbidden_address_makes_no_connection) {
  HttpTestServer hidden(fine, {.address = "127.0.0.2"});
  HttpTestServer server([&](const TestRequest& seen) {
    if (seen.target == "/metadata") return TestReply::redirect(302, "http://169.254.169.254/x");
    if (seen.target == "/hidden") return TestReply::redirect(307, hidden.url("/"));
    return TestReply::redirect(302, "ftp://127.0.0.1/");
  });
  TestCaller caller(TestCaller::policy("127.0.0.1/32"));
  const CallAnswer metadata = caller.call(TestCaller::get(server.url("/metadata")));
  EXPECT_EQ(metadata.error, "address_forbidden");
  EXPECT_EQ(metadata.message, "The address is not allowed: metadata.");
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/hidden"))).error, "address_forbidden");
  EXPECT_EQ(caller.call(TestCaller::get(server.url("/scheme"))).error, "address_forbidden");
  EXPECT_EQ(hidden.connections(), 0U);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpCallsGuard, a_list_of_ranges_opens_only_those) {
  HttpTestServer near(fine);
  HttpTestServer far(fine, {.address = "127.0.3.1"});
  TestCaller caller(TestCaller::policy("127.0.0.0/24"));
  EXPECT_EQ(caller.call(TestCaller::get(near.url("/"))).status, 200);
  EXPECT_EQ(caller.call(TestCaller::get(near.url("/", "[::ffff:127.0.0.1]"))).status, 200);
  EXPECT_EQ(caller.call(TestCaller::get(far.url("/"))).error, "address_forbidden");
  EXPECT_EQ(far.connections(), 0U);
}

TEST(HttpCallsGuard, an_address_that_is_allowed_and_closed_is_a_network_error) {
  TestCaller caller([] {
    HttpCallsOptions options = TestCaller::policy("127.0.0.1/32");
    options.resolve = {"both.test:1:127.0.0.2,127.0.0.1"};
    return options;
  }());
  EXPECT_EQ(caller.call(TestCaller::get("http://both.test:1/")).error, "network");
}

TEST(HttpCallsGuard, a_proxy_of_the_environment_is_not_used) {
  HttpTestServer proxy(fine);
  HttpTestServer server(fine);
  setenv("http_proxy", proxy.url("").c_str(), 1);
  setenv("all_proxy", proxy.url("").c_str(), 1);
  {
    TestCaller caller(TestCaller::policy("allow"));
    EXPECT_EQ(caller.call(TestCaller::get(server.url("/"))).status, 200);
  }
  unsetenv("http_proxy");
  unsetenv("all_proxy");
  EXPECT_EQ(proxy.connections(), 0U);
}

TEST(HttpCallsGuard, cookies_are_not_kept) {
  HttpTestServer server([](const TestRequest&) {
    TestReply reply;
    reply.headers = {{"Set-Cookie", "session=1"}};
    return reply;
  });
  TestCaller caller(TestCaller::policy("allow"));
  caller.call(TestCaller::get(server.url("/")));
  caller.call(TestCaller::get(server.url("/")));
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_FALSE(server.requests()[1].has_header("cookie"));
  EXPECT_EQ(server.connections(), 1U);
}

// G-33
TEST(HttpCallsTls, a_certificate_nobody_vouches_for_is_refused_unless_ignored) {
  HttpTestServer server(
      [](const TestRequest&) {
        TestReply reply;
        reply.body = "secure";
        return reply;
      },
      {.address = "127.0.0.1", .tls = true});
  TestCaller caller(TestCaller::policy("allow"));
  CallRequest request = TestCaller::get(server.url("/", "localhost"));
  const CallAnswer refused = caller.call(request);
  EXPECT_EQ(refused.error, "network");
  EXPECT_NE(refused.message.find("certificate"), std::string::npos) << refused.message;
  EXPECT_EQ(server.requests().size(), 0U);
  request.ignore_ssl = true;
  EXPECT_EQ(caller.call(request).body, "secure");
  // A connection that was opened without a check must not serve a request that asks for one.
  request.ignore_ssl = false;
  EXPECT_EQ(caller.call(request).error, "network");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpCallsTls, speaking_plainly_to_a_server_of_tls_is_a_network_error) {
  HttpTestServer server(fine, {.address = "127.0.0.1", .tls = true});
  TestCaller caller(TestCaller::policy("allow"));
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  EXPECT_EQ(caller.call(TestCaller::get(url)).error, "network");
}

}  // namespace
}  // namespace fermata
