#include "core/run/wait_view.h"

#include <algorithm>

namespace fermata::view {
namespace {

Value text(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value instant(const std::optional<Instant>& at) { return at ? Value(to_rfc3339(*at)) : Value(); }

Value event_of(const Wait& wait) {
  if (wait.signal_id.empty()) return wait.outcome.get("event");
  Value event = Value::object({{"event_id", wait.signal_id}});
  for (const Listener& listener : wait.listeners)
    if (listener.status == ListenerStatus::matched) event.set("event_type", listener.event_type);
  return event;
}

/// A hold by `resumes_off` makes a wait late; any other is somebody's wish.
int64_t overdue_s(const Wait& wait, Instant now) {
  bool wanted = !wait.hold.empty() && wait.hold != "resumes_off";
  if (!is_pending(wait.status) || wanted || !wait.due) return 0;
  return std::max<int64_t>(0, (now - *wait.due).ms / 1000);
}

}  // namespace

Value wait(const WaitRecord& record, Instant now) {
  const Wait& w = record.wait;
  const Value& intent = w.intent;
  Value due = Value(to_rfc3339(due_or_never(w)));
  bool resumed = w.status == WaitStatus::resumed || w.status == WaitStatus::timeout;
  auto known = [&](std::string_view name) { return intent.get(name); };
  Value warnings = known("warnings");
  return Value::object({{"id", w.id},
                        {"account_id", record.account.text()},
                        {"workflow_id", record.workflow.text()},
                        {"execution_id", record.run.text()},
                        {"contact_id", text(record.contact_id)},
                        {"step_id", w.step},
                        {"occurrence", w.occurrence},
                        {"source", name_of(w.source)},
                        {"wait_type", w.type},
                        {"config", w.config},
                        {"status", name_of(w.status)},
                        {"scheduled_at", w.is_for_event() ? Value() : due},
                        {"event_timeout_at", w.is_for_event() ? due : Value()},
                        {"due_at", due},
                        {"timezone", known("timezone")},
                        {"timezone_source", known("timezone_source")},
                        {"local_target", known("local_target")},
                        {"gap_policy", known("gap_policy")},
                        {"tzdata_version", known("tzdata_version")},
                        {"explain", known("explain")},
                        {"listeners", listeners_value(w)},
                        {"on_hold", !w.hold.empty()},
                        {"hold_reason", text(w.hold)},
                        {"parked", w.parked},
                        {"reached_at", to_rfc3339(w.reached_at)},
                        {"created_at", to_rfc3339(w.reached_at)},
                        {"updated_at", to_rfc3339(w.updated_at)},
                        {"resumed_at", resumed ? instant(w.ended_at) : Value()},
                        {"ended_at", instant(w.ended_at)},
                        {"resumed_by", text(w.resumed_by)},
                        {"ended_reason", text(w.ended_reason)},
                        {"event", event_of(w)},
                        {"retry_count", w.retries},
                        {"last_error", text(w.last_error)},
                        {"overdue_s", overdue_s(w, now)},
                        {"warnings", warnings.is_array() ? warnings : Value::array()},
                        {"metadata", w.metadata.is_null() ? Value::object() : w.metadata},
                        {"branch", w.outcome.get("branch")},
                        {"callback", w.callback}});
}

}  // namespace fermata::view
