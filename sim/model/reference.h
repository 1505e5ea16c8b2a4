#pragma once
#include <map>
#include <set>

#include "sim/model/spec.h"

namespace fermata::sim::model {

struct Count {
  uint64_t succeeded = 0;
  uint64_t failed = 0;
  bool operator==(const Count&) const = default;
};

/// What must come out of a run of a spec.
struct Expected {
  std::set<std::string> codes;  ///< of the failures that can end the run; empty: it completes
  /// False when two tokens raced for one place: then only the engine's own rules are checked.
  bool certain = true;
  /// A branch or the run was cut short, so the counts are upper bounds.
  bool cut_short = false;
  std::map<int, std::vector<Value>> ended;  ///< per node outside splits: what tokens ended with
  std::map<int, Count> counts;
};
Expected interpret(const Spec& spec, const Value& input);

/// One number for a value: its leaves' `t` in order, 13 where there is none. What depends on time
/// (the outputs of waits and calls) has no `t`.
int64_t fingerprint(const Value& value, int64_t seed);
/// True when the output of a node is as expected, as far as it does not depend on time.
bool agrees(const SpecNode& node, const Value& output, const Value& expected);

}  // namespace fermata::sim::model
