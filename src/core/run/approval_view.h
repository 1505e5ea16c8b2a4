#pragma once
#include "core/model/approval.h"

namespace fermata::view {

/// The whole of an approval as every answer shows it (J-44). `now` tells how much time is left.
Value approval(const ApprovalRecord& record, Instant now);

}  // namespace fermata::view
