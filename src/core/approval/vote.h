#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

/// What approvals of runs and of jobs share: what an answer is bound to and who may give it
/// (J-41, J-42).
namespace fermata::approval {

/// What was pinned when people were asked.
struct Terms {
  std::string_view hash;
  const std::vector<std::string>& approvers;
  /// Who submitted or amended the job or started the run; an empty name is the engine's.
  std::vector<std::string_view> asked_by;
  std::vector<std::string_view> voted{};  ///< who has said yes already
};

/// An answer as it comes in. Who gives it is the command's actor.
struct Vote {
  bool approve = false;
  std::string hash;
  std::string comment;
  std::string role;         ///< of whoever answers
  bool may_be_own = false;  ///< who asked may answer too (setting approvals_allow_self)
};

/// Refuses with `approval_stale_request`, `approval_by_submitter`, `forbidden` or, a second yes,
/// `approval_already_voted`.
Outcome<void> may_vote(const Terms& terms, const Vote& vote, const std::string& actor);

/// Hex SHA-256 over the kind of question and the canonical form of what is asked.
std::string hash_of(std::string_view kind, const Value& asked);

/// Approvers as people write them: the name of a role, which stands for itself and those above it,
/// `key:ID` for one key, or a list of these. Nothing given: operators. Fails with what is wrong.
Result<std::vector<std::string>, std::string> read_approvers(const Value& written);

}  // namespace fermata::approval
