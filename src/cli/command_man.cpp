#include "cli/command.h"
#include "cli/settings.h"

namespace fermata::cli {
namespace {

Exit man(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  std::string text = arguments.is_set("settings") ? settings_document() : man_page();
  if (terminal.json) {
    terminal.value(Value::object({{"text", text}}));
  } else {
    terminal.out(text);
  }
  return Exit::ok;
}

}  // namespace

CliCommand man_command() {
  return {"man",
          "",
          "Print the manual page.",
          "It is made from the same list as --help. View it with `fermata man | man -l -`.",
          {{"settings", "", "print the page of settings in Markdown instead"}},
          "fermata man",
          man};
}

}  // namespace fermata::cli
