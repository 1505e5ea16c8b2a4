#include "server/http/serialise.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

TEST(Serialise, writes_length_and_body) {
  std::string out;
  Response response;
  response.body = "{}";
  response.headers.emplace_back("X-A", "b");
  append_response(out, response, {.date = "D"});
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "X-Content-Type-Options: nosniff\r\nX-A: b\r\n\r\n{}");
}

TEST(Serialise, answers_head_with_the_length_but_no_body) {
  std::string out;
  Response response;
  response.body = "12345";
  append_response(out, response, {.without_body = true, .date = "D"});
  EXPECT_NE(out.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(out.ends_with("\r\n\r\n"));
}

TEST(Serialise, a_value_cannot_begin_another_header) {
  std::string out;
  Response response;
  response.headers.emplace_back("Location", "/a\r\nSet-Cookie: x");
  append_response(out, response, {.date = "D"});
  EXPECT_EQ(out.find("\r\nSet-Cookie"), std::string::npos);
}

TEST(Serialise, no_content_has_no_length) {
  std::string out;
  Response response;
  response.status = 204;
  append_response(out, response, {.date = "D"});
  EXPECT_EQ(out.find("\r\nContent-"), std::string::npos);
}

TEST(Serialise, writes_dates_as_http_wants_them) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(Serialise, frames_chunks) {
  std::string out;
  append_chunk(out, "0123456789abcdef!");
  append_chunk(out, "");
  append_last_chunk(out);
  EXPECT_EQ(out, "11\r\n0123456789abcdef!\r\n0\r\n\r\n");
}

}  // namespace
}  // namespace fermata::http
