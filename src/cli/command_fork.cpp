#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit fork(const Arguments& arguments, Surroundings& around) {
  auto at = arguments.number("at", 1);
  if (at && !*at) at = fail(ErrorCode::usage, "Missing: --at SEQUENCE.");
  if (!at) return around.terminal.fail(at.error());
  auto changes = read_pairs(arguments.all("change"), "change");
  if (!changes) return around.terminal.fail(changes.error());
  return restart(arguments, around, "fork",
                 Value::object({{"at_sequence", **at}, {"changes", *changes}}));
}

}  // namespace

CliCommand fork_command() {
  return {"fork",
          "ID",
          "Start a new execution from a moment of another one.",
          "The state at that sequence, with the changes applied, goes on as an execution of its "
          "own; the original is not touched.",
          {{"at", "SEQUENCE", "the event after which it branches off (see `fermata history`)"},
           {"change", "REFERENCE=VALUE", "a value to be another, such as Fetch.status=200", true},
           dry_run_option(),
           server_option()},
          "fermata fork 0198c1f2-… --at 12 --change Fetch.status=200",
          fork};
}

}  // namespace fermata::cli
