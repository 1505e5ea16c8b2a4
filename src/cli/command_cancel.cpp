#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit cancel(const Arguments& arguments, Surroundings& around) {
  Value body = Value::object();
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  return act(arguments, around, "cancel", body);
}

}  // namespace

CliCommand cancel_command() {
  return {"cancel",
          "ID",
          "End an execution; nothing of it runs any further.",
          "Cancelling one that is cancelled already changes nothing.",
          {{"reason", "TEXT", "why; kept in the history and the audit"}, server_option()},
          "fermata cancel 0198c1f2-… --reason 'ordered twice'",
          cancel};
}

}  // namespace fermata::cli
