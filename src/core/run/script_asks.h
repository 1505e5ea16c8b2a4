#pragma once
#include "core/run/step.h"

namespace fermata {

/// {name, node} of something a script started, for its history.
Value about(const flow::Awaitable& record);
/// `function:line`, which stands for a node where scripts are shown (F-47).
std::string node_name(const flow::Place& place);

/// Makes events and posts of what a script asked for.
void tell_asks(Step& step, std::vector<flow::Outgoing> asks);

}  // namespace fermata
