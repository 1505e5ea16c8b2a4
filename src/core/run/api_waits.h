#pragma once
#include "core/graph/wait_plan.h"
#include "core/run/step.h"

/// Waits that the API opened (W-11): beside the program of a run, or instead of one (W-70). They
/// park no token; what ends them is told to their callback.
namespace fermata {

/// True while something of the API keeps the run from completing by itself: a wait that is pending,
/// or that the run has no program at all.
bool held_open(const Run& run);
/// The instant of a wait has come, or its timeout.
void fire_api_wait(Step& step, uint64_t number);
/// What a wait for signals waits for, from its configuration (W-44): status, timeout, listeners.
Result<Wait, std::vector<Finding>> plan_api_event(const Step& step, const OpenWait& open);
/// One of its listeners has heard the signal; that ends it unless it needs others too.
void take_api_event(Step& step, const WaitKey& key, size_t listener, const Signal& signal);
/// A user lets it go on (W-15).
void resume_api_wait(Step& step, const WaitKey& key, const ResumeWait& resume);
/// Ends the whole run because a wait says so (W-47).
void exit_by_wait(Step& step, const std::string& reason);
/// How a wait goes on whose date has passed, or that has none.
struct DateCause {
  const char* resumed_by;
  const char* exit_reason;
};
DateCause cause_of(bool missing);
/// The branch that such a date leads to, or empty.
std::string branch_of(const waits::DateReaction& reaction);
/// A wait that parks no token ends as its date, as it is now, asks for (W-42).
void follow_api_date(Step& step, const WaitKey& key, const graph::WaitPlan& plan);
/// Lets the program go on, if there is one and it can.
void go_on(Step& step);
/// Looks at the clock; an early look is a quiet refusal.
void look_at_clock(Step& step);
/// Waits that are due while they wait for room within a limit wait no longer (W-80): signals they
/// have missed count before the timeout.
void release_limited(Step& step);
/// What the ends of this decision leave for those who are to be told (W-72).
std::vector<Delivery> deliveries_of(const Step& step);

}  // namespace fermata
