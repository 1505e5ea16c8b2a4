#include <gtest/gtest.h>

#include "adapters/tzdata/directory.h"
#include "base/random.h"
#include "core/schedule/cron.h"
#include "test/time/reference.h"

namespace fermata::testing {
namespace {

using schedule::Cron;

std::string number_list(Random& random, int least, int most) {
  std::string text = std::to_string(least + static_cast<int>(random.below(most - least + 1)));
  while (random.chance(0.4))
    text += "," + std::to_string(least + static_cast<int>(random.below(most - least + 1)));
  return text;
}

std::string random_rule(Random& random) {
  auto field = [&](int least, int most) {
    double dice = random.fraction();
    if (dice < 0.35) return std::string("*");
    if (dice < 0.55)
      return "*/" + std::to_string(1 + random.below(static_cast<uint64_t>(most) / 2));
    return number_list(random, least, most);
  };
  // Hours around which clocks change are the interesting ones.
  std::string hour = random.chance(0.5) ? number_list(random, 0, 4) : field(0, 23);
  std::string day = random.chance(0.7) ? "*" : field(1, 28);
  std::string weekday = random.chance(0.7) ? "?" : field(0, 6);
  return field(0, 59) + " " + hour + " " + day + " * " + weekday;
}

/// What fires while a clock is watched for some days. Times that it jumps over fire when it has
/// passed them, times that it shows again fire again only for rules of every hour.
std::vector<Instant> watched(const LibraryZone& library, const Cron& cron, Instant from,
                             Instant to) {
  std::vector<Instant> fired;
  auto names = [&](int64_t local_minute) {
    LocalTime local = local_as_if_utc({local_minute * 60'000});
    return cron.next_local(local, local_as_if_utc({local_minute * 60'000 + 1})).has_value();
  };
  ClockWatch watch(library, from);
  while (watch.now() < to) {
    watch.step();
    if (watch.now() <= from) continue;
    if (watch.now() > to) break;
    bool fires = false;
    for (int64_t local = watch.reached_before() + 1; local <= watch.reached(); ++local)
      fires = fires || names(local);
    bool again = watch.shown() <= watch.reached_before();
    if (again && cron.every_hour()) fires = names(watch.shown());
    if (fires) fired.push_back(watch.now());
  }
  return fired;
}

}  // namespace

// F-60
TEST(CronReference, rules_fire_when_a_watched_clock_says_so) {
  auto directory = look_at_zones(system_zones);
  ASSERT_TRUE(directory);
  auto read = read_zones(*directory);
  ASSERT_TRUE(read);
  Random random(11);
  const Instant first = *parse_rfc3339("1990-01-01T00:00:00Z");
  size_t occurrences = 0;
  for (int round = 0; round < 300; ++round) {
    const auto& [name, zone] = read->zones[random.below(read->zones.size())];
    Instant from = first + Duration{static_cast<int64_t>(random.below(50ull * 365 * 86'400'000))};
    if (auto change = zone->next_change(from))
      from = {change->ms - static_cast<int64_t>(random.below(2 * 86'400'000))};
    Instant to = from + Duration{4 * 86'400'000};
    std::string rule = random_rule(random);
    auto cron = Cron::parse(rule);
    ASSERT_TRUE(cron) << rule << ": " << cron.error();
    std::vector<Instant> found;
    for (auto at = next_occurrence(*cron, *zone, GapPolicy::gap_end, from); at && *at <= to;
         at = next_occurrence(*cron, *zone, GapPolicy::gap_end, *at))
      found.push_back(*at);
    LibraryZone library(system_zones + "/" + name);
    std::vector<Instant> expected = watched(library, *cron, from, to);
    ASSERT_EQ(found.size(), expected.size()) << rule << " in " << name << " " << to_rfc3339(from);
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(to_rfc3339(found[i]), to_rfc3339(expected[i])) << rule << " in " << name;
    occurrences += found.size();
  }
  EXPECT_GT(occurrences, 5'000u);
}

}  // namespace fermata::testing
