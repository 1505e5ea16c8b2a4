#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/approval/vote.h"
#include "core/graph/definition.h"
#include "core/model/arrival.h"
#include "core/model/call.h"
#include "core/model/signal.h"
#include "core/model/trace.h"

namespace fermata {

/// Where a run made from another run came from (G-96).
struct Origin {
  RunId run;
  std::string kind;  ///< retry, rerun or fork; empty for an ordinary start
  bool operator==(const Origin&) const = default;
};

struct Run;

/// Creates the run it is addressed to. Repeating it finds the run there: the same request is
/// answered again, another one under the same id is refused.
struct StartRun {
  AccountId account;
  WorkflowId workflow;
  uint32_t workflow_version = 0;
  graph::DefinitionRef definition;
  Value input;
  Value trigger;  ///< what `$trigger` is; the kind stands in trigger_kind
  std::string trigger_kind = "manual";
  Value labels;
  std::string contact_id;
  RunId parent;
  std::optional<int64_t> timeout_ms;  ///< overrides the definition's; 0 = none
  std::optional<Instant> start_at;    ///< the first node runs then
  std::string request_hash;
  Origin origin;
  bool waits_its_turn = false;  ///< begins in a turn of its own, not in the one that orders it
  std::string parent_ref;  ///< tells the parent which of its steps this run is for
  uint32_t depth = 0;      ///< parents above it
  RunTrace trace;
  std::string on_behalf_of{};        ///< who started the run that orders this one, or empty
  std::optional<bool> rolls_back{};  ///< whether a failure undoes the run; else its definition says
  RunId key{};                       ///< what its idempotency keys are made from; empty: its id
  /// The state a retry, rerun or fork begins with, made by core/run/restart.h.
  std::shared_ptr<const Run> seed;
  /// What another program sent: the first token of the run, or one more of a run that is known.
  std::shared_ptr<const ForeignToken> arrival{};
};
/// Look at the clock: fires what is due and goes on with what is ready.
struct WakeRun {
  /// Why that could not be carried out a moment ago, or empty (W-66).
  std::string failed{};
};
struct AnswerCall {
  CallAnswer answer;
};
/// Place the calls of these tokens again: nobody carries them any more, and they may have been
/// sent.
struct RecoverCalls {
  std::vector<uint64_t> lost;
};
struct CancelRun {
  std::string reason;
  bool force = false;     ///< a script's `finally` blocks do not run (F-53)
  bool rollback = false;  ///< what the run has done is undone first (J-73)
};
struct PauseRun {};
struct ResumeRun {};
struct SignalRun {
  std::string name;
  Value payload;
  std::string signal_id;  ///< repeats with the same id are taken once; empty = always new
  std::string trace{};    ///< `traceparent` of the step that sent it, or empty
};
/// Switches a live run to another version of its workflow (G-97).
struct MigrateRun {
  uint32_t workflow_version = 0;
  graph::DefinitionRef definition;
  Value map;  ///< {old node id: new node id}, or null
};

/// A job that a step of the run ordered has ended for good (J-16).
struct SettleJob {
  JobId job;
  std::string state;  ///< SUCCEEDED, FAILED, TIMEOUT, CANCELLED, DENIED or OUTPUT_QUARANTINED
  Value output;
  Value error;        ///< as the worker reported it, or null
  std::string worker;
  uint32_t attempts = 0;
  bool fatal = false;  ///< the worker said that all of the run must be undone
  std::string reason_code{};
  bool work_done = false;                ///< its effect may have to be undone (J-71)
  Value undo{};                          ///< request of the job that would undo it, or null
  std::string step{};                    ///< that ordered it
  Value input{};                         ///< of the job, with `undo`
  Value input_blob{};                    ///< {sha256, bytes} where that lies in a blob
  std::optional<Instant> lease_until{};  ///< a worker that was told to stop may be at it until then
  bool withheld = false;                 ///< there is an output, which nobody may have
};

/// Undo everything the run has done (J-73).
struct RollBack {
  std::string reason;
};
/// A parked entry of the saga is tried again, or given up.
struct RetryUndo {
  uint32_t seq = 0;
};
struct SkipUndo {
  uint32_t seq = 0;
  std::string reason;
};
/// Ends a saga of jobs outside a run well: nothing of it is undone any more (J-76).
struct CloseSaga {};
/// An attempt that had been given up did succeed (J-74).
struct TellLateSuccess {
  JobId job;
  std::string step;
  Value undo;
  Value input;
  Value input_blob;
  Value output;
  bool withheld = false;
};
/// The worker of a stopped job has let go.
struct TellReturned {
  JobId job;
};
/// An output that the run has taken was refused since (J-46).
struct TellWithdrawn {
  JobId job;
  std::string step;
  std::string reason;
};
/// A job outside a run is part of this saga.
struct JoinSaga {
  AccountId account;
  JobId job;
};
struct SagaOrder {
  std::variant<RollBack, RetryUndo, SkipUndo, CloseSaga, TellLateSuccess, TellReturned, JoinSaga,
               TellWithdrawn>
      what;
};
/// A run that a step of this one ordered has ended, or could not be started.
struct SettleChild {
  std::string ref;
  RunId child;
  std::string status;   ///< of the child; empty when it was refused
  Value output;
  Value error;
  std::string refusal;  ///< error code, when it was not started
};
/// What became of a signal that a step sent.
struct SettleSignal {
  std::string ref;
  bool delivered = false;
  std::string reason;  ///< when it was not
  std::optional<uint64_t> executions{};  ///< that have it, when it was sent to a label
};

/// A user lets a wait go on (W-15); a cancelled one whose token still stands there too.
struct ResumeWait {
  std::string wait;  ///< its id, as in the commands below
  Value output;      ///< reaches the next step as `event`
  std::string branch;  ///< a step or edge to take instead of all edges, or empty
  std::string reason;
  bool dry_run = false;
};
/// Ends a wait alone (W-13): its token stays parked.
struct CancelWait {
  std::string wait;
  std::string reason;
};
/// Gives a pending wait another instant (W-16).
struct ChangeWait {
  std::string wait;
  Value config;           ///< null: the one it has
  bool from_now = false;  ///< computed as of now instead of when it was opened
};
/// Withdraws the timers and listeners of a wait, or of all waits of the run when none is named.
struct HoldWaits {
  std::string wait;
  std::string reason;
};
struct ReleaseWaits {
  std::string wait;
  std::string reason;  ///< that they are held for; empty: whatever it is but a pause
};
/// The contact of the run has changed: waits that follow one of its fields are computed anew
/// (W-42).
struct FollowContact {};
/// There is other zone data: waits that came from local time follow it (W-48).
struct FollowZones {};
/// A signal has reached goals of the run's workflow (W-59).
struct AchieveGoals {
  std::vector<std::string> goals;   ///< that the signal reached
  std::vector<std::string> needed;  ///< all of which end the run; empty: any does
  std::string signal_id;
  AccountId account{};
  WorkflowId workflow{};  ///< whose goals they are; runs of others are not meant
};

/// Somebody answers a question of the run (F-37, G-49).
struct AnswerApproval {
  std::string approval;  ///< its id
  approval::Vote vote;
};

/// Opens a wait by the API (W-11): beside a program, for one that runs elsewhere, or for the token
/// that a cancelled wait at the same step has left behind (W-64).
struct OpenWait {
  std::string step;
  std::string type;
  Value config;
  std::string contact_id{};  ///< must be the run's; empty: not said
  Value callback{};
  Value metadata{};
  std::string request{};  ///< repeated, it finds its wait there; empty: always a new one
};
/// Ends a run without a program (W-32).
struct CompleteRun {
  Value output;
};
/// What the receiver of a callback answered (W-75). What cannot be opened leaves a wait that ended
/// as `error`, which is called back in turn.
struct TakeAnswer {
  std::string step;  ///< of the wait it was told of
  std::optional<OpenWait> next;
  std::optional<Error> refusal;  ///< why `next` cannot be read
  std::optional<CompleteRun> complete;
};

/// A signal that a wait of the run may be listening to; the run judges (W-54). Without a wait: one
/// for the run itself, which keeps it for whoever takes signals in order.
struct OfferSignal {
  SignalRef signal;
  std::string wait;
  std::string failed{};  ///< as of WakeRun
};

/// A token that was sent by a broker has come back (C-60).
struct TakeHop {
  uint64_t token = 0;
};

using CommandBody = std::variant<StartRun, WakeRun, AnswerCall, RecoverCalls, CancelRun, PauseRun,
                                 ResumeRun, SignalRun, MigrateRun, SettleJob, SettleChild,
                                 SettleSignal, ResumeWait, CancelWait, ChangeWait, HoldWaits,
                                 ReleaseWaits, AnswerApproval, OpenWait, CompleteRun, TakeAnswer,
                                 OfferSignal, FollowContact, AchieveGoals, FollowZones, SagaOrder,
                                 TakeHop>;

/// An imperative addressed to one run.
struct Command {
  RunId run;
  CommandBody body;
  std::string actor = "engine";  ///< who asks: a key id, `local` or `engine`
};

}  // namespace fermata
