#pragma once
#include "test/scenario/scenario_text.h"

namespace fermata::scenario {

/// A workflow document from the block of a `graph` line:
///
///     Start: manual
///     Pay: http {"url": "http://pay.test"} | {"retry": {"max_attempts": 3}}
///     yes: Ask -> Pay              a named edge; others are called `Ask->Pay`
///     Start -> Ask -> Done         a chain
///     for 1..9 N{i}: noop          the line for each number; {i+1} is one more
///     workflow {"result": "$json"}
///
/// A node's id is its name. Nodes of trigger types are triggers.
Value drawn_graph(const Line& line);

/// `range(5)` stands for [0, 1, 2, 3, 4] wherever a scenario gives JSON.
std::string with_ranges(std::string text);

}  // namespace fermata::scenario
