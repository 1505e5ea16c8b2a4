#pragma once
#include "base/error.h"
#include "base/value.h"
#include "core/wait/zone_table.h"

namespace fermata::front {

constexpr int64_t preview_waits_max = 20;

/// `POST /waits/preview` (W-22): when a configuration would resume, by the rules of waits.md
/// section 4; `next` has that instant and those that would follow it.
Outcome<Value> preview_wait(const Value& body, const ZoneTable& zones, Instant now);

}  // namespace fermata::front
