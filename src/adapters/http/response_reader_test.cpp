#include "adapters/http/response_reader.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

bool feed(ResponseReader& reader, std::initializer_list<const char*> lines) {
  for (const char* line : lines)
    if (!reader.line(std::string(line) + "\r\n")) return false;
  return true;
}

ResponseReader reader_of(uint64_t body_bytes_max, bool without_body = false) {
  ResponseReader reader;
  reader.restart({body_bytes_max, without_body});
  return reader;
}

TEST(response_reader, names_are_lower_case_and_repeated_ones_joined) {
  ResponseReader reader = reader_of(100);
  ASSERT_TRUE(feed(reader, {"HTTP/1.1 404 Not Found", "Vary: a", "SET-Cookie: x=1", "vary:  b ",
                            "Set-Cookie: y=2", "X-Fold: one", "  two", "Empty:", ""}));
  EXPECT_EQ(reader.status(), 404);
  EXPECT_EQ(reader.status_text, "Not Found");
  EXPECT_EQ(reader.headers, (Headers{{"vary", "a, b"},
                                     {"set-cookie", "x=1"},
                                     {"set-cookie", "y=2"},
                                     {"x-fold", "one two"},
                                     {"empty", ""}}));
}

TEST(response_reader, an_informational_answer_is_forgotten_and_trailers_are_not_headers) {
  ResponseReader reader = reader_of(100);
  ASSERT_TRUE(feed(
      reader, {"HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200", "A: b", "", "Late: c"}));
  EXPECT_EQ(reader.status(), 200);
  EXPECT_EQ(reader.status_text, "");
  EXPECT_EQ(reader.headers, (Headers{{"a", "b"}}));
}

TEST(response_reader, an_announced_length_above_the_limit_is_too_large_at_once) {
  ResponseReader reader = reader_of(10);
  EXPECT_TRUE(feed(reader, {"HTTP/1.1 200 OK", "Content-Length: 10", ""}));
  reader.restart({10, false});
  EXPECT_FALSE(feed(reader, {"HTTP/1.1 200 OK", "Content-Length: 11", ""}));
  EXPECT_TRUE(reader.is_too_large());
  reader.restart({10, false});
  EXPECT_FALSE(feed(reader, {"HTTP/1.1 200 OK", "Content-Length: 99999999999999999999999", ""}));
}

TEST(response_reader, a_length_without_a_body_announces_nothing) {
  ResponseReader head = reader_of(10, true);
  EXPECT_TRUE(feed(head, {"HTTP/1.1 200 OK", "Content-Length: 5000", ""}));
  ResponseReader unchanged = reader_of(10);
  EXPECT_TRUE(feed(unchanged, {"HTTP/1.1 304 Not Modified", "Content-Length: 5000", ""}));
}

TEST(response_reader, a_body_may_reach_its_limit_and_not_pass_it) {
  ResponseReader reader = reader_of(4);
  EXPECT_TRUE(reader.piece("ab"));
  EXPECT_TRUE(reader.piece("cd"));
  EXPECT_TRUE(reader.piece(""));
  EXPECT_FALSE(reader.piece("e"));
  EXPECT_TRUE(reader.is_too_large());
}

TEST(response_reader, a_head_has_limits) {
  ResponseReader reader = reader_of(4);
  const std::string line = "X: " + std::string(1'000, 'x') + "\r\n";
  size_t lines = 0;
  while (lines < 1'000 && reader.line(line)) ++lines;
  EXPECT_EQ(lines, response_header_bytes_max / line.size());
  EXPECT_TRUE(reader.is_too_large());

  reader.restart({4, false});
  for (size_t i = 0; i < response_headers_max; ++i)
    ASSERT_TRUE(reader.line("x" + std::to_string(i) + ": 1\r\n"));
  EXPECT_TRUE(reader.line("x1: again\r\n"));
  EXPECT_FALSE(reader.line("one-more: 1\r\n"));
  EXPECT_TRUE(reader.is_too_large());
}

TEST(response_reader, text_that_is_not_utf8_is_read_as_latin1) {
  EXPECT_EQ(as_utf8("gr\xFC\xDF"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(as_utf8("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

}  // namespace
}  // namespace fermata::http
