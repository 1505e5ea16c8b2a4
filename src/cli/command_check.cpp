#include <filesystem>

#include "cli/command.h"
#include "cli/configured.h"
#include "cli/engine.h"
#include "core/flow/script.h"
#include "front/fields.h"
#include "front/flow_text.h"

namespace fermata::cli {
namespace {

struct Checked {
  size_t errors = 0;
  Value results = Value::array();
};

void check_graph(const std::string& path, const GraphFile& file, const Terminal& terminal,
                 Checked& so_far) {
  const graph::CheckedDefinition& checked = file.checked;
  so_far.errors += checked.errors.size();
  if (terminal.json) {
    so_far.results.push(Value::object(
        {{"file", path},
         {"language", "graph"},
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

/// `file:line:column: error[rule]: message`, which compilers and editors understand (F-57).
std::string script_line(const std::string& path, const Finding& finding, const std::string& word) {
  return path + ":" + std::to_string(finding.line) + ":" + std::to_string(finding.column) + ": " +
         word + "[" + finding.code + "]: " + finding.message;
}

void check_script(const std::string& path, std::string_view text, const Terminal& terminal,
                  Checked& so_far) {
  auto script = flow::make_definition(flow::check_script(text));
  const flow::CheckedScript& checked = script->script;
  so_far.errors += checked.errors.size();
  if (terminal.json) {
    bool valid = checked.errors.empty();
    so_far.results.push(
        Value::object({{"file", path},
                       {"language", "flow"},
                       {"valid", valid},
                       {"hash", valid ? Value(script->hash.text()) : Value()},
                       {"errors", front::flow_findings(checked.errors, "error", "")},
                       {"warnings", front::flow_findings(checked.warnings, "warning", "")}}));
    return;
  }
  for (const Finding& finding : checked.errors) {
    terminal.line(script_line(path, finding, terminal.paint(Colour::red, "error")));
    for (const std::string& related : finding.related) terminal.line("  " + path + ":" + related);
  }
  for (const Finding& finding : checked.warnings)
    terminal.line(script_line(path, finding, terminal.paint(Colour::yellow, "warning")));
  if (!checked.errors.empty()) return;
  std::string name =
      checked.name.empty() ? std::filesystem::path(path).stem().string() : checked.name;
  terminal.line(path + ": " + terminal.paint(Colour::green, "valid") + ", workflow " + name +
                ", hash " + script->hash.text().substr(0, 12));
}

Outcome<void> check_file(const std::string& path, const Settings& settings, const ZoneTable& zones,
                         const Terminal& terminal, Checked& so_far) {
  if (path.ends_with(".flow")) {
    FERMATA_TRY(text, read_file(path));
    check_script(path, text, terminal, so_far);
    return {};
  }
  FERMATA_TRY(file, load_graph(path, settings, zones));
  check_graph(path, file, terminal, so_far);
  return {};
}

Exit check_files(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, SIZE_MAX, "one FILE at least"); !expected)
    return terminal.fail(expected.error());
  auto configuration = configured({}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  auto zones = zones_of(around.world, configuration->settings());
  if (!zones) return terminal.fail(zones.error());
  Checked checked;
  for (const std::string& path : arguments.positional()) {
    auto read = check_file(path, configuration->settings(), **zones, terminal, checked);
    if (!read) return terminal.fail(read.error());
  }
  if (terminal.json) terminal.value(Value::object({{"files", checked.results}}));
  return checked.errors == 0 ? Exit::ok : Exit::failed;
}

}  // namespace

CliCommand check_command() {
  return {"check",
          "FILE…",
          "Check graphs and scripts and show every error and warning with its position.",
          "Files that end in `.flow` are scripts, others are graphs. A finding of a script is a "
          "line `file:line:column: error[rule]: message`, of a graph `error "
          "file:line:column: message [code]`. Exits with 1 when there is an error; warnings alone "
          "pass. With --json the findings are one object, for editors.",
          {config_option()},
          "fermata check examples/hello.json examples/refund.flow",
          check_files};
}

}  // namespace fermata::cli
