#pragma once
#include <optional>
#include <vector>

#include "core/flow/durable/execution.h"
#include "core/flow/expression.h"

/// A function of a script that is called later and beside the script, which may be in the midst of
/// something else by then, or over: with copies of the variables it uses, as they are when it is
/// detached (J-70). As a value it is
///
///   {"definition", "functions": [{"function", "cells": […]}], "cells": [{"value"}, {"function"}]}
///
/// where the first function is the one that is called, and cells name values, other functions of
/// the list or functions of the library.
namespace fermata::flow {

class Machine;
struct Datum;

/// Nothing when a variable holds what is neither JSON nor a function; that is thrown.
std::optional<Value> detach(Machine& machine, const Datum& function);

/// Calls it. It may compute, but neither wait nor act.
Result<Value, EvalError> call_detached(const Expression& script, const Value& detached,
                                       const std::vector<Value>& arguments, const Roots& roots,
                                       const EvalGiven& given);

}  // namespace fermata::flow
