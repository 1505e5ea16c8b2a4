#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit rerun(const Arguments& arguments, Surroundings& around) {
  auto from = arguments.get("from");
  if (!from) {
    Error missing{ErrorCode::usage, "Missing: --from NODE.", {}};
    return around.terminal.fail(missing);
  }
  return restart(arguments, around, "rerun", Value::object({{"from_node", *from}}));
}

}  // namespace

CliCommand rerun_command() {
  return {"rerun",
          "ID",
          "Start an ended execution anew from one of its nodes.",
          "Makes a new execution and prints its id. The node and all that follow run again, with "
          "new idempotency keys.",
          {{"from", "NODE", "id of the node to begin with; it must stand outside splits"},
           dry_run_option(),
           server_option()},
          "fermata rerun 0198c1f2-… --from charge",
          rerun};
}

}  // namespace fermata::cli
