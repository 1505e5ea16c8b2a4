#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/flow/expression.h"
#include "core/job/request.h"
#include "core/run/decide.h"

/// What would a workflow do? A run is lived through in a world apart: a virtual clock, an outside
/// that answers as it is told to, and dice. Pure: the same plan and seed give the same history.
namespace fermata::trial {

/// How something outside answers: after a time between the two, drawn evenly, and badly by chance.
struct Manner {
  int64_t latency_min_ms = 0;
  int64_t latency_max_ms = 0;
  double failure = 0;  ///< a call fails, a job fails for good, a signal never comes, people say no
  int status = 200;    ///< of a call that succeeds
  Value answer{};      ///< body of a call, output of a job, payload of a signal
};

/// For what is called so; `*` stands for all that nothing else names. Calls are known by the id or
/// name of their node, jobs by their topic, signals by their name.
struct Rule {
  std::string name;
  Manner manner;
};

struct Faults {
  int64_t late_ms_max = 0;  ///< timers are looked at up to so much later
  double restart = 0;       ///< the server restarts while a call is out
  double twice = 0;         ///< an answer comes a second time
};

/// What has to hold at the end of every trial.
struct Promise {
  enum class Kind : uint8_t { ends, completes, condition };
  std::string name;
  Kind kind = Kind::condition;
  flow::Expression condition{};
};

struct FoundWorkflow {
  graph::DefinitionRef definition;
  uint32_t version = 0;
};

struct Plan {
  AccountId account;
  WorkflowId workflow;
  uint32_t version = 0;  ///< 0: a draft
  graph::DefinitionRef definition;
  Value input;
  Value labels;
  Instant start;
  Duration horizon;
  std::vector<Rule> calls;
  std::vector<Rule> jobs;
  std::vector<Rule> signals;
  Manner approvals;
  Faults faults;
  std::vector<Promise> promises;

  // What the server gives.
  RunLimits limits{};
  job::RequestLimits job_limits{};
  std::shared_ptr<const ZoneTable> zones{};
  std::shared_ptr<const AccountSettings> settings{};
  std::shared_ptr<const Contact> contact{};
  /// Workflows that the run starts; absent: there are none.
  std::function<Outcome<FoundWorkflow>(const WorkflowId&, uint32_t version)> workflows{};
  uint64_t commands_max = 20'000;  ///< of one trial, so that a loop without end is noticed
  size_t runs_max = 1'000;         ///< that one trial may start
};

}  // namespace fermata::trial
