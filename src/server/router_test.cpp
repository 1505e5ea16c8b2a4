#include "server/router.h"

#include <gtest/gtest.h>

namespace fermata::server {
namespace {

using http::Method;

void nothing(Api&, Call) {}

Route route(Method method, std::string_view path) {
  return {.method = method,
          .path = path,
          .access = Access::open,
          .work = Work::quick,
          .handler = nothing,
          .summary = ""};
}

const Route table[] = {
    route(Method::get, "/"),
    route(Method::get, "/a"),
    route(Method::post, "/a/bulk"),
    route(Method::get, "/a/{id}"),
    route(Method::delete_, "/a/{id}"),
    route(Method::get, "/a/{id}/b/{name}"),
    route(Method::get, "/a/fixed/b/c"),
};

struct Found {
  http::Request request;
  Router::Match match;
  std::string path() const { return match.route ? std::string(match.route->path) : ""; }
};

std::unique_ptr<Found> find(Method method, std::string_view path) {
  static const Router router(table);
  auto found = std::make_unique<Found>();
  found->request.method = method;
  found->request.path = path;
  found->match = router.find(found->request);
  return found;
}

TEST(Router, finds_literals_and_variables) {
  EXPECT_EQ(find(Method::get, "/")->path(), "/");
  EXPECT_EQ(find(Method::get, "/a")->path(), "/a");
  auto found = find(Method::get, "/a/x%20y/b/n");
  EXPECT_EQ(found->path(), "/a/{id}/b/{name}");
  EXPECT_EQ(found->request.variables[0], "x y");
  EXPECT_EQ(found->request.variables[1], "n");
}

TEST(Router, a_literal_segment_beats_a_variable_one) {  // W-4
  EXPECT_EQ(find(Method::post, "/a/bulk")->path(), "/a/bulk");
  EXPECT_EQ(find(Method::get, "/a/fixed/b/c")->path(), "/a/fixed/b/c");
}

TEST(Router, goes_back_to_the_variable_where_the_literal_leads_nowhere) {
  EXPECT_EQ(find(Method::get, "/a/bulk")->path(), "/a/{id}");
  auto found = find(Method::get, "/a/fixed/b/d");
  EXPECT_EQ(found->path(), "/a/{id}/b/{name}");
  EXPECT_EQ(found->request.variables[0], "fixed");
  EXPECT_EQ(found->request.variables[1], "d");
}

TEST(Router, tells_a_missing_path_from_a_wrong_method) {
  EXPECT_EQ(find(Method::put, "/a/x")->match.allow, "GET, HEAD, DELETE");
  EXPECT_EQ(find(Method::put, "/a/bulk")->match.allow, "POST, GET, HEAD, DELETE");
  EXPECT_EQ(find(Method::get, "/nowhere")->match.allow, "");
  EXPECT_EQ(find(Method::get, "/a/")->match.allow, "");
  EXPECT_EQ(find(Method::get, "/a//b/c")->match.route, nullptr);
  EXPECT_EQ(find(Method::get, "*")->match.route, nullptr);
}

TEST(Router, head_finds_what_get_finds) { EXPECT_EQ(find(Method::head, "/a")->path(), "/a"); }

TEST(Router, tells_a_broken_escape) { EXPECT_TRUE(find(Method::get, "/a/%zz")->match.malformed); }

}  // namespace
}  // namespace fermata::server
