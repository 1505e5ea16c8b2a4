#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "cli/world.h"

namespace fermata::cli {

inline constexpr std::string_view program_version = "0.1.0";

/// The process around a command: tests give their own.
struct Surroundings {
  Terminal& terminal;
  World& world;
  std::vector<std::string> environment;  ///< `NAME=value`
  std::string program;                   ///< path of this program, to find its siblings

  /// A variable's value, empty when it is not set.
  std::string variable(std::string_view name) const;
};

/// One command of the program; each stands in its own file command_NAME.cpp.
struct CliCommand {
  std::string_view name;
  std::string_view arguments;  ///< "FILE…", as the usage line shows them
  std::string_view summary;    ///< one line, for the list of commands
  std::string_view details;    ///< further sentences for --help, or empty
  std::vector<Option> options;
  std::string_view example;  ///< run by a test
  Exit (*run)(const Arguments&, Surroundings&);
};

/// All commands in the order of commands.def.
const std::vector<CliCommand>& commands();
const CliCommand* find_command(std::string_view name);
/// `--json` and `--help`, which every command takes.
std::span<const Option> common_options();

std::string help_of(const CliCommand& command);
std::string overview();
std::string man_page();

/// Runs a whole command line without the program's name.
Exit run_command_line(std::span<const std::string> words, Surroundings& around);

// What commands share.
Outcome<std::string> read_file(const std::string& path);
/// `--input JSON|@FILE` and every `--set name=value` as one object. The value of `--set` is taken
/// as JSON where it is JSON, else as text; dots in the name make objects.
Outcome<Value> read_input(const Arguments& arguments);
/// `name=value` words as an object of values.
Outcome<Value> read_pairs(const std::vector<std::string>& words, std::string_view option);

#define FERMATA_COMMAND(name) CliCommand name##_command();
#include "cli/commands.def"
#undef FERMATA_COMMAND

}  // namespace fermata::cli
