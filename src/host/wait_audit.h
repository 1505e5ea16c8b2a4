#pragma once
#include <vector>

#include "host/touched.h"

namespace fermata {

/// What the audit tells of the waits that a commit opens, moves, holds and ends (W-87). Plain
/// intervals and timers of scripts are told of in the history alone, unless somebody acts on them.
std::vector<AuditLine> wait_audit(const Touched& touched);

}  // namespace fermata
