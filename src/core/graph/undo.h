#pragma once
#include "core/graph/nodes/node.h"
#include "core/saga/saga.h"

/// The compensation of a job node (J-70). What it takes from other steps is read when the job is
/// ordered, for the token may be gone when the job ends; what it takes from the job's own output is
/// filled in when the end is accepted.
namespace fermata::graph {

/// The node's compensation as its job carries it; null when it has none.
Result<Value, NodeError> undo_when_ordered(Step& step, TokenId id);
/// Fills in what the job gave, for a token that stands at the node.
void complete_undo(Step& step, TokenId id, const Value& output, saga::Work& work);
/// The same when the token is gone: the run's input and the job's output are all there is.
void complete_late_undo(Step& step, saga::Work& work);

}  // namespace fermata::graph
