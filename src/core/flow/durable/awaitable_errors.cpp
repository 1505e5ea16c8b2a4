#include "core/flow/durable/awaitable_errors.h"

#include "base/json.h"

namespace fermata::flow {

Value awaitable_error(std::string_view code, std::string_view message) {
  return Value::object({{"code", code}, {"message", message}});
}

Value cancelled_error(std::string_view reason) {
  return awaitable_error("CANCELLED", reason.empty() ? "it was cancelled" : reason);
}

Value reported_error(const Value& reported) {
  if (reported.is_string()) return awaitable_error("ERROR", reported.as_string());
  if (!reported.is_object()) {
    Value out = awaitable_error("ERROR", "it failed");
    if (!reported.is_null()) out.set("details", reported);
    return out;
  }
  Value out = Value::object();
  const Value& code = reported.get("code");
  const Value& message = reported.get("message");
  out.set("code", code.is_string() ? code : Value("ERROR"));
  out.set("message", message.is_null() ? Value("it failed") : Value(to_text(message)));
  if (!reported.get("details").is_null()) out.set("details", reported.get("details"));
  return out;
}

namespace {

std::string_view code_of(TaskFailure how) {
  switch (how) {
    case TaskFailure::failed: return "TASK_FAILED";
    case TaskFailure::timed_out: return "TASK_TIMED_OUT";
    case TaskFailure::denied: return "TASK_DENIED";
    case TaskFailure::quarantined: return "TASK_QUARANTINED";
  }
  return {};
}

std::string_view usual_message(TaskFailure how) {
  switch (how) {
    case TaskFailure::failed: return "the task failed";
    case TaskFailure::timed_out: return "the task took too long";
    case TaskFailure::denied: return "the task was not allowed";
    case TaskFailure::quarantined: return "the task's output was held back";
  }
  return {};
}

}  // namespace

Value task_error(const TaskEnd& end) {
  Value out = Value::object({{"code", code_of(end.how)}});
  if (end.reported.is_null()) {
    out.set("message", usual_message(end.how));
  } else {
    Value cause = reported_error(end.reported);
    out.set("message", cause.get("message"));
    out.set("cause", std::move(cause));
  }
  out.set("task", end.task);
  out.set("attempts", end.attempts);
  return out;
}

Value child_error(std::string_view workflow, Value cause, bool timed_out) {
  Value out = Value::object({{"code", timed_out ? "CHILD_TIMED_OUT" : "CHILD_FAILED"}});
  const Value& message = cause.get("message");
  std::string usual =
      "the child run of " + std::string(workflow) + (timed_out ? " took too long" : " failed");
  out.set("message", message.is_string() ? message : Value(usual));
  if (!cause.is_null()) out.set("cause", std::move(cause));
  return out;
}

}  // namespace fermata::flow
