#include "test/support/gate.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/support/eventually.h"
#include "test/support/redis_process.h"

namespace fermata::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A client that speaks lines to a Redis, which is a server like any other.
class Line {
 public:
  explicit Line(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Line() { close(socket_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  bool connected() const { return connected_; }
  void say(const std::string& text) {
    size_t sent = 0;
    while (sent < text.size()) {
      ssize_t count = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<size_t>(count);
    }
  }
  /// The first bytes that come; empty when none do in time or the connection has ended.
  std::string hear(milliseconds within = std::chrono::seconds(20)) {
    pollfd readable{socket_, POLLIN, 0};
    char bytes[64];
    if (poll(&readable, 1, static_cast<int>(within.count())) != 1) return "";
    ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    return count > 0 ? std::string(bytes, static_cast<size_t>(count)) : "";
  }
  bool has_ended() {
    pollfd readable{socket_, POLLIN, 0};
    char byte;
    return poll(&readable, 1, 20'000) == 1 && recv(socket_, &byte, 1, 0) <= 0;
  }

 private:
  int socket_ = -1;
  bool connected_ = false;
};

struct GateTest : testing::Test {
  GateTest() { EXPECT_TRUE(server.start()); }
  RedisProcess server;
  Gate gate{server.port()};
};

// C-121
TEST_F(GateTest, passes_everything_in_both_ways) {
  Line line(gate.port());
  ASSERT_TRUE(line.connected());
  line.say("PING\r\n");
  EXPECT_EQ(line.hear(), "+PONG\r\n");
  EXPECT_EQ(gate.bytes(Gate::Way::there), 6u);
  EXPECT_EQ(gate.bytes(Gate::Way::back), 7u);
  EXPECT_EQ(gate.connections(), 1u);
}

// C-121
TEST_F(GateTest, passes_more_than_it_holds) {
  Line line(gate.port());
  std::string large(20 << 20, 'x');
  line.say("SET large " + std::to_string(large.size()) + "\r\n");
  EXPECT_EQ(line.hear(), "+OK\r\n");
  line.say("*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$" + std::to_string(large.size()) + "\r\n" + large +
           "\r\n");
  EXPECT_EQ(line.hear(), "+OK\r\n");
  line.say("STRLEN large\r\n");
  EXPECT_EQ(line.hear(), ":" + std::to_string(large.size()) + "\r\n");
}

// C-121
TEST_F(GateTest, cut_ends_connections_and_takes_new_ones) {
  Line line(gate.port());
  line.say("PING\r\n");
  EXPECT_EQ(line.hear(), "+PONG\r\n");
  gate.cut();
  EXPECT_TRUE(line.has_ended());
  Line next(gate.port());
  next.say("PING\r\n");
  EXPECT_EQ(next.hear(), "+PONG\r\n");
  EXPECT_EQ(gate.connections_so_far(), 2u);
}

// C-121
TEST_F(GateTest, refuses_until_it_passes_again) {
  Line line(gate.port());
  line.say("PING\r\n");
  EXPECT_EQ(line.hear(), "+PONG\r\n");
  gate.refuse();
  EXPECT_TRUE(line.has_ended());
  EXPECT_FALSE(Line(gate.port()).connected());
  gate.pass();
  Line next(gate.port());
  next.say("PING\r\n");
  EXPECT_EQ(next.hear(), "+PONG\r\n");
}

// C-121
TEST_F(GateTest, swallows_one_way_and_keeps_the_other) {
  Line line(gate.port());
  gate.swallow(Gate::Way::back);
  line.say("SET heard yes\r\n");
  EXPECT_TRUE(eventually([&] { return gate.bytes(Gate::Way::back) == 5; }));
  EXPECT_EQ(line.hear(milliseconds(0)), "");
  gate.pass();
  line.say("GET heard\r\n");
  EXPECT_EQ(line.hear(), "$3\r\nyes\r\n");
  gate.swallow(Gate::Way::there);
  line.say("SET heard no\r\n");
  EXPECT_TRUE(eventually([&] { return gate.bytes(Gate::Way::there) == 15 + 11 + 14; }));
  gate.pass();
  line.say("GET heard\r\n");
  EXPECT_EQ(line.hear(), "$3\r\nyes\r\n");
}

// C-121
TEST_F(GateTest, delay_is_at_least_what_was_asked_for_and_keeps_the_order) {
  Line line(gate.port());
  gate.delay(milliseconds(200));
  auto began = Clock::now();
  line.say("PING\r\n");
  EXPECT_EQ(line.hear(), "+PONG\r\n");
  EXPECT_GE(Clock::now() - began, milliseconds(199));
  line.say("SET order 1\r\n");
  gate.delay(milliseconds(0));
  line.say("SET order 2\r\n");
  std::string heard;
  EXPECT_TRUE(eventually([&] { return (heard += line.hear()) == "+OK\r\n+OK\r\n"; }));
  line.say("GET order\r\n");
  EXPECT_EQ(line.hear(), "$1\r\n2\r\n");
}

// C-121
TEST_F(GateTest, throttle_lets_no_more_through_in_a_second) {
  Line line(gate.port());
  gate.throttle(100'000);
  auto began = Clock::now();
  line.say("*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n");
  EXPECT_EQ(line.hear(), "$1\r\nx\r\n");
  std::string bytes(20'000, 'y');
  line.say("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$20000\r\n" + bytes + "\r\n");
  EXPECT_EQ(line.hear(), "+OK\r\n");
  EXPECT_GE(Clock::now() - began, milliseconds(190));
}

// C-121
TEST_F(GateTest, cuts_after_so_many_bytes) {
  Line line(gate.port());
  gate.cut_after(Gate::Way::there, 20);
  line.say("PING\r\n");
  EXPECT_EQ(line.hear(), "+PONG\r\n");
  line.say("SET never written\r\n");
  EXPECT_TRUE(line.has_ended());
  Line next(gate.port());
  next.say("GET never\r\n");
  EXPECT_EQ(next.hear(), "$-1\r\n");
}

}  // namespace
}  // namespace fermata::test
