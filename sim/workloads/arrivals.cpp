#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Runs that live of what other programs send (C-56, C-58): tokens over the edges of a barrier and
/// the items of a split, in any order, twice and late. Whatever comes first begins the run; it ends
/// once, when all has come. In some seeds every step goes by a broker that loses messages (C-60).
class Arrivals final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    ways_ = chaos.between(2, 6);
    items_ = chaos.between(1, 6);
    hops_ = chaos.dice().chance(0.5);
    if (hops_) world.settings().limits.hops = AccountId("main");
    GraphBuilder graph;
    graph.node("join", "merge", Value::object({{"timeout", 0}}))
        .node("each", "split", Value::object({{"input_array", "$input.items"}}))
        .node("all", "aggregator", Value::object({{"timeout", 0}}))
        .node("after", "noop");
    add_work(chaos, graph, "work");
    graph.edge("start", "each").edge("each", "work").edge("work", "all").edge("all", "join");
    for (int64_t i = 0; i < ways_; ++i) {
      std::string way = "way" + std::to_string(i);
      add_work(chaos, graph, way);
      graph.edge("start", way).edge(way, "join");
    }
    graph.edge("join", "after").result("$join.items");
    definition_ = world.define(graph.document());
    for (int64_t run = chaos.between(1, 2); run > 0; --run) {
      std::string id = "fed-" + std::to_string(run);
      for (int64_t i = 0; i < ways_; ++i) send_way(world, id, i);
      for (int64_t i = 0; i < items_; ++i) send_item(world, id, static_cast<uint32_t>(i));
    }
  }

  /// A broker that brings back what was sent by it, now and then not at all.
  void watch(World& world) override {
    if (!hops_) return;
    for (const RunId& id : world.runs()) {
      const Run* run = world.state(id);
      if (!run || run->finished()) continue;
      for (const auto& [token, at] : run->tokens) {
        if (at.parked != Parked::bus || !at.due) continue;
        if (!carried_.insert({id, token, at.due->ms}).second) continue;
        bool lost =
            !world.chaos().healed() && !world.chaos().calm() && world.chaos().dice().chance(0.2);
        if (lost) {
          world.probe(Probe::hop_lost);
          continue;
        }
        Request request;
        request.command = {id, TakeHop{token}, "tester"};
        request.mark = "hop " + std::to_string(token) + " " + std::to_string(at.due->ms);
        request.after = Duration{world.chaos().between(0, 5'000)};
        world.send(std::move(request));
      }
    }
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + ": " + to_json(run.error));
      judge_history(world, run);
      expect(static_cast<int64_t>(run.output.size()) == ways_ + 1,
             "the barrier opened with " + to_json(run.output));
    }
  }

 private:
  /// Something that is done at once, or a moment later.
  static void add_work(Chaos& chaos, GraphBuilder& graph, const std::string& name) {
    bool waits = chaos.dice().chance(0.5);
    graph.node(name, waits ? "wait" : "noop",
               waits ? wait_ms(chaos.between(1, 5'000)) : Value::object());
  }
  void send(World& world, const std::string& run, const std::string& mark, ForeignToken token) {
    token.feeds = true;
    Request request = world.start(run, definition_, Value::object());
    auto& start = std::get<StartRun>(request.command.body);
    start.request_hash = mark;
    start.arrival = std::make_shared<const ForeignToken>(std::move(token));
    request.mark = mark;
    request.after = Duration{world.chaos().between(0, 20'000)};
    world.send(std::move(request));
  }
  graph::EdgeIndex edge(const std::string& from, const std::string& to) const {
    auto src = definition_->node_by_id(from), dst = definition_->node_by_id(to);
    for (graph::EdgeIndex at : definition_->nodes[*dst].in_edges)
      if (definition_->edges[at].src == *src) return at;
    throw Violation{"no edge from " + from + " to " + to};
  }
  /// The token comes to the barrier itself, or to the node before it.
  void send_way(World& world, const std::string& run, int64_t number) {
    std::string way = "way" + std::to_string(number);
    ForeignToken token;
    bool before = world.chaos().dice().chance(0.5);
    token.node = *definition_->node_by_id(before ? way : "join");
    token.edges = {before ? edge("start", way) : edge(way, "join")};
    token.payload = Value(number);
    token.context = Value::object({{way, Value::object({{"n", number}})}});
    send(world, run, way, std::move(token));
  }
  void send_item(World& world, const std::string& run, uint32_t item) {
    ForeignToken token;
    token.node = *definition_->node_by_id("work");
    token.edges = {edge("each", "work")};
    token.frames = {{*definition_->node_by_id("each"), item, static_cast<uint32_t>(items_)}};
    token.payload = Value(item);
    token.item = Value(item);
    send(world, run, "item" + std::to_string(item), std::move(token));
  }
  void judge_history(World& world, const Run& run) {
    int64_t arrived = 0, opened = 0;
    for (const HistoryChunk& chunk : world.stored(run.id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        if (std::holds_alternative<TokensArrived>(event.body)) ++arrived;
        if (std::holds_alternative<MergeOpened>(event.body)) ++opened;
        const auto* closed = std::get_if<SplitClosed>(&event.body);
        expect(!closed || closed->resolved == items_, "the split closed without all of its items");
      }
    }
    expect(arrived == ways_ + items_, std::to_string(arrived) + " tokens were taken in");
    expect(opened == 1, "the barrier opened " + std::to_string(opened) + " times");
  }

  int64_t ways_ = 0;
  int64_t items_ = 0;
  bool hops_ = false;
  graph::DefinitionRef definition_;
  std::set<std::tuple<RunId, TokenId, int64_t>> carried_;
};

}  // namespace

std::unique_ptr<Workload> make_arrivals() { return std::make_unique<Arrivals>(); }

}  // namespace fermata::sim
