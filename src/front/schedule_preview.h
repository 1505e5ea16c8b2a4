#pragma once
#include "base/error.h"
#include "base/value.h"
#include "core/wait/zone_table.h"

namespace fermata::front {

constexpr int64_t preview_occurrences_max = 1'000;

/// `POST /schedules/preview`: {cron | every_ms, timezone?, gap_policy?, start_at?, end_at?, from?,
/// n?} to {timezone, tzdata, next: [{at, local, zone}]}. Fails with unknown_timezone,
/// schedule_never_fires or invalid_field. Stores nothing.
Outcome<Value> preview_schedule(const Value& body, const ZoneTable& zones, Instant now);

}  // namespace fermata::front
