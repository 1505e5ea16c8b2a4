#include <filesystem>

#include "cli/command.h"
#include "cli/configured.h"
#include "cli/local_run.h"

namespace fermata::cli {
namespace {

Exit report(const Value& run, const Terminal& terminal) {
  bool completed = run.get("status") == Value("completed");
  if (terminal.json) {
    terminal.value(run);
  } else if (completed) {
    terminal.value(run.get("output"));
  }
  return completed ? Exit::ok : Exit::failed;
}

Exit run(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the FILE of a graph or script"); !expected)
    return terminal.fail(expected.error());
  auto configuration = configured({}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  auto input = read_input(arguments);
  if (!input) return terminal.fail(input.error());
  auto zones = zones_of(around.world, configuration->settings());
  if (!zones) return terminal.fail(zones.error());
  const std::string& path = arguments.positional()[0];
  auto file = load_graph(path, configuration->settings(), **zones);
  if (!file) return terminal.fail(file.error());
  for (const Finding& finding : file->checked.errors)
    terminal.err(finding_line(path, finding) + "\n");
  if (!file->checked.errors.empty()) return Exit::failed;

  Progress progress(terminal, false);
  LocalRun local(around.world, configuration->settings(), progress);
  std::string name = std::filesystem::path(path).stem().string();
  auto result = local.execute(*file, name, *input, arguments.is_set("fast-forward"));
  progress.clear();
  if (!result && result.error().code == ErrorCode::run_not_finished) {
    terminal.err(terminal.paint_error(Colour::red, "error") + ": " + result.error().message +
                 "\nnext: start it on a server with `fermata start " + path + "`.\n");
    return Exit::failed;
  }
  if (!result) return terminal.fail(result.error());
  return report(*result, terminal);
}

}  // namespace

CliCommand run_command() {
  return {"run",
          "FILE",
          "Run a graph or a script here and now, without a server.",
          "Shows each node on standard error as it happens and prints the output. Nothing is kept: "
          "a run that must survive its process is started on a server. Exits with 0 when the run "
          "completes, else with 1.",
          {{"input", "JSON|@FILE", "the run's input"},
           {"set", "NAME=VALUE", "one field of the input; dots reach inside", true},
           {"fast-forward", "", "do not wait: jump to the next due time when nothing else is left"},
           config_option()},
          "fermata run examples/hello.json --set name=Ada",
          run};
}

}  // namespace fermata::cli
