#include "adapters/http/request_rules.h"

#include <gtest/gtest.h>

#include "adapters/http/web_url.h"

namespace fermata::http {
namespace {

CallRequest with_header(std::string name, std::string value) {
  CallRequest request;
  request.headers = {{std::move(name), std::move(value)}};
  return request;
}

TEST(request_rules, a_header_that_would_break_the_request_is_a_mistake) {
  EXPECT_FALSE(mistake_in(with_header("X-Fine", "a value, with: everything")));
  EXPECT_TRUE(mistake_in(with_header("X", "a\r\nEvil: 1")));
  EXPECT_TRUE(mistake_in(with_header("X", "a\nb")));
  EXPECT_TRUE(mistake_in(with_header("X", std::string("a\0b", 3))));
  EXPECT_TRUE(mistake_in(with_header("X\r\nEvil", "1")));
  EXPECT_TRUE(mistake_in(with_header("X Y", "1")));
  EXPECT_TRUE(mistake_in(with_header("X:", "1")));
  EXPECT_TRUE(mistake_in(with_header("", "1")));
  EXPECT_TRUE(mistake_in(with_header("X", std::string(request_header_bytes_max, 'x'))));
}

TEST(request_rules, a_mistake_never_repeats_a_value) {
  const auto mistake = mistake_in(with_header("X-Token", "secret\n"));
  ASSERT_TRUE(mistake);
  EXPECT_NE(mistake->find("X-Token"), std::string::npos);
  EXPECT_EQ(mistake->find("secret"), std::string::npos);
}

TEST(request_rules, a_method_is_a_token_and_no_tunnel) {
  CallRequest request;
  for (const char* bad : {"", "GE T", "GET\r\n", "CONNECT", "connect"}) {
    request.method = bad;
    EXPECT_TRUE(mistake_in(request)) << bad;
  }
  request.method = std::string(method_bytes_max + 1, 'A');
  EXPECT_TRUE(mistake_in(request));
  request.method = "PROPFIND";
  EXPECT_FALSE(mistake_in(request));
}

TEST(request_rules, framing_headers_are_left_out) {
  const Headers kept = without_framing(
      {{"Content-LENGTH", "1"}, {"Transfer-Encoding", "chunked"}, {"Connection", "x"}, {"A", "b"}});
  EXPECT_EQ(kept, (Headers{{"A", "b"}}));
}

// G-33
TEST(request_rules, redirects_change_the_method_as_browsers_do) {
  for (const int status : {301, 302}) {
    EXPECT_EQ(method_after(status, "POST"), "GET");
    EXPECT_EQ(method_after(status, "PUT"), "PUT");
    EXPECT_EQ(method_after(status, "HEAD"), "HEAD");
  }
  EXPECT_EQ(method_after(303, "POST"), "GET");
  EXPECT_EQ(method_after(303, "DELETE"), "GET");
  EXPECT_EQ(method_after(303, "HEAD"), "HEAD");
  EXPECT_EQ(method_after(307, "POST"), "POST");
  EXPECT_EQ(method_after(308, "POST"), "POST");
  EXPECT_FALSE(is_redirect(300));
  EXPECT_FALSE(is_redirect(304));
}

TEST(request_rules, secrets_stay_with_the_origin_they_were_written_for) {
  const Headers all{{"Authorization", "1"},   {"COOKIE", "2"},  {"X-Api-Key", "3"},
                    {"X-Mine", "4"},          {"Host", "5"},    {"Idempotency-Key", "6"},
                    {"X-CSRF-Token", "7"},    {"Accept", "8"},  {"traceparent", "9"},
                    {"Content-Type", "text"}, {"X-Other", "10"}};
  const Headers away = headers_after(all, {.leaves_origin = true, .drops_body = false}, {"x-mine"});
  EXPECT_EQ(away, (Headers{{"Idempotency-Key", "6"},
                           {"Accept", "8"},
                           {"traceparent", "9"},
                           {"Content-Type", "text"},
                           {"X-Other", "10"}}));
  EXPECT_EQ(headers_after(all, {}, {"x-mine"}), all);
}

TEST(request_rules, what_describes_a_body_leaves_with_it) {
  const Headers kept = headers_after({{"Content-Type", "a"}, {"content-language", "b"}, {"C", "d"}},
                                     {.leaves_origin = false, .drops_body = true}, {});
  EXPECT_EQ(kept, (Headers{{"C", "d"}}));
}

TEST(web_url, an_absolute_http_address_is_read_with_its_origin) {
  const auto url = parse_url("HTTP://Example.COM/a/../b?q=1#part");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin, "http://example.com:80");
  EXPECT_EQ(parse_url("https://example.com")->origin, "https://example.com:443");
  EXPECT_EQ(parse_url("https://example.com:8443/")->origin, "https://example.com:8443");
  EXPECT_EQ(parse_url("http://h/gr\xC3\xBC\xC3\x9F")->text, "http://h/gr%c3%bc%c3%9f");
}

TEST(web_url, malformed_addresses_are_mistakes_that_do_not_repeat_them) {
  for (const char* bad : {"", "example.com", "/path", "http://", "http://user@", "http://a b/",
                          "http://h/a\r\nX: 1", "http://h:99999/", "http://[::1", "//h/"}) {
    const auto url = parse_url(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_FALSE(url.error().is_scheme) << bad;
  }
  const auto url = parse_url("http://user:hunter2@h:99999/");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message.find("hunter2"), std::string::npos);
}

// G-40
TEST(web_url, only_http_and_https_are_web_addresses) {
  for (const char* other : {"ftp://h/", "gopher://h/", "dict://h:1/", "ldap://h/"}) {
    const auto url = parse_url(other);
    ASSERT_FALSE(url) << other;
    EXPECT_TRUE(url.error().is_scheme) << other;
  }
  EXPECT_FALSE(parse_url("file:///etc/passwd"));
  EXPECT_FALSE(resolve_location(*parse_url("http://h/"), "file:///etc/passwd"));
}

TEST(web_url, a_location_is_resolved_against_its_base) {
  const auto base = parse_url("https://h:8443/a/b?c");
  ASSERT_TRUE(base);
  EXPECT_EQ(resolve_location(*base, "/x y")->text, "https://h:8443/x%20y");
  EXPECT_EQ(resolve_location(*base, "d?e")->text, "https://h:8443/a/d?e");
  EXPECT_EQ(resolve_location(*base, "//other/z")->origin, "https://other:443");
  EXPECT_EQ(resolve_location(*base, "http://h/")->origin, "http://h:80");
  const auto script = resolve_location(*base, "javascript:alert(1)");
  EXPECT_TRUE(!script || script->origin == base->origin);
}

}  // namespace
}  // namespace fermata::http
