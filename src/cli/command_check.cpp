#include "cli/command.h"
#include "cli/configured.h"
#include "cli/engine.h"
#include "front/fields.h"

namespace fermata::cli {
namespace {

struct Checked {
  size_t errors = 0;
  Value results = Value::array();
};

void check_file(const std::string& path, const GraphFile& file, const Terminal& terminal,
                Checked& so_far) {
  const graph::CheckedDefinition& checked = file.checked;
  so_far.errors += checked.errors.size();
  if (terminal.json) {
    so_far.results.push(Value::object(
        {{"file", path},
         {"valid", checked.errors.empty()},
         {"hash", checked.definition ? Value(checked.definition->hash.text()) : Value()},
         {"errors", front::to_value(checked.errors)},
         {"warnings", front::to_value(checked.warnings)}}));
    return;
  }
  for (const Finding& finding : checked.errors)
    terminal.line(terminal.paint(Colour::red, "error") + " " + finding_line(path, finding));
  for (const Finding& finding : checked.warnings)
    terminal.line(terminal.paint(Colour::yellow, "warning") + " " + finding_line(path, finding));
  if (checked.errors.empty())
    terminal.line(path + ": " + terminal.paint(Colour::green, "valid") + ", " +
                  std::to_string(checked.definition->nodes.size()) + " nodes, " +
                  std::to_string(checked.definition->edges.size()) + " edges, hash " +
                  checked.definition->hash.text().substr(0, 12));
}

Exit check_files(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, SIZE_MAX, "one FILE at least"); !expected)
    return terminal.fail(expected.error());
  auto configuration = configured({}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  Checked checked;
  for (const std::string& path : arguments.positional()) {
    auto file = load_graph(path, configuration->settings());
    if (!file) return terminal.fail(file.error());
    check_file(path, *file, terminal, checked);
  }
  if (terminal.json) terminal.value(Value::object({{"files", checked.results}}));
  return checked.errors == 0 ? Exit::ok : Exit::failed;
}

}  // namespace

CliCommand check_command() {
  return {"check",
          "FILE…",
          "Check graphs and show every error and warning with its position.",
          "Each finding is a line `file:line:column: message [code]`. Exits with 1 when there is "
          "an error; warnings alone pass.",
          {config_option()},
          "fermata check examples/hello.json examples/demo.json",
          check_files};
}

}  // namespace fermata::cli
