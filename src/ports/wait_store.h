#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/model/wait.h"

namespace fermata {

/// What the engine asks of the rows of waits, beside what it writes of them with their runs.
class WaitStore {
 public:
  virtual ~WaitStore() = default;
  /// How many waits count in the limits of which account (W-80); what counts none may be left out.
  virtual Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits() = 0;
  /// Waits that are held until the limits of their account leave room, in the order they were
  /// reached; `after` of them are passed over.
  virtual Outcome<std::vector<WaitRecord>> limited_waits(size_t after, size_t limit) = 0;
  /// Runs behind `after`, by id, with a pending wait that came from local time and was computed
  /// with other zone data than that of `version` (W-48).
  virtual Outcome<std::vector<RunId>> runs_of_other_zones(const std::string& version,
                                                          const RunId& after, size_t limit) = 0;
};

}  // namespace fermata
