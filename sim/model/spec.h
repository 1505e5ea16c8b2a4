#pragma once
#include <string>
#include <vector>

#include "base/random.h"
#include "base/value.h"

/// Random workflows and a slow, obvious interpreter of them. It knows nothing of the engine: it
/// walks the graph in topological order and keeps no time, which is enough because no workflow made
/// here depends on when things happen.
namespace fermata::sim::model {

enum class Kind : uint8_t {
  start,  ///< the trigger
  step,   ///< code: a number made from what the token knows
  noop,
  disabled,
  wait,
  http_ok,
  http_down,
  fail,
  conditional,
  choice,  ///< switch with two rules and a fallback
  merge,
  split,
  aggregator,
};
enum class Policy : uint8_t { halt, ignore, branch };
enum class Items : uint8_t { some, none, no_array };

constexpr int nothing = -1;

struct SpecEdge {
  std::string id;
  int src = nothing;
  int dst = nothing;
};

struct SpecNode {
  std::string id;
  Kind kind = Kind::noop;
  Policy policy = Policy::halt;
  int error_edge = nothing;
  std::vector<int> routes;  ///< of conditional and choice: edges, or nothing where a branch ends
  int level = 0;
  int refers = nothing;  ///< a step whose number this node reads
  int64_t number = 0;
  bool uses_item = false;
  // Of a split.
  int body = nothing;  ///< its level
  int aggregator = nothing;
  Items items = Items::some;
  int64_t batch_size = 1;
  int64_t max_parallel = 0;
  bool halt_on_item_error = false;
  // Of an aggregator.
  bool drop_ended = false;
  bool fail_on_errors = false;
};

struct Spec {
  std::vector<SpecNode> nodes;
  std::vector<SpecEdge> edges;           ///< in the order of the document
  std::vector<std::vector<int>> levels;  ///< nodes of each split frame, in topological order
  bool is_routed(int edge) const;        ///< named as a route or as an error edge
};

struct Size {
  int nodes = 8;
  int body_nodes = 4;
  int depth = 2;
};
Spec random_spec(Random& dice, Size size);
/// The document that says the same to the engine.
Value document_of(const Spec& spec);

}  // namespace fermata::sim::model
