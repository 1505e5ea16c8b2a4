#include "server/sessions.h"

#include <gtest/gtest.h>

#include "server/http/parser.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

void with_keys(ApiOptions& options) { options.access.mode = AccessMode::keys; }

/// A browser that has signed in.
struct Browser {
  TestWorld world{with_keys};
  std::string key;
  std::string cookie;
  std::string csrf;

  explicit Browser(Role role) : key(world.add_key(role)) {
    auto answer = world.ask("POST", "/api/v1/session", "{\"key\":\"" + key + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::string set = answer.headers["set-cookie"];
    EXPECT_NE(set.find("HttpOnly; SameSite=Strict"), set.npos);
    EXPECT_EQ(answer.text.find(key), answer.text.npos);
    EXPECT_EQ(set.find(key), set.npos);
    cookie = "Cookie: other=1; " + set.substr(0, set.find(';')) + "\r\n";
    csrf = "X-CSRF-Token: " + std::string(answer.body.get("csrf").as_string()) + "\r\n";
  }
  std::string origin() const { return "Origin: http://127.0.0.1\r\n"; }
};

TEST(Sessions, a_key_is_exchanged_for_a_cookie) {  // U-50
  Browser browser(Role::editor);
  auto who = browser.world.ask("GET", "/api/v1/session", "", browser.cookie);
  EXPECT_EQ(who.status, 200);
  EXPECT_EQ(who.body.get("role").as_string(), "editor");
  EXPECT_EQ(browser.world.ask("GET", "/api/v1/session").status, 401);
  EXPECT_EQ(browser.world.ask("GET", "/api/v1/executions", "", browser.cookie).status, 200);
  EXPECT_EQ(browser.world.ask("GET", "/api/v1/keys", "", browser.cookie).status, 403);
}

TEST(Sessions, a_wrong_key_and_a_workers_key_do_not_sign_in) {  // U-50, U-75
  TestWorld world(with_keys);
  EXPECT_EQ(world.ask("POST", "/api/v1/session", R"({"key":"fk_no"})").status, 401);
  EXPECT_EQ(world.ask("POST", "/api/v1/session", R"({"key":7})").status, 422);
  EXPECT_EQ(world.ask("POST", "/api/v1/session", R"({})").status, 422);
  std::string body = "{\"key\":\"" + world.add_key(Role::worker) + "\"}";
  EXPECT_EQ(world.ask("POST", "/api/v1/session", body).status, 403);
  body = "{\"key\":\"" + world.add_key(Role::viewer) + "\"}";
  EXPECT_EQ(world.ask("POST", "/api/v1/session", body, "Origin: http://evil.example\r\n").code(),
            "origin_forbidden");
}

TEST(Sessions, a_write_needs_the_csrf_text_and_the_servers_origin) {  // U-75
  Browser browser(Role::editor);
  auto put = [&](const std::string& headers) {
    return browser.world.ask("PUT", "/api/v1/workflows/w", instant_workflow,
                             browser.cookie + headers);
  };
  EXPECT_EQ(put("").code(), "origin_forbidden");
  EXPECT_EQ(put(browser.csrf).code(), "origin_forbidden");
  EXPECT_EQ(put(browser.origin()).code(), "origin_forbidden");
  EXPECT_EQ(put("X-CSRF-Token: x\r\n" + browser.origin()).code(), "origin_forbidden");
  EXPECT_EQ(put(browser.csrf + "Origin: http://evil.example\r\n").code(), "origin_forbidden");
  EXPECT_EQ(put(browser.csrf + browser.origin()).status, 201);
}

TEST(Sessions, end_when_signed_out_and_when_the_key_is_revoked) {  // U-50
  Browser browser(Role::root);
  std::string write = browser.cookie + browser.csrf + browser.origin();
  auto out = browser.world.ask("DELETE", "/api/v1/session", "", write);
  EXPECT_EQ(out.status, 204);
  EXPECT_NE(out.headers["set-cookie"].find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(browser.world.ask("GET", "/api/v1/session", "", browser.cookie).status, 401);

  Browser other(Role::root);
  std::string id = other.key.substr(0, 19);
  auto revoked = other.world.ask("DELETE", "/api/v1/keys/" + id, "",
                                 other.cookie + other.csrf + other.origin());
  EXPECT_EQ(revoked.status, 204);
  EXPECT_EQ(other.world.ask("GET", "/api/v1/session", "", other.cookie).status, 401);
}

TEST(Sessions, end_after_twelve_idle_hours) {  // U-50
  TestWorld world(with_keys);
  Sessions sessions(world.api().catalog());
  auto now = std::chrono::steady_clock::now();
  std::string id = world.add_key(Role::viewer).substr(0, 19);
  auto opened = sessions.open({default_account, Role::viewer, id}, now);
  http::Request request;
  http::ParserLimits limits;
  http::RequestParser parser(limits);
  parser.feed("GET /api/v1/session HTTP/1.1\r\nHost: a:80\r\nCookie: fermata_session_80=" +
                  opened.token + "\r\n\r\n",
              request);
  ASSERT_TRUE(Sessions::presented(request));
  auto later = [&](std::chrono::hours hours) {
    now += hours;
    return bool(sessions.authenticate(request, world.api().now(), now));
  };
  EXPECT_TRUE(later(std::chrono::hours(11)));
  EXPECT_TRUE(later(std::chrono::hours(11)));  // each use counts
  EXPECT_FALSE(later(std::chrono::hours(13)));
  EXPECT_EQ(sessions.csrf_of(request), "");
}

TEST(Sessions, the_oldest_goes_when_there_are_too_many) {
  Browser browser(Role::viewer);
  Sessions& sessions = browser.world.api().sessions();
  auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < Sessions::sessions_max; ++i)
    sessions.open({default_account, Role::viewer, "fk_x"}, now);
  EXPECT_EQ(browser.world.ask("GET", "/api/v1/session", "", browser.cookie).status, 401);
}

TEST(Sessions, local_mode_needs_none) {  // A-12
  TestWorld world;
  auto who = world.ask("GET", "/api/v1/session");
  EXPECT_EQ(who.status, 200);
  EXPECT_EQ(who.body.get("access").as_string(), "local");
  EXPECT_TRUE(who.body.get("csrf").is_null());
}

}  // namespace
}  // namespace fermata::server
