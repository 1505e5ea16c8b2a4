#include "cli/command.h"

namespace fermata::cli {
namespace {

Exit version(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  auto source = around.world.zones("", {});
  if (!source) return terminal.fail(source.error());
  std::string tzdata = (*source)->zones({0})->version();
  if (terminal.json) {
    terminal.value(
        Value::object({{"name", "fermata"}, {"version", program_version}, {"tzdata", tzdata}}));
  } else {
    terminal.line("fermata " + std::string(program_version) + " (zone data " + tzdata + ")");
  }
  return Exit::ok;
}

}  // namespace

CliCommand version_command() {
  return {"version", "", "Show the version.", "", {}, "fermata version", version};
}

}  // namespace fermata::cli
