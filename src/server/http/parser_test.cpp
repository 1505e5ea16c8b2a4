#include "server/http/parser.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

using State = RequestParser::State;

struct Parsed {
  Request request;
  RequestParser parser{ParserLimits{}};
  size_t taken = 0;
};

std::unique_ptr<Parsed> parse(std::string_view text) {
  auto out = std::make_unique<Parsed>();
  out->taken = out->parser.feed(text, out->request);
  return out;
}

State state_of(std::string_view text) { return parse(text)->parser.state(); }

std::string with(std::string_view fields, std::string_view body = "") {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

TEST(Parser, reads_a_request_without_a_body) {
  auto parsed = parse("GET /a/b%20c?x=1&y HTTP/1.1\r\nHost: here:80\r\nX-Some:  \t v w \r\n\r\n");
  ASSERT_EQ(parsed->parser.state(), State::done);
  EXPECT_EQ(parsed->request.method, Method::get);
  EXPECT_EQ(parsed->request.path, "/a/b%20c");
  EXPECT_EQ(parsed->request.query, "x=1&y");
  EXPECT_EQ(parsed->request.authority, "here:80");
  EXPECT_EQ(parsed->request.header("x-SOME"), "v w");
  EXPECT_TRUE(parsed->request.keep_alive);
}

TEST(Parser, gives_the_same_whatever_the_pieces) {
  std::string text =
      with("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2;q=1\r\nde\r\n0\r\nT: v\r\n\r\n");
  for (size_t size = 1; size <= text.size(); ++size) {
    Request request;
    RequestParser parser{ParserLimits{}};
    for (size_t at = 0; at < text.size(); at += size) {
      std::string_view piece = std::string_view(text).substr(at, size);
      ASSERT_EQ(parser.feed(piece, request), piece.size());
    }
    ASSERT_EQ(parser.state(), State::done) << size;
    EXPECT_EQ(request.body, "abcde");
  }
}

TEST(Parser, stops_at_the_end_of_a_request) {
  std::string first = with("Content-Length: 3\r\n", "abc");
  auto parsed = parse(first + "GET / HTTP/1.1\r\n");
  EXPECT_EQ(parsed->parser.state(), State::done);
  EXPECT_EQ(parsed->taken, first.size());
  EXPECT_EQ(parsed->request.body, "abc");
}

TEST(Parser, refuses_shapes_that_two_readers_could_understand_differently) {
  const std::string bad[] = {
      with("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"),
      with("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
      with("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
      with("Content-Length: +3\r\n", "abc"),
      with("Content-Length: -3\r\n", "abc"),
      with("Content-Length: 0x3\r\n", "abc"),
      with("Content-Length: 3, 3\r\n", "abc"),
      with("Content-Length:\r\n", "abc"),
      with("Content-Length: 99999999999999999999\r\n", "abc"),
      with("X: a\r\n folded\r\n"),
      with("X: a\nY: b\r\n"),
      with("X: a\rY: b\r\n"),
      with(": nameless\r\n"),
      with("X(: a\r\n"),
      with("no colon\r\n"),
      with(std::string("X: a\0b\r\n", 8)),
      with("Host: second\r\n"),
      "GET / HTTP/1.1\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
      "GET / http/1.1\r\nHost: a\r\n\r\n",
      "GET /\r\nHost: a\r\n\r\n",
      "GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\x80 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /#f HTTP/1.1\r\nHost: a\r\n\r\n",
      "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      with("Expect: tea\r\n"),
  };
  for (const std::string& text : bad) EXPECT_EQ(state_of(text), State::failed) << text;
}

TEST(Parser, refuses_malformed_chunks) {
  for (std::string_view body :
       {"x\r\n", "\r\n", "-1\r\n", "3\nabc", "3\r\nabcd\r\n", "3\r\nabc\n", "1 \r\na\r\n",
        "ffffffffffffffff\r\n", "0\r\nbad trailer\r\n\r\n", "1;\x01\r\na\r\n"})
    EXPECT_EQ(state_of(with("Transfer-Encoding: chunked\r\n", body)), State::failed) << body;
}

TEST(Parser, refuses_a_body_over_the_limit_before_it_arrives) {
  auto parsed = parse(with("Content-Length: 4194305\r\n"));
  EXPECT_EQ(parsed->parser.state(), State::failed);
  EXPECT_EQ(parsed->parser.error().code, ErrorCode::body_too_large);
  EXPECT_NE(parsed->parser.error().message.find("http_body_bytes_max"), std::string::npos);
  EXPECT_EQ(state_of(with("Content-Length: 4194304\r\n")), State::body);
  auto chunked = parse(with("Transfer-Encoding: chunked\r\n", "400001\r\n"));
  EXPECT_EQ(chunked->parser.error().code, ErrorCode::body_too_large);
}

TEST(Parser, refuses_a_header_over_the_limit) {
  std::string big(64 << 10, 'a');
  auto parsed = parse("GET / HTTP/1.1\r\nHost: a\r\nX: " + big + "\r\n\r\n");
  EXPECT_EQ(parsed->parser.state(), State::failed);
  EXPECT_EQ(parsed->parser.error().code, ErrorCode::header_too_large);
  EXPECT_NE(parsed->parser.error().message.find("http_header_bytes_max"), std::string::npos);
  EXPECT_EQ(parse("GET /" + big)->parser.error().code, ErrorCode::target_too_long);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 200; ++i) many += "X: y\r\n";
  EXPECT_EQ(state_of(many + "\r\n"), State::failed);
}

TEST(Parser, refuses_endless_chunk_lines) {
  std::string body = "1";
  body.append(100 << 10, ';');
  EXPECT_EQ(state_of(with("Transfer-Encoding: chunked\r\n", body)), State::failed);
}

TEST(Parser, knows_who_waits_for_a_continue) {
  auto waiting = parse(with("Expect: 100-Continue\r\nContent-Length: 3\r\n"));
  EXPECT_TRUE(waiting->parser.expects_continue());
  auto impatient = parse(with("Expect: 100-continue\r\nContent-Length: 3\r\n", "a"));
  EXPECT_FALSE(impatient->parser.expects_continue());
  EXPECT_FALSE(parse(with("Expect: 100-continue\r\n"))->parser.expects_continue());
}

TEST(Parser, closes_when_asked_and_by_default_for_http_1_0) {
  EXPECT_FALSE(parse(with("Connection: foo, Close\r\n"))->request.keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n")->request.keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->request.keep_alive);
}

TEST(Parser, takes_an_absolute_target_and_its_host_wins) {
  auto parsed = parse("GET http://there:1/a?b HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_EQ(parsed->request.authority, "there:1");
  EXPECT_EQ(parsed->request.path, "/a");
  EXPECT_EQ(parse("GET http://there HTTP/1.1\r\nHost: h\r\n\r\n")->request.path, "/");
  EXPECT_EQ(state_of("GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n"), State::failed);
}

TEST(Parser, skips_an_empty_line_before_a_request_but_not_many) {
  EXPECT_EQ(state_of("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), State::done);
  EXPECT_EQ(state_of("\r\n\r\n\r\n\r\n"), State::failed);
}

TEST(Message, decodes_queries) {
  QueryFields fields;
  ASSERT_TRUE(parse_query("a=1&b=x%20y+z&&c&d=", fields));
  QueryFields expected = {{"a", "1"}, {"b", "x y z"}, {"c", ""}, {"d", ""}};
  EXPECT_EQ(fields, expected);
  EXPECT_FALSE(parse_query("a=%2", fields));
  EXPECT_FALSE(parse_query("%zz=1", fields));
}

}  // namespace
}  // namespace fermata::http
