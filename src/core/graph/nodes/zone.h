#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"

/// Time zones as the date nodes need them. The core reads no files, so who has zone data hands in
/// a `Zones`; without one there are UTC and fixed offsets.
namespace fermata::graph {

/// What calendar and clock show somewhere, without saying where.
struct LocalTime {
  CivilDate date;
  int64_t ms_of_day = 0;
  auto operator<=>(const LocalTime&) const = default;
};

/// One zone; immutable and shared.
class ZoneRules {
 public:
  struct Offset {
    int32_t seconds = 0;       ///< east of UTC
    std::string abbreviation;  ///< CEST; empty where there is none
  };
  virtual ~ZoneRules() = default;
  virtual Offset offset_at(Instant at) const = 0;
  /// A time the clocks skip means the first instant after the gap, one they show twice the earlier
  /// instant (waits.md, R2 and R3).
  virtual Instant instant_of(LocalTime local) const = 0;
};

/// Zones by name.
class Zones {
 public:
  virtual ~Zones() = default;
  /// Empty when the name is not known.
  virtual std::shared_ptr<const ZoneRules> find(std::string_view name) const = 0;
  /// What `find` knows, in words for people.
  virtual std::string_view known() const = 0;
};

/// UTC under its usual names, and offsets written +02:00, +0200 or +02.
const Zones& fixed_zones();
const ZoneRules& utc_zone();

/// An instant as a zone shows it.
struct LocalMoment {
  Instant at;
  LocalTime local;
  ZoneRules::Offset offset;
};
LocalMoment local_moment(Instant at, const ZoneRules& zone);
/// The instant at which a clock that is `offset_seconds` ahead of UTC shows the local time.
Instant instant_at_offset(LocalTime local, int64_t offset_seconds);
/// 0 is Sunday.
int weekday_of(CivilDate date);
/// 1 is the first of January.
int day_of_year(CivilDate date);

}  // namespace fermata::graph
