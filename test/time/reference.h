#pragma once
#include <ctime>
#include <string>

#include "base/time.h"
#include "core/wait/calendar.h"

/// A slow second opinion on zones: the C library with its own reader of the same files, asked
/// minute by minute.
namespace fermata::testing {

/// What the C library shows in a zone. One at a time: it works by the environment of the process.
class LibraryZone {
 public:
  /// `file` is a compiled zone.
  explicit LibraryZone(const std::string& file);
  ~LibraryZone();
  LibraryZone(const LibraryZone&) = delete;

  struct Shown {
    LocalTime local;
    int offset_seconds = 0;
    std::string abbreviation;
  };
  Shown at(Instant at) const;
  /// Minutes since 1970 as the local clock counts them.
  int64_t local_minute(int64_t minute) const;

 private:
  std::string before_;
  bool had_zone_ = false;
};

/// Clocks watched from one minute to the next: tells which local minutes have been reached. A
/// minute that is skipped is reached when the clock has passed it, one that comes again is not
/// reached again.
class ClockWatch {
 public:
  /// Begins days before `from`, so that what was reached by then is known.
  ClockWatch(const LibraryZone& zone, Instant from);
  /// Moves to the next minute; afterwards local minutes in (`reached_before`, `reached`] are new.
  void step();
  int64_t minute() const { return minute_; }  ///< since 1970
  Instant now() const { return {minute_ * 60'000}; }
  int64_t reached() const { return reached_; }
  int64_t reached_before() const { return reached_before_; }
  int64_t shown() const { return shown_; }
  int64_t shown_before() const { return shown_before_; }

 private:
  const LibraryZone& zone_;
  int64_t minute_;
  int64_t shown_ = 0, shown_before_ = 0;
  int64_t reached_ = 0, reached_before_ = 0;
};

/// Names of the zones of this machine, without copies and without those that count leap seconds.
std::vector<std::string> system_zone_names();
inline const std::string system_zones = "/usr/share/zoneinfo";

}  // namespace fermata::testing
