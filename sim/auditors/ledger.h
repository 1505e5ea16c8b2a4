#pragma once
#include <map>
#include <memory>
#include <vector>

#include "ports/store.h"
#include "sim/auditors/approval_rows.h"
#include "sim/auditors/auditor.h"
#include "sim/auditors/wait_rows.h"
#include "sim/ports/sim_definitions.h"
#include "sim/trace.h"

namespace fermata::sim {

/// Folds every durable write as it happens and shows it to the auditors: what every run is, known
/// without asking the host.
class Ledger {
 public:
  Ledger(const SimDefinitions& definitions, const Trace& trace, ProbeHook probe);

  /// A write became durable.
  void written(const StoredRun& stored, const RunWrite& write);
  /// The host has this state in memory after a commit: it must be the fold of the history.
  void compare(const Run& live) const;
  /// At the end of a seed: the whole stored history, read anew, folds to the state once more.
  void read_again(const StoredRun& stored) const;

  const Run* state(const RunId& id) const;
  const std::map<RunId, Run>& states() const { return states_; }

 private:
  void fold(Run& run, const Event& event);
  void check_checkpoint(const Run& run, const Checkpoint& checkpoint) const;

  const SimDefinitions& definitions_;
  const Trace& trace_;
  std::vector<std::unique_ptr<Auditor>> auditors_;
  std::map<RunId, Run> states_;
  WaitRows waits_;
  ApprovalRows approvals_;
};

}  // namespace fermata::sim
