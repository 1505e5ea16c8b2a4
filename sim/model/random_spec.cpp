#include <algorithm>
#include <numeric>

#include "sim/model/spec.h"

namespace fermata::sim::model {

namespace {

enum class Role : uint8_t { normal, route, error };
/// A place where an edge may begin.
struct Outlet {
  int node = nothing;
  Role role = Role::normal;
  size_t route = 0;
};

/// Grows a graph level by level; every edge leads from an older node to a younger one.
class Growth {
 public:
  Growth(Random& dice, Size size) : dice_(dice), size_(size) {}

  Spec run() {
    spec_.levels.emplace_back();
    int start = add(0, Kind::start);
    std::vector<Outlet> outlets;
    offer(outlets, start);
    grow(0, 1 + below(size_.nodes), 0, outlets);
    settle_error_edges();
    shuffle_edges();
    return std::move(spec_);
  }

 private:
  int below(int bound) { return static_cast<int>(dice_.below(static_cast<uint64_t>(bound))); }

  int add(int level, Kind kind) {
    SpecNode node;
    int index = static_cast<int>(spec_.nodes.size());
    node.id = kind == Kind::start ? "start" : "n" + std::to_string(index);
    node.kind = kind;
    node.level = level;
    node.number = 1 + below(97);
    bool may_fail = kind == Kind::fail || kind == Kind::http_down || kind == Kind::split ||
                    kind == Kind::aggregator;
    if (may_fail) node.policy = static_cast<Policy>(below(3));
    node.uses_item = level > 0 && dice_.chance(0.6);
    if (kind == Kind::conditional) node.routes.assign(2, nothing);
    if (kind == Kind::choice) node.routes.assign(3, nothing);
    std::vector<int> steps;
    for (int i = 0; i < index; ++i)
      if (spec_.nodes[static_cast<size_t>(i)].kind == Kind::step) steps.push_back(i);
    if (!steps.empty() && dice_.chance(0.7))
      node.refers = steps[static_cast<size_t>(below(static_cast<int>(steps.size())))];
    spec_.nodes.push_back(node);
    spec_.levels[static_cast<size_t>(level)].push_back(index);
    return index;
  }

  void offer(std::vector<Outlet>& outlets, int index) {
    const SpecNode& node = spec_.nodes[static_cast<size_t>(index)];
    if (node.policy == Policy::branch) outlets.push_back({index, Role::error});
    for (size_t i = 0; i < node.routes.size(); ++i) outlets.push_back({index, Role::route, i});
    if (node.routes.empty() && node.kind != Kind::split) outlets.push_back({index, Role::normal});
  }

  void connect(std::vector<Outlet>& outlets, int to) {
    // The younger outlets are likelier: deep graphs rather than stars.
    int count = static_cast<int>(outlets.size());
    int at = std::max(below(count), below(count));
    Outlet from = outlets[static_cast<size_t>(at)];
    int edge = static_cast<int>(spec_.edges.size());
    spec_.edges.push_back({"e" + std::to_string(edge), from.node, to});
    SpecNode& node = spec_.nodes[static_cast<size_t>(from.node)];
    if (from.role == Role::error) node.error_edge = edge;
    if (from.role == Role::route) node.routes[from.route] = edge;
    if (from.role != Role::normal) outlets.erase(outlets.begin() + at);
  }

  Kind drawn_kind(int depth) {
    static constexpr Kind kinds[] = {
        Kind::step,   Kind::step,      Kind::step,     Kind::step,  Kind::noop,
        Kind::wait,   Kind::wait,      Kind::http_ok,  Kind::merge, Kind::merge,
        Kind::merge,  Kind::split,     Kind::split,    Kind::fail,  Kind::conditional,
        Kind::choice, Kind::http_down, Kind::disabled, Kind::step,  Kind::http_ok};
    Kind kind = kinds[below(static_cast<int>(std::size(kinds)))];
    return kind == Kind::split && depth >= size_.depth ? Kind::step : kind;
  }

  void grow(int level, int count, int depth, std::vector<Outlet>& outlets) {
    for (int i = 0; i < count && !outlets.empty(); ++i) {
      int node = add(level, drawn_kind(depth));
      Kind kind = spec_.nodes[static_cast<size_t>(node)].kind;
      int in_edges = kind == Kind::merge ? 2 + below(2) : dice_.chance(0.06) ? 2 : 1;
      for (int k = 0; k < in_edges && !outlets.empty(); ++k) connect(outlets, node);
      offer(outlets, node);
      if (kind == Kind::split) grow_split(node, depth, outlets);
    }
  }

  void grow_split(int split, int depth, std::vector<Outlet>& outlets) {
    int level = static_cast<int>(spec_.levels.size());
    spec_.levels.emplace_back();
    {
      SpecNode& node = spec_.nodes[static_cast<size_t>(split)];
      node.body = level;
      node.items = dice_.chance(0.8)   ? Items::some
                   : dice_.chance(0.5) ? Items::none
                                       : Items::no_array;
      node.batch_size = dice_.chance(0.2) ? 2 : 1;
      node.max_parallel = below(3);
      node.halt_on_item_error = dice_.chance(0.15);
    }
    std::vector<Outlet> inner = {{split, Role::normal}};
    grow(level, 1 + below(size_.body_nodes), depth + 1, inner);
    if (dice_.chance(0.2) || inner.empty()) return;
    int outer = spec_.nodes[static_cast<size_t>(split)].level;
    int aggregator = add(outer, Kind::aggregator);
    spec_.nodes[static_cast<size_t>(split)].aggregator = aggregator;
    spec_.nodes[static_cast<size_t>(aggregator)].drop_ended = dice_.chance(0.3);
    spec_.nodes[static_cast<size_t>(aggregator)].fail_on_errors = dice_.chance(0.2);
    int in_edges = 1 + below(3);
    for (int k = 0; k < in_edges && !inner.empty(); ++k) connect(inner, aggregator);
    offer(outlets, aggregator);
  }

  /// An error edge that was offered and not taken: the failure is ignored instead.
  void settle_error_edges() {
    for (SpecNode& node : spec_.nodes)
      if (node.policy == Policy::branch && node.error_edge == nothing) node.policy = Policy::ignore;
  }

  /// The order of edges in the document decides order at run time, so it is drawn too.
  void shuffle_edges() {
    std::vector<int> to(spec_.edges.size());
    std::iota(to.begin(), to.end(), 0);
    for (size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[dice_.below(i)]);
    std::vector<SpecEdge> moved(spec_.edges.size());
    for (size_t i = 0; i < to.size(); ++i) moved[static_cast<size_t>(to[i])] = spec_.edges[i];
    spec_.edges = std::move(moved);
    auto rename = [&](int& edge) {
      if (edge != nothing) edge = to[static_cast<size_t>(edge)];
    };
    for (SpecNode& node : spec_.nodes) {
      rename(node.error_edge);
      for (int& route : node.routes) rename(route);
    }
  }

  Random& dice_;
  const Size size_;
  Spec spec_;
};

}  // namespace

Spec random_spec(Random& dice, Size size) { return Growth(dice, size).run(); }

bool Spec::is_routed(int edge) const {
  const SpecNode& node = nodes[static_cast<size_t>(edges[static_cast<size_t>(edge)].src)];
  return node.error_edge == edge ||
         std::find(node.routes.begin(), node.routes.end(), edge) != node.routes.end();
}

}  // namespace fermata::sim::model
