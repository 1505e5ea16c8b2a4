#include "sim/model/reference.h"

#include <algorithm>
#include <optional>

namespace fermata::sim::model {

namespace {

constexpr int64_t modulus = 1'000'003;

/// What a token knows: outputs by node, and `$json`.
struct Known {
  std::map<int, Value> outputs;
  Value json;
};
struct Traveller {
  int edge = nothing;
  Known known;
  Value payload;
};
struct Frame {
  Value item;
  int64_t index = 0;
};
/// What became of one split branch, or of the run outside splits.
struct LevelEnd {
  std::set<std::string> halts;                  ///< failures that end this level
  std::vector<std::pair<int, Value>> arrivals;  ///< at the aggregator: edge and payload
};

Value error_value() { return Value::object({{"error", Value::object()}}); }

class Interpreter {
 public:
  Interpreter(const Spec& spec, const Value& input) : spec_(spec), input_(input) {}

  Expected run() {
    Known known;
    known.json = input_;
    std::map<int, std::vector<Traveller>> at;
    at[0].push_back({nothing, known, input_});
    LevelEnd end = walk(0, std::move(at), nullptr);
    expected_.codes = end.halts;
    expected_.codes.insert(run_halts_.begin(), run_halts_.end());
    if (!expected_.codes.empty()) expected_.cut_short = true;
    return std::move(expected_);
  }

 private:
  const SpecNode& node(int index) const { return spec_.nodes[static_cast<size_t>(index)]; }

  /// Every node of a level once, in topological order: all who will ever come are there.
  LevelEnd walk(int level, std::map<int, std::vector<Traveller>> at, const Frame* frame) {
    LevelEnd end;
    for (int index : spec_.levels[static_cast<size_t>(level)]) {
      std::vector<Traveller> here = std::move(at[index]);
      if (here.empty()) continue;
      if (node(index).kind == Kind::merge) {
        Traveller merged = merge(index, std::move(here));
        leave(index, std::move(merged), normal_edges(index), at, end, frame);
        continue;
      }
      for (Traveller& one : here) visit(index, std::move(one), at, end, frame);
    }
    return end;
  }

  std::vector<int> normal_edges(int index) const {
    std::vector<int> edges;
    for (int edge = 0; edge < static_cast<int>(spec_.edges.size()); ++edge)
      if (spec_.edges[static_cast<size_t>(edge)].src == index && !spec_.is_routed(edge))
        edges.push_back(edge);
    return edges;
  }

  using At = std::map<int, std::vector<Traveller>>;

  /// Sends a token on; one that goes nowhere ends here. An edge into an aggregator leaves the
  /// level.
  void leave(int index, Traveller token, const std::vector<int>& edges, At& at, LevelEnd& end,
             const Frame* frame) {
    if (edges.empty() && !frame) expected_.ended[index].push_back(output_of(index, token));
    for (int edge : edges) {
      int to = spec_.edges[static_cast<size_t>(edge)].dst;
      Traveller next = token;
      next.edge = edge;
      if (node(to).kind == Kind::aggregator) {
        end.arrivals.emplace_back(edge, next.payload);
      } else {
        at[to].push_back(std::move(next));
      }
    }
  }
  Value output_of(int index, const Traveller& token) const {
    if (node(index).kind == Kind::disabled) return token.payload;
    auto found = token.known.outputs.find(index);
    return found == token.known.outputs.end() ? Value() : found->second;
  }

  void succeed(int index, Traveller& token, Value output, const Value* json = nullptr) {
    ++expected_.counts[index].succeeded;
    token.payload = json ? *json : output;
    if (json) token.known.json = *json;
    token.known.outputs[index] = std::move(output);
  }

  void fail(int index, Traveller token, const std::string& code, At& at, LevelEnd& end,
            const Frame* frame) {
    const SpecNode& failed = node(index);
    ++expected_.counts[index].failed;
    if (failed.policy == Policy::halt) {
      end.halts.insert(code);
      return;
    }
    token.known.outputs[index] = error_value();
    token.payload = error_value();
    if (failed.policy == Policy::branch)
      return leave(index, std::move(token), {failed.error_edge}, at, end, frame);
    if (failed.kind != Kind::split)
      return leave(index, std::move(token), normal_edges(index), at, end, frame);
    // A split whose failure is ignored behaves as if it had no items.
    if (failed.aggregator == nothing) return leave(index, std::move(token), {}, at, end, frame);
    gather(failed.aggregator, std::move(token), {}, 0, at, end, frame);
  }

  void visit(int index, Traveller token, At& at, LevelEnd& end, const Frame* frame) {
    const SpecNode& here = node(index);
    std::vector<int> edges = normal_edges(index);
    switch (here.kind) {
      case Kind::start: succeed(index, token, input_); break;
      case Kind::step: {
        Value json = Value::object({{"t", number_at(here, token.known, frame)}});
        succeed(index, token, Value::object({{"result", json}}), &json);
        break;
      }
      case Kind::disabled: break;
      case Kind::fail: return fail(index, std::move(token), "broken", at, end, frame);
      case Kind::http_down: return fail(index, std::move(token), "network", at, end, frame);
      case Kind::conditional:
        succeed(index, token, Value::object());
        edges = route(here, referred(here, token.known) % 2 == 0 ? 0 : 1);
        break;
      case Kind::choice: {
        int64_t rest = referred(here, token.known) % 3;
        succeed(index, token, Value::object());
        edges = route(here, rest < 2 ? static_cast<size_t>(rest) : 2);
        break;
      }
      case Kind::split: return split(index, std::move(token), at, end, frame);
      default: succeed(index, token, Value::object()); break;
    }
    leave(index, std::move(token), edges, at, end, frame);
  }

  static std::vector<int> route(const SpecNode& from, size_t which) {
    if (from.routes[which] == nothing) return {};
    return {from.routes[which]};
  }

  int64_t referred(const SpecNode& here, const Known& known) const {
    if (here.refers == nothing) return 5;
    auto found = known.outputs.find(here.refers);
    if (found == known.outputs.end()) return 5;
    const Value& number = found->second.get("result").get("t");
    return number.is_integer() ? number.as_integer() : 5;
  }

  int64_t number_at(const SpecNode& here, const Known& known, const Frame* frame) const {
    int64_t sum = fingerprint(known.json, here.number) * 31 + referred(here, known);
    if (here.uses_item && frame) {
      int64_t items = 1;
      Value list = frame->item.is_array() ? frame->item : Value::array({frame->item});
      for (const Value& item : list.items()) items = items * 7 + item.get("t").as_integer();
      sum += items + frame->index;
    }
    return sum % modulus;
  }

  Traveller merge(int index, std::vector<Traveller> here) {
    std::stable_sort(here.begin(), here.end(),
                     [](const Traveller& a, const Traveller& b) { return a.edge < b.edge; });
    Traveller merged;
    Value items = Value::array(), arrived = Value::array();
    int last = nothing;
    for (Traveller& one : here) {
      if (one.edge == last) expected_.certain = false;
      last = one.edge;
      items.push(one.payload);
      arrived.push(spec_.edges[static_cast<size_t>(one.edge)].id);
      // No path passes a node twice here, so the later edge wins where both know a name.
      for (auto& [name, output] : one.known.outputs) merged.known.outputs[name] = output;
    }
    succeed(index, merged, Value::object({{"items", items}, {"arrived", arrived}}), &items);
    return merged;
  }

  std::vector<Value> branches_of(const SpecNode& split) const {
    std::vector<Value> branches;
    if (split.items == Items::none) return branches;
    auto items = input_.get("items").items();
    auto size = static_cast<size_t>(split.batch_size);
    for (size_t i = 0; i < items.size(); i += size) {
      if (size == 1) {
        branches.push_back(items[i]);
        continue;
      }
      Value batch = Value::array();
      for (size_t k = i; k < std::min(items.size(), i + size); ++k) batch.push(items[k]);
      branches.push_back(batch);
    }
    return branches;
  }

  void split(int index, Traveller token, At& at, LevelEnd& end, const Frame* frame) {
    const SpecNode& here = node(index);
    if (here.items == Items::no_array)
      return fail(index, std::move(token), "not_an_array", at, end, frame);
    ++expected_.counts[index].succeeded;
    token.known.outputs[index] = Value::object();
    std::vector<std::optional<Value>> slots;
    std::vector<Value> branches = branches_of(here);
    uint64_t failed = 0;
    for (size_t i = 0; i < branches.size(); ++i) {
      Frame inner{branches[i], static_cast<int64_t>(i)};
      slots.push_back(branch(index, token, inner, failed));
    }
    if (here.aggregator != nothing)
      return gather(here.aggregator, std::move(token), std::move(slots), failed, at, end, frame);
    if (failed > 0) return fail(index, std::move(token), "items_failed", at, end, frame);
    leave(index, std::move(token), {}, at, end, frame);
  }

  /// The value of one slot; nothing when its branch ended without an arrival.
  std::optional<Value> branch(int split, const Traveller& token, const Frame& frame,
                              uint64_t& failed) {
    At at;
    LevelEnd end;
    Traveller begins = token;
    begins.payload = frame.item;
    leave(split, std::move(begins), normal_edges(split), at, end, &frame);
    LevelEnd inner = walk(node(split).body, std::move(at), &frame);
    inner.arrivals.insert(inner.arrivals.begin(), end.arrivals.begin(), end.arrivals.end());
    if (!inner.halts.empty()) {
      expected_.cut_short = true;
      if (node(split).halt_on_item_error) run_halts_.insert(inner.halts.begin(), inner.halts.end());
      ++failed;
      return error_value();
    }
    if (inner.arrivals.empty()) return std::nullopt;
    auto first = std::min_element(inner.arrivals.begin(), inner.arrivals.end(),
                                  [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& other : inner.arrivals)
      if (&other != &*first && other.first == first->first) expected_.certain = false;
    return first->second;
  }

  void gather(int index, Traveller token, std::vector<std::optional<Value>> slots, uint64_t failed,
              At& at, LevelEnd& end, const Frame* frame) {
    const SpecNode& here = node(index);
    Value values = Value::array();
    for (auto& slot : slots)
      if (slot || !here.drop_ended) values.push(slot ? *slot : Value());
    if (failed > 0 && here.fail_on_errors && here.policy != Policy::ignore)
      return fail(index, std::move(token), "items_failed", at, end, frame);
    Value output = Value::object({{"aggregated", values},
                                  {"count", static_cast<int64_t>(values.size())},
                                  {"failed", static_cast<int64_t>(failed)}});
    if (failed > 0 && here.fail_on_errors) {
      // Ignored: it opens with what it has, and nothing is dropped.
      Value all = Value::array();
      for (auto& slot : slots) all.push(slot ? *slot : Value());
      output.set("aggregated", all);
      output.set("count", static_cast<int64_t>(all.size()));
      ++expected_.counts[index].failed;
      --expected_.counts[index].succeeded;
    }
    Value json = output.get("aggregated");
    succeed(index, token, std::move(output), &json);
    leave(index, std::move(token), normal_edges(index), at, end, frame);
  }

  const Spec& spec_;
  const Value& input_;
  Expected expected_;
  std::set<std::string> run_halts_;
};

}  // namespace

Expected interpret(const Spec& spec, const Value& input) { return Interpreter(spec, input).run(); }

int64_t fingerprint(const Value& value, int64_t seed) {
  if (value.is_array()) {
    for (const Value& item : value.items()) seed = fingerprint(item, seed);
    return seed;
  }
  const Value* number = value.find("t");
  int64_t leaf = number && number->is_number() ? static_cast<int64_t>(number->as_number()) : 13;
  return (seed * 31 + leaf) % modulus;
}

bool agrees(const SpecNode& node, const Value& output, const Value& expected) {
  switch (node.kind) {
    case Kind::step: return output.get("result") == expected.get("result");
    case Kind::merge: {
      const Value& arrived = output.get("arrived");
      if (arrived.size() != expected.get("arrived").size()) return false;
      for (size_t i = 0; i < arrived.size(); ++i)
        if (arrived.items()[i].get("edge_id") != expected.get("arrived").items()[i]) return false;
      return fingerprint(output.get("items"), 1) == fingerprint(expected.get("items"), 1);
    }
    case Kind::aggregator:
      if (expected.find("error")) return output.find("error") != nullptr;
      return output.get("count") == expected.get("count") &&
             output.get("failed") == expected.get("failed") &&
             fingerprint(output.get("aggregated"), 1) == fingerprint(expected.get("aggregated"), 1);
    default: return true;
  }
}

}  // namespace fermata::sim::model
