#include "core/run/event_json.h"

#include "core/run/snapshot.h"

namespace fermata {

namespace {

std::string_view name_of(graph::ErrorPolicy policy) {
  switch (policy) {
    case graph::ErrorPolicy::halt: return "halt";
    case graph::ErrorPolicy::ignore: return "ignore";
    case graph::ErrorPolicy::branch: return "branch";
  }
  return "";
}

std::string_view name_of(SlotOutcome outcome) {
  switch (outcome) {
    case SlotOutcome::open: return "open";
    case SlotOutcome::value: return "value";
    case SlotOutcome::ended: return "ended";
    case SlotOutcome::error: return "error";
  }
  return "";
}

std::string_view name_of(FlowNote) { return ""; }
std::string_view name_of(flow::AwaitableKind kind) { return flow::kind_name(kind); }
std::string_view name_of(flow::AwaitableStatus status) { return flow::status_name(status); }
std::string_view name_of(flow::FlowEnd end) { return flow::end_name(end); }

/// Turns fields into members; what is empty is left out.
class JsonFields {
 public:
  JsonFields(Value& out, const EventShow& show) : out_(out), show_(show) {}

  void operator()(const char*, const Activation& activation) {
    set_node(activation.node);
    out_.set("lineage", show_.lineage(activation.lineage));
    out_.set("visit", activation.visit);
    out_.set("attempt", activation.attempt);
  }
  /// What was asked of whom; who has answered is another event.
  void operator()(const char*, const Approval& approval) {
    if (approval.source == WaitSource::flow) {
      for (std::string_view name : {"lineage", "visit", "attempt"}) out_.erase(name);
      out_.set("node", approval.step);
    }
    Value approvers = Value::array();
    for (const std::string& one : approval.approvers) approvers.push(one);
    out_.set("approval_id", approval.id);
    (*this)("title", approval.title);
    (*this)("message", approval.message);
    (*this)("payload", approval.payload);
    out_.set("approvers", std::move(approvers));
    out_.set("hash", approval.hash);
    (*this)("until", approval.expires_at);
  }
  void operator()(const char* name, const Lineage& lineage) {
    out_.set(name, show_.lineage(lineage));
    if (!lineage.outside()) out_.set("index", lineage.item);
  }
  void operator()(std::string_view name, uint32_t number) {
    if (name == "node") return set_node(number);
    if (name == "edge") {
      if (number != graph::no_edge) out_.set("edge", show_.definition().edges[number].id);
      return;
    }
    out_.set(name, number);
  }
  void operator()(std::string_view name, const std::vector<uint32_t>& numbers) {
    // How a migration renumbers is of no use to people.
    if (name == "node_map" || name == "edge_map") return;
    Value list = Value::array();
    for (uint32_t number : numbers) {
      if (name == "edges") {
        list.push(show_.definition().edges[number].id);
      } else if (name == "nodes" || name == "missing") {
        list.push(show_.definition().nodes[number].id);
      } else {
        list.push(number);
      }
    }
    out_.set(name, std::move(list));
  }
  void operator()(std::string_view, const SagaEntry& entry) {
    const_cast<SagaEntry&>(entry).each(*this);
  }
  void operator()(std::string_view name, const RunEnding& ending) {
    out_.set(name, name_of(ending.status));
  }
  void operator()(std::string_view name, const std::vector<JobId>& jobs) {
    Value list = Value::array();
    for (const JobId& job : jobs) list.push(job.text());
    out_.set(name, std::move(list));
  }
  void operator()(std::string_view, const Wait& wait) { const_cast<Wait&>(wait).each(*this); }
  void operator()(std::string_view name, const std::string& text) {
    // What a client made its request known by is nobody else's business.
    if (name == "request") return;
    if (text.empty() || name == "request_hash") return;
    if (name == "seed") return out_.set("seed_bytes", text.size());
    // Only a migrated script has one.
    if (name == "state") return out_.set("state_bytes", text.size());
    out_.set(name, text);
  }
  template <class Tag>
  void operator()(std::string_view name, const Id<Tag>& id) {
    (*this)(name, id.text());
  }
  void operator()(std::string_view, uint64_t) {}  // token ids are the engine's own
  void operator()(std::string_view, const std::vector<uint64_t>&) {}
  void operator()(std::string_view name, int64_t number) { out_.set(name, number); }
  void operator()(std::string_view name, bool value) {
    if (value) out_.set(name, true);
  }
  void operator()(std::string_view name, const Value& value) {
    if (name == "about" && value.is_object()) {
      for (const Value::Member& member : value.members())
        out_.set(member.key.as_string(), member.value);
    } else if (!value.is_null()) {
      out_.set(name, value);
    }
  }
  void operator()(std::string_view name, Instant at) { out_.set(name, to_rfc3339(at)); }
  void operator()(std::string_view name, const std::vector<Listener>& listeners) {
    if (listeners.empty()) return;
    Value list = Value::array();
    for (const Listener& listener : listeners)
      list.push(Value::object({{"event_type", listener.event_type}, {"scope", listener.scope}}));
    out_.set(name, std::move(list));
    if (listeners.front().window_start) (*this)("window_start", *listeners.front().window_start);
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(std::string_view name, E value) {
    // What a note is about is its type.
    if (name != "note") out_.set(name, name_of(value));
  }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }

 private:
  void set_node(NodeIndex index) {
    if (index == graph::no_node) return;
    const graph::Node& node = show_.definition().nodes[index];
    out_.set("node_id", node.id);
    out_.set("node_name", node.name);
  }
  Value& out_;
  const EventShow& show_;
};

}  // namespace

bool EventShow::learn(const Event& event) {
  const DefinitionHash* begins = nullptr;
  if (const auto* started = start_in(event.body)) begins = &started->hash;
  if (const auto* migrated = std::get_if<RunMigrated>(&event.body)) begins = &migrated->hash;
  if (const auto* migrated = std::get_if<FlowMigrated>(&event.body)) begins = &migrated->hash;
  if (begins) definition_ = definitions_.find(*begins);
  if (!definition_) return false;
  if (const auto* started = start_in(event.body); started && !started->seed.empty())
    if (auto seed = decode_snapshot(started->seed, nullptr))
      for (const auto& [id, scope] : seed->scopes)
        scopes_[id] = {scope.split, scope.visit, scope.total, scope.outer};
  if (const auto* opened = std::get_if<SplitOpened>(&event.body)) {
    scopes_[opened->scope] = {opened->activation.node, opened->activation.visit, opened->total,
                              opened->activation.lineage};
  }
  return true;
}

std::string EventShow::branch_id(Lineage lineage) const {
  auto found = scopes_.find(lineage.scope);
  if (found == scopes_.end())
    return std::to_string(lineage.scope) + "." + std::to_string(lineage.item);
  const KnownScope& scope = found->second;
  std::string id = definition_->nodes[scope.split].id + "@" + std::to_string(scope.visit) + "." +
                   std::to_string(lineage.item);
  return scope.outer.outside() ? id : branch_id(scope.outer) + "/" + id;
}

Value EventShow::lineage(Lineage lineage) const {
  std::vector<Value> frames;
  while (!lineage.outside()) {
    Value frame = Value::object({{"branch_id", branch_id(lineage)}, {"item_index", lineage.item}});
    auto found = scopes_.find(lineage.scope);
    if (found != scopes_.end()) {
      frame.set("split_node_id", definition_->nodes[found->second.split].id);
      frame.set("total_items", found->second.total);
    }
    frames.insert(frames.begin(), std::move(frame));
    if (found == scopes_.end()) break;
    lineage = found->second.outer;
  }
  return Value::array(std::move(frames));
}

/// Which split it was: its number means nothing to people.
void EventShow::show_split(ScopeId scope, Value& out) const {
  auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  const graph::Node& split = definition_->nodes[found->second.split];
  out.set("node_id", split.id);
  out.set("node_name", split.name);
  out.set("lineage", lineage(found->second.outer));
  out.set("visit", found->second.visit);
}

Value EventShow::show(const Event& event, const std::optional<Value>& output) const {
  Value out = Value::object({{"sequence", event.sequence},
                             {"type", type_name(event.body)},
                             {"at", to_rfc3339(event.at)}});
  JsonFields fields(out, *this);
  std::visit(
      [&](const auto& body) {
        fields_of(const_cast<std::remove_cvref_t<decltype(body)>&>(body)).each(fields);
      },
      event.body);
  if (output) out.set("output", *output);
  if (const auto* closed = std::get_if<SplitClosed>(&event.body)) show_split(closed->scope, out);
  if (const auto* done = std::get_if<NodeSucceeded>(&event.body))
    out.set("duration_ms", (event.at - done->started_at).ms);
  if (const auto* failed = std::get_if<NodeFailed>(&event.body))
    out.set("duration_ms", (event.at - failed->started_at).ms);
  return out;
}

}  // namespace fermata
