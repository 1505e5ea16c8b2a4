#include "cli/configured.h"

namespace fermata::cli {
namespace {

Exit restore(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the FILE made by `fermata backup`"); !expected)
    return terminal.fail(expected.error());
  Option data = data_option();
  auto configuration = configured({&data, 1}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const std::string& directory = configuration->settings().data;
  const std::string& file = arguments.positional()[0];
  if (auto made = around.world.restore(file, directory); !made) return terminal.fail(made.error());
  if (terminal.json) {
    terminal.value(Value::object({{"data", directory}, {"file", file}}));
  } else {
    terminal.line(file + " is restored in " + directory);
  }
  return Exit::ok;
}

}  // namespace

CliCommand restore_command() {
  return {"restore",
          "FILE",
          "Make a data directory from a backup.",
          "The backup is checked whole before anything is written. The directory must be new or "
          "empty.",
          {data_option(), config_option()},
          "fermata restore nightly.fermata --data restored-data",
          restore};
}

}  // namespace fermata::cli
