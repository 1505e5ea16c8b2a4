#pragma once
#include "core/flow/durable/execution.h"
#include "core/flow/durable/snapshot.h"

namespace fermata::flow {

/// What a parked script holds, for people (F-47): `{fibers[] {fiber, awaiting, frames[] {function,
/// line, column, variables}}, awaitables[], signals[], bytes}`. Long lists and deep values are cut.
Result<Value, SnapshotError> shown_snapshot(const Execution& execution, const Expression& script);

}  // namespace fermata::flow
