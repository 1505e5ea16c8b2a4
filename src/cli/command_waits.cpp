#include <algorithm>
#include <array>
#include <map>

#include "cli/remote.h"
#include "core/wait/date_text.h"

namespace fermata::cli {
namespace {

Outcome<std::string> query_of(const Arguments& arguments) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  query += "&status=" + url_escaped(arguments.get("status").value_or("pending"));
  struct Named {
    std::string_view option, name;
  };
  for (auto [option, name] : {Named{"workflow", "workflow_id"},
                              {"execution", "execution_id"},
                              {"contact", "contact_id"},
                              {"step", "step_id"},
                              {"type", "wait_type"},
                              {"cursor", "cursor"}})
    if (auto value = arguments.get(option))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  if (arguments.has("overdue")) query += "&overdue=true";
  return query;
}

void print_waits(const Value& page, const Terminal& terminal) {
  Table table({"ID", "EXECUTION", "STEP", "TYPE", "STATUS", "DUE"});
  for (const Value& wait : page.get("items").items()) {
    std::string status = text_at(wait, "status");
    std::string hold = text_at(wait, "hold_reason");
    if (!hold.empty()) status += " (held: " + hold + ")";
    table.row({text_at(wait, "id"), text_at(wait, "execution_id"), text_at(wait, "step_id"),
               text_at(wait, "wait_type"), status, short_time(text_at(wait, "due_at"))});
  }
  table.print(terminal, 4);
  tell_of_more(page, terminal);
}

using Hours = std::array<int64_t, 24>;

/// The hours of each day, from the first that has a wait to the last, by days since 1970.
std::map<int64_t, Hours> hours_of(const Value& calendar) {
  std::map<int64_t, Hours> days;
  for (const Value& bucket : calendar.get("buckets").items()) {
    auto start = parse_written_date(text_at(bucket, "local_start"));
    if (!start) continue;
    auto hour = static_cast<size_t>(start->local.ms_of_day / 3'600'000);
    // An hour that clocks show twice is one column.
    days[days_from_civil(start->local.date)][hour] += bucket.get("total").as_integer();
  }
  if (days.empty()) return days;
  for (int64_t day = days.begin()->first; day < days.rbegin()->first; ++day) days.try_emplace(day);
  return days;
}

/// A row for each day, a column for each hour, as clocks show them in the zone; darker where more
/// waits resume.
void print_calendar(const Value& calendar, const Terminal& terminal) {
  static constexpr std::array<std::string_view, 5> shades = {"·", "░", "▒", "▓", "█"};
  static constexpr std::array<std::string_view, 7> names = {"Sun", "Mon", "Tue", "Wed",
                                                            "Thu", "Fri", "Sat"};
  std::map<int64_t, Hours> days = hours_of(calendar);
  if (days.empty()) return terminal.line("no wait resumes in the week to come");
  int64_t most = 0;
  for (const auto& [day, hours] : days)
    most = std::max(most, *std::max_element(hours.begin(), hours.end()));
  terminal.line("                0     6     12    18      " + text_at(calendar, "zone"));
  for (const auto& [day, hours] : days) {
    CivilDate date = civil_from_days(day);
    std::string line(names[static_cast<size_t>(weekday_of(date))]);
    line += " " + to_text(date) + "  ";
    int64_t total = 0;
    for (int64_t count : hours) {
      size_t shade = count == 0 ? 0 : 1 + static_cast<size_t>((count * 4 - 1) / most);
      line += shades[std::min(shade, shades.size() - 1)];
      total += count;
    }
    terminal.line(line + "  " + std::to_string(total));
  }
}

/// The filters of lists that a calendar has too, and its zone.
std::string calendar_query(const Arguments& arguments) {
  std::string query = "?bucket=hour";
  for (auto [option, name] : {std::pair("workflow", "workflow_id"), std::pair("type", "wait_type"),
                              std::pair("zone", "zone")})
    if (auto value = arguments.get(option))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  return query;
}

Outcome<Value> act(const Arguments& arguments, Client& client) {
  const std::string& action = arguments.positional()[0];
  FERMATA_TRY_VOID(arguments.expect(2, 2, "show, resume or cancel and the id of a wait"));
  std::string path = "/waits/" + url_escaped(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  if (action != "resume" && action != "cancel")
    return fail(ErrorCode::usage, "'" + action + "' is none of show, resume, cancel.");
  Value body = Value::object();
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  return client.post(path + "/" + action, body);
}

Outcome<Value> ask(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  if (!arguments.positional().empty()) return act(arguments, client);
  if (arguments.has("calendar")) return client.get("/waits/calendar" + calendar_query(arguments));
  FERMATA_TRY(query, query_of(arguments));
  return client.get("/waits" + query);
}

Exit waits(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto answer = ask(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json || (!arguments.positional().empty() && arguments.positional()[0] == "show")) {
    terminal.value(*answer);
  } else if (!arguments.positional().empty()) {
    terminal.line(text_at(*answer, "id") + " " + text_at(*answer, "status"));
  } else if (arguments.has("calendar")) {
    print_calendar(*answer, terminal);
  } else {
    print_waits(*answer, terminal);
  }
  return Exit::ok;
}

}  // namespace

CliCommand waits_command() {
  return {"waits",
          "[show|resume|cancel ID]",
          "List waits by due time, or look at, resume or cancel one.",
          "A wait that is cancelled keeps its token parked; resume lets it go on.",
          {{"status", "STATUS,…",
            "pending (without it), scheduled, waiting, resumed, timeout, "
            "cancelled, error"},
           {"overdue", "", "only those that should have resumed"},
           {"calendar", "", "how many resume in each hour of the week to come, as a heat map"},
           {"zone", "ZONE", "whose days and hours the heat map shows; else the account's"},
           {"workflow", "ID", "of one workflow"},
           {"execution", "ID", "of one execution"},
           {"contact", "ID", "of one contact"},
           {"step", "ID", "at one step"},
           {"type", "TYPE", "fixed_time, until_date, until_time or for_event"},
           {"reason", "TEXT", "why, for the audit"},
           {"limit", "N", "at most so many, 50 without it"},
           {"cursor", "TEXT", "go on where the last list ended"},
           server_option()},
          "fermata waits --overdue",
          waits};
}

}  // namespace fermata::cli
