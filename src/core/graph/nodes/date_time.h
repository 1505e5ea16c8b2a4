#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/graph/nodes/date_pattern.h"
#include "core/graph/nodes/node.h"
#include "core/wait/zone_table.h"

/// Dates of the date nodes: writing, reading, reckoning (G-55).
namespace fermata::graph {

constexpr size_t date_text_bytes_max = 256;

// date_write.cpp
std::string write_date(const DatePattern& pattern, const LocalMoment& moment);

// date_read.cpp
/// Reads the whole text by a pattern. Without an offset in it the time is that of `zone`; what the
/// pattern leaves out is the beginning of the year, month or day, but a year must be there. Numbers
/// may lack their leading zeros, names may have any case, weekdays are not compared with the date.
std::optional<Instant> read_date(std::string_view text, const DatePattern& pattern,
                                 const Zone& zone);
/// Reads RFC 3339, `Y-M-D[ h:m[:s]]`, RFC 1123 and RFC 822.
std::optional<Instant> read_standard_date(std::string_view text, const Zone& zone);

// date_shift.cpp
constexpr std::string_view date_unit_choices = "days|seconds|minutes|hours|weeks|months|years";
/// Up to hours elapsed time, fractions allowed; from days calendar time in the zone, whole numbers
/// only, the day clamped to the end of its month. `amount` is the parameter as it was given.
Result<Instant, NodeError> shift_date(Instant at, const Value& amount, std::string_view unit,
                                      bool backwards, const Zone& zone);
/// True for instants whose year can be written with four digits, in UTC and in the zone.
bool has_calendar_year(Instant at, const Zone& zone);

// date_time.cpp
/// The zones that the input gives: those of a table, and fixed offsets.
const ZoneTable& zones_of(const NodeInput& input);

}  // namespace fermata::graph
