#pragma once
#include "core/job/step.h"

namespace fermata::job {

/// Judges a worker's message by attempt and fence: the first row of J-12 that fits.
Answer hear(const Job& job, const Spoken& spoken, const std::string& digest);
/// What else a message that was not accepted leads to: a late success is noted and told, a
/// violation of the protocol is audited, and a worker that is done with a fence has a free slot.
void answer_only(Step& step, Answer answer, const Spoken& spoken, const Report* report);

}  // namespace fermata::job
