#include "cli/command.h"
#include "cli/configured.h"
#include "cli/engine.h"
#include "front/schedule_preview.h"

namespace fermata::cli {
namespace {

/// The request that the words ask for.
Outcome<Value> read_asked(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "next and the cron text, in quotes"));
  const std::string& action = arguments.positional()[0];
  if (action != "next") return fail(ErrorCode::usage, "'" + action + "' is not next.");
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

Exit schedule(const Arguments& arguments, Surroundings& around) {
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

}  // namespace

CliCommand schedule_command() {
  return {"schedule",
          "next CRON",
          "Show when a cron rule fires next.",
          "Each line is the local time, the same instant in UTC and the zone's letters. Needs no "
          "server. A rule has five fields (minute hour day month weekday) or six with seconds "
          "first, or is one of @hourly, @daily, @weekly, @monthly, @yearly.",
          {{"zone", "ZONE", "time zone by its IANA name; UTC without it"},
           {"n", "COUNT", "how many; 10 without it, 1000 at most"},
           {"from", "TIME", "look from this instant on, RFC 3339; now without it"},
           {"gap-policy", "POLICY", "a time the clock skips: `gap_end` (without it) or `shift`"},
           config_option()},
          "fermata schedule next '30 2 * * *' --zone Europe/Berlin -n 3",
          schedule};
}

}  // namespace fermata::cli
