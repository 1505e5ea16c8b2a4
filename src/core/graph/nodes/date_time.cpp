#include "core/graph/nodes/date_time.h"

#include "core/graph/check_words.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

constexpr std::string_view rfc3339_layout = "2006-01-02T15:04:05.000Z07:00";

/// What the five nodes have in common, read from their parameters.
struct DateRequest {
  std::string timezone;
  std::shared_ptr<const Zone> zone;
  std::optional<DatePattern> format;  ///< none: RFC 3339
};

Result<DateRequest, NodeError> read_request(const NodeInput& input) {
  DateRequest request;
  FERMATA_TRY(timezone, text_parameter(input.parameters, "timezone", "UTC"));
  request.timezone = timezone.empty() ? "UTC" : timezone;
  request.zone = zone_or_offset(zones_of(input), request.timezone);
  if (request.zone == nullptr)
    return node_failure("timezone_unknown", zones_of(input).refusal(request.timezone),
                        Value::object({{"timezone", request.timezone}}));
  FERMATA_TRY(format, text_parameter(input.parameters, "format", ""));
  if (format.empty()) return request;
  auto pattern = date_pattern(format);
  if (!pattern)
    return node_failure("parameter_invalid", "\"format\" " + pattern.error() + ".",
                        Value::object({{"parameter", "format"}}));
  request.format = *std::move(pattern);
  return request;
}

Failure<NodeError> date_failure(const Value& date, const DateRequest& request) {
  return node_failure("date_invalid",
                      shown(date) + " is no date; dates are read as RFC 3339, Y-M-D[ h:m[:s]], " +
                          "RFC 1123 or RFC 822" +
                          (request.format ? " or in the node's own format." : "."));
}

/// The format of a parse node says how its date is written, so it is asked first. The other nodes
/// write by their format and read it only where nothing else fits.
Result<Instant, NodeError> read_given_date(const NodeInput& input, const DateRequest& request) {
  const Value& date = input.parameters.get("date");
  if (!date.is_string()) return date_failure(date, request);
  std::string_view text = date.as_string();
  const Zone& zone = *request.zone;
  bool own_first = input.node.type == NodeType::date_time_parse;
  std::optional<Instant> at;
  if (own_first && request.format) at = read_date(text, *request.format, zone);
  if (!at) at = read_standard_date(text, zone);
  if (!at && !own_first && request.format) at = read_date(text, *request.format, zone);
  if (!at || !has_calendar_year(*at, zone)) return date_failure(date, request);
  return *at;
}

/// A date that was left out or left empty in the definition means the present; one that an
/// expression fails to give does not.
bool starts_at_present(const NodeInput& input) {
  if (input.node.type == NodeType::date_time_now) return true;
  bool shifts =
      input.node.type == NodeType::date_time_add || input.node.type == NodeType::date_time_subtract;
  const Value& written = input.node.raw.get("date");
  return shifts && (written.is_null() || written == Value(""));
}

void add_parts(Value& output, const LocalTime& local) {
  output.set("year", local.date.year);
  output.set("month", local.date.month);
  output.set("day", local.date.day);
  output.set("hour", local.ms_of_day / 3'600'000);
  output.set("minute", local.ms_of_day / 60'000 % 60);
  output.set("second", local.ms_of_day / 1000 % 60);
  output.set("weekday", weekday_names[static_cast<size_t>(weekday_of(local.date))]);
}

}  // namespace

const ZoneTable& zones_of(const NodeInput& input) {
  const ZoneTable* given = input.expression_given.zones;
  return given ? *given : *utc_table();
}

NodeResult run_date_time(const NodeInput& input) {
  FERMATA_TRY(request, read_request(input));
  NodeType type = input.node.type;
  Instant at = input.now;
  if (!starts_at_present(input)) {
    FERMATA_TRY(given, read_given_date(input, request));
    at = given;
  }
  if (type == NodeType::date_time_add || type == NodeType::date_time_subtract) {
    FERMATA_TRY(unit, choice_parameter(input.parameters, "unit", date_unit_choices));
    FERMATA_TRY(shifted, shift_date(at, input.parameters.get("amount"), unit,
                                    type == NodeType::date_time_subtract, *request.zone));
    at = shifted;
  }
  LocalMoment moment = local_moment(at, *request.zone);
  bool own_format = request.format && type != NodeType::date_time_parse;
  static const DatePattern standard = layout_pattern(rfc3339_layout);
  NodeOutput done;
  int64_t unix = at.ms / 1000 - (at.ms % 1000 < 0 ? 1 : 0);
  done.output =
      Value::object({{"result", write_date(own_format ? *request.format : standard, moment)},
                     {"iso", to_rfc3339(at)},
                     {"unix", unix},
                     {"timezone", request.timezone}});
  if (type == NodeType::date_time_parse) add_parts(done.output, moment.local);
  return done;
}

}  // namespace fermata::graph
