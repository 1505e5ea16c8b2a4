#include "cli/configured.h"

namespace fermata::cli {
namespace {

Exit compact(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  Option data = data_option();
  auto configuration = configured({&data, 1}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const std::string& directory = configuration->settings().data;
  auto compacted = around.world.compact(directory);
  if (!compacted) return terminal.fail(compacted.error());
  auto [before, after] = *compacted;
  if (terminal.json) {
    terminal.value(
        Value::object({{"data", directory}, {"bytes_before", before}, {"bytes_after", after}}));
  } else {
    terminal.line(directory + ": " + std::to_string(before) + " bytes before, " +
                  std::to_string(after) + " after");
  }
  return Exit::ok;
}

}  // namespace

CliCommand compact_command() {
  return {"compact",
          "",
          "Give the room that removed executions left back to the disk.",
          "The database is rewritten without gaps, which needs as much room again while it is "
          "done. No server may use the directory. A server uses such room again by itself, so this "
          "is for a store that shall stay smaller.",
          {data_option(), config_option()},
          "fermata compact --data fermata-data",
          compact};
}

}  // namespace fermata::cli
