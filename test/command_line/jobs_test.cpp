#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/json.h"
#include "test/command_line/process.h"
#include "test/command_line/worker_process.h"

namespace fermata::test {
namespace {

Value json_of(const Finished& finished) {
  EXPECT_EQ(finished.exit, 0) << finished.err;
  auto value = parse_json(finished.out);
  EXPECT_TRUE(value) << finished.out;
  return value ? *value : Value();
}

std::string text(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : "";
}

std::string write(const Scratch& scratch, const std::string& name, const std::string& content) {
  std::ofstream(scratch.path(name)) << content;
  return scratch.path(name);
}

constexpr const char* safety =
    "version: 1\ndefault_decision: allow\nrules:\n"
    "  - {id: no-crypto, match: {topics: [\"job.crypto\"]}, decision: deny,\n"
    "     remediations: [{id: card, replacement_topic: job.card}]}\n"
    "  - {id: big, match: {topics: [\"job.pay\"]}, decision: require_approval}\n";

// J-1, J-6, J-14, A-20
TEST(JobsCommand, submits_lists_shows_cancels_and_remediates) {
  Scratch scratch;
  std::string policy = write(scratch, "safety.yaml", safety);
  ServeProcess server{{"--data", scratch.path("data"), "--policy-file", policy}};
  Finished submitted = server.command({"jobs", "submit", "mail", "--input", R"({"to":"ada"})",
                                       "--job", R"({"labels":{"team":"a"}})", "--id", "j1"});
  ASSERT_EQ(submitted.exit, 0) << submitted.err;
  EXPECT_EQ(submitted.out, "j1 SCHEDULED (ready)\n");
  Finished list = server.command({"jobs", "--topic", "mail"});
  EXPECT_NE(list.out.find("j1"), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("SCHEDULED"), std::string::npos) << list.out;
  EXPECT_EQ(server.command({"jobs", "--state", "failed"}).out.find("j1"), std::string::npos);
  Value shown = json_of(server.command({"jobs", "show", "j1", "--json"}));
  EXPECT_EQ(shown.get("input").get("to"), Value("ada"));
  EXPECT_EQ(shown.get("labels").get("team"), Value("a"));
  EXPECT_EQ(server.command({"jobs", "cancel", "j1", "--reason", "enough"}).out, "j1 CANCELLED\n");

  Finished denied = server.command({"jobs", "submit", "crypto", "--id", "j2"});
  EXPECT_EQ(denied.exit, 0) << "a refusal is data";
  EXPECT_EQ(denied.out, "j2 DENIED (safety_denied)\n");
  EXPECT_EQ(server.command({"jobs", "remediate", "j2", "wallet"}).exit, 3);
  Value made = json_of(server.command({"jobs", "remediate", "j2", "card", "--json"}));
  EXPECT_EQ(made.get("state"), Value("SCHEDULED")) << to_json(made);
  Value decisions = json_of(server.command({"jobs", "decisions", "j2", "--json"}));
  EXPECT_EQ(decisions.get("items").items()[0].get("rule_id"), Value("no-crypto"));

  EXPECT_EQ(server.command({"jobs", "show", "nobody"}).exit, 3);
  EXPECT_EQ(server.command({"jobs", "eat", "j1"}).exit, 2);
  EXPECT_EQ(server.command({"jobs", "submit", "x", "--input", "{"}).exit, 2);
  EXPECT_EQ(server.command({"jobs", "submit", "x", "--job", "[]"}).exit, 2);
}

// J-40, J-41
TEST(JobsCommand, approvals_of_jobs_are_answered_by_approve_and_deny) {
  Scratch scratch;
  std::string policy = write(scratch, "safety.yaml", safety);
  ServeProcess server{{"--data", scratch.path("data"), "--policy-file", policy}};
  for (const char* id : {"j1", "j2"})
    ASSERT_EQ(server.command({"jobs", "submit", "pay", "--id", id}).exit, 0);
  Finished waiting = server.command({"approve"});
  EXPECT_NE(waiting.out.find("j1"), std::string::npos) << waiting.out;
  Finished approved = server.command({"approve", "j1", "--note", "ok"});
  EXPECT_EQ(approved.exit, 0) << approved.err;
  EXPECT_EQ(server.command({"deny", "j2"}).exit, 2) << "a reason is needed";
  EXPECT_EQ(server.command({"deny", "j2", "--reason", "too much"}).exit, 0);
  EXPECT_EQ(json_of(server.command({"jobs", "show", "j1", "--json"})).get("state"),
            Value("SCHEDULED"));
  Value denied = json_of(server.command({"jobs", "show", "j2", "--json"}));
  EXPECT_EQ(denied.get("reason_code"), Value("approval_rejected"));
  EXPECT_EQ(server.command({"approve", "j2"}).exit, 4);
}

// J-82, J-84
TEST(DlqCommand, lists_retries_and_puts_aside) {
  Scratch scratch;
  std::string policy = write(scratch, "safety.yaml", safety);
  ServeProcess server{{"--data", scratch.path("data"), "--policy-file", policy}};
  for (const char* id : {"j1", "j2", "j3", "j4"})
    ASSERT_EQ(server.command({"jobs", "submit", "crypto", "--id", id}).exit, 0);
  EXPECT_EQ(json_of(server.command({"dlq", "stats", "--json"})).get("open"), Value(4));
  Value page = json_of(server.command({"dlq", "--job", "j1", "--json"}));
  ASSERT_EQ(page.get("items").size(), 1u);
  std::string entry = text(page.get("items").items()[0].get("id"));
  EXPECT_NE(server.command({"dlq"}).out.find("safety_denied"), std::string::npos);
  EXPECT_EQ(text(json_of(server.command({"dlq", "show", entry, "--json"})).get("job_id")), "j1");
  Finished retried = server.command({"dlq", "retry", entry, "--changes", R"({"topic":"mail"})"});
  EXPECT_EQ(retried.exit, 0) << retried.err;
  EXPECT_TRUE(retried.out.starts_with(entry + " retried as ")) << retried.out;
  EXPECT_NE(retried.out.find("SCHEDULED"), std::string::npos) << retried.out;

  EXPECT_EQ(server.command({"dlq", "retry"}).exit, 2) << "everything needs --all";
  Value dry = json_of(server.command({"dlq", "retry", "--topic", "crypto", "--dry-run", "--json"}));
  EXPECT_EQ(dry.get("count"), Value(3)) << to_json(dry);
  Value begun = json_of(server.command({"dlq", "retry", "--job", "j2", "--rate", "100", "--json"}));
  EXPECT_EQ(begun.get("matched"), Value(1)) << to_json(begun);

  page = json_of(server.command({"dlq", "--job", "j3", "--json"}));
  entry = text(page.get("items").items()[0].get("id"));
  EXPECT_EQ(json_of(server.command({"dlq", "discard", entry, "--json"})).get("resolution"),
            Value("discarded"));
  EXPECT_EQ(server.command({"dlq", "discard", entry}).exit, 4);
  Value purged = json_of(server.command({"dlq", "purge", "--job", "j4", "--json"}));
  EXPECT_EQ(purged.get("purged"), Value(1));
  EXPECT_EQ(server.command({"dlq", "purge"}).exit, 2);
  EXPECT_NE(server.command({"dlq", "--all"}).out.find("purged"), std::string::npos);
  EXPECT_EQ(server.command({"dlq", "burn", entry}).exit, 2);
}

// J-58
TEST(WorkersCommand, lists_shows_and_drains) {
  Scratch scratch;
  ServeProcess server{{"--data", scratch.path("data")}};
  EXPECT_EQ(server.command({"workers"}).exit, 0);
  WorkerProcess worker(server.url(), {"--name", "w1", "--task", "echo=cat"});
  for (int i = 0; i < 200; ++i) {
    if (server.command({"workers"}).out.find("w1") != std::string::npos) break;
    usleep(50'000);
  }
  Finished list = server.command({"workers"});
  EXPECT_NE(list.out.find("online"), std::string::npos) << list.out;
  EXPECT_EQ(json_of(server.command({"workers", "drain", "w1", "--json"})).get("status"),
            Value("draining"));
  // It holds nothing and may leave as soon as it hears of it.
  int undrained = server.command({"workers", "undrain", "w1", "--json"}).exit;
  EXPECT_TRUE(undrained == 0 || undrained == 3) << undrained;
  EXPECT_EQ(server.command({"workers", "show", "nobody"}).exit, 3);
  EXPECT_EQ(server.command({"workers", "fire", "w1"}).exit, 2);
  EXPECT_EQ(server.command({"pools", "--queues", "--json"}).exit, 0);
}

// J-23, J-25, J-26
TEST(PolicyCommand, checks_explains_and_shows_what_a_change_would_do) {
  Scratch scratch;
  std::string policy = write(scratch, "safety.yaml", safety);
  EXPECT_EQ(fermata({"policy", "check", policy}).exit, 0);
  std::string broken = write(scratch, "broken.yaml", "version: 1\ndefault_decision: alow\n");
  Finished wrong = fermata({"policy", "check", broken});
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_NE((wrong.out + wrong.err).find("broken.yaml:2:"), std::string::npos)
      << wrong.out << wrong.err;

  ServeProcess server{{"--data", scratch.path("data"), "--policy-file", policy}};
  Finished explained = server.command({"policy", "explain", "topic=crypto"});
  EXPECT_NE(explained.out.find("deny  by rule no-crypto"), std::string::npos) << explained.out;
  for (const char* topic : {"crypto", "mail"})
    ASSERT_EQ(server.command({"jobs", "submit", topic}).exit, 0);
  std::string next = write(scratch, "next.yaml",
                           "version: 1\ndefault_decision: allow\nrules:\n"
                           "  - {id: no-mail, match: {topics: [mail]}, decision: deny}\n");
  Finished diff = server.command({"policy", "rehearse", next});
  EXPECT_EQ(diff.exit, 0) << diff.err;
  EXPECT_NE(diff.out.find("2 decisions: 0 the same, 1 stricter, 1 milder"), std::string::npos)
      << diff.out;
  for (const char* word : {"WAS", "WOULD BE", "no-mail", "job.mail"})
    EXPECT_NE(diff.out.find(word), std::string::npos) << word << "\n" << diff.out;
  Value told = json_of(server.command({"policy", "rehearse", next, "--json"}));
  EXPECT_EQ(told.get("stricter"), Value(1));
}

}  // namespace
}  // namespace fermata::test
