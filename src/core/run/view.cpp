#include "core/run/view.h"

#include "core/run/event_json.h"
#include "core/run/gathered.h"
#include "core/run/history.h"
#include "core/run/waiting.h"

namespace fermata::view {

namespace {

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value time_or_null(const std::optional<Instant>& at) {
  return at ? Value(to_rfc3339(*at)) : Value();
}

Failure<Error> unknown_definition(const Event& event) {
  return fail(ErrorCode::data_damaged, "the definition in force at sequence " +
                                           std::to_string(event.sequence) + " is missing");
}

}  // namespace

Value list_item(const RunSummary& summary) {
  Value item = Value::object({
      {"id", summary.id.text()},
      {"workflow_id", summary.workflow.text()},
      {"version", summary.workflow_version},
      {"hash", summary.definition.text()},
      {"account_id", summary.account.text()},
      {"status", name_of(summary.status)},
      {"labels", summary.labels.is_null() ? Value::object() : summary.labels},
      {"parent", text_or_null(summary.parent.text())},
      {"contact_id", text_or_null(summary.contact_id)},
      {"started_at", to_rfc3339(summary.started_at)},
      {"completed_at", time_or_null(summary.completed_at)},
      {"next_due_at", time_or_null(summary.next_due)},
      {"sequence", summary.last_sequence},
  });
  if (!summary.exit_reason.empty()) item.set("exit_reason", summary.exit_reason);
  if (!summary.error_code.empty()) item.set("error", Value::object({{"code", summary.error_code}}));
  return item;
}

Outcome<Value> execution(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                         const KnownDefinitions& definitions) {
  FERMATA_TRY(run, fold(summary.id, history, definitions.lookup()));
  return execution(summary, run);
}

Value execution(const RunSummary& summary, const Run& run) {
  Value shown = list_item(summary);
  if (run.definition->is_script()) shown.set("language", "flow");
  if (run.definition->external) {
    shown.set("language", "external");
    const Value& metadata = run.trigger.get("metadata");
    shown.set("metadata", metadata.is_null() ? Value::object() : metadata);
    shown.set("callback", run.trigger.get("callback"));
  }
  shown.set("input", run.input);
  shown.set("output", run.output);
  shown.set("error", run.error);
  shown.set("trigger", run.trigger_kind);
  if (run.trigger_kind == "event")
    shown.set("event", Value::object({{"id", run.trigger.get("event_id")},
                                      {"type", run.trigger.get("event_type")}}));
  if (run.trigger_kind == "schedule")
    shown.set("schedule", Value::object({{"id", run.trigger.get("schedule_id")},
                                         {"scheduled_at", run.trigger.get("scheduled_at")}}));
  if (!run.origin.kind.empty()) {
    shown.set("origin", Value::object({{"run", run.origin.run.text()}, {"kind", run.origin.kind}}));
  }
  if (auto trace = parse_trace(run.trace.parent, "")) shown.set("trace_id", trace->trace_id);
  shown.set("timeout_at", time_or_null(run.timeout_at));
  shown.set("waiting", waiting_of(run));
  shown.set("progress", progress_of(run));
  return shown;
}

Outcome<std::vector<Value>> history(const std::vector<HistoryChunk>& chunks,
                                    const KnownDefinitions& definitions, uint64_t from,
                                    size_t limit) {
  EventShow show(definitions);
  GatheredOutputs gathered;
  std::vector<Value> shown;
  for (const HistoryChunk& chunk : chunks) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (!show.learn(event)) return unknown_definition(event);
      std::optional<Value> output = gathered.follow(event, show.definition());
      if (event.sequence < from) continue;
      if (shown.size() >= limit) return shown;
      shown.push_back(show.show(event, output));
    }
  }
  return shown;
}

Outcome<Value> value_at(const std::vector<HistoryChunk>& chunks,
                        const KnownDefinitions& definitions, uint64_t sequence,
                        std::string_view field) {
  FERMATA_TRY(shown, history(chunks, definitions, sequence, 1));
  const Value* found = shown.empty() ? nullptr : shown.front().find(field);
  if (found) return *found;
  return fail(ErrorCode::value_not_found, "there is no value " + std::to_string(sequence) + "/" +
                                              std::string(field) + " in the history");
}

}  // namespace fermata::view
