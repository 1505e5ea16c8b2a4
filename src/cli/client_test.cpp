#include "cli/client.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

/// Gives what a server would send, in pieces of a few bytes, and keeps what it was sent.
class ScriptedChannel final : public Channel {
 public:
  ScriptedChannel(std::string answer, size_t piece) : answer_(std::move(answer)), piece_(piece) {}
  Outcome<size_t> read(char* into, size_t most) override {
    size_t count = std::min({most, piece_, answer_.size() - at_});
    answer_.copy(into, count, at_);
    at_ += count;
    return count;
  }
  Outcome<void> write(std::string_view bytes) override {
    sent += bytes;
    return {};
  }
  std::string sent;

 private:
  std::string answer_;
  size_t piece_;
  size_t at_ = 0;
};

Outcome<HttpAnswer> exchanged(std::string answer, const BodySink& sink = {}) {
  ScriptedChannel channel(std::move(answer), 3);
  return exchange(channel, {}, {"GET", "/x", {}, ""}, sink);
}

TEST(ServerAddress, takes_urls_and_bare_addresses) {
  EXPECT_EQ(parse_server_address("http://127.0.0.1:4747/")->authority(), "127.0.0.1:4747");
  EXPECT_EQ(parse_server_address("flows.test:80")->authority(), "flows.test:80");
  EXPECT_EQ(parse_server_address("http://[::1]:5")->authority(), "[::1]:5");
  EXPECT_EQ(parse_server_address("https://flows.test")->authority(), "flows.test:443");
  EXPECT_TRUE(parse_server_address("https://flows.test")->tls);
  for (std::string_view wrong :
       {"", "http://", "host:port", "ftp://x", "http://a/b", "[::1", "a:0x5"})
    EXPECT_FALSE(parse_server_address(wrong)) << wrong;
}

TEST(Exchange, reads_counted_chunked_and_open_bodies) {
  auto counted = exchanged("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->body, "hello");
  auto chunked = exchanged(
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->status, 201);
  EXPECT_EQ(chunked->body, "hello");
  EXPECT_EQ(exchanged("HTTP/1.1 200 OK\r\n\r\nhello")->body, "hello");
  EXPECT_EQ(exchanged("HTTP/1.1 204 No Content\r\n\r\n")->body, "");
}

TEST(Exchange, passes_over_interim_answers) {
  auto answer =
      exchanged("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(Exchange, refuses_answers_that_are_cut_or_not_http) {
  EXPECT_FALSE(exchanged(""));
  EXPECT_FALSE(exchanged("SSH-2.0-x\r\n\r\n"));
  EXPECT_FALSE(exchanged("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"));
  EXPECT_FALSE(exchanged("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
  EXPECT_FALSE(exchanged("HTTP/1.1 200 OK\r\nbroken\r\n\r\n"));
}

TEST(Exchange, sink_sees_pieces_and_may_end_the_reading) {
  std::string seen;
  auto answer = exchanged("HTTP/1.1 200 OK\r\n\r\nabcdef", [&](std::string_view piece) {
    seen += piece;
    return seen.size() < 3;
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(seen.substr(0, 3), "abc");
  EXPECT_LT(seen.size(), 6u);
}

//
TEST(EventReader, puts_events_together_from_pieces) {
  std::vector<Client::StreamEvent> events;
  EventReader reader;
  std::string text =
      ": keep-alive\n\nevent: node\nid: 7\ndata: {\"a\":\ndata: 1}\n\nevent: run\ndata: {}\n\n";
  for (char c : text)
    reader.feed({&c, 1}, [&](const Client::StreamEvent& event) {
      events.push_back(event);
      return true;
    });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].event, "node");
  EXPECT_EQ(events[0].id, "7");
  EXPECT_EQ(events[0].data.get("a"), Value(1));
  EXPECT_EQ(events[1].event, "run");
}

TEST(UrlEscaped, leaves_only_what_is_safe_in_a_path) {
  EXPECT_EQ(url_escaped("a-b_c.d~1"), "a-b_c.d~1");
  EXPECT_EQ(url_escaped("a/b ?é"), "a%2Fb%20%3F%C3%A9");
}

}  // namespace
}  // namespace fermata::cli
