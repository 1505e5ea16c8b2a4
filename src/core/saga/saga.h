#pragma once
#include "core/run/step.h"

/// Undoing what a run has done (jobs.md §8). Entries are written in the commit that accepts the end
/// of a step; a rollback works them off one by one, last first, each an ordinary job.
namespace fermata::saga {

/// Work that can be undone.
struct Work {
  JobId job;
  std::string step{};
  Value undo{};        ///< request of the job that undoes it; null: nothing to undo
  Value input{};       ///< of the job
  Value input_blob{};  ///< {sha256, bytes} where the input lies in a blob
  Value output{};
  bool withheld = false;  ///< the output was refused: it is not handed on
  bool late = false;
  std::string problem{};  ///< why `undo` could not be completed
};
/// The work of a job whose end the run is told of; nothing when there is nothing to undo.
std::optional<Work> work_of(const SettleJob& settle);

// record.cpp
/// Writes the entry, once per job.
void record(Step& step, Work work);

// rollback.cpp
/// Ends the run as the event says. Where undoing is due that comes first, and the event after it.
void end_run(Step& step, RunFailed event);
void end_run(Step& step, RunCancelled event);
void end_run(Step& step, RunTimedOut event);
/// Has the run undone when it ends, whatever it ends as.
void request(Step& step, std::string trigger, std::string reason, std::string by);
/// Undoes what an ended run has left; the run at hand was made for that.
void begin_for_ended(Step& step, const std::string& by);
/// Submits what is next, or ends the run when nothing is left.
void undo_next(Step& step);

// on_saga.cpp
/// The end of a job that shares the saga and is of no run. False: it is none of those.
bool settle_member(Step& step, const SettleJob& settle);
/// The end of a job that the run awaits no longer: what it has done can still be undone. True when
/// there was something to note.
bool note_unawaited(Step& step, const SettleJob& settle);
/// A saga of jobs outside a run that none has joined for long ends well.
void end_idle(Step& step);
Outcome<void> on_order(Step& step, const Command& command, const SagaOrder& order);
/// Every command to a run that is being undone.
Outcome<void> decide_rollback(Step& step, const Command& command);

/// Why a run that was undone has ended.
inline constexpr const char* rolled_back = "rolled_back";
/// The definition of runs that are nothing but a saga (J-73, J-76).
inline constexpr const char* saga_workflow = "fermata.saga";
const graph::DefinitionRef& saga_definition();

/// `GET /executions/{id}/saga` (J-77).
Value view(const Run& run);

}  // namespace fermata::saga
