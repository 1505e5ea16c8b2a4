#pragma once
#include "cli/remote.h"

/// What `approve` and `deny` share.
namespace fermata::cli {

/// The newest approvals, those that wait for an answer unless `--all`.
Exit list_approvals(const Arguments& arguments, Surroundings& around);
/// Answers the one ID on the command line, with the hash of what it asks now or `--hash`.
Exit answer_approval(const Arguments& arguments, Surroundings& around, bool approve);

}  // namespace fermata::cli
