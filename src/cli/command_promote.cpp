#include <chrono>
#include <thread>

#include "base/url_secret.h"
#include "cli/configured.h"
#include "cli/postgres_wanted.h"
#include "cli/remote.h"
#include "cli/store_move.h"

namespace fermata::cli {
namespace {

constexpr auto look_pause = std::chrono::milliseconds(200);
/// A server that goes on with another store is away for a moment.
constexpr int silent_looks_max = 300;

void print_promotion(const Value& state, const std::string& to, const Terminal& terminal) {
  if (terminal.json) return terminal.value(state);
  if (const Value& things = state.get("things"); things.is_integer())
    terminal.line(std::to_string(number_at(state, "things")) + " things moved; writes were held " +
                  std::to_string(number_at(state, "held_ms")) + " ms");
  terminal.line("The store is " + without_password(to) +
                " from now on. Start servers with --store '" + without_password(to) + "'.");
}

/// What an interrupted move has left to do when the file says already that it has moved.
Outcome<Value> finish_move(const transfer::Moved& moved, const Settings& next, World& world) {
  FERMATA_TRY(wanted, postgres_wanted(next));
  FERMATA_TRY(target, world.postgres_target(std::move(wanted)));
  FERMATA_TRY(state, target->state(moved.token));
  if (state == transfer::Target::State::none)
    return fail(ErrorCode::wrong_state,
                "the data directory has moved to " + moved.to + ", and nothing is left to finish");
  FERMATA_TRY_VOID(target->finish(moved.token));
  return Value::object({{"state", "moved"}, {"to", moved.to}});
}

/// On a data directory that no server uses.
Outcome<Value> promote_offline(const Settings& settings, const Settings& next,
                               Surroundings& around) {
  FERMATA_TRY(moved, around.world.moved(settings.data));
  if (moved) return finish_move(*moved, next, around.world);
  FERMATA_TRY(store, around.world.open_data(settings.data, {}));
  FERMATA_TRY(wanted, postgres_wanted(next));
  FERMATA_TRY(target, around.world.postgres_target(std::move(wanted)));
  std::unique_ptr<transfer::Source> source = store->source();
  std::string to = without_password(next.store);
  Promotion promotion({*source, *target, steady_ms}, settings.data, to,
                      promotion_settings_of(settings), [&](std::string_view step) {
                        if (!around.terminal.json) around.terminal.err(std::string(step) + "\n");
                      });
  FERMATA_TRY(report, promotion.run());
  Value state = report_value(report);
  state.set("state", "moved");
  state.set("to", to);
  return state;
}

/// On a running server, which goes on with the other store.
Outcome<Value> promote_online(const std::string& to, const std::string& password_file,
                              const Arguments& arguments, Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  Value body = Value::object({{"to", to}});
  if (!password_file.empty()) body.set("password_file", password_file);
  FERMATA_TRY(state, client.post("/system/promotion", body));
  std::string told;
  for (int silent = 0; silent < silent_looks_max;) {
    std::this_thread::sleep_for(look_pause);
    auto now = client.get("/system/promotion");
    if (!now) {
      // Answered, and not because the server is just going on elsewhere.
      bool away = now.error().code == ErrorCode::io_failed ||
                  now.error().code == ErrorCode::store_unavailable;
      if (!away) return Failure{std::move(now).error()};
      ++silent;
      continue;
    }
    silent = 0;
    state = *std::move(now);
    std::string kind = text_at(state, "state");
    if (text_at(state, "store") == "postgres") return state;
    if (kind == "failed") return fail(ErrorCode::store_unavailable, text_at(state, "message"));
    if (std::string step = text_at(state, "step"); !around.terminal.json && step != told) {
      around.terminal.err(step + "\n");
      told = step;
    }
  }
  return fail(ErrorCode::io_failed,
              "the server does not answer any more; its log says how far the move has come");
}

Exit promote(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  auto to = arguments.get("to");
  if (!to) return terminal.fail({ErrorCode::usage, "--to names the PostgreSQL.", {}});
  if (auto known = check_move(*to); !known) return terminal.fail(known.error());
  std::string password_file = arguments.get("store-password-file").value_or("");
  auto answer = [&]() -> Outcome<Value> {
    if (!arguments.has("data")) return promote_online(*to, password_file, arguments, around);
    const Option flags[] = {{"data", "DIR", ""}, {"postgres-schema", "NAME", ""}};
    FERMATA_TRY(configuration, configured(flags, arguments, around));
    const Settings& settings = configuration.settings();
    return promote_offline(settings, settings_after_move(settings, *to, password_file), around);
  }();
  if (!answer) return terminal.fail(answer.error());
  print_promotion(*answer, *to, terminal);
  return Exit::ok;
}

}  // namespace

CliCommand promote_command() {
  return {"promote",
          "",
          "Move a data directory to PostgreSQL.",
          "Without --data a running server moves its store while it works, holds writes for a "
          "moment at the end and goes on with PostgreSQL. With --data it works on a directory that "
          "no server uses. Everything is compared before the directory is marked as moved, after "
          "which no server takes it. Whatever fails before leaves the directory as it was; run "
          "the command again to begin anew, or to finish what was cut off.",
          {{"to", "URL", "postgres://USER@HOST/DATABASE; the schema must not hold a store"},
           {"store-password-file", "FILE", "its password, as the server reads it"},
           {"postgres-schema", "NAME", "the schema, with --data; `fermata` without it"},
           {"data", "DIR", "work on this data directory instead of a server"},
           config_option(),
           server_option()},
          "fermata promote --to postgres://fermata@db1/fermata",
          promote};
}

}  // namespace fermata::cli
