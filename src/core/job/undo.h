#pragma once
#include "core/job/job.h"

/// What a job tells of how it is undone, and what the job that undoes it is given (jobs.md §8).
namespace fermata::job {

/// The request of the job that undoes this one, as a run orders it; null when it declares none.
/// Account, actor and principal are this one's. An input of its own that lies in a blob is named by
/// `input_blob`.
Value undo_request(const Job& job);

/// What the engine adds to the request of a job that undoes another (J-72).
void mark_undo(Request& request);
/// The request without those labels, for checks of what others wrote.
Request without_marks(Request request);

}  // namespace fermata::job
