#pragma once
#include "base/error.h"
#include "base/value.h"
#include "core/schedule/schedule.h"
#include "core/wait/zone_table.h"

namespace fermata::front {

constexpr int64_t preview_occurrences_max = 1'000;

/// `POST /schedules/preview`: {cron | every_ms, timezone?, gap_policy?, start_at?, end_at?, from?,
/// n?} to {timezone, tzdata, next: [{at, local, zone}]}. Fails with unknown_timezone,
/// schedule_never_fires or invalid_field. Stores nothing.
Outcome<Value> preview_schedule(const Value& body, const ZoneTable& zones, Instant now);

/// The same of a schedule that is there, each with its `start_at`: what it expects, or while it is
/// paused what it would if it were resumed now. Empty when it has ended.
Outcome<Value> preview_of(const schedule::Schedule& schedule, const ZoneTable& zones, Instant now,
                          int64_t count);

}  // namespace fermata::front
