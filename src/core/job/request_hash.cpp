#include "core/job/request_hash.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "base/uuid.h"
#include "core/job/json_fields.h"

namespace fermata::job {

namespace {

Value unreserved(const Value& labels) {
  Value kept = Value::object();
  if (labels.is_object())
    for (const Value::Member& label : labels.members())
      if (!is_reserved_label(label.key.as_string())) kept.set(label.key.as_string(), label.value);
  return kept;
}

void set_text(Value& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out.set(name, text);
}

void set_filled(Value& out, std::string_view name, Value value) {
  if (value.size() > 0) out.set(name, std::move(value));
}

template <class T>
void set_given(Value& out, std::string_view name, const std::optional<T>& part) {
  if (!part) return;
  if constexpr (std::is_arithmetic_v<T>) {
    out.set(name, *part);
  } else {
    set_filled(out, name, to_value(*part));
  }
}

Value sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  Value list = Value::array();
  for (const std::string& text : texts) list.push(text);
  return list;
}

/// Where its input lies makes no difference.
Value canonical_compensation(const Compensation& undo) {
  Value out = to_value(undo);
  out.erase("input");
  out.erase("input_blob");
  for (const char* name : {"labels", "env"})
    if (out.get(name).size() == 0) out.erase(name);
  if (undo.input) out.set("input_sha256", undo.input->sha256);
  return out;
}

}  // namespace

Value canonical_request(const AccountId& account, const Request& request) {
  Value out = Value::object({{"account_id", account.text()},
                             {"topic", request.topic},
                             {"input_sha256", request.input.sha256},
                             {"priority", name_of(request.priority)}});
  set_filled(out, "labels", unreserved(request.labels));
  set_text(out, "capability", request.capability);
  set_filled(out, "risk_tags", sorted(request.risk_tags));
  set_filled(out, "requires", sorted(request.requires_));
  set_text(out, "pack_id", request.pack_id);
  out.set("actor", to_value(request.actor));
  set_text(out, "principal_id", request.principal_id);
  set_given(out, "budget", request.budget);
  set_given(out, "run_timeout_ms", request.run_timeout_ms);
  set_given(out, "start_timeout_ms", request.start_timeout_ms);
  set_given(out, "queue_timeout_ms", request.queue_timeout_ms);
  set_given(out, "retry", request.retry);
  set_given(out, "concurrency", request.concurrency);
  if (request.compensation) out.set("compensation", canonical_compensation(*request.compensation));
  if (request.env.size() > 0) out.set("env", request.env);
  set_text(out, "adapter_id", request.adapter_id);
  set_text(out, "memory_id", request.memory_id);
  set_text(out, "workflow_id", request.step.workflow.text());
  set_text(out, "definition_hash", request.step.definition.text());
  set_text(out, "step_id", request.step.step_id);
  return out;
}

std::string request_hash(const AccountId& account, const Request& request) {
  return sha256_hex("fermata.job.v1\n" + to_canonical_json(canonical_request(account, request)));
}

JobId job_id_of_key(const AccountId& account, std::string_view idempotency_key) {
  return JobId(uuid_v5("fermata.job.key\n" + account.text() + "\n" + std::string(idempotency_key)));
}

}  // namespace fermata::job
