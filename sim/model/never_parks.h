#pragma once
#include <string>
#include <vector>

#include "base/value.h"
#include "core/flow/durable/execution.h"

/// Random scripts with every kind of await, and what they must come to.
namespace fermata::sim::model {

/// Names of the async functions that `waiting_helpers` and `immediate_helpers` define. Each takes a
/// number and gives the same number, after it has waited for something of its kind.
std::vector<std::string> helper_names();
/// They wait: for tasks, timers, signals, children, fibers and compositions of these.
std::string waiting_helpers();
/// They do not.
std::string immediate_helpers();
/// Options for tasks that are to succeed in the end, however often workers are lost.
std::string patient_options();

/// The same script with tasks and timers that have ended when they are made.
std::string without_waits(std::string source);

/// What a task comes to: an output, or nothing when it fails.
std::optional<Value> answer_of(std::string_view task, const Value& input);

/// Runs a script that never parks, in one go. Its end stands in what is returned.
flow::Execution run_at_once(const std::string& source, const Value& input);

}  // namespace fermata::sim::model
