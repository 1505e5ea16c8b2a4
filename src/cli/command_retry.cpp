#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit retry(const Arguments& arguments, Surroundings& around) {
  return restart(arguments, around, "retry", Value::object());
}

}  // namespace

CliCommand retry_command() {
  return {"retry",
          "ID",
          "Start a failed execution anew where it failed.",
          "Makes a new execution and prints its id. Finished work is not repeated, and the "
          "repeated call carries the same idempotency key.",
          {dry_run_option(), server_option()},
          "fermata retry 0198c1f2-… --dry-run",
          retry};
}

}  // namespace fermata::cli
