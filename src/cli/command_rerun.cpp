#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit rerun(const Arguments& arguments, Surroundings& around) {
  Value body = Value::object();
  if (auto from = arguments.get("from")) body.set("from_node", *from);
  return restart(arguments, around, "rerun", std::move(body));
}

}  // namespace

CliCommand rerun_command() {
  return {"rerun",
          "ID",
          "Start an ended execution anew from one of its nodes, a script from its beginning.",
          "Makes a new execution and prints its id. The node and all that follow run again, with "
          "new idempotency keys.",
          {{"from", "NODE",
            "id of the node to begin with; it must stand outside splits; a script has none"},
           dry_run_option(),
           server_option()},
          "fermata rerun 0198c1f2-… --from charge",
          rerun};
}

}  // namespace fermata::cli
