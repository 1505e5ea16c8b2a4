#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/id.h"
#include "base/value.h"
#include "core/model/trace.h"

/// What one root asks of another. A post is decided in the turn that made it, and what it means to
/// the receiver is committed together with what it means to the sender, or neither is (ADR 0011).
namespace fermata {

/// Submit a job for a step of a run. The request is complete except for what the account gives.
struct OrderJob {
  JobId job;
  AccountId account;
  RunId run;
  WorkflowId workflow;
  DefinitionHash definition;
  std::string step;             ///< node id, or `function:line` of a script
  std::string idempotency_key;  ///< handed to the worker; the same on every attempt
  std::string contact_id;
  Value request;                ///< topic, input and the other fields of a job
  std::string started_by{};     ///< who started the run, or empty
  JobId undoes{};               ///< the job whose work this one undoes, or empty
  std::string problem{};        ///< of one that undoes: why its request cannot be read
};
struct StopJob {
  JobId job;
  std::string reason;
  bool awaited = false;  ///< the run is undone when the worker has let go
};
/// Nobody will undo what a job has done, though its run did not complete (J-74).
struct LeaveLate {
  JobId job;
  std::string reason;
};
/// Start another run for a step of this one.
struct OrderRun {
  RunId run;
  AccountId account;
  WorkflowId workflow;
  uint32_t version = 0;  ///< 0: the current one
  Value input;
  Value labels;
  std::string contact_id;
  std::optional<int64_t> timeout_ms;
  RunId parent;
  std::string parent_ref;  ///< what the parent knows it by; empty when nobody waits for its end
  uint32_t depth = 0;      ///< parents above it
  RunTrace trace{};
  std::string on_behalf_of{};  ///< who started the run that orders it, or empty
  RunId key{};                 ///< what its idempotency keys are made from; empty: its id
};
struct StopRun {
  RunId run;
  std::string reason;
};
/// Send a signal to another run of the account, or to every live one that has a label; its fate
/// comes back as SettleSignal.
struct SendSignal {
  RunId to;  ///< empty: to those with the label
  AccountId account;
  std::string name;
  Value payload;
  std::string signal_id;
  RunId from;
  std::string ref;
  std::string label_key{};
  std::string label_value{};
};
/// A run that another one waits for has ended.
struct ReportRun {
  RunId parent;
  std::string ref;
  RunId child;
  std::string status;
  Value output;
  Value error;
};
/// A run that a schedule has started has ended.
struct ReportScheduled {
  AccountId account;
  ScheduleId schedule;
  RunId run;
  std::string status;
};

using Post = std::variant<OrderJob, StopJob, OrderRun, StopRun, SendSignal, ReportRun,
                          ReportScheduled, LeaveLate>;

}  // namespace fermata
