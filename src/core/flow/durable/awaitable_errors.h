#pragma once
#include <string_view>

#include "base/value.h"

/// The errors that failed awaitables throw, as JSON: `{code, message, details?, cause?, task?,
/// attempts?}` (F-22, F-28). The machine adds `item_id` and `key`.
namespace fermata::flow {

Value awaitable_error(std::string_view code, std::string_view message);
Value cancelled_error(std::string_view reason);

/// How a job ended other than well (F-28).
enum class TaskFailure : uint8_t { failed, timed_out, denied, quarantined };
struct TaskEnd {
  TaskFailure how = TaskFailure::failed;
  std::string_view task;
  /// A text, or `{code, message, details}`, as the worker or the policy reported it.
  Value reported;
  int64_t attempts = 1;
};
Value task_error(const TaskEnd& end);
/// `cause` is the child's own error; `timed_out` picks the code (F-36).
Value child_error(std::string_view workflow, Value cause, bool timed_out);

/// A text, or an object with some of code, message and details, as `{code, message, details?}`.
Value reported_error(const Value& reported);

}  // namespace fermata::flow
