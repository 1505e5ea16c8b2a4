#include "core/schedule/cron.h"

#include <algorithm>
#include <bit>

namespace fermata::schedule {
namespace {

constexpr int64_t second_ms = 1'000;
constexpr int64_t day_seconds = 86'400;

bool has(uint64_t bits, int64_t value) { return (bits >> value & 1) != 0; }

/// The first bit at or above `from`.
std::optional<int64_t> next_bit(uint64_t bits, int64_t from) {
  if (from > 63) return std::nullopt;
  uint64_t rest = bits >> from << from;
  if (rest == 0) return std::nullopt;
  return std::countr_zero(rest);
}

/// Rounded up to a whole second.
LocalTime on_the_second(LocalTime local) {
  int64_t part = local.ms_of_day % second_ms;
  if (part == 0) return local;
  return local_as_if_utc(as_if_utc(local) + Duration{second_ms - part});
}

CivilDate first_of_next_month(CivilDate date) { return plus_months({date.year, date.month, 1}, 1); }

/// Clocks between two changes.
struct Stretch {
  Instant begin;
  std::optional<Instant> end;
  int64_t offset_ms = 0;
  int64_t offset_before_ms = 0;  ///< before `begin`
};

int64_t offset_ms(const Zone& zone, Instant at) {
  return int64_t{zone.offset_at(at).seconds} * second_ms;
}

LocalTime shown(Instant at, int64_t offset) { return local_as_if_utc({at.ms + offset}); }

/// One search through the stretches of a zone.
class Search {
 public:
  Search(const Cron& cron, const Zone& zone, GapPolicy gap) : cron_(cron), zone_(zone), gap_(gap) {}

  std::optional<Instant> first_at_or_after(Instant from) {
    Instant give_up =
        as_if_utc({plus_months(local_as_if_utc(from).date, 12 * never_fires_years), 0});
    Stretch stretch = stretch_around(from);
    while (true) {
      auto found = in_stretch(stretch, std::max(from, stretch.begin), give_up);
      if (found) return found;
      if (!stretch.end || *stretch.end > give_up) return std::nullopt;
      stretch = stretch_from(*stretch.end, stretch.offset_ms);
    }
  }

 private:
  Stretch stretch_from(Instant begin, int64_t offset_before) const {
    return {begin, zone_.next_change(begin), offset_ms(zone_, begin), offset_before};
  }
  /// The stretch that `at` lies in. Its beginning is looked for two days back, farther than any
  /// clock was ever moved.
  Stretch stretch_around(Instant at) const {
    constexpr Duration far_enough{2 * day_seconds * second_ms};
    Instant begin = at - far_enough;
    Stretch stretch = stretch_from(begin, offset_ms(zone_, begin));
    while (stretch.end && *stretch.end <= at)
      stretch = stretch_from(*stretch.end, stretch.offset_ms);
    return stretch;
  }

  std::optional<Instant> in_stretch(const Stretch& stretch, Instant from, Instant give_up) const {
    auto regular = regular_in(stretch, from, give_up);
    auto skipped = skipped_before(stretch, from);
    if (!regular) return skipped;
    return skipped ? std::min(*regular, *skipped) : regular;
  }

  std::optional<Instant> regular_in(const Stretch& stretch, Instant from, Instant give_up) const {
    LocalTime local = shown(from, stretch.offset_ms);
    LocalTime end = shown(stretch.end.value_or(give_up), stretch.offset_ms);
    // Times shown for the second time do not fire again.
    LocalTime passed = shown(stretch.begin, stretch.offset_before_ms);
    if (!cron_.every_hour() && passed > local) local = passed;
    auto found = cron_.next_local(local, end);
    if (!found) return std::nullopt;
    return Instant{as_if_utc(*found).ms - stretch.offset_ms};
  }

  /// Where times that the clock skipped at the beginning of the stretch fire.
  std::optional<Instant> skipped_before(const Stretch& stretch, Instant from) const {
    if (stretch.offset_ms <= stretch.offset_before_ms) return std::nullopt;
    LocalTime gap_begin = shown(stretch.begin, stretch.offset_before_ms);
    LocalTime gap_end = shown(stretch.begin, stretch.offset_ms);
    if (gap_ == GapPolicy::gap_end) {
      bool skips = from <= stretch.begin && cron_.next_local(gap_begin, gap_end).has_value();
      return skips ? std::optional(stretch.begin) : std::nullopt;
    }
    LocalTime shifted_from = std::max(gap_begin, shown(from, stretch.offset_before_ms));
    auto found = cron_.next_local(shifted_from, gap_end);
    if (!found) return std::nullopt;
    return Instant{as_if_utc(*found).ms - stretch.offset_before_ms};
  }

  const Cron& cron_;
  const Zone& zone_;
  GapPolicy gap_;
};

}  // namespace

bool Cron::names_day(CivilDate date) const {
  if (!has(months_, date.month)) return false;
  int weekday = weekday_of(date);
  bool by_date =
      has(days_, date.day) || (last_day_ && date.day == days_in_month(date.year, date.month));
  bool by_weekday = has(weekdays_, weekday) ||
                    has(nth_weekdays_[static_cast<size_t>(weekday)], (date.day - 1) / 7 + 1);
  // Two restrictions are alternatives, as cron has always had it; else both must hold.
  return days_restricted_ && weekdays_restricted_ ? by_date || by_weekday : by_date && by_weekday;
}

std::optional<int64_t> Cron::next_second_of_day(int64_t from) const {
  int64_t hour = from / 3'600, minute = from / 60 % 60, second = from % 60;
  for (auto h = next_bit(hours_, hour); h; h = next_bit(hours_, *h + 1)) {
    if (*h > hour) minute = second = 0;
    for (auto m = next_bit(minutes_, minute); m; m = next_bit(minutes_, *m + 1)) {
      if (*h > hour || *m > minute) second = 0;
      if (auto s = next_bit(seconds_, second)) return *h * 3'600 + *m * 60 + *s;
    }
  }
  return std::nullopt;
}

std::optional<LocalTime> Cron::next_local(LocalTime from, LocalTime end) const {
  from = on_the_second(from);
  CivilDate date = from.date;
  int64_t second = from.ms_of_day / second_ms;
  while (date <= end.date) {
    if (!has(months_, date.month)) {
      date = first_of_next_month(date);
      second = 0;
      continue;
    }
    if (names_day(date)) {
      if (auto found = next_second_of_day(second)) {
        LocalTime local{date, *found * second_ms};
        return local < end ? std::optional(local) : std::nullopt;
      }
    }
    date = plus_days(date, 1);
    second = 0;
  }
  return std::nullopt;
}

bool Cron::never_fires() const {
  // Weekdays and leap years repeat every 28 years, so any thirty years tell.
  constexpr int64_t some_year = 2000;
  LocalTime from{{some_year, 1, 1}, 0};
  return !next_local(from, {{some_year + never_fires_years, 1, 1}, 0});
}

std::optional<Instant> next_occurrence(const Cron& cron, const Zone& zone, GapPolicy gap,
                                       Instant after) {
  int64_t part = after.ms % second_ms;
  if (part < 0) part += second_ms;
  return Search(cron, zone, gap).first_at_or_after({after.ms - part + second_ms});
}

}  // namespace fermata::schedule
