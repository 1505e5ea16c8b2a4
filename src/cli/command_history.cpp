#include "base/json.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

constexpr size_t remark_columns_max = 60;

/// The fields of an event that its columns do not show, on one line.
std::string remark_of(const Value& event) {
  static constexpr std::string_view shown[] = {"sequence",  "type",    "at",    "node_id",
                                               "node_name", "lineage", "visit", "attempt"};
  std::string text;
  for (const Value::Member& member : event.members()) {
    std::string_view key = member.key.as_string();
    if (std::find(std::begin(shown), std::end(shown), key) != std::end(shown)) continue;
    if (member.value.is_null()) continue;
    text += (text.empty() ? "" : " ") + std::string(key) + "=" + to_json(member.value);
    if (text.size() > remark_columns_max) break;
  }
  // Cut between code points.
  if (text.size() > remark_columns_max) {
    size_t end = remark_columns_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end) + "…";
  }
  return text;
}

Outcome<Value> all_events(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(1, 1, "the execution's ID (see `fermata ps`)"));
  FERMATA_TRY(client, Client::from(arguments, around));
  FERMATA_TRY(limit, arguments.number("limit", 1));
  FERMATA_TRY(after, arguments.number("after"));
  std::string path = execution_path(arguments.positional()[0]) + "/history";
  std::string cursor = std::to_string(after.value_or(0) + 1);
  Value events = Value::array();
  uint64_t left = limit.value_or(UINT64_MAX);
  while (!cursor.empty() && left > 0) {
    FERMATA_TRY(page, client.get(path + "?limit=" + std::to_string(std::min<uint64_t>(left, 1000)) +
                                 "&cursor=" + url_escaped(cursor)));
    for (const Value& event : page.get("items").items()) events.push(event);
    left -= std::min<uint64_t>(left, page.get("items").size());
    cursor = text_at(page, "next_cursor");
  }
  return events;
}

Exit history(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto events = all_events(arguments, around);
  if (!events) return terminal.fail(events.error());
  if (terminal.json) {
    for (const Value& event : events->items()) terminal.line(to_json(event));
    return Exit::ok;
  }
  Table table({"SEQ", "AT", "EVENT", "NODE", "WHAT"});
  for (const Value& event : events->items()) {
    std::string at = text_at(event, "at");
    table.row({text_at(event, "sequence"), at.size() > 23 ? at.substr(11, 12) : at,
               text_at(event, "type"), text_at(event, "node_name"), remark_of(event)});
  }
  table.print(terminal);
  return Exit::ok;
}

}  // namespace

CliCommand history_command() {
  return {"history",
          "ID",
          "List the events of an execution in order.",
          "With --json one event on each line, complete.",
          {{"after", "SEQUENCE", "only what came later"},
           {"limit", "N", "at most so many"},
           server_option()},
          "fermata history 0198c1f2-… --json",
          history};
}

}  // namespace fermata::cli
