#include "adapters/redis/barriers.h"

#include "base/hash.h"
#include "base/json.h"

namespace fermata {

namespace {

constexpr size_t commands_max = 100'000;
constexpr size_t commands_at_once = 2'000;

/// Characters that mean something in a key.
std::string encoded_in_key(std::string_view id) {
  std::string out;
  for (char c : id) {
    if (c == '%' || c == ':' || c == '~') {
      out += '%' + hex(std::string_view(&c, 1));
    } else {
      out += c;
    }
  }
  return out;
}

Value stack_of(const Run& run, Lineage lineage) {
  std::vector<Value> frames;
  while (!lineage.outside()) {
    auto scope = run.scopes.find(lineage.scope);
    if (scope == run.scopes.end()) break;
    frames.insert(frames.begin(), Value::array({run.definition->nodes[scope->second.split].id,
                                                scope->second.visit, lineage.item}));
    lineage = scope->second.outer;
  }
  return Value::array(std::move(frames));
}

/// The parent's id, or the edge's where the parent has several edges here.
std::string arrival_name(const Run& run, const MergeKey& key, graph::EdgeIndex edge) {
  if (edge >= run.definition->edges.size()) return "";
  const graph::Definition& definition = *run.definition;
  int ways = 0;
  for (graph::EdgeIndex other : definition.nodes[key.node].in_edges)
    if (definition.edges[other].src == definition.edges[edge].src) ++ways;
  return ways > 1 ? definition.edges[edge].id : definition.nodes[definition.edges[edge].src].id;
}

}  // namespace

std::string barrier_scope(const Run& run, const MergeKey& key) {
  std::string name = encoded_in_key(run.definition->nodes[key.node].id);
  if (key.lineage.outside() && key.visit == 0) return name;
  Value scope = Value::array({stack_of(run, key.lineage), key.visit});
  return name + "~" + sha256_hex(to_json(scope)).substr(0, 16);
}

void BarrierMirror::show(const Run& run, const MergeKey& key, const Merge& merge) {
  std::string base = "exec:" + encoded_in_key(run.id.text()) + ":node:" + barrier_scope(run, key);
  std::string barrier = base + ":barrier";
  std::string life = std::to_string(life_s);
  std::set<std::string>& keys = known_[run.id];
  auto add = [&](RedisCommand command) { commands_.push_back(std::move(command)); };
  if (merge.closed) {
    // What it said last stays as it was; that it opened is the tombstone.
    if (!keys.insert(barrier + " opened").second) return;
    keys.insert(barrier);
    add({"HSET", barrier, "opened_at", std::to_string(run.last_at.ms), "sequence",
         std::to_string(run.last_sequence)});
    add({"DEL", barrier + ":arrivals"});
    add({"DEL", barrier + ":data"});
    add({"DEL", base + ":timeout_active"});
    return add({"EXPIRE", barrier, life});
  }
  keys.insert(barrier);
  keys.insert(barrier + ":arrivals");
  keys.insert(barrier + ":data");
  add({"HSET", barrier, "expected", std::to_string(merge.expected), "arrived",
       std::to_string(merge.arrived), "sequence", std::to_string(run.last_sequence)});
  for (const Arrival& arrival : merge.arrivals) {
    std::string name = arrival_name(run, key, arrival.edge);
    std::string payload = to_json(arrival.payload);
    if (payload.size() > payload_bytes_max)
      payload = to_json(Value::object(
          {{"ref", "/api/v1/executions/" + run.id.text()}, {"bytes", payload.size()}}));
    add({"SADD", barrier + ":arrivals", name});
    add({"HSET", barrier + ":data", name, payload});
  }
  for (const char* part : {"", ":arrivals", ":data"}) add({"EXPIRE", barrier + part, life});
  if (!merge.deadline) return;
  int64_t left = std::max<int64_t>((*merge.deadline - run.last_at).ms / 1'000, 0);
  keys.insert(base + ":timeout_active");
  add({"SET", base + ":timeout_active", "1", "EX", std::to_string(left + 3'600)});
}

void BarrierMirror::changed(const Run& run) {
  if (!on_ || !run.definition || run.definition->is_script()) return;
  std::lock_guard lock(mutex_);
  auto known = known_.find(run.id);
  if (run.merges.empty() && known == known_.end()) return;
  // Whoever cannot send for long shows what comes later.
  if (commands_.size() > commands_max) commands_.clear();
  if (run.finished()) {
    if (known == known_.end()) return;
    for (const std::string& key : known->second)
      if (!key.ends_with(" opened"))
        commands_.push_back({"EXPIRE", key, std::to_string(life_after_end_s)});
    known_.erase(known);
    return;
  }
  if (known == known_.end() && known_.size() >= runs_max) return;
  for (const auto& [key, merge] : run.merges) show(run, key, merge);
}

Outcome<void> BarrierMirror::send(RedisLink& link) {
  std::vector<RedisCommand> commands;
  {
    std::lock_guard lock(mutex_);
    commands.swap(commands_);
  }
  for (RedisCommand& command : commands) command[1] = link.key(command[1]);
  std::span<const RedisCommand> rest(commands);
  while (!rest.empty()) {
    size_t count = std::min(rest.size(), commands_at_once);
    FERMATA_TRY_VOID(link.run(rest.first(count)));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace fermata
