#include "cli/approval_answers.h"

namespace fermata::cli {

CliCommand deny_command() {
  return {"deny",
          "ID",
          "Say no to an approval.",
          "What follows is the workflow's affair: it may go another way or fail.",
          {{"reason", "TEXT", "why; required"},
           {"hash", "HASH", "answer only if this is what is asked"},
           server_option()},
          "fermata deny 0198c1f2-….3 --reason 'over budget'",
          [](const Arguments& arguments, Surroundings& around) {
            return answer_approval(arguments, around, false);
          }};
}

}  // namespace fermata::cli
