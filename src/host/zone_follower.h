#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/wait/zone_table.h"
#include "ports/store.h"

namespace fermata {

/// Has every pending wait that came from local time follow new zone data (W-48): names the runs to
/// be told, page by page, once per version of the data and once after a start. Used by the
/// partition's thread alone.
class ZoneFollower {
 public:
  explicit ZoneFollower(Store& store) : store_(store) {}

  /// The next runs to be told. `decided` counts the batches begun so far and `landed` those that
  /// are durable: what was decided with the old data is looked for when it is.
  std::vector<RunId> next(const ZoneTable& zones, uint64_t decided, uint64_t landed, Instant now,
                          size_t most);
  /// True when these are other data than the last ones seen; not for the first after a start.
  bool changed(const ZoneTable& zones) const { return !seen_.empty() && seen_ != zones.version(); }
  /// True for an account that is to be told of the version in force: once each.
  bool tells(const AccountId& account);
  /// The version before the one in force, or empty when it was not seen.
  const std::string& before() const { return before_; }
  bool idle() const { return !more_; }
  std::optional<Instant> next_due() const { return try_again_at_; }

 private:
  Store& store_;
  std::string seen_;  ///< the version in force
  std::string before_;
  std::set<AccountId> told_;
  std::string followed_;       ///< by every wait
  uint64_t begins_after_ = 0;  ///< so many batches
  RunId cursor_;
  bool more_ = false;
  std::optional<Instant> try_again_at_;
};

}  // namespace fermata
