#include "cli/approval_answers.h"

namespace fermata::cli {

CliCommand approve_command() {
  return {
      "approve",
      "[ID]",
      "Say yes to an approval, or list those that wait for an answer.",
      "The answer is for what the approval shows now; if it has changed meanwhile, it is refused.",
      {{"note", "TEXT", "what the execution is told beside the yes"},
       {"hash", "HASH", "answer only if this is what is asked"},
       {"all", "", "list those that were answered too"},
       {"workflow", "ID", "of one workflow"},
       {"limit", "N", "at most so many, 50 without it"},
       {"cursor", "TEXT", "go on where the last list ended"},
       server_option()},
      "fermata approve 0198c1f2-….3 --note 'checked with finance'",
      [](const Arguments& arguments, Surroundings& around) {
        if (arguments.positional().empty()) return list_approvals(arguments, around);
        return answer_approval(arguments, around, true);
      }};
}

}  // namespace fermata::cli
