#include "core/run/script_definition.h"
#include "test/partition/waiting_store.h"

namespace fermata {
namespace {

class ScriptsTest : public HostTest {
 protected:
  static graph::DefinitionRef script(const std::string& source) {
    return make_script_definition(flow::make_definition(flow::check_script(source)));
  }
  uint64_t slices_of(const std::string& run) {
    return stored(run).summary.last_sequence > 0 ? stored(run).version : 0;
  }
};

// Row 15 of flow.md, F-51: a turn has at most one slice of it, and a slice is a million
// instructions, about 4 ms.
TEST_F(ScriptsTest, loop_without_end_delays_a_thousand_others_by_a_few_slices) {
  constexpr size_t others = 1'000;
  definitions.only = script("let n = 0\nwhile (true) { n = n + 1 }\n");
  start("endless");
  while (slices_of("endless") == 0) host().turn();
  uint64_t before = slices_of("endless");
  definitions.only =
      script("let sum = 0\nfor (let i = 0; i < 50; i++) { sum = sum + i }\nreturn sum\n");
  for (size_t i = 0; i < others; ++i) start("r" + std::to_string(i));
  size_t turns = 0;
  while (answers.size() < others + 1 && turns < 100) {
    host().turn();
    ++turns;
  }
  EXPECT_EQ(answers.size(), others + 1);
  EXPECT_LE(slices_of("endless") - before, turns);
  EXPECT_LE(turns, 10u);
  for (size_t i = 0; i < others; ++i)
    ASSERT_EQ(stored("r" + std::to_string(i)).summary.status, RunStatus::completed) << i;
  settle();
  EXPECT_EQ(stored("endless").summary.status, RunStatus::failed);
  EXPECT_EQ(stored("endless").summary.error_code, "fuel_exhausted");
}

}  // namespace
}  // namespace fermata
