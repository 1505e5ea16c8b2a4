#pragma once
#include <memory>

#include "core/model/run.h"

namespace fermata::rune {

/// What a run knows that begins with a context of others: `$Name` or `Name` is the output of that
/// node, `$json` the payload, and whatever names no node is input.
struct Begin {
  Value input;
  Value payload;
  Context context;
  bool plain = false;  ///< nothing but input: an ordinary start will do
};
Begin begin_with(const graph::Definition& definition, const Value& accumulated);

/// The state a run begins with whose token stands at a node that is not its entry.
std::shared_ptr<const Run> state_at(graph::DefinitionRef definition, NodeIndex node, Begin begin);

}  // namespace fermata::rune
