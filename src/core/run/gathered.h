#pragma once
#include <optional>

#include "core/model/event.h"

namespace fermata {

/// Follows a history from its start to know what its events leave to the fold: an aggregator's
/// output stands in the slots of its split and is not written again.
class GatheredOutputs {
 public:
  /// Takes the next event, under the definition in force; the aggregator's output where the event
  /// means one.
  std::optional<Value> follow(const Event& event, const graph::Definition& definition);

 private:
  Run run_;
};

}  // namespace fermata
