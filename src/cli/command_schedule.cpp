#include <algorithm>

#include "cli/command.h"
#include "cli/configured.h"
#include "cli/engine.h"
#include "cli/remote.h"
#include "cli/schedule_actions.h"
#include "front/schedule_preview.h"

namespace fermata::cli {
namespace {

/// The request that the words ask for.
Outcome<Value> read_asked(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "next and the cron text, in quotes"));
  Value body = Value::object({{"cron", arguments.positional()[1]}});
  for (std::string_view name : {"zone", "gap-policy", "from"})
    if (auto value = arguments.get(name))
      body.set(name == "zone" ? "timezone" : name == "from" ? "from" : "gap_policy", *value);
  FERMATA_TRY(count, arguments.number("n", 1));
  if (count) body.set("n", *count);
  return body;
}

void print(const Value& answer, const Terminal& terminal) {
  for (const Value& one : answer.get("next").items())
    terminal.line(std::string(one.get("local").as_string()) + "  " +
                  std::string(one.get("at").as_string()) + "  " +
                  std::string(one.get("zone").as_string()));
}

Exit show_next(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto body = read_asked(arguments);
  if (!body) return terminal.fail(body.error());
  auto configuration = configured({}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  auto zones = zones_of(around.world, configuration->settings());
  if (!zones) return terminal.fail(zones.error());
  auto answer = front::preview_schedule(*body, **zones, around.world.system_clock()->now());
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
  } else {
    print(*answer, terminal);
  }
  return Exit::ok;
}

Exit schedule(const Arguments& arguments, Surroundings& around) {
  std::span<const std::string_view> remote = schedule_actions();
  std::vector<std::string_view> known(remote.begin(), remote.end());
  known.push_back("next");
  std::string action = arguments.positional().empty() ? "" : arguments.positional()[0];
  if (action == "next") return show_next(arguments, around);
  if (std::find(known.begin(), known.end(), action) != known.end())
    return schedule_on_server(action, arguments, around);
  std::string list;
  for (std::string_view one : known) list.append(list.empty() ? "" : ", ").append(one);
  std::string message =
      action.empty() ? "An action is needed: " + list + "."
                     : "'" + action + "' is none of " + list + "." + did_you_mean(action, known);
  return around.terminal.fail({ErrorCode::usage, message, {}});
}

}  // namespace

CliCommand schedule_command() {
  return {"schedule",
          "create WORKFLOW | ls | show ID | pause ID | resume ID | trigger ID | backfill ID | "
          "delete ID | next CRON",
          "Start executions by the clock.",
          "`create` prints the new schedule's id, `trigger` that of the execution it starts at "
          "once. `next` needs no server and shows when a rule fires: the local time, the same "
          "instant in UTC, the zone's letters. A rule has five fields (minute hour day month "
          "weekday) or six with seconds first, or is one of @hourly, @daily, @weekly, @monthly, "
          "@yearly.",
          {{"cron", "CRON", "create: the rule, in quotes"},
           {"every-ms", "MS", "create: an interval in place of a rule"},
           {"zone", "ZONE", "time zone by its IANA name; UTC without it"},
           {"id", "ID", "create: a name of your own"},
           {"input", "JSON|@FILE", "create: the input of each execution"},
           {"set", "NAME=VALUE", "create: one field of the input; dots reach inside", true},
           {"label", "KEY=VALUE", "create: a label of each execution", true},
           {"version", "N", "create: always this version; without it the current one"},
           {"jitter-ms", "MS", "create: start each up to so much later"},
           {"overlap", "POLICY", "create: skip (without it), queue, allow or cancel_previous"},
           {"catch-up", "POLICY", "create: after downtime one (without it), all or none"},
           {"catch-up-ms", "MS", "create: how far back that goes; 24 hours without it"},
           {"start-at", "TIME", "create: not before"},
           {"end-at", "TIME", "create: not after"},
           {"max-runs", "N", "create: so many executions, then no more"},
           {"paused", "", "create: begin paused"},
           {"status", "STATUS", "ls: active, paused or ended"},
           {"workflow", "ID", "ls: of one workflow"},
           {"limit", "N", "ls: at most so many, 50 without it"},
           {"cursor", "TEXT", "ls: go on where the last list ended"},
           {"from", "TIME", "backfill: the first instant; next: look from it on"},
           {"to", "TIME", "backfill: the last instant"},
           {"dry-run", "", "backfill: only count"},
           {"n", "COUNT", "next: how many; 10 without it, 1000 at most"},
           {"gap-policy", "POLICY", "a time the clock skips: `gap_end` (without it) or `shift`"},
           server_option(),
           config_option()},
          "fermata schedule create loop --cron '30 2 * * *' --zone Europe/Berlin",
          schedule};
}

}  // namespace fermata::cli
