#include "server/server.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "server/http/test_client.h"
#include "server/problem.h"

namespace fermata::server {
namespace {

using std::chrono::milliseconds;

/// Answers by path: `/echo` the body, `/held` when the test says so, `/big` much, `/lost` never,
/// `/stream` line by line.
class StubHandler final : public http::Handler {
 public:
  http::Lane classify(http::Request& request) override {
    if (request.path == "/one") return http::Lane::exclusive;
    return request.method == http::Method::get ? http::Lane::safe : http::Lane::queued;
  }
  void handle(const http::Request& request, http::Responder responder) override {
    http::Response response;
    response.content_type = "text/plain";
    response.body = std::string(request.path) + ":" + request.body;
    if (request.path == "/held" || request.path == "/one") {
      std::lock_guard lock(mutex_);
      held_.emplace_back(std::move(responder), std::move(response));
      changed_.notify_all();
      return;
    }
    if (request.path == "/lost") return;
    if (request.path == "/big") response.body.assign(8 << 20, 'b');
    if (request.path == "/stream") {
      std::lock_guard lock(mutex_);
      stream_ = responder.stream(std::move(response));
      stream_.on_gone([this] {
        std::lock_guard inner(gone_mutex_);
        gone_ = true;
        changed_.notify_all();
      });
      changed_.notify_all();
      return;
    }
    responder.send(std::move(response));
  }
  http::Response refuse(const Error& error) override { return problem_response(error, "urn:test"); }
  void answered(const http::Request&, int, std::chrono::nanoseconds) override {}

  /// Waits for the next held request and gives it up.
  std::pair<http::Responder, http::Response> next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return !held_.empty(); }))
      return {};
    auto out = std::move(held_.front());
    held_.erase(held_.begin());
    return out;
  }
  size_t held() {
    std::lock_guard lock(mutex_);
    return held_.size();
  }
  http::Stream stream() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return !stream_.gone(); });
    return stream_;
  }
  bool wait_gone() {
    std::unique_lock lock(gone_mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return gone_; });
  }

 private:
  std::mutex mutex_;
  std::mutex gone_mutex_;
  std::condition_variable_any changed_;
  std::vector<std::pair<http::Responder, http::Response>> held_;
  http::Stream stream_;
  bool gone_ = false;
};

class ServerTest : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.listen = "127.0.0.1:0";
    server = std::make_unique<Server>(options, handler);
    ASSERT_TRUE(server->start());
  }
  StubHandler handler;
  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, keeps_a_connection_for_many_requests) {
  start();
  TestClient client(server->port());
  for (int i = 0; i < 100; ++i) {
    auto answer = client.ask("POST", "/echo", std::to_string(i));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "/echo:" + std::to_string(i));
  }
}

TEST_F(ServerTest, answers_pipelined_requests_in_their_order) {
  start();
  TestClient client(server->port());
  client.send(
      "GET /held HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
  auto [responder, response] = handler.next();
  responder.send(response);
  EXPECT_EQ(client.receive().body, "/held:");
  EXPECT_EQ(client.receive().body, "/a:");
  EXPECT_EQ(client.receive().body, "/b:");
}

TEST_F(ServerTest, commands_overlap_and_an_exclusive_request_waits_for_them) {
  start();
  TestClient client(server->port());
  std::string post = "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
  client.send(post + post + "GET /one HTTP/1.1\r\nHost: a\r\n\r\n");
  auto first = handler.next();
  auto second = handler.next();
  EXPECT_EQ(handler.held(), 0u);
  second.first.send(second.second);
  first.first.send(first.second);
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 200);
  auto third = handler.next();
  third.first.send(third.second);
  EXPECT_EQ(client.receive().body, "/one:");
}

TEST_F(ServerTest, answers_from_many_threads) {
  start();
  constexpr int clients = 8;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] {
      TestClient client(server->port());
      for (int n = 0; n < 20; ++n)
        if (client.ask("POST", "/held", "x").body == "/held:x") ++right;
    });
  for (int n = 0; n < clients * 20; ++n) {
    auto held = handler.next();
    std::thread([held = std::move(held)] { held.first.send(held.second); }).join();
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, clients * 20);
}

TEST_F(ServerTest, a_dropped_request_is_answered_with_500) {
  start();
  TestClient client(server->port());
  auto answer = client.ask("GET", "/lost");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.headers["content-type"], "application/problem+json");
}

TEST_F(ServerTest, answers_head_without_a_body) {
  start();
  TestClient client(server->port());
  EXPECT_EQ(client.ask("HEAD", "/echo").headers["content-length"], "6");
  EXPECT_EQ(client.ask("GET", "/echo").body, "/echo:");
}

TEST_F(ServerTest, takes_a_chunked_body_and_says_continue) {
  start();
  TestClient client(server->port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("2\r\nhi\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "/echo:hi");
}

TEST_F(ServerTest, refuses_a_body_over_the_limit_and_closes) {
  ServerOptions options;
  options.limits.parser.body_bytes_max = 1000;
  options.limits.linger_timeout = milliseconds(200);
  start(options);
  TestClient client(server->port());
  auto answer = client.ask("POST", "/echo", std::string(2000, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.headers["connection"], "close");
  EXPECT_TRUE(client.ended());
}

TEST_F(ServerTest, refuses_an_unreadable_request_and_drops_what_follows) {
  start();
  TestClient client(server->port());
  client.send(
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
  client.finish_sending();
  EXPECT_TRUE(client.ended());
}

TEST_F(ServerTest, answers_a_client_that_has_finished_sending) {
  start();
  TestClient client(server->port());
  client.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  client.finish_sending();
  EXPECT_EQ(client.receive().body, "/echo:");
  EXPECT_TRUE(client.ended());
}

TEST_F(ServerTest, closes_idle_and_slow_clients) {
  ServerOptions options;
  options.limits.idle_timeout = milliseconds(60);
  options.limits.head_timeout = milliseconds(60);
  options.limits.body_stall_timeout = milliseconds(60);
  start(options);
  TestClient idle(server->port());
  TestClient slow_head(server->port());
  slow_head.send("GET / HT");
  TestClient slow_body(server->port());
  slow_body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx");
  EXPECT_TRUE(idle.ended());
  // Whose request had begun is told; to a connection at rest an answer would be to nothing.
  for (TestClient* slow : {&slow_head, &slow_body}) {
    auto answer = slow->receive();
    EXPECT_EQ(answer.status, 408);
    EXPECT_NE(answer.body.find("\"request_timeout\""), std::string::npos);
    EXPECT_EQ(answer.headers["connection"], "close");
    EXPECT_TRUE(slow->ended());
  }
}

TEST_F(ServerTest, a_request_cut_short_is_refused) {
  start();
  for (const char* part :
       {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    TestClient client(server->port());
    client.send(part);
    client.finish_sending();
    auto answer = client.receive();
    EXPECT_EQ(answer.status, 400) << part;
    EXPECT_NE(answer.body.find("ended before it was complete"), std::string::npos);
    EXPECT_TRUE(client.ended());
  }
}

TEST_F(ServerTest, says_which_part_of_a_request_is_too_large) {
  start();
  auto status_of = [&](const std::string& request) {
    TestClient client(server->port());
    client.send(request);
    auto answer = client.receive();
    EXPECT_TRUE(client.ended());
    return answer.status;
  };
  std::string long_text(65 << 10, 'a');
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nX: " + long_text + "\r\n\r\n"), 431);
  EXPECT_EQ(status_of("GET /?q=" + long_text + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET /?q=" + long_text.substr(0, 17'000) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
            414);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 200; ++i) many += "X: y\r\n";
  EXPECT_EQ(status_of(many + "\r\n"), 431);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n"),
            417);
}

TEST_F(ServerTest, a_body_that_would_be_refused_is_not_asked_for) {
  start();
  TestClient client(server->port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(ServerTest, closes_a_client_that_does_not_read) {
  ServerOptions options;
  options.limits.write_timeout = milliseconds(60);
  start(options);
  TestClient client(server->port());
  client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\nGET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool seen = false;
  while (std::chrono::steady_clock::now() < deadline) {
    seen = seen || server->connections_open() == 1;
    if (seen && server->connections_open() == 0) break;
    std::this_thread::yield();
  }
  EXPECT_EQ(server->connections_open(), 0u);
}

TEST_F(ServerTest, sends_a_large_answer_whole) {
  start();
  TestClient client(server->port());
  EXPECT_EQ(client.ask("GET", "/big").body.size(), size_t{8} << 20);
  EXPECT_EQ(client.ask("GET", "/echo").status, 200);
}

TEST_F(ServerTest, streams_as_it_is_written_and_notices_who_leaves) {
  start();
  auto client = std::make_unique<TestClient>(server->port());
  client->send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  http::Stream stream = handler.stream();
  EXPECT_TRUE(stream.write("one\n"));
  EXPECT_NE(client->read_until("one\n").find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_TRUE(stream.write("two\n"));
  client->read_until("two\n");
  client.reset();
  EXPECT_TRUE(handler.wait_gone());
  EXPECT_FALSE(stream.write("three\n"));
}

TEST_F(ServerTest, a_stream_nobody_reads_is_bounded) {
  start();
  TestClient client(server->port());
  client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  http::Stream stream = handler.stream();
  std::string piece(256 << 10, 's');
  int written = 0;
  while (written < 1000 && stream.write(piece)) ++written;
  EXPECT_LT(written, 1000);
}

TEST_F(ServerTest, stopping_lets_answers_under_way_leave) {
  start();
  TestClient client(server->port());
  client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  auto held = handler.next();
  uint16_t port = server->port();
  std::thread stopper([&] { server->stop(milliseconds(20'000)); });
  held.first.send(held.second);
  auto answer = client.receive();
  EXPECT_EQ(answer.body, "/held:");
  stopper.join();
  EXPECT_EQ(TestClient(port).ask("GET", "/echo").status, 0);
}

TEST_F(ServerTest, stopping_does_not_wait_longer_than_its_grace) {
  start();
  TestClient client(server->port());
  client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  auto held = handler.next();
  server->stop(milliseconds(30));
  EXPECT_TRUE(client.ended());
  held.first.send(held.second);
}

TEST_F(ServerTest, stopping_ends_streams) {
  start();
  TestClient client(server->port());
  client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  http::Stream stream = handler.stream();
  stream.write("x");
  server->stop(milliseconds(20'000));
  EXPECT_TRUE(stream.gone());
  EXPECT_TRUE(client.ended());
}

TEST_F(ServerTest, says_clearly_why_it_cannot_listen) {
  start();
  ServerOptions options;
  options.listen = "127.0.0.1:" + std::to_string(server->port());
  auto second = Server(options, handler).start();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::address_in_use);
  options.listen = "nonsense";
  EXPECT_EQ(Server(options, handler).start().error().code, ErrorCode::invalid_setting);
  options.tls_certificate_file = "only.pem";
  EXPECT_EQ(Server(options, handler).start().error().code, ErrorCode::invalid_setting);
  options.tls_key_file = "missing.pem";
  EXPECT_EQ(Server(options, handler).start().error().code, ErrorCode::invalid_setting);
}

}  // namespace
}  // namespace fermata::server
