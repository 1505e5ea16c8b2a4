#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fermata {

/// A length of time in milliseconds.
struct Duration {
  int64_t ms = 0;
  auto operator<=>(const Duration&) const = default;
};
constexpr Duration operator+(Duration a, Duration b) { return {a.ms + b.ms}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.ms - b.ms}; }

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
struct Instant {
  int64_t ms = 0;
  auto operator<=>(const Instant&) const = default;
};
constexpr Instant operator+(Instant a, Duration b) { return {a.ms + b.ms}; }
constexpr Instant operator-(Instant a, Duration b) { return {a.ms - b.ms}; }
constexpr Duration operator-(Instant a, Instant b) { return {a.ms - b.ms}; }

/// RFC 3339 in UTC with milliseconds: 2026-01-26T00:00:00.000Z.
std::string to_rfc3339(Instant at);
/// Reads RFC 3339 with any offset and 0–9 digits of fraction (cut to milliseconds).
std::optional<Instant> parse_rfc3339(std::string_view text);
/// "1500ms", "30s", "2h", "1d12h", "1w", or ISO 8601 without years and months: "PT30M", "P1DT12H".
/// Units from large to small, each once; a day is 24 h.
std::optional<Duration> parse_duration(std::string_view text);

/// A day of the proleptic Gregorian calendar.
struct CivilDate {
  int64_t year = 1970;
  int month = 1;  ///< 1–12
  int day = 1;    ///< 1–31
  auto operator<=>(const CivilDate&) const = default;
};
int64_t days_from_civil(CivilDate date);  ///< days since 1970-01-01
CivilDate civil_from_days(int64_t days);
int days_in_month(int64_t year, int month);

}  // namespace fermata
