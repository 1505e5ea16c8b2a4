#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit cancel(const Arguments& arguments, Surroundings& around) {
  Value body = Value::object();
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  if (arguments.is_set("force")) body.set("force", true);
  if (arguments.is_set("rollback")) body.set("rollback", true);
  return act(arguments, around, "cancel", body);
}

}  // namespace

CliCommand cancel_command() {
  return {"cancel",
          "ID",
          "End an execution; nothing of it runs any further.",
          "Cancelling one that is cancelled already changes nothing. A script runs its `finally` "
          "blocks first, unless it is forced.",
          {{"reason", "TEXT", "why; kept in the history and the audit"},
           {"rollback", "", "undo what it has done before it ends"},
           {"force", "", "end a script at once, without its `finally` blocks"},
           server_option()},
          "fermata cancel 0198c1f2-… --reason 'ordered twice'",
          cancel};
}

}  // namespace fermata::cli
