#pragma once
#include "base/error.h"
#include "core/job/command.h"

#include "core/model/post.h"

namespace fermata {

/// What a step of a run, or its saga, asks of a job. What undoes something is submitted even when
/// its request cannot be read: then it ends at once, for people to see (J-75).
Outcome<job::SubmitJob> submit_of(OrderJob& order, const job::RequestLimits& limits,
                                  const std::string& actor);

}  // namespace fermata
