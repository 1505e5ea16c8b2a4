#pragma once
#include "front/run_query.h"

namespace fermata::front {

/// Which jobs: `state` (also a comma list), `topic`, `label` (`key` or `key:value`), `run_id`,
/// `workflow_id`, `worker_id`, `pool`, `reason_code`, `from`, `to`, `q`. Other names are left
/// alone. Fails with `invalid_query`, one finding for every bad parameter.
Outcome<JobFilter> read_job_filter(const NamedValues& query, const AccountId& account);
/// The same from `filter` of a body, in which a name that is not known is a mistake.
Outcome<JobFilter> read_job_filter(const Value& filter, const AccountId& account);

}  // namespace fermata::front
