#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit pause(const Arguments& arguments, Surroundings& around) {
  return act(arguments, around, "pause", Value::object());
}

}  // namespace

CliCommand pause_command() {
  return {"pause",
          "ID",
          "Hold an execution: no node starts until it is resumed.",
          "Answers and signals that come meanwhile are kept; due timers are held.",
          {server_option()},
          "fermata pause 0198c1f2-…",
          pause};
}

}  // namespace fermata::cli
