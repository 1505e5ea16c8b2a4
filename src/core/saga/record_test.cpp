#include "base/hash.h"
#include "core/saga/saga_fixture.h"

namespace fermata::saga {
namespace {

// J-71
TEST(SagaEntries, work_is_written_down_in_the_decision_that_accepts_its_end_and_once) {
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  ASSERT_EQ(at.run.saga.entries.size(), 1u);
  EXPECT_EQ(at.entry(1).job, at.job_of("a"));
  EXPECT_EQ(at.entry(1).step, "a");
  EXPECT_EQ(at.status(1), "recorded");
  EXPECT_NE(at.done("a"), "") << "its end was accepted before";
  EXPECT_EQ(at.run.saga.entries.size(), 1u);
  ASSERT_EQ(at.done("c"), "");
  EXPECT_EQ(at.entry(2).step, "c");
}

// J-71
TEST(SagaEntries, what_did_nothing_or_cannot_be_undone_leaves_no_entry) {
  SagaRun at;
  SettleJob plain = at.end_of("a");
  plain.undo = Value();
  ASSERT_EQ(at.tell(plain), "");
  SettleJob idle = at.end_of("b");
  idle.work_done = false;
  ASSERT_EQ(at.tell(idle), "");
  EXPECT_TRUE(at.run.saga.entries.empty());
}

// J-72
TEST(SagaEntries, key_follows_from_what_is_undone_unless_it_is_given) {
  SagaRun at;
  SettleJob settle = at.end_of("a");
  settle.undo.set("capability", "refund");
  ASSERT_EQ(at.tell(settle), "");
  EXPECT_EQ(at.entry(1).idempotency_key,
            sha256_hex("trip|" + at.job_of("a").text() + "|job.a.undo|refund|0"));
  settle = at.end_of("b");
  settle.undo.set("idempotency_key", "mine");
  ASSERT_EQ(at.tell(settle), "");
  EXPECT_EQ(at.entry(2).idempotency_key, "mine");
  EXPECT_EQ(at.entry(2).request.find("idempotency_key"), nullptr);
}

// J-70
TEST(SagaEntries, without_an_input_of_its_own_it_gets_input_and_output) {
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  EXPECT_EQ(at.entry(1).request.get("input"),
            Value::object({{"input", "in a"}, {"output", Value::object({{"of", "a"}})}}));
  SettleJob held = at.end_of("b", "OUTPUT_QUARANTINED");
  ASSERT_EQ(at.tell(held), "");
  EXPECT_EQ(at.entry(2).request.get("input"),
            Value::object({{"input", "in b"}, {"output", Value()}, {"output_withheld", true}}))
      << "what was refused is not handed on";
}

TEST(SagaEntries, large_input_is_named_by_its_blob) {
  SagaRun at;
  SettleJob settle = at.end_of("a");
  settle.input = Value();
  settle.input_blob = Value::object({{"sha256", "x"}, {"bytes", 9}});
  ASSERT_EQ(at.tell(settle), "");
  EXPECT_EQ(at.entry(1).request.get("input").get("input_blob").get("sha256"), Value("x"));
  EXPECT_EQ(at.entry(1).request.get("input").find("input"), nullptr);
}

}  // namespace
}  // namespace fermata::saga
