#pragma once
#include <vector>

#include "core/graph/nodes/node.h"
#include "core/model/run.h"

/// Facts about a merge instance, computed from the state and the definition alone.
namespace fermata::graph {

/// What a pending instance has and can still get (G-74).
struct Expectation {
  uint32_t arrived = 0;            ///< edges
  uint32_t expected = 0;           ///< edges arrived or able to deliver
  std::vector<NodeIndex> missing;  ///< sources of the edges that can still deliver
};
Expectation expect(const Run& run, const MergeKey& key);

/// When an instance with these parameters gives up, if ever (G-79).
std::optional<Instant> merge_deadline(const Value& parameters, Instant first_arrival);

/// Tokens of the lineage and visit all of whose paths lead through the merge (G-76).
std::vector<TokenId> losers(const Run& run, const MergeKey& key);

/// `{items, arrived, expected, timed_out, …}` by the instance's mode (G-77).
Result<Value, NodeError> merge_output(const Definition& definition, const Node& node,
                                      const Merge& merge, bool timed_out);

}  // namespace fermata::graph
