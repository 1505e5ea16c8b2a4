#include <csignal>
#include <filesystem>

#include "base/url_secret.h"
#include "cli/command.h"
#include "cli/configured.h"
#include "cli/serving.h"

namespace fermata::cli {
namespace {

Exit print_configuration(const Configuration& configuration, const Terminal& terminal) {
  if (terminal.json) {
    Value settings = Value::object();
    for (const Configuration::Line& line : configuration.lines())
      settings.set(line.name, Value::object({{"value", line.value}, {"source", line.source}}));
    terminal.value(settings);
    return Exit::ok;
  }
  Table table({"SETTING", "VALUE", "FROM"});
  for (const Configuration::Line& line : configuration.lines())
    table.row({line.name, line.value, line.source});
  table.print(terminal);
  return Exit::ok;
}

/// What the API tells; the values of secrets are shown nowhere.
Value shown(const Configuration& configuration) {
  Value lines = Value::array();
  for (const Configuration::Line& line : configuration.lines())
    lines.push(Value::object({{"name", line.name},
                              {"value", line.value},
                              {"source", line.source},
                              {"secret", is_secret_setting(line.name)}}));
  return lines;
}

struct Signals {
  sigset_t ends;  ///< that people and service managers send
  sigset_t wake;  ///< that the server sends itself
  sigset_t all;
};

/// Blocks them for this thread and all it will start.
Signals block_signals() {
  Signals signals;
  for (sigset_t* set : {&signals.ends, &signals.wake, &signals.all}) sigemptyset(set);
  for (sigset_t* set : {&signals.ends, &signals.all}) {
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
  }
  for (sigset_t* set : {&signals.wake, &signals.all}) sigaddset(set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals.all, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

/// Whether one of the signals comes within a time.
bool signalled(const sigset_t& signals, Duration most) {
  timespec time{most.ms / 1000, (most.ms % 1000) * 1'000'000};
  return sigtimedwait(&signals, nullptr, &time) > 0;
}

/// What a server begins with, or goes on with after its store has moved.
struct Life {
  Settings settings;
  Value configuration;
  Value came_by;
};

void put_store(Value& configuration, const std::string& store) {
  Value lines = Value::array();
  for (const Value& line : configuration.items()) {
    Value shown_line = line;
    if (line.get("name").as_string() == "store") {
      shown_line.set("value", without_password(store));
      shown_line.set("source", "promote");
    }
    lines.push(shown_line);
  }
  configuration = lines;
}

/// From the start to the end of one server; true when another one is to follow.
bool live(Life& life, const Signals& signals, const std::string& config_folder,
          Surroundings& around, Exit& exit) {
  const Terminal& terminal = around.terminal;
  signalled(signals.wake, Duration{});  // of a server before this one
  Serving serving(around, life.settings, config_folder, life.configuration);
  serving.came_by(life.came_by);
  auto ended = [&](Exit with) {
    exit = with;
    return false;
  };
  auto leads = serving.lead([&](Duration most) { return signalled(signals.ends, most); });
  if (!leads) return ended(terminal.fail(leads.error()));
  if (!*leads) return ended(Exit::ok);
  if (auto begun = serving.begin(); !begun) return ended(terminal.fail(begun.error()));
  int signal = 0;
  sigwait(&signals.all, &signal);
  bool told = signal != SIGUSR1;
  if (std::optional<Settings> next = serving.moved(); next && !told) {
    life.came_by = serving.move_state();
    life.settings = *std::move(next);
    put_store(life.configuration, life.settings.store);
    serving.end("the store has moved");
    return true;
  }
  if (serving.begins_anew() && !serving.lead_lost() && !told) {
    serving.end("PostgreSQL has failed over");
    return true;
  }
  bool lost = serving.lead_lost();
  bool broken = serving.move_broken();
  serving.end(lost               ? "this server leads no more"
              : broken           ? "the move of the store was cut off"
              : signal == SIGINT ? "SIGINT"
                                 : "SIGTERM");
  return ended(lost || broken ? Exit::unavailable : Exit::ok);
}

Exit serve(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  std::vector<Option> flags = setting_options();
  auto configuration = configured(flags, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  if (arguments.is_set("print-config")) return print_configuration(*configuration, terminal);

  Signals signals = block_signals();
  std::string config = arguments.get("config").value_or(around.variable("FERMATA_CONFIG"));
  Life life{configuration->settings(), shown(*configuration), Value::object({{"state", "none"}})};
  Exit exit = Exit::ok;
  // A store that has moved is served where it is now, as after any start.
  while (live(life, signals, std::filesystem::path(config).parent_path().string(), around, exit)) {
  }
  return exit;
}

}  // namespace

CliCommand serve_command() {
  std::vector<Option> options = setting_options();
  options.push_back({"print-config", "", "show every setting and where it came from, then end"});
  options.push_back(config_option());
  return {"serve",
          "",
          "Run the server.",
          "Everything it answers is durable in the data directory, and a server killed at any "
          "moment goes on from there when it is started again. SIGTERM stops it cleanly. Every "
          "option below is also a key of fermata.toml and a variable FERMATA_NAME.",
          std::move(options),
          "fermata serve --listen 127.0.0.1:4747 --data fermata-data",
          serve};
}

}  // namespace fermata::cli
