#include "base/trace_context.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

const std::string example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

//
TEST(TraceContext, reads_and_writes_the_header) {
  auto trace = parse_trace(example, "vendor=1,other=two");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace->span_id, "00f067aa0ba902b7");
  EXPECT_TRUE(trace->sampled());
  EXPECT_EQ(trace->state, "vendor=1,other=two");
  EXPECT_EQ(traceparent_of(*trace), example);
}

TEST(TraceContext, flags_say_whether_it_is_sampled) {
  EXPECT_FALSE(parse_trace(example.substr(0, 53) + "00", "")->sampled());
  EXPECT_FALSE(parse_trace(example.substr(0, 53) + "02", "")->sampled());
  EXPECT_TRUE(parse_trace(example.substr(0, 53) + "03", "")->sampled());
  EXPECT_EQ(traceparent_of(*parse_trace(example.substr(0, 53) + "fb", "")).substr(53), "fb");
}

TEST(TraceContext, what_is_not_valid_is_no_trace) {
  const std::vector<std::string> bad = {
      "",
      "00",
      example.substr(0, 54),
      "ff" + example.substr(2),
      "0x" + example.substr(2),
      example + "-more",
      example + "0",
      "00-" + std::string(32, '0') + example.substr(35),
      example.substr(0, 36) + std::string(16, '0') + "-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  };
  for (const std::string& text : bad) EXPECT_FALSE(parse_trace(text, "")) << text;
}

TEST(TraceContext, later_versions_may_add_fields) {
  EXPECT_TRUE(parse_trace("01" + example.substr(2), ""));
  EXPECT_TRUE(parse_trace("01" + example.substr(2) + "-what-comes", ""));
  EXPECT_FALSE(parse_trace("01" + example.substr(2) + "what-comes", ""));
  EXPECT_EQ(traceparent_of(*parse_trace("cc" + example.substr(2) + "-x", "")), example);
}

TEST(TraceContext, state_that_cannot_be_passed_on_is_left_out) {
  EXPECT_EQ(parse_trace(example, std::string(tracestate_bytes_max, 'a'))->state.size(),
            tracestate_bytes_max);
  EXPECT_EQ(parse_trace(example, std::string(tracestate_bytes_max + 1, 'a'))->state, "");
  EXPECT_EQ(parse_trace(example, "a=1\r\nX-Evil: 1")->state, "");
}

TEST(TraceContext, ids_are_made_from_names_and_from_chance) {
  EXPECT_EQ(span_id_of("run/7/1"), span_id_of("run/7/1"));
  EXPECT_NE(span_id_of("run/7/1"), span_id_of("run/7/2"));
  EXPECT_EQ(span_id_of("x").size(), 16u);
  EXPECT_EQ(span_id_of(uint64_t{0x1f}), "000000000000001f");
  EXPECT_EQ(span_id_of(uint64_t{0}), "0000000000000001") << "zero is not an id";
  EXPECT_EQ(trace_id_of(0, 0), std::string(31, '0') + "1");
}

TEST(TraceContext, a_share_of_traces_is_chosen_by_their_ids) {
  int chosen = 0;
  for (uint64_t i = 0; i < 10'000; ++i) {
    std::string id = trace_id_of(7, i * 0x9e3779b97f4a7c15);
    bool first = is_chosen(id, 0.25);
    EXPECT_EQ(first, is_chosen(id, 0.25));
    chosen += first;
  }
  EXPECT_NEAR(chosen, 2'500, 200);
  EXPECT_TRUE(is_chosen(std::string(32, 'f'), 1));
  EXPECT_FALSE(is_chosen(std::string(32, '0'), 0));
}

}  // namespace
}  // namespace fermata
