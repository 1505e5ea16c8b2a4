#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/graph/definition.h"
#include "core/model/call.h"

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
  /// The state a retry, rerun or fork begins with, made by core/run/restart.h.
  std::shared_ptr<const Run> seed;
};
/// Look at the clock: fires what is due and goes on with what is ready.
struct WakeRun {};
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
};
struct PauseRun {};
struct ResumeRun {};
struct SignalRun {
  std::string name;
  Value payload;
  std::string signal_id;  ///< repeats with the same id are taken once; empty = always new
};
/// Switches a live run to another version of its workflow (G-97).
struct MigrateRun {
  uint32_t workflow_version = 0;
  graph::DefinitionRef definition;
  Value map;  ///< {old node id: new node id}, or null
};

using CommandBody = std::variant<StartRun, WakeRun, AnswerCall, RecoverCalls, CancelRun, PauseRun,
                                 ResumeRun, SignalRun, MigrateRun>;

/// An imperative addressed to one run.
struct Command {
  RunId run;
  CommandBody body;
  std::string actor = "engine";  ///< who asks: a key id, `local` or `engine`
};

}  // namespace fermata
