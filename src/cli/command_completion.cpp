#include "cli/command.h"

namespace fermata::cli {
namespace {

std::string command_names() {
  std::string names;
  for (const CliCommand& command : commands())
    names += (names.empty() ? "" : " ") + std::string(command.name);
  return names;
}

std::string flags_of(const CliCommand& command) {
  std::string flags;
  for (const Option& option : command.options) flags += "--" + std::string(option.name) + " ";
  for (const Option& option : common_options()) flags += "--" + std::string(option.name) + " ";
  flags.pop_back();
  return flags;
}

std::string for_bash() {
  std::string text =
      "_fermata() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" flags=\"\"\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      command_names() +
      "\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CliCommand& command : commands())
    text += "    " + std::string(command.name) + ") flags=\"" + flags_of(command) + "\" ;;\n";
  return text +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _fermata fermata\n";
}

/// Text in single quotes, as zsh and fish read it.
std::string quoted(std::string_view text, bool fish) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += fish ? "\\'" : "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// A description inside `[…]` of zsh's _arguments.
std::string zsh_description(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string for_zsh() {
  std::string text =
      "#compdef fermata\n"
      "_fermata() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CliCommand& command : commands())
    text += "    " + quoted(std::string(command.name) + ":" + std::string(command.summary), false) +
            "\n";
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n";
  for (const CliCommand& command : commands()) {
    text += "    " + std::string(command.name) + ") _arguments";
    for (const Option& option : command.options)
      text += " " + quoted("--" + std::string(option.name) + "[" + zsh_description(option.help) +
                               "]" + (option.value.empty() ? "" : ":value:_files"),
                           false);
    text += " '--json' '--help' '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\ncompdef _fermata fermata\n";
}

std::string for_fish() {
  std::string text = "complete -c fermata -n __fish_use_subcommand -f\n";
  for (const CliCommand& command : commands()) {
    std::string name(command.name);
    text += "complete -c fermata -n __fish_use_subcommand -a " + name + " -d " +
            quoted(command.summary, true) + "\n";
    for (const Option& option : command.options)
      text += "complete -c fermata -n '__fish_seen_subcommand_from " + name + "' -l " +
              std::string(option.name) + (option.value.empty() ? "" : " -r") + " -d " +
              quoted(option.help, true) + "\n";
  }
  return text + "complete -c fermata -l json\ncomplete -c fermata -l help\n";
}

Exit completion(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto expected = arguments.expect(1, 1, "bash, zsh or fish");
  if (!expected) return terminal.fail(expected.error());
  const std::string& shell = arguments.positional()[0];
  std::string text;
  if (shell == "bash") text = for_bash();
  if (shell == "zsh") text = for_zsh();
  if (shell == "fish") text = for_fish();
  if (text.empty())
    return terminal.fail({ErrorCode::usage, "'" + shell + "' is not bash, zsh or fish.", {}});
  if (terminal.json) {
    terminal.value(Value::object({{"shell", shell}, {"text", text}}));
  } else {
    terminal.out(text);
  }
  return Exit::ok;
}

}  // namespace

CliCommand completion_command() {
  return {"completion",
          "bash|zsh|fish",
          "Print a script that completes commands and options in a shell.",
          "",
          {},
          "fermata completion bash",
          completion};
}

}  // namespace fermata::cli
