#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/wait/zone.h"

namespace fermata::schedule {

/// Longer searches are given up: a rule that does not fire within this never fires (F-59).
constexpr int64_t never_fires_years = 30;

/// Wall-clock times by the fields of cron: five (minute hour day month weekday), or six with
/// seconds first.
class Cron {
 public:
  /// Fails with a sentence that names the field. A rule that never fires is refused too; see
  /// `never_fires`.
  static Result<Cron, std::string> parse(std::string_view text);
  /// True when the fields are right but no day fits them within thirty years, such as 30 February.
  bool never_fires() const;

  /// The first local time at or after `from` and before `end` that the fields name.
  std::optional<LocalTime> next_local(LocalTime from, LocalTime end) const;
  bool names_day(CivilDate date) const;
  /// Does the hour field begin with `*`? Then times that come twice fire on both passes (F-60).
  bool every_hour() const { return every_hour_; }

 private:
  friend class CronReader;
  Cron() = default;
  std::optional<int64_t> next_second_of_day(int64_t from) const;

  uint64_t seconds_ = 1;  ///< bit n: second n; the top of the minute with five fields
  uint64_t minutes_ = 0;
  uint64_t hours_ = 0;
  uint64_t days_ = 0;
  uint64_t months_ = 0;
  uint64_t weekdays_ = 0;
  std::array<uint8_t, 7> nth_weekdays_{};  ///< per weekday, bit n: the n-th of the month
  bool last_day_ = false;
  bool days_restricted_ = false;
  bool weekdays_restricted_ = false;
  bool every_hour_ = false;
};

/// The first instant after `after` at which a rule fires in a zone, or nothing within thirty years.
/// A time the clock skips fires as the policy says and falls together with one that is there
/// already; a time that comes twice fires on its first pass only, unless the rule fires every hour.
std::optional<Instant> next_occurrence(const Cron& cron, const Zone& zone, GapPolicy gap,
                                       Instant after);

}  // namespace fermata::schedule
