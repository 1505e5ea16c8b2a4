#pragma once
#include <string>

#include "base/id.h"
#include "base/value.h"
#include "core/job/request.h"

namespace fermata::job {

/// What a request's hash is taken over (J-4): what was asked, whoever repeats it and under whatever
/// key. Members that were not given are left out, so that fields to come change no hash of today.
Value canonical_request(const AccountId& account, const Request& request);
/// Hex SHA-256 of `fermata.job.v1`, a line feed and the canonical JSON.
std::string request_hash(const AccountId& account, const Request& request);

/// The id of a job submitted under an idempotency key without an id of its own: the same key gives
/// the same job, so the key needs no record beside it.
JobId job_id_of_key(const AccountId& account, std::string_view idempotency_key);

}  // namespace fermata::job
