#pragma once
#include "core/model/wait.h"

namespace fermata::view {

/// How long a pending wait may be overdue before it is told as an alert (W-86).
constexpr int64_t overdue_alert_s = 300;

/// The whole of a wait as every answer shows it (waits.md section 1). `now` tells how late it is.
Value wait(const WaitRecord& record, Instant now);

}  // namespace fermata::view
