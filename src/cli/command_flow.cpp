#include <filesystem>

#include "base/json.h"
#include "cli/command.h"
#include "cli/configured.h"
#include "cli/engine.h"
#include "core/flow/evaluate/evaluation.h"

namespace fermata::cli {
namespace {

constexpr int exit_usage = 2;

/// `JSON`, or `@FILE` with JSON in it.
Outcome<Value> read_json(const std::string& given, std::string_view option) {
  std::string text = given;
  if (text.starts_with('@')) {
    FERMATA_TRY(from_file, read_file(text.substr(1)));
    text = std::move(from_file);
  }
  Outcome<Value> parsed = parse_json(text);
  if (!parsed)
    return fail(ErrorCode::usage, "--" + std::string(option) + ": " + parsed.error().message);
  return parsed;
}

Outcome<std::vector<Value>> read_steps(const std::string& path) {
  FERMATA_TRY(text, read_file(path));
  Outcome<Value> parsed = parse_json(text);
  if (!parsed) return fail(ErrorCode::usage, path + ": " + parsed.error().message);
  if (!parsed->is_array()) return fail(ErrorCode::usage, path + ": the steps are a list.");
  return std::vector<Value>(parsed->items().begin(), parsed->items().end());
}

Outcome<flow::EvaluationCase> common_case(const Arguments& arguments) {
  flow::EvaluationCase out;
  if (auto inputs = arguments.get("inputs")) {
    FERMATA_TRY(read, read_json(*inputs, "inputs"));
    out.inputs = std::move(read);
  }
  for (const std::string& value : arguments.all("resume")) {
    FERMATA_TRY(read, read_json(value, "resume"));
    out.resume.push_back(std::move(read));
  }
  if (auto path = arguments.get("script")) {
    FERMATA_TRY(steps, read_steps(*path));
    out.steps = std::move(steps);
  }
  if (auto compat = arguments.get("compat")) {
    if (*compat != "rhythm") return fail(ErrorCode::usage, "--compat is rhythm.");
    out.rhythm = true;
  }
  if (auto now = arguments.get("now")) {
    auto at = parse_rfc3339(*now);
    if (!at) return fail(ErrorCode::usage, "--now is a time such as 2026-01-01T00:00:00Z.");
    out.now = *at;
  }
  FERMATA_TRY(seed, arguments.number("seed"));
  if (seed) out.seed = *seed;
  FERMATA_TRY(fuel, arguments.number("fuel", 1));
  if (fuel) out.limits.fuel = *fuel;
  out.states = arguments.is_set("states");
  out.crash = arguments.is_set("crash");
  return out;
}

/// One line of a file of cases; what it leaves out is as on the command line.
Outcome<flow::EvaluationCase> case_of(const Value& line, flow::EvaluationCase out) {
  if (!line.get("source").is_string()) return fail(ErrorCode::usage, "a case needs its source.");
  out.source = line.get("source").as_string();
  if (const Value* inputs = line.find("inputs")) out.inputs = *inputs;
  for (std::string_view name : {"resume", "steps"}) {
    const Value* list = line.find(name);
    if (list == nullptr || list->is_null()) continue;
    if (!list->is_array()) return fail(ErrorCode::usage, std::string(name) + " is a list.");
    auto& to = name == "resume" ? out.resume : out.steps;
    to.assign(list->items().begin(), list->items().end());
  }
  const Value& compat = line.get("compat");
  if (compat.is_string()) out.rhythm = compat.as_string() == "rhythm";
  if (line.get("states").is_bool()) out.states = line.get("states").as_bool();
  if (line.get("crash").is_bool()) out.crash = line.get("crash").as_bool() || out.crash;
  return out;
}

/// Prints one line per case and goes on behind a failed one; the exit code is that of the worst.
Exit eval_cases(const std::string& path, const flow::EvaluationCase& common,
                const Terminal& terminal) {
  auto text = read_file(path);
  if (!text) return terminal.fail(text.error());
  int worst = 0;
  size_t number = 0;
  for (size_t at = 0; at < text->size();) {
    size_t end = std::min(text->find('\n', at), text->size());
    std::string_view line = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Outcome<Value> parsed = parse_json(line);
    Outcome<flow::EvaluationCase> one =
        parsed ? case_of(*parsed, common) : Outcome<flow::EvaluationCase>(Failure{parsed.error()});
    if (!one) {
      Error error = one.error();
      error.message = path + ":" + std::to_string(number) + ": " + error.message;
      terminal.fail({ErrorCode::usage, error.message, {}});
      return Exit::usage;
    }
    flow::EvaluationAnswer answer = flow::evaluate_flow(*one);
    Value out = Value::object({{"id", parsed->get("id")}});
    for (const Value::Member& member : answer.value.members())
      out.set(member.key.as_string(), member.value);
    terminal.out(to_json(out) + "\n");
    worst = std::max(worst, answer.exit);
  }
  return static_cast<Exit>(worst);
}

Exit flow_eval(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto common = common_case(arguments);
  if (!common) return terminal.fail(common.error());
  auto configuration = configured({}, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  auto zones = zones_of(around.world, configuration->settings());
  if (!zones) return terminal.fail(zones.error());
  common->zones = *zones;
  if (auto cases = arguments.get("cases")) return eval_cases(*cases, *common, terminal);
  if (arguments.positional().size() != 2) {
    return terminal.fail({ErrorCode::usage, "flow eval takes one FILE, or - for its input.", {}});
  }
  const std::string& path = arguments.positional()[1];
  auto source = read_file(path);
  if (!source) return terminal.fail(source.error());
  common->source = *std::move(source);
  if (path != "-") common->name = std::filesystem::path(path).stem().string();
  flow::EvaluationAnswer answer = flow::evaluate_flow(*common);
  terminal.out(to_json(answer.value) + "\n");
  return static_cast<Exit>(answer.exit);
}

Exit run_flow(const Arguments& arguments, Surroundings& around) {
  static_assert(static_cast<int>(Exit::usage) == exit_usage);
  bool eval = !arguments.positional().empty() && arguments.positional()[0] == "eval";
  if (eval) return flow_eval(arguments, around);
  return around.terminal.fail({ErrorCode::usage, "The one thing flow can do is eval.", {}});
}

}  // namespace

CliCommand flow_command() {
  return {"flow",
          "eval FILE|-",
          "Run one script in memory, without server and workers, and print its state.",
          "Steps say what happens to what the script waits for: `{\"complete\": \"charge\", "
          "\"result\": {…}}`, `{\"advance\": \"2h\"}` and others. The same call prints the same "
          "bytes. Exits with 0 when the script completed or waits, with 1 when it failed, with 2 "
          "when a step fits nothing.",
          {{"inputs", "JSON|@FILE", "what the run is started with, {} by default"},
           {"resume", "JSON", "completes what the main fiber waits for with this value", true},
           {"script", "FILE", "a JSON list of steps"},
           {"cases", "FILE", "one case per line, each {id, source, inputs, resume, steps, …}"},
           {"states", "", "also print the state after the start and after each step"},
           {"crash", "", "rebuild the machine from its snapshot after every step"},
           {"compat", "rhythm", "take the script as Rhythm does"},
           {"now", "INSTANT", "where the clock stands at the start, 2026-01-01T00:00:00Z"},
           {"seed", "N", "of what Random draws, 0"},
           {"fuel", "N", "instructions per activation, 10000000"}},
          "fermata flow eval examples/refund.flow --inputs '{\"order\": 7}'",
          run_flow};
}

}  // namespace fermata::cli
