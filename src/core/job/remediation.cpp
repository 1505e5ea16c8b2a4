#include "core/job/remediation.h"

#include "core/job/undo.h"

namespace fermata::job {

const Value* find_remediation(const Job& job, std::string_view id) {
  if (!job.verdict || !job.verdict->remediations.is_array()) return nullptr;
  for (const Value& one : job.verdict->remediations.items())
    if (one.get("id") == Value(id)) return &one;
  return nullptr;
}

Request remediated(const Job& job, const Value& remediation) {
  Request request = without_marks(job.request);
  request.parent_job = job.id;
  request.step = {};
  request.idempotency_key.clear();
  if (const Value& topic = remediation.get("replacement_topic"); topic.is_string())
    request.topic = topic.as_string();
  if (const Value& capability = remediation.get("replacement_capability"); capability.is_string())
    request.capability = capability.as_string();
  Value labels = request.labels.is_object() ? request.labels : Value::object();
  if (const Value& gone = remediation.get("remove_labels"); gone.is_array())
    for (const Value& key : gone.items()) labels.erase(key.as_string());
  if (const Value& added = remediation.get("add_labels"); added.is_object())
    for (const Value::Member& label : added.members())
      labels.set(label.key.as_string(), label.value);
  request.labels = labels.size() > 0 ? std::move(labels) : Value();
  normalize(request);
  return request;
}

}  // namespace fermata::job
