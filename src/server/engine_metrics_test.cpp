#include "server/engine_metrics.h"

#include <gtest/gtest.h>

namespace fermata::server {
namespace {

TEST(EngineMetrics, values_are_counted_up_to_each_bound) {
  Spread<3> spread({1, 10, 100});
  for (uint64_t value : {0, 1, 2, 10, 11, 5'000}) spread.add(value);
  SpreadSeen seen = spread.seen();
  EXPECT_EQ(seen.counts, (std::vector<uint64_t>{2, 2, 1, 1}));
  EXPECT_EQ(seen.sum, 5'024u);
}

// C-109
TEST(EngineMetrics, commits_and_lateness_are_shown_in_seconds) {
  HostCounters counters;
  counters.commit_us = {{500, 1'000}, {3, 1, 2}, 9'500};
  counters.commit_roots = {{1}, {1, 5}, 300};
  counters.lateness_ms = {{1}, {7, 1}, 2'000};
  counters.conflicts = 4;
  std::string text = engine_metrics(counters);
  for (const char* line :
       {"\nfermata_commit_seconds_bucket{le=\"0.0005\"} 3\n",
        "\nfermata_commit_seconds_bucket{le=\"0.001\"} 4\n",
        "\nfermata_commit_seconds_bucket{le=\"+Inf\"} 6\n", "\nfermata_commit_seconds_sum 0.0095\n",
        "\nfermata_commit_seconds_count 6\n", "\nfermata_commit_roots_sum 300\n",
        "\nfermata_timer_lateness_seconds_bucket{le=\"0.001\"} 7\n",
        "\nfermata_timer_lateness_seconds_sum 2\n", "\nfermata_conflicts_total 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
}  // namespace fermata::server
