#include <gtest/gtest.h>

#include "adapters/http/http_calls_fixture.h"
#include "adapters/http/smtp_test_server.h"
#include "base/hash.h"

namespace fermata {
namespace {

using Found = Result<CallSecrets, SecretsRefusal>;

MailServer at(const SmtpTestServer& server) {
  return {"127.0.0.1", std::to_string(server.port()), "", "", false};
}

HttpCallsOptions sending_by(MailServer server, const char* policy = "allow") {
  HttpCallsOptions options = TestCaller::policy(policy);
  options.find_secrets = [server](const AccountId&, const Value&) -> Found {
    CallSecrets secrets;
    secrets.mail_server = server;
    if (!server.password.empty()) secrets.hidden = {server.password};
    return secrets;
  };
  return options;
}

CallRequest mail(std::vector<std::string> recipients = {"b@test"}) {
  CallRequest request;
  request.account = AccountId("a");
  request.timeout_ms = 20'000;
  request.credentials = Value::object({{"id", "x"}});
  request.mail = MailEnvelope{"a@test", std::move(recipients), "<1@test>"};
  request.body = "Subject: hi\r\n\r\none\r\n.two\r\n..\r\n";
  return request;
}

TEST(MailCalls, a_mail_reaches_all_its_recipients_as_it_was_written) {  // G-37
  SmtpTestServer server;
  TestCaller caller(sending_by(at(server)));
  CallAnswer answer = caller.call(mail({"b@test", "c@test"}));
  EXPECT_EQ(answer.error, "") << answer.message;
  EXPECT_EQ(answer.status, 250);
  ASSERT_EQ(server.mails().size(), 1U);
  TestMail got = server.mails()[0];
  EXPECT_TRUE(got.from.starts_with("<a@test>")) << got.from;
  EXPECT_EQ(got.recipients, (std::vector<std::string>{"b@test", "c@test"}));
  EXPECT_EQ(got.data, mail().body);
  EXPECT_EQ(got.login, "");
  EXPECT_FALSE(got.encrypted);
}

TEST(MailCalls, a_refused_recipient_stops_the_whole_mail) {  // G-37
  SmtpTestServer server({.replies = {{"RCPT c@test", "550 no such box"}}});
  TestCaller caller(sending_by(at(server)));
  CallAnswer answer = caller.call(mail({"b@test", "c@test"}));
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.status, 550);
  EXPECT_EQ(answer.status_text, "no such box");
  EXPECT_TRUE(server.mails().empty());
}

TEST(MailCalls, what_the_server_says_no_with_is_the_answer) {  // G-37
  for (const auto& [command, reply] :
       std::map<std::string, std::string>{{"connect", "421 too busy"},
                                          {"MAIL", "451 try later"},
                                          {"DATA", "554 no"},
                                          {".", "552 too big"}}) {
    SmtpTestServer server({.replies = {{command, reply}}});
    TestCaller caller(sending_by(at(server)));
    CallAnswer answer = caller.call(mail());
    EXPECT_EQ(answer.error, "") << command << ": " << answer.message;
    EXPECT_EQ(std::to_string(answer.status) + " " + answer.status_text, reply) << command;
  }
}

TEST(MailCalls, a_connection_that_breaks_or_cannot_be_made_is_a_network_failure) {  // G-37
  for (const char* command : {"connect", "RCPT b@test", "."}) {
    SmtpTestServer server({.replies = {{command, "hang up"}}});
    TestCaller caller(sending_by(at(server)));
    EXPECT_EQ(caller.call(mail()).error, "network") << command;
  }
  TestCaller nobody(sending_by({"127.0.0.1", "1", "", "", false}));
  EXPECT_EQ(nobody.call(mail()).error, "network");
}

TEST(MailCalls, a_server_that_does_not_answer_holds_up_no_other_call) {  // G-37, G-24
  SmtpTestServer silent({.replies = {{".", "silence"}}});
  HttpTestServer web([](const TestRequest&) { return TestReply(); });
  TestCaller caller(sending_by(at(silent)));
  CallRequest slow = mail();
  slow.timeout_ms = 8'000;
  caller.calls.submit(TestCaller::ticket(1), slow);
  ASSERT_TRUE(silent.await_commands(4));
  caller.calls.submit(TestCaller::ticket(2), TestCaller::get(web.url("/")));
  ASSERT_TRUE(caller.await(2));
  EXPECT_EQ(caller.answers[0].ticket, TestCaller::ticket(2));
  EXPECT_EQ(caller.answers[0].status, 200);
  EXPECT_EQ(caller.answers[1].ticket, TestCaller::ticket(1));
  EXPECT_EQ(caller.answers[1].error, "timeout");
}

TEST(MailCalls, nobody_waits_long_for_a_farewell) {
  SmtpTestServer server({.replies = {{"QUIT", "silence"}}});
  TestCaller caller(sending_by(at(server)));
  CallAnswer answer = caller.call(mail());
  EXPECT_EQ(answer.status, 250) << answer.error << answer.message;
  EXPECT_LT(answer.duration_ms, 15'000);
}

TEST(MailCalls, an_abandoned_mail_is_broken_off) {
  SmtpTestServer server({.replies = {{"MAIL", "silence"}}});
  TestCaller caller(sending_by(at(server)));
  caller.calls.submit(TestCaller::ticket(1), mail());
  ASSERT_TRUE(server.await_commands(2));
  caller.calls.abandon(TestCaller::ticket(1));
  EXPECT_EQ(caller.calls.in_flight(), 0U);
  EXPECT_FALSE(caller.calls.holds(TestCaller::ticket(1)));
  EXPECT_TRUE(caller.calls.harvest().empty());
}

TEST(MailCalls, a_login_goes_over_an_encrypted_connection_only) {  // G-37
  MailServer login{"127.0.0.1", "", "ada", "s3cret-word", false};
  {
    SmtpTestServer server({.login = true});
    login.port = std::to_string(server.port());
    TestCaller caller(sending_by(login));
    CallAnswer answer = caller.call(mail());
    EXPECT_EQ(answer.error, "smtp_rejected");
    EXPECT_NE(answer.message.find("encryption"), std::string::npos) << answer.message;
    EXPECT_TRUE(server.mails().empty());
    for (const std::string& command : server.commands())
      EXPECT_FALSE(command.starts_with("AUTH")) << command;
  }
  SmtpTestServer server({.starttls = true, .login = true});
  login.port = std::to_string(server.port());
  TestCaller caller(sending_by(login));
  // A certificate that nobody vouches for is as good as none.
  EXPECT_EQ(caller.call(mail()).error, "network");
  CallRequest trusting = mail();
  trusting.ignore_ssl = true;
  CallAnswer answer = caller.call(trusting);
  EXPECT_EQ(answer.status, 250) << answer.error << answer.message;
  ASSERT_EQ(server.mails().size(), 1U);
  EXPECT_TRUE(server.mails()[0].encrypted);
  EXPECT_EQ(server.mails()[0].login, base64(std::string("\0ada\0s3cret-word", 16)));
}

TEST(MailCalls, a_plain_server_is_logged_in_to_without_encryption) {
  SmtpTestServer server({.starttls = true, .login = true});
  TestCaller caller(sending_by({"127.0.0.1", std::to_string(server.port()), "ada", "word", true}));
  EXPECT_EQ(caller.call(mail()).status, 250);
  ASSERT_EQ(server.mails().size(), 1U);
  EXPECT_FALSE(server.mails()[0].encrypted);
  EXPECT_EQ(server.mails()[0].login, base64(std::string("\0ada\0word", 9)));
}

TEST(MailCalls, encryption_is_used_where_it_is_offered) {  // G-37
  SmtpTestServer server({.starttls = true});
  TestCaller caller(sending_by(at(server)));
  CallRequest trusting = mail();
  trusting.ignore_ssl = true;
  EXPECT_EQ(caller.call(trusting).status, 250);
  ASSERT_EQ(server.mails().size(), 1U);
  EXPECT_TRUE(server.mails()[0].encrypted);
}

TEST(MailCalls, a_refused_login_is_told_without_its_password) {
  SmtpTestServer server(
      {.starttls = true, .login = true, .replies = {{"AUTH", "535 s3cret-word is wrong"}}});
  TestCaller caller(
      sending_by({"127.0.0.1", std::to_string(server.port()), "ada", "s3cret-word", false}));
  CallRequest trusting = mail();
  trusting.ignore_ssl = true;
  CallAnswer answer = caller.call(trusting);
  EXPECT_EQ(answer.status, 535) << answer.error << answer.message;
  EXPECT_EQ(answer.status_text, "*** is wrong");
}

TEST(MailCalls, private_servers_are_out_of_reach_unless_allowed) {  // G-40
  SmtpTestServer server;
  TestCaller caller(sending_by(at(server), "deny"));
  CallAnswer answer = caller.call(mail());
  EXPECT_EQ(answer.error, "address_forbidden");
  EXPECT_EQ(server.connections(), 0U);
}

TEST(MailCalls, need_a_credential_of_their_own_type) {  // G-37, G-4
  SmtpTestServer server;
  TestCaller caller(sending_by(at(server)));
  CallRequest without = mail();
  without.credentials = Value();
  EXPECT_EQ(caller.call(without).error, "credential_missing");
  CallRequest web = TestCaller::get("http://127.0.0.1:1/");
  web.credentials = Value::object({{"id", "x"}});
  EXPECT_EQ(caller.call(web).error, "credential_missing");
  HttpCallsOptions others = TestCaller::policy("allow");
  others.find_secrets = [](const AccountId&, const Value&) -> Found {
    return CallSecrets{{{"Authorization", "Bearer t"}}, {}, {}};
  };
  TestCaller other(std::move(others));
  EXPECT_EQ(other.call(mail()).error, "credential_missing");
  TestCaller strange(sending_by({"a b/c", "25", "", "", false}));
  EXPECT_EQ(strange.call(mail()).error, "parameter_invalid");
}

TEST(MailCalls, an_address_cannot_become_a_command) {  // G-37
  SmtpTestServer server;
  TestCaller caller(sending_by(at(server)));
  EXPECT_EQ(caller.call(mail({"b@test>\r\nRCPT TO:<c@test"})).error, "parameter_invalid");
  EXPECT_EQ(caller.call(mail({})).error, "parameter_invalid");
  EXPECT_EQ(server.connections(), 0U);
}

TEST(MailCalls, more_mails_than_threads_all_arrive) {
  SmtpTestServer server;
  HttpCallsOptions options = sending_by(at(server));
  options.mails_max = 3;
  options.mails_per_account_max = 2;
  TestCaller caller(std::move(options));
  for (uint64_t i = 1; i <= 20; ++i) {
    CallRequest request = mail();
    request.account = AccountId(i % 2 ? "a" : "b");
    caller.calls.submit(TestCaller::ticket(i), request);
    caller.calls.submit(TestCaller::ticket(i), request);  // once is enough
  }
  ASSERT_TRUE(caller.await(20));
  for (const CallAnswer& answer : caller.answers) EXPECT_EQ(answer.status, 250) << answer.message;
  EXPECT_EQ(server.mails().size(), 20U);
}

}  // namespace
}  // namespace fermata
