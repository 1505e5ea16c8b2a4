#pragma once
#include "core/model/wait.h"

namespace fermata::view {

/// The whole of a wait as every answer shows it (waits.md section 1). `now` tells how late it is.
Value wait(const WaitRecord& record, Instant now);

}  // namespace fermata::view
