#pragma once
#include "core/run/step.h"

/// What others have decided about the waits of a run, looked at wherever one is opened or would
/// resume: its contact is out, its workflow is inactive, the account has switched resumes off. So
/// none of them depends on having reached every run in time.
namespace fermata {

enum class WaitGate : uint8_t {
  open,
  ends,          ///< the run ends instead (`exit_at_gate`)
  inactive,      ///< the wait is held until the workflow is activated
  switched_off,  ///< the wait is held until the account lets resumes happen
};

/// `typed`: a wait of one of the four types, not a plain interval or a signal to the run.
WaitGate gate_of(const Step& step, bool typed);
/// Ends the run with the reason of the gate.
void exit_at_gate(Step& step);
/// Holds a wait that has just been opened, if the gate says so.
void hold_at_gate(Step& step, WaitGate gate, const WaitKey& key);
/// Ends the run or holds the wait, which was about to resume, if the gate says so.
bool stopped_at_gate(Step& step, const WaitKey& key);

/// Holds a wait that has just been opened until the limits of its account leave room for it (W-80).
void hold_at_limit(Step& step, const WaitKey& key);
/// Refuses what the API asks for beyond the limits, with so many listeners.
Outcome<void> refuse_over_limit(const Step& step, size_t listeners);

/// No run may be about a contact that has opted out.
Outcome<void> refuse_opted_out(const Given& given, const WorkflowId& workflow);

}  // namespace fermata
