#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/wait/calendar.h"

/// A time zone as a plain immutable value: the changes of its clocks so far, and the rule by which
/// they go on. The core reads no files; who has zone data makes zones from it (adapters/tzdata).
namespace fermata {

struct ZoneOffset {
  int32_t seconds = 0;       ///< east of UTC
  std::string abbreviation;  ///< CEST; empty where there is none
  bool summer = false;
  bool operator==(const ZoneOffset&) const = default;
};

/// The day and second of each year at which a rule changes the clocks, as POSIX writes it.
struct RuleDate {
  enum class Form : uint8_t {
    month_week_weekday,  ///< M3.5.0: week 5 is the last
    day_without_leap,    ///< J60: the first of March in every year
    day_from_zero,       ///< 59: the 60th day, whatever it is called
  };
  Form form = Form::month_week_weekday;
  int month = 1;
  int week = 1;
  int weekday = 0;
  int day = 0;
  int32_t seconds = 7200;  ///< after local midnight; may be negative or lie days ahead
  bool operator==(const RuleDate&) const = default;
};

/// How the clocks go on after the last recorded change.
struct ZoneRule {
  ZoneOffset standard;
  std::optional<ZoneOffset> summer;
  RuleDate begins;  ///< of summer time, in standard time
  RuleDate ends;    ///< of summer time, in summer time
  bool operator==(const ZoneRule&) const = default;
};
/// Reads a POSIX TZ text with the extensions of TZif version 3, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`. Summer time without dates is refused.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

/// Offsets of clocks lie within this, as TZif demands.
constexpr int32_t zone_offset_seconds_max = 26 * 3600;

/// What a zone is made of.
struct ZoneData {
  std::vector<ZoneOffset> offsets;    ///< the first is in force before all changes
  std::vector<int64_t> changes_s;     ///< seconds since 1970, growing
  std::vector<uint8_t> offset_after;  ///< per change, an index into `offsets`
  std::optional<ZoneRule> rule;       ///< after the last change
};

/// What to do with a local time that does not exist (waits.md, R2).
enum class GapPolicy : uint8_t {
  gap_end,  ///< the first instant after the gap
  shift,    ///< as much later as the clocks were moved
};
std::string_view name_of(GapPolicy policy);
constexpr GapPolicy last_of(GapPolicy) { return GapPolicy::shift; }
std::optional<GapPolicy> gap_policy_of(std::string_view name);

/// The instants at which clocks show a local time.
struct LocalMatch {
  enum class Kind : uint8_t { unique, gap, overlap };
  Kind kind = Kind::unique;
  Instant earlier;  ///< of an overlap the first pass; of a gap its end
  Instant later;    ///< of an overlap the last pass; of a gap the instant shifted by its length
  Instant by(GapPolicy policy) const {
    return kind == Kind::gap && policy == GapPolicy::shift ? later : earlier;
  }
};

class Zone {
 public:
  static Zone fixed(int32_t offset_seconds, std::string abbreviation);
  /// Fails, with the reason, when the data contradicts itself.
  static Result<Zone, std::string> from(ZoneData data);

  const ZoneOffset& offset_at(Instant at) const;
  LocalTime local_at(Instant at) const;
  LocalMatch match(LocalTime local) const;
  /// A time that clocks show twice means the earlier instant (R3).
  Instant instant_of(LocalTime local, GapPolicy policy = GapPolicy::gap_end) const {
    return match(local).by(policy);
  }
  /// True when some instant has this local date; dates are skipped where a zone changes sides of
  /// the date line.
  bool has_date(CivilDate date) const;
  /// The instant of the next change of clocks after `at`.
  std::optional<Instant> next_change(Instant at) const;

 private:
  explicit Zone(ZoneData data) : data_(std::move(data)) {}
  const ZoneOffset& offset_at_second(int64_t second) const;
  std::optional<int64_t> next_change_second(int64_t second) const;

  ZoneData data_;
};

/// The instant at which a clock that is `offset_seconds` ahead of UTC shows the local time.
Instant instant_at_offset(LocalTime local, int64_t offset_seconds);

/// An instant as a zone shows it.
struct LocalMoment {
  Instant at;
  LocalTime local;
  ZoneOffset offset;
};
LocalMoment local_moment(Instant at, const Zone& zone);

const Zone& utc_zone();

}  // namespace fermata
