#include "sim/auditors/ledger.h"

#include "base/json.h"
#include "core/run/checkpoint.h"
#include "core/run/decide.h"
#include "core/run/event_json.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"

namespace fermata::sim {

Ledger::Ledger(const SimDefinitions& definitions, const Trace& trace, ProbeHook probe)
    : definitions_(definitions), trace_(trace) {
  auditors_.push_back(order_auditor());
  auditors_.push_back(activation_auditor());
  auditors_.push_back(timing_auditor());
  auditors_.push_back(merge_auditor());
  auditors_.push_back(expectation_auditor());
  auditors_.push_back(state_auditor());
  auditors_.push_back(script_state_auditor());
  auditors_.push_back(saga_auditor());
  auditors_.push_back(probe_auditor(std::move(probe)));
}

void Ledger::fold(Run& run, const Event& event) {
  const DefinitionHash* needs = nullptr;
  if (const auto* started = start_in(event.body)) needs = &started->hash;
  if (const auto* migrated = std::get_if<RunMigrated>(&event.body)) needs = &migrated->hash;
  if (const auto* migrated = std::get_if<FlowMigrated>(&event.body)) needs = &migrated->hash;
  for (const auto& auditor : auditors_) auditor->event(run, event);
  if (needs) run.definition = definitions_.original(*needs);
  if (!run.definition) violate(run, "no definition");
  evolve(run, event);
}

void Ledger::written(const StoredRun& stored, const RunWrite& write) {
  const RunId& id = write.summary.id;
  auto events = decode_history(write.events);
  if (!events) throw Violation{"a stored chunk cannot be read: " + events.error().message};
  Run& run = states_[id];
  run.id = id;
  run.wait_changes.clear();
  run.approval_changes.clear();
  for (const Event& event : *events) {
    if (trace_.on() && run.definition)
      trace_.line("  ", id.text(), " ", to_json(EventShow(run.definition).show(event)));
    fold(run, event);
  }
  if (stored.summary.last_sequence != run.last_sequence)
    violate(run, "the summary's last_sequence is " + std::to_string(stored.summary.last_sequence));
  for (const auto& auditor : auditors_) auditor->written(run, stored.summary);
  waits_.written(run, write.waits);
  approvals_.written(run, write.approvals);
  if (write.checkpoint) check_checkpoint(run, *write.checkpoint);
}

/// It stands for the fold of the whole history, to the byte, and gives it back.
void Ledger::check_checkpoint(const Run& run, const Checkpoint& checkpoint) const {
  if (checkpoint.sequence != run.last_sequence) violate(run, "a checkpoint of another moment");
  if (checkpoint.bytes != encode_checkpoint(run))
    violate(run, "the checkpoint is not the fold of the history");
  auto restored = restore_checkpoint(run.id, checkpoint.bytes, [&](const DefinitionHash& hash) {
    return definitions_.original(hash);
  });
  if (!restored) violate(run, "the checkpoint cannot be restored: " + restored.error().message);
  compare(*restored);
}

void Ledger::compare(const Run& live) const {
  const Run* known = state(live.id);
  if (!known) throw Violation{"run " + live.id.text() + " lives in memory alone"};
  if (encode_snapshot(*known) != encode_snapshot(live))
    violate(*known, "the state in memory is not the fold of the history");
}

void Ledger::read_again(const StoredRun& stored) const {
  const RunId& id = stored.summary.id;
  auto read = fermata::fold(
      id, stored.history, [&](const DefinitionHash& hash) { return definitions_.original(hash); });
  if (!read) throw Violation{"the history of " + id.text() + ": " + read.error().message};
  compare(*read);
}

const Run* Ledger::state(const RunId& id) const {
  auto found = states_.find(id);
  return found == states_.end() ? nullptr : &found->second;
}

}  // namespace fermata::sim
