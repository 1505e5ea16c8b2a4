#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "adapters/http/http_calls_fixture.h"

namespace fermata {
namespace {

HttpTestServer::Handler held() {
  return [](const TestRequest&) {
    TestReply reply;
    reply.hold_before = true;
    return reply;
  };
}

HttpCallsOptions limits(size_t per_account, size_t total) {
  HttpCallsOptions options = TestCaller::policy("allow");
  options.in_flight_per_account_max = per_account;
  options.in_flight_max = total;
  return options;
}

TEST(HttpCallsQueue, five_hundred_calls_are_answered_with_sixty_four_at_a_time) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.hold_before = true;
    reply.body = seen.target;
    return reply;
  });
  TestCaller caller(limits(64, 1'024));
  for (uint64_t n = 1; n <= 500; ++n)
    caller.calls.submit(TestCaller::ticket(n),
                        TestCaller::get(server.url("/" + std::to_string(n))));
  EXPECT_EQ(caller.calls.in_flight(), 500U);
  ASSERT_TRUE(server.await_requests(64));
  EXPECT_EQ(server.requests().size(), 64U);
  server.release();
  ASSERT_TRUE(caller.await(500));
  std::set<uint64_t> tokens;
  for (const CallAnswer& answer : caller.answers) {
    EXPECT_EQ(answer.error + answer.message, "");
    EXPECT_EQ(answer.body, "/" + std::to_string(answer.ticket.token));
    tokens.insert(answer.ticket.token);
  }
  EXPECT_EQ(tokens.size(), 500U);
  EXPECT_EQ(caller.calls.in_flight(), 0U);
  // Connections are kept, so more than these would mean more at a time.
  EXPECT_EQ(server.connections(), 64U);
}

TEST(HttpCallsQueue, an_account_at_its_limit_does_not_delay_another) {
  HttpTestServer slow(held());
  HttpTestServer quick([](const TestRequest&) { return TestReply(); });
  TestCaller caller(limits(2, 3));
  for (uint64_t n = 1; n <= 10; ++n)
    caller.calls.submit(TestCaller::ticket(n), TestCaller::get(slow.url("/")));
  ASSERT_TRUE(slow.await_requests(2));
  CallRequest other = TestCaller::get(quick.url("/"));
  other.account = AccountId("b");
  EXPECT_EQ(caller.call(other).status, 200);
  EXPECT_EQ(slow.requests().size(), 2U);
}

TEST(HttpCallsQueue, the_total_limit_holds_for_all_accounts_together) {
  HttpTestServer server(held());
  TestCaller caller(limits(256, 4));
  for (uint64_t n = 1; n <= 12; ++n) {
    CallRequest request = TestCaller::get(server.url("/"));
    request.account = AccountId("account " + std::to_string(n));
    caller.calls.submit(TestCaller::ticket(n), std::move(request));
  }
  ASSERT_TRUE(server.await_requests(4));
  EXPECT_EQ(server.connections(), 4U);
  server.release();
  EXPECT_TRUE(caller.await(12));
  EXPECT_EQ(server.connections(), 4U);
}

TEST(HttpCallsQueue, time_in_the_queue_does_not_count_as_time_of_the_call) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.hold_before = seen.target == "/first";
    return reply;
  });
  TestCaller caller(limits(1, 1));
  CallRequest first = TestCaller::get(server.url("/first"));
  first.timeout_ms = 300;
  CallRequest second = TestCaller::get(server.url("/second"));
  second.timeout_ms = 299;
  caller.calls.submit(TestCaller::ticket(1), first);
  caller.calls.submit(TestCaller::ticket(2), second);
  ASSERT_TRUE(caller.await(2));
  EXPECT_EQ(caller.answers[0].error, "timeout");
  EXPECT_EQ(caller.answers[1].status, 200);
}

TEST(HttpCallsQueue, more_calls_than_may_be_held_are_refused) {
  HttpTestServer server(held());
  HttpCallsOptions options = limits(1, 1);
  options.held_max = 2;
  TestCaller caller(std::move(options));
  for (uint64_t n = 1; n <= 3; ++n)
    caller.calls.submit(TestCaller::ticket(n), TestCaller::get(server.url("/")));
  ASSERT_TRUE(caller.await(1));
  EXPECT_EQ(caller.answers[0].ticket.token, 3U);
  EXPECT_EQ(caller.answers[0].error, "network");
  EXPECT_EQ(caller.answers[0].message, "Too many calls are waiting: the limit is 2.");
  server.release();
  EXPECT_TRUE(caller.await(3));
}

TEST(HttpCallsQueue, a_ticket_is_held_until_harvested_and_submitted_once_meanwhile) {
  HttpTestServer server(held());
  TestCaller caller(limits(8, 8));
  const CallTicket ticket = TestCaller::ticket(1);
  EXPECT_FALSE(caller.calls.holds(ticket));
  caller.calls.submit(ticket, TestCaller::get(server.url("/")));
  caller.calls.submit(ticket, TestCaller::get(server.url("/")));
  EXPECT_TRUE(caller.calls.holds(ticket));
  EXPECT_EQ(caller.calls.in_flight(), 1U);
  ASSERT_TRUE(server.await_requests(1));
  EXPECT_TRUE(caller.calls.holds(ticket));
  server.release();
  ASSERT_TRUE(caller.await(1));
  EXPECT_FALSE(caller.calls.holds(ticket));
  EXPECT_TRUE(caller.calls.harvest().empty());
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpCallsQueue, an_abandoned_call_under_way_is_cut_off_and_makes_room) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.hold_before = seen.target == "/stuck";
    return reply;
  });
  TestCaller caller(limits(1, 1));
  caller.calls.submit(TestCaller::ticket(1), TestCaller::get(server.url("/stuck")));
  caller.calls.submit(TestCaller::ticket(2), TestCaller::get(server.url("/next")));
  ASSERT_TRUE(server.await_requests(1));
  caller.calls.abandon(TestCaller::ticket(1));
  EXPECT_FALSE(caller.calls.holds(TestCaller::ticket(1)));
  ASSERT_TRUE(caller.await(1));
  EXPECT_EQ(caller.answers[0].ticket.token, 2U);
  EXPECT_EQ(caller.calls.in_flight(), 0U);
}

TEST(HttpCallsQueue, an_abandoned_call_in_the_queue_is_never_sent) {
  HttpTestServer server(held());
  TestCaller caller(limits(1, 1));
  for (uint64_t n = 1; n <= 3; ++n)
    caller.calls.submit(TestCaller::ticket(n),
                        TestCaller::get(server.url("/" + std::to_string(n))));
  ASSERT_TRUE(server.await_requests(1));
  caller.calls.abandon(TestCaller::ticket(2));
  caller.calls.abandon(TestCaller::ticket(77));
  server.release();
  ASSERT_TRUE(caller.await(2));
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[1].target, "/3");
}

TEST(HttpCallsQueue, an_abandoned_ticket_can_be_submitted_anew) {
  HttpTestServer server([](const TestRequest& seen) {
    TestReply reply;
    reply.body = seen.target;
    return reply;
  });
  TestCaller caller(limits(4, 4));
  for (int round = 0; round < 50; ++round) {
    caller.calls.submit(TestCaller::ticket(1), TestCaller::get(server.url("/old")));
    caller.calls.abandon(TestCaller::ticket(1));
    caller.calls.submit(TestCaller::ticket(1), TestCaller::get(server.url("/new")));
    ASSERT_TRUE(caller.await(1));
    EXPECT_EQ(caller.answers[0].body, "/new");
    caller.answers.clear();
  }
  EXPECT_TRUE(caller.calls.harvest().empty());
}

TEST(HttpCallsQueue, the_end_does_not_wait_for_calls) {
  HttpTestServer server(held());
  const auto before = std::chrono::steady_clock::now();
  {
    TestCaller caller(limits(4, 4));
    for (uint64_t n = 1; n <= 8; ++n)
      caller.calls.submit(TestCaller::ticket(n), TestCaller::get(server.url("/")));
    ASSERT_TRUE(server.await_requests(4));
  }
  // The calls themselves may take 20 seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST(HttpCallsQueue, threads_may_submit_ask_and_abandon_at_once) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  TestCaller caller(limits(16, 32));
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t n = 0; n < 50; ++n) {
        CallRequest request = TestCaller::get(server.url("/"));
        request.account = AccountId(std::to_string(t));
        const CallTicket ticket = TestCaller::ticket(t * 1'000 + n);
        caller.calls.submit(ticket, std::move(request));
        (void)caller.calls.holds(ticket);
        (void)caller.calls.in_flight();
        if (n % 2 == 1) caller.calls.abandon(ticket);
      }
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(caller.await(100));
  for (const CallAnswer& answer : caller.answers) EXPECT_EQ(answer.ticket.token % 2, 0U);
  EXPECT_EQ(caller.calls.in_flight(), 0U);
}

}  // namespace
}  // namespace fermata
