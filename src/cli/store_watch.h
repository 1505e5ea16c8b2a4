#pragma once
#include <set>

#include "base/error.h"
#include "cli/log.h"
#include "ports/clock.h"

namespace fermata::cli {

/// Tells the log that the store cannot be written: at once, then not more often than every
/// `repeat_interval` for as long as it lasts, and when it is over. A full disk fails thousands of
/// writes a second, and a log that says so each time may be on that disk. Safe from several
/// threads.
class StoreWatch {
 public:
  static constexpr Duration repeat_interval{10'000};
  static constexpr size_t damages_max = 1'000;

  StoreWatch(Log& log, const Clock& clock) : log_(log), clock_(clock) {}
  void failed(const Error& error);
  void recovered();
  /// Told once for each thing that is damaged, up to `damages_max` of them.
  void damaged(const Error& error);

 private:
  Log& log_;
  const Clock& clock_;
  std::mutex mutex_;
  std::optional<Instant> told_at_;  ///< empty while the store can be written
  int64_t failures_ = 0;            ///< since the first of this trouble
  std::set<std::string> damages_;
};

}  // namespace fermata::cli
