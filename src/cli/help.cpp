#include <algorithm>

#include "cli/command.h"
#include "cli/settings.h"

namespace fermata::cli {
namespace {

constexpr size_t text_columns = 92;

std::string usage_of(const CliCommand& command) {
  std::string text = "fermata " + std::string(command.name);
  if (!command.arguments.empty()) text += " " + std::string(command.arguments);
  return text + " [OPTIONS]";
}

std::string written(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.value.empty()) text += " " + std::string(option.value);
  return text;
}

/// Breaks a text into lines that begin at `indent`; the first line is already there.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    size_t width = width_of(text.substr(0, end));
    if (column > indent && column + 1 + width > text_columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string option_lines(std::span<const Option> options) {
  size_t widest = 0;
  for (const Option& option : options) widest = std::max(widest, written(option).size());
  size_t column = std::min<size_t>(widest, 34) + 4;
  std::string text;
  for (const Option& option : options) {
    std::string left = "  " + written(option);
    if (left.size() + 2 > column) {
      text += left + "\n" + std::string(column, ' ');
    } else {
      text += left + std::string(column - left.size(), ' ');
    }
    text += wrapped(option.help, column);
  }
  return text;
}

std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '`') {
      continue;
    } else if (c == '\n') {
      out += "\n.br\n";
    } else {
      out += c;
    }
  }
  // A line that begins with a dot or quote would be read as a request.
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string man_options(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options)
    text += ".TP\n\\fB" + roff("--" + std::string(option.name)) + "\\fR" +
            (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" +
            roff(option.help) + "\n";
  return text;
}

}  // namespace

std::string help_of(const CliCommand& command) {
  std::string text = "Usage: " + usage_of(command) + "\n\n" + std::string(command.summary) + "\n";
  if (!command.details.empty()) text += "\n" + wrapped(command.details, 0);
  std::vector<Option> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  text += "\nOptions:\n" + option_lines(options);
  return text + "\nExample:\n  " + std::string(command.example) + "\n";
}

std::string overview() {
  std::string text =
      "Fermata keeps workflows going across crashes, restarts and deployments.\n\n"
      "Usage: fermata COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n";
  for (const CliCommand& command : commands()) {
    std::string left = "  " + std::string(command.name);
    text += left + std::string(14 - left.size(), ' ') + wrapped(command.summary, 14);
  }
  return text +
         "\n`fermata COMMAND --help` tells more and shows an example of each.\n"
         "Commands that talk to a server take --server or FERMATA_SERVER, and a key from\n"
         "FERMATA_KEY.\n"
         "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 refused, 5 unavailable.\n\n"
         "Example:\n  fermata run examples/hello.json\n";
}

std::string man_page() {
  std::string text = ".TH FERMATA 1 \"\" \"Fermata " + std::string(program_version) +
                     "\" \"User Commands\"\n.SH NAME\nfermata \\- durable workflow engine\n"
                     ".SH SYNOPSIS\n.B fermata\n.I COMMAND\n[\\fIARGUMENTS\\fR] "
                     "[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
                     "Keeps workflows going across crashes, restarts and deployments. One program "
                     "is the server and the tool that talks to it.\n.SH COMMANDS\n";
  for (const CliCommand& command : commands()) {
    text += ".SS " + roff(usage_of(command)) + "\n" + roff(command.summary) + "\n";
    if (!command.details.empty()) text += ".PP\n" + roff(command.details) + "\n";
    text += man_options(command.options);
    text += ".PP\nExample: \\fB" + roff(command.example) + "\\fR\n";
  }
  text += ".SH OPTIONS OF EVERY COMMAND\n" + man_options(common_options());
  text +=
      ".SH ENVIRONMENT\n.TP\n.B FERMATA_SERVER\naddress of the server\n.TP\n.B FERMATA_KEY\n"
      "API key\n.TP\n.B FERMATA_CONFIG\nsettings file instead of fermata.toml\n.TP\n"
      ".B NO_COLOR\nno colours\n.PP\nEvery setting of serve can be given as FERMATA_NAME.\n";
  text +=
      ".SH EXIT STATUS\n.TP\n0\nok\n.TP\n1\nfailed\n.TP\n2\nusage\n.TP\n3\nnot found\n"
      ".TP\n4\nrefused\n.TP\n5\nunavailable\n";
  return text;
}

}  // namespace fermata::cli
