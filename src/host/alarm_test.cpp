#include "host/alarm.h"

#include <gtest/gtest.h>

#include "base/id.h"
#include "base/packed_id.h"
#include "base/uuid.h"

namespace fermata {
namespace {

using JobAlarm = Alarm<JobId, PackedId<JobId>>;

std::vector<std::string> keys_of(const std::vector<JobAlarm::Entry>& entries) {
  std::vector<std::string> keys;
  for (const JobAlarm::Entry& entry : entries) keys.push_back(entry.key.text());
  return keys;
}

TEST(Alarm, gives_what_is_due_earliest_first_and_once) {
  JobAlarm alarm;
  std::string uuid = uuid_v5("a");
  alarm.set(JobId("b"), Instant{20});
  alarm.set(JobId(uuid), Instant{20});
  alarm.set(JobId("c"), Instant{10});
  alarm.set(JobId("d"), Instant{30});
  EXPECT_EQ(alarm.next(), Instant{10});
  EXPECT_EQ(keys_of(alarm.due(Instant{20}, 2)), (std::vector<std::string>{"c", uuid}));
  EXPECT_EQ(keys_of(alarm.due(Instant{20}, 2)), (std::vector<std::string>{"b"}));
  EXPECT_TRUE(alarm.due(Instant{20}, 2).empty());
  EXPECT_FALSE(alarm.has(JobId(uuid)));
  EXPECT_TRUE(alarm.has(JobId("d")));
  EXPECT_EQ(alarm.size(), 1u);
}

TEST(Alarm, has_at_most_one_entry_of_each) {
  JobAlarm alarm;
  alarm.set(JobId("a"), Instant{10});
  alarm.set(JobId("a"), Instant{10});
  alarm.set(JobId("a"), Instant{30});
  EXPECT_EQ(alarm.size(), 1u);
  EXPECT_EQ(alarm.next(), Instant{30});
  EXPECT_TRUE(alarm.due(Instant{10}, 8).empty());
  alarm.set(JobId("a"), std::nullopt);
  alarm.set(JobId("b"), std::nullopt);
  EXPECT_EQ(alarm.size(), 0u);
  EXPECT_FALSE(alarm.next());
  EXPECT_FALSE(alarm.has(JobId("a")));
}

}  // namespace
}  // namespace fermata
