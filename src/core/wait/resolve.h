#pragma once
#include <string>
#include <vector>

#include "core/wait/config.h"
#include "core/wait/zone_table.h"

/// From the configuration of a wait to its instant: the time rules R1 to R10 of waits.md as pure
/// functions.
namespace fermata::waits {

/// What an instant depends on besides the configuration.
struct WaitWorld {
  Instant now;
  const ZoneTable& zones;
  std::string contact_zone;  ///< empty when there is none
  std::string account_zone;
  BusinessDays business;
  GapPolicy gap_policy = GapPolicy::gap_end;  ///< the account's
  std::string spread_key;                     ///< the wait's id: fixes its place in the spread
};

/// What a wait meant in local time, kept beside its instant: new zone data makes another instant
/// of the same intent (W-5, W-48).
struct LocalIntent {
  LocalTime local;  ///< nominal
  std::string zone;
  GapPolicy gap_policy = GapPolicy::gap_end;
  Duration plus;  ///< elapsed time after it
  std::string tzdata_version;
  bool operator==(const LocalIntent&) const = default;
};
/// The instant of an intent under some zone data; nothing when its zone is gone.
std::optional<Instant> instant_of(const LocalIntent& intent, const ZoneTable& zones);

struct SkippedDate {
  CivilDate date;
  std::string_view why;  ///< passed, weekday, business_day, holiday, missing or skip_today
};

/// The instant of a wait and how it was found.
struct WaitInstant {
  Instant at;
  bool past = false;  ///< R7: the target was not in the future and no window holds it back
  std::string_view rule;
  LocalMatch::Kind adjusted = LocalMatch::Kind::unique;
  std::vector<SkippedDate> skipped;  ///< the first of them
  std::optional<LocalIntent> intent;
  std::string timezone;  ///< empty where no zone had a say
  std::string_view timezone_source;
  std::vector<std::string> warnings;
};

/// How the instant was found, for people: {rule, skipped: [{date, why}], adjusted}.
Value explained(const WaitInstant& found);

/// Fails with the code of waits.md section 3. A date that stands in a contact's field must have
/// been put into the configuration.
Result<WaitInstant, Finding> resolve(const WaitConfig& config, const WaitWorld& world);

/// The next dates at which the same configuration would resume, each computed as of the one before
/// it; stops where there is none.
std::vector<WaitInstant> occurrences(const WaitConfig& config, WaitWorld world, size_t count);

/// The rules one by one; `resolve` puts them together.
struct ChosenZone {
  std::shared_ptr<const Zone> zone;
  std::string name;
  std::string_view source;  ///< explicit, contact, account or utc
  std::vector<std::string> warnings;
};
/// R9 and R10. `starts_at` is where the chain begins when the configuration names no zone.
Result<ChosenZone, Finding> choose_zone(const std::string& named, ZoneMode starts_at,
                                        const WaitWorld& world);
/// R4; fails with no_matching_day.
Result<WaitInstant, Finding> until_time(const UntilTime& until, const ChosenZone& zone,
                                        GapPolicy gap, const WaitWorld& world);
/// R6, R8; `past` as R7 has it, whatever is to follow from that.
Result<WaitInstant, Finding> until_date(const UntilDate& until, const ChosenZone& zone,
                                        GapPolicy gap, const WaitWorld& world);
/// The last instant a date may have (R8): one calendar year after now.
Instant latest_date(Instant now);
/// The opening at or after which a wait resumes, or the instant itself when the window is open
/// then; fails with invalid_window when it does not open within a year.
struct WindowInstant {
  Instant at;
  std::optional<LocalIntent> intent;  ///< set when the instant was moved to an opening
};
Result<WindowInstant, Finding> in_window(Instant at, const ResumeWindow& window,
                                         const ChosenZone& zone, GapPolicy gap,
                                         const WaitWorld& world);
/// A delay in [0, most] that the key fixes.
Duration spread_delay(std::string_view key, int64_t most_ms);

}  // namespace fermata::waits
