#include "cli/remote.h"

namespace fermata::cli {
namespace {

Exit resume(const Arguments& arguments, Surroundings& around) {
  return act(arguments, around, "resume", Value::object());
}

}  // namespace

CliCommand resume_command() {
  return {"resume",
          "ID",
          "Let a paused execution go on.",
          "What fell due during the pause happens now, in due order.",
          {server_option()},
          "fermata resume 0198c1f2-…",
          resume};
}

}  // namespace fermata::cli
