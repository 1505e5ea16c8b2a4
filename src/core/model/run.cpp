#include "core/model/run.h"

#include "base/check.h"
#include "core/flow/durable/activate.h"

namespace fermata {

Branch& Run::branch(Lineage lineage) {
  if (lineage.outside()) return root;
  auto scope = scopes.find(lineage.scope);
  check(scope != scopes.end());
  Branch* found = scope->second.branches.find(lineage.item);
  check(found != nullptr);
  return *found;
}

const Branch& Run::branch(Lineage lineage) const { return const_cast<Run*>(this)->branch(lineage); }

flow::Execution& Run::own_script() {
  check(script != nullptr);
  if (script.use_count() > 1) script = std::make_shared<flow::Execution>(*script);
  return *script;
}

bool has_ready_work(const Run& run) {
  if (run.finished() || run.paused() || run.saga.rolling_back) return false;
  if (run.script)
    return !run.script_begins && !run.script_retry_at && flow::wants_activation(*run.script);
  for (TokenId id : run.ready) {
    auto found = run.tokens.find(id);
    if (found != run.tokens.end() && found->second.parked == Parked::ready) return true;
  }
  return false;
}

RunStatus shown_status(const Run& run) {
  if (run.status != RunStatus::running) return run.status;
  if (run.saga.rolling_back)
    return status_of(run.saga, run.status) == SagaStatus::parked ? RunStatus::waiting
                                                                 : RunStatus::running;
  // Without a program it is at work elsewhere whenever it does not wait here.
  if (run.definition->external) return run.waits.empty() ? RunStatus::running : RunStatus::waiting;
  bool works = run.calls > 0 || run.orders > 0 || has_ready_work(run);
  return works ? RunStatus::running : RunStatus::waiting;
}

RunSummary summarize(const Run& run) {
  RunSummary summary;
  summary.id = run.id;
  summary.account = run.account;
  summary.workflow = run.workflow;
  summary.workflow_version = run.workflow_version;
  summary.definition = run.definition->hash;
  summary.status = shown_status(run);
  summary.started_at = run.started_at;
  summary.completed_at = run.completed_at;
  if (!run.finished() && !run.paused()) {
    if (!run.timers.empty()) summary.next_due = run.timers.begin()->due;
    if (has_ready_work(run) && (!summary.next_due || *summary.next_due > run.last_at))
      summary.next_due = run.last_at;
  }
  summary.calls_pending = run.finished() ? 0 : run.calls;
  summary.last_sequence = run.last_sequence;
  summary.contact_id = run.contact_id;
  summary.parent = run.parent;
  summary.labels = run.labels;
  if (run.status == RunStatus::failed && run.error.find("code"))
    summary.error_code = std::string(run.error.get("code").as_string());
  summary.exit_reason = run.exit_reason;
  summary.request_hash = run.request_hash;
  summary.origin = run.origin.run;
  summary.saga = status_of(run.saga, run.status);
  for (const DefinitionHash& hash : run.definitions)
    if (hash != summary.definition) summary.former_definitions.push_back(hash);
  return summary;
}

}  // namespace fermata
