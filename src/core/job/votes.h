#pragma once
#include "core/job/step.h"

namespace fermata::job {

/// True when that person, or whoever the key speaks for, has asked for the job.
bool has_asked(const Job& job, const Voter& voter);

/// Why this person may not say yes or no to the job now (J-41, J-42): it awaits no approval, or the
/// rule for all approvals (core/approval) says so.
Outcome<void> may_vote(const Step& step, const std::string& hash, const Voter& voter,
                       const Approval& terms, bool approve);
/// True when the approval has run out and nobody has noticed yet.
bool has_expired(const Step& step);

}  // namespace fermata::job
