#include "core/job/undo.h"

#include "core/job/json_fields.h"

namespace fermata::job {

namespace {

void add_mark(Value& object, std::string_view name, std::string_view text) {
  if (!object.is_object()) object = Value::object();
  object.set(name, text);
}

}  // namespace

Value undo_request(const Job& job) {
  const Request& request = job.request;
  // What undoes something is not undone itself (J-71).
  if (!request.compensation || job.undoes()) return {};
  Value undo = to_value(*request.compensation);
  undo.erase("when");
  undo.set("actor", to_value(request.actor));
  if (!request.principal_id.empty()) undo.set("principal_id", request.principal_id);
  if (!request.traceparent.empty()) undo.set("traceparent", request.traceparent);
  return undo;
}

void mark_undo(Request& request) {
  request.priority = Priority::critical;
  request.compensation.reset();
  add_mark(request.labels, "saga_compensation", "true");
  add_mark(request.labels, "is_compensation", "true");
  add_mark(request.labels, "saga_workflow_id", request.step.workflow.text());
  add_mark(request.labels, "saga_run_id", request.step.run.text());
  add_mark(request.env, "saga_compensation", "true");
  add_mark(request.env, "saga_workflow_id", request.step.workflow.text());
}

Request without_marks(Request request) {
  if (!request.labels.is_object()) return request;
  Value own = Value::object();
  for (const Value::Member& label : request.labels.members())
    if (!is_reserved_label(label.key.as_string())) own.set(label.key.as_string(), label.value);
  request.labels = std::move(own);
  return request;
}

}  // namespace fermata::job
