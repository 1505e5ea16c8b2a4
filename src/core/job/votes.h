#pragma once
#include "core/job/step.h"

namespace fermata::job {

/// True when that person, or whoever the key speaks for, has asked for the job.
bool has_asked(const Job& job, const Voter& voter);

/// Why this person may not decide about the job now (J-41, J-42): nothing pending, another request
/// than the one that was looked at, the submitter, a role too low, a second vote.
Outcome<void> may_vote(const Step& step, const std::string& hash, const Voter& voter,
                       const Approval& terms);
/// True when the approval has run out and nobody has noticed yet.
bool has_expired(const Step& step);

}  // namespace fermata::job
