#include "cli/configured.h"

namespace fermata::cli {
namespace {

Exit backup(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the FILE to write"); !expected)
    return terminal.fail(expected.error());
  Option data = data_option();
  auto configuration = configured({&data, 1}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const std::string& directory = configuration->settings().data;
  const std::string& file = arguments.positional()[0];
  if (auto made = around.world.backup(directory, file); !made) return terminal.fail(made.error());
  if (terminal.json) {
    terminal.value(Value::object({{"data", directory}, {"file", file}}));
  } else {
    terminal.line(directory + " is saved in " + file);
  }
  return Exit::ok;
}

}  // namespace

CliCommand backup_command() {
  return {"backup",
          "FILE",
          "Copy a data directory into one file, also while a server uses it.",
          "The copy is of one moment and complete on disk when the command ends; work goes on "
          "meanwhile. FILE must not exist.",
          {data_option(), config_option()},
          "fermata backup nightly.fermata --data fermata-data",
          backup};
}

}  // namespace fermata::cli
