#include "core/model/trace.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

const std::string cause = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

//
TEST(RunTraces, recorded_run_passes_its_own_steps_on) {
  auto passed = passed_on({cause, "v=1", true}, call_span(RunId("r"), 3, 1));
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(passed->span_id, call_span(RunId("r"), 3, 1));
  EXPECT_EQ(passed->state, "v=1");
}

TEST(RunTraces, run_that_is_not_recorded_passes_its_cause_on) {
  EXPECT_EQ(traceparent_of(*passed_on({cause, "", false}, "ffffffffffffffff")), cause);
  EXPECT_FALSE(passed_on({}, "ffffffffffffffff"));
}

TEST(RunTraces, every_attempt_is_a_step_and_the_same_attempt_the_same_step) {
  RunId run("r");
  EXPECT_EQ(call_span(run, 3, 1), call_span(run, 3, 1));
  EXPECT_NE(call_span(run, 3, 1), call_span(run, 3, 2));
  EXPECT_NE(call_span(run, 3, 1), call_span(RunId("s"), 3, 1));
  EXPECT_NE(activation_span(run, 3), run_span(run));
}

}  // namespace
}  // namespace fermata
