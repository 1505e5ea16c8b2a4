#include "core/callback/view.h"

namespace fermata::view {
namespace {

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value time_or_null(const std::optional<Instant>& at) {
  return at ? Value(to_rfc3339(*at)) : Value();
}

Value attempts_of(const Delivery& delivery) {
  Value list = Value::array();
  for (const DeliveryAttempt& attempt : delivery.latest)
    list.push(Value::object({{"attempt", attempt.number},
                             {"at", to_rfc3339(attempt.at)},
                             {"status", attempt.status == 0 ? Value() : Value(attempt.status)},
                             {"error", text_or_null(attempt.error)},
                             {"message", text_or_null(attempt.message)},
                             {"duration_ms", attempt.duration_ms}}));
  return list;
}

}  // namespace

Value delivery(const Delivery& d) {
  return Value::object({{"delivery_id", d.id},
                        {"type", d.type},
                        {"state", name_of(d.state)},
                        {"sequence", d.sequence},
                        {"account_id", d.account.text()},
                        {"workflow_id", d.workflow.text()},
                        {"execution_id", d.run.text()},
                        {"step_id", text_or_null(d.step)},
                        {"wait_id", text_or_null(d.wait)},
                        {"idempotency_key", d.key},
                        {"url", d.callback.get("url")},
                        {"attempt_count", d.attempts},
                        {"attempts", attempts_of(d)},
                        {"created_at", to_rfc3339(d.created_at)},
                        {"next_attempt_at", time_or_null(d.next_at)},
                        {"give_up_at", to_rfc3339(d.give_up_at)},
                        {"ended_at", time_or_null(d.ended_at)},
                        {"note", text_or_null(d.note)},
                        {"body", d.body}});
}

}  // namespace fermata::view
