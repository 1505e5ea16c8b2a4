#pragma once
#include "core/job/job.h"

namespace fermata::job {

/// What the verdict proposes under this id (J-6), or null.
const Value* find_remediation(const Job& job, std::string_view id);
/// The request of the job as the proposal changes it: a new job, for which the denied one stands as
/// parent. Other work, so the key is its own.
Request remediated(const Job& job, const Value& remediation);

}  // namespace fermata::job
