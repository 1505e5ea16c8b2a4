#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

namespace fermata {
struct WaitRecord;
namespace job {
struct Summary;
}
namespace schedule {
struct Schedule;
}
}  // namespace fermata

namespace fermata::server {

/// That something which people look at is not what it was (U-55): what it is, and a few words about
/// it. Whoever needs more asks for it.
struct Change {
  AccountId account{};
  /// wait, job, dlq, worker, schedule, bulk or simulation
  std::string_view kind{};
  std::string id{};
  uint64_t version = 0;  ///< grows with each change of the thing; 0: it has none
  Instant at{};
  RunId run{};  ///< that it belongs to, if any
  Value summary{};
};

Change change_of(const WaitRecord& record);
Change change_of(const job::Summary& job);
Change change_of(const schedule::Schedule& schedule);
/// Of a job that ended badly: it is, or may be, a dead letter.
std::optional<Change> letter_change_of(const job::Summary& job);
/// {kind, id, version, at, execution_id?, summary}
Value change_value(const Change& change);

}  // namespace fermata::server
