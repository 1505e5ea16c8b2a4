#pragma once
#include <string>

#include "base/error.h"
#include "base/value.h"
#include "core/job/command.h"

namespace fermata::front {

/// Who submits, as the key says it; the body cannot choose an account.
struct JobSubmitter {
  AccountId account;
  std::string key_id;
  job::Actor owner;  ///< of the key: the actor of a body that names none
};

/// The body of `POST /jobs`, read and checked.
struct JobSubmission {
  JobId id;  ///< chosen by the submitter, derived from the idempotency key, or empty: the server's
  job::SubmitJob submit;
};

/// `path` is the pointer of the job in its body: empty, or `/jobs/3` in a batch. Fails with one
/// finding for every mistake; the code is that of the findings when they share one.
Outcome<JobSubmission> read_job(const Value& body, const JobSubmitter& who,
                                const std::string& idempotency_header,
                                const job::RequestLimits& limits, const std::string& path = "");

/// The body of `POST /jobs/{id}/amend`.
Outcome<job::AmendJob> read_amend(const Value& body);

}  // namespace fermata::front
