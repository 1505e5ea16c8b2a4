#include "cli/command.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/json.h"

namespace fermata::cli {
namespace {

constexpr Option common[] = {
    {"json", "", "print JSON instead of text for people"},
    {"help", "", "show this text"},
};

Failure<Error> unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CliCommand& command : commands()) names.push_back(command.name);
  return fail(ErrorCode::usage, "There is no command '" + name + "'." + did_you_mean(name, names));
}

std::vector<Option> options_of(const CliCommand& command) {
  std::vector<Option> options = command.options;
  options.insert(options.end(), std::begin(common), std::end(common));
  return options;
}

Exit usage_failure(const Error& error, const CliCommand* command, const Terminal& terminal) {
  std::string text = terminal.paint_error(Colour::red, "error") + ": " + error.message + "\n";
  text += terminal.paint_error(Colour::dim, "next") + ": see `fermata " +
          (command ? std::string(command->name) + " " : "") + "--help`.\n";
  terminal.err(text);
  return Exit::usage;
}

}  // namespace

std::string Surroundings::variable(std::string_view name) const {
  std::string prefix = std::string(name) + "=";
  for (const std::string& entry : environment)
    if (entry.starts_with(prefix)) return entry.substr(prefix.size());
  return "";
}

std::span<const Option> common_options() { return common; }

const std::vector<CliCommand>& commands() {
  static const std::vector<CliCommand> all = {
#define FERMATA_COMMAND(name) name##_command(),
#include "cli/commands.def"
#undef FERMATA_COMMAND
  };
  return all;
}

const CliCommand* find_command(std::string_view name) {
  for (const CliCommand& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

Exit run_command_line(std::span<const std::string> words, Surroundings& around) {
  Terminal& terminal = around.terminal;
  if (words.empty()) {
    terminal.err(overview());
    return Exit::usage;
  }
  std::string name = words[0];
  if (name == "--version") name = "version";
  if (name == "--help" || name == "-h" || name == "help") {
    const CliCommand* asked = words.size() > 1 ? find_command(words[1]) : nullptr;
    terminal.out(asked ? help_of(*asked) : overview());
    return Exit::ok;
  }
  const CliCommand* command = find_command(name);
  if (command == nullptr) return usage_failure(unknown_command(name).value, nullptr, terminal);
  std::vector<std::string> rest(words.begin() + 1, words.end());
  // `bench` hands its words on to another program, options included.
  if (command->name == "bench" && !rest.empty() && rest[0] != "--help")
    rest.insert(rest.begin(), "--");
  Outcome<Arguments> arguments = Arguments::parse(rest, options_of(*command));
  if (!arguments) return usage_failure(arguments.error(), command, terminal);
  if (arguments->is_set("help")) {
    terminal.out(help_of(*command));
    return Exit::ok;
  }
  terminal.json = arguments->is_set("json");
  return command->run(*arguments, around);
}

Outcome<std::string> read_file(const std::string& path) {
  if (path == "-") {
    std::string text;
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, count);
    return text;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad())
    return fail(ErrorCode::usage, path + ": " + std::strerror(errno != 0 ? errno : EIO) + ".");
  return std::move(text).str();
}

namespace {

void set_path(Value& object, std::string_view path, Value value) {
  size_t dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (dot == std::string_view::npos) return object.set(key, std::move(value));
  const Value* existing = object.find(key);
  Value inner = existing != nullptr && existing->is_object() ? *existing : Value::object();
  set_path(inner, path.substr(dot + 1), std::move(value));
  object.set(key, std::move(inner));
}

}  // namespace

Outcome<Value> read_pairs(const std::vector<std::string>& words, std::string_view option) {
  Value pairs = Value::object();
  for (const std::string& word : words) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorCode::usage,
                  "--" + std::string(option) + " is name=value, not '" + word + "'.");
    std::string text = word.substr(equals + 1);
    Outcome<Value> parsed = parse_json(text);
    pairs.set(word.substr(0, equals), parsed ? *parsed : Value(text));
  }
  return pairs;
}

Outcome<Value> read_input(const Arguments& arguments) {
  Value input = Value::object();
  if (std::optional<std::string> given = arguments.get("input")) {
    std::string text = *given;
    if (text.starts_with('@')) {
      FERMATA_TRY(from_file, read_file(text.substr(1)));
      text = std::move(from_file);
    }
    Outcome<Value> parsed = parse_json(text);
    if (!parsed) return fail(ErrorCode::usage, "--input: " + parsed.error().message);
    input = *parsed;
  }
  FERMATA_TRY(pairs, read_pairs(arguments.all("set"), "set"));
  if (pairs.size() > 0 && !input.is_object())
    return fail(ErrorCode::usage, "--set needs an input that is an object.");
  for (const Value::Member& pair : pairs.members())
    set_path(input, pair.key.as_string(), pair.value);
  return input;
}

}  // namespace fermata::cli
