#include "server/carry/answer_reader.h"

#include <gtest/gtest.h>

#include "server/http/serialise.h"

namespace fermata::server {
namespace {

std::string answer_of(http::Framing framing) {
  http::Response response;
  response.status = 201;
  response.content_type = "text/plain";
  response.body = "hello";
  response.headers.emplace_back("Location", "/somewhere");
  std::string text;
  append_response(text, response,
                  {.framing = framing,
                   .close = true,
                   .http_1_0 = false,
                   .without_body = false,
                   .date = "Thu, 01 Jan 1970 00:00:00 GMT"});
  if (framing != http::Framing::chunked) return text;
  http::append_chunk(text, "hel");
  http::append_chunk(text, std::string(300, 'x'));
  http::append_last_chunk(text);
  return text;
}

// C-2: what our server writes is read in pieces of any size.
TEST(AnswerReader, reads_what_the_server_writes_in_any_pieces) {
  for (auto framing : {http::Framing::length, http::Framing::chunked}) {
    std::string text = answer_of(framing);
    for (size_t piece : {size_t{1}, size_t{7}, text.size()}) {
      AnswerReader reader(false);
      std::string body;
      for (size_t at = 0; at < text.size(); at += piece) {
        ASSERT_TRUE(reader.feed(std::string_view(text).substr(at, piece)));
        body += reader.take_body();
      }
      EXPECT_TRUE(reader.complete());
      EXPECT_EQ(reader.head().status, 201);
      EXPECT_EQ(reader.head().content_type, "text/plain");
      ASSERT_EQ(reader.head().headers.size(), 1u);
      EXPECT_EQ(reader.head().headers[0].first, "Location");
      EXPECT_EQ(reader.head().headers[0].second, "/somewhere");
      bool streams = framing == http::Framing::chunked;
      EXPECT_EQ(reader.streams(), streams);
      EXPECT_EQ(body, streams ? "hel" + std::string(300, 'x') : "hello");
      EXPECT_FALSE(reader.feed("more")) << "nothing follows an answer";
    }
  }
}

TEST(AnswerReader, answer_to_head_has_no_body) {
  std::string text = answer_of(http::Framing::length);
  AnswerReader reader(true);
  EXPECT_TRUE(reader.feed(text.substr(0, text.find("\r\n\r\n") + 4)));
  EXPECT_TRUE(reader.complete());
}

TEST(AnswerReader, answer_that_breaks_off_is_not_complete) {
  std::string text = answer_of(http::Framing::length);
  AnswerReader reader(false);
  EXPECT_TRUE(reader.feed(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(reader.finish());
}

TEST(AnswerReader, what_is_no_answer_is_refused) {
  for (const char* text :
       {"nonsense\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    AnswerReader reader(false);
    EXPECT_FALSE(reader.feed(text)) << text;
  }
  AnswerReader endless(false);
  EXPECT_FALSE(endless.feed("HTTP/1.1 200 OK\r\n" + std::string(300 << 10, 'x')));
}

}  // namespace
}  // namespace fermata::server
