#pragma once
#include "core/wait/zone_table.h"
#include "front/run_query.h"

namespace fermata::front {

constexpr int64_t calendar_days_max = 366;

/// What `GET /waits/calendar` asks for (W-21).
struct CalendarRequest {
  WaitFilter filter;
  bool by_day = false;
  std::string zone_name;
  std::shared_ptr<const Zone> zone;
};
/// `from`, `to` (a week from now when absent), `bucket`, `zone`, `workflow_id`, `wait_type`. Fails
/// with invalid_query or unknown_timezone.
Outcome<CalendarRequest> read_calendar(const NamedValues& query, const AccountId& account,
                                       const ZoneTable& zones, Instant now);
/// Where the bucket that holds an instant begins. An hour that clocks show twice is two buckets.
Instant bucket_of(Instant at, const CalendarRequest& request);
/// {zone, buckets: [{start, local_start, total, by_type, timeouts}]}; days begin at local midnight.
Value calendar_value(const CalendarRequest& request, const std::vector<WaitSlot>& slots);

}  // namespace fermata::front
