#include "core/run/snapshot.h"

#include <map>

#include "base/fields.h"
#include "core/flow/durable/execution_bytes.h"

namespace fermata {

namespace {

/// Another one whenever the form changes, so that a state of another form is not read as one of
/// this (checkpoint_test.cpp holds it against the form). Histories hold states that restarted runs
/// began with, so older forms are read for ever.
constexpr uint8_t snapshot_format = 7;
constexpr uint8_t oldest_format = 2;

/// Contexts and values are written in full where first met and by number afterwards.
class SnapshotWriter : public FieldWriter {
 public:
  explicit SnapshotWriter(ByteWriter& out) : FieldWriter(out), out_(out) {}
  using FieldWriter::put;

  void put(const Value& value) {
    if (value.node() == nullptr) {
      out_.varint(0);
      return out_.value(value);
    }
    auto [known, unseen] = values_.try_emplace(value.node());
    if (!unseen) return out_.varint(known->second);
    // What is equal is one value whether it shares a node or not, so that the bytes do not depend
    // on how the state came to be.
    ByteWriter full;
    full.value(value);
    auto [same, fresh] = contents_.try_emplace(full.take(), contents_.size() + 1);
    known->second = same->second;
    out_.varint(same->second);
    if (fresh) out_.raw(same->first);
  }
  void put(const Context& context) {
    if (context.empty()) return out_.varint(0);
    auto [known, fresh] = contexts_.try_emplace(context.identity(), contexts_.size() + 1);
    out_.varint(known->second);
    if (!fresh) return;
    size_t count = 0;
    context.each([&](Context::Key, const Context::Entry&) { ++count; });
    out_.varint(count);
    context.each([&](Context::Key key, const Context::Entry& entry) {
      put(key); put(entry.rewrites); put(entry.value);
    });
  }
  void put(const Token& t) {
    put(t.node); put(t.edge); put(t.lineage); put(t.parked); put(t.visit); put(t.attempt);
    put(t.gathers); put(t.since); put(t.due); put(t.context); put(t.payload); put(t.parameters);
  }
  void put(const Branch& b) {
    out_.varint(b.tokens.size());
    for (TokenId id : b.tokens) put(id);
    out_.varint(b.scopes.size());
    for (ScopeId id : b.scopes) put(id);
    put(b.merges);
    out_.varint(b.visits.size());
    for (auto [node, visit] : b.visits) { put(node); put(visit); }
    put(b.arrived_edge); put(b.arrived);
  }
  void put(const Slot& s) { put(s.outcome); put(s.value); }
  void put(const Scope& s) {
    put(s.split); put(s.visit); put(s.outer); put(s.edge); put(s.base); put(s.payload);
    put(s.items); put(s.batch_size); put(s.total); put(s.max_parallel); put(s.started);
    put(s.resolved); put(s.failed); put(s.halt_on_item_error); put(s.closed); put(s.timed_out);
    put(s.opened_at); put(s.deadline);
    out_.varint(s.branches.size());
    for (auto [item, branch] : s.branches) { put(item); put(branch); }
    put_all(s.slots);
  }
  void put(const Arrival& a) { put(a.edge); put(a.context); put(a.payload); }
  void put(const MergeKey& k) { put(k.lineage); put(k.node); put(k.visit); }
  void put(const Merge& m) {
    put(m.closed); put(m.id); put(m.since); put(m.deadline); put(m.parameters);
    put_all(m.arrivals); put(m.arrived); put(m.expected); put(m.missing);
  }
  void put(const RunTimer& t) { put(t.due); put(t.kind); put(t.id); }
  void put(const KeptSignal& s) { put(s.name); put(s.id); put(s.payload); put(s.at); }
  template <class T> void put_all(const T& values) {
    out_.varint(values.size());
    for (const auto& value : values) put(value);
  }
  template <class K, class T> void put_map(const std::map<K, T>& values) {
    out_.varint(values.size());
    for (const auto& [key, value] : values) { put(key); put(value); }
  }
  void put(const Ended& e) { put(e.output); put(e.context); }
  void put(const WaitKey& k) { put(k.source); put(k.number); }
  void put(const StepEnd& e) { put(e.at); put(e.opened); put_all(e.signals); }
  void put(const StepStarts& starts) {
    out_.varint(starts.size());
    for (const auto& [node, began] : starts) { put(node); put(began); }
  }
  /// Scopes whose branches come from outside.
  void put_foreign(const Run& run) {
    size_t count = 0;
    auto is_foreign = [](const Scope& s) { return !s.awaited.empty() || !s.given.empty(); };
    for (const auto& [id, scope] : run.scopes) count += is_foreign(scope) ? 1 : 0;
    out_.varint(count);
    for (const auto& [id, scope] : run.scopes) {
      if (!is_foreign(scope)) continue;
      put(id); put_all(scope.awaited); put_map(scope.given);
    }
  }
  /// Those of few tokens: where each of them stands, then what it is.
  void put_starts(const Run& run) {
    std::map<TokenId, StepStarts> of_tokens;
    for (const auto& [id, token] : run.tokens)
      if (!token.starts.empty()) of_tokens.emplace(id, token.starts);
    put_map(of_tokens);
    std::map<ScopeId, StepStarts> of_scopes;
    for (const auto& [id, scope] : run.scopes)
      if (!scope.starts.empty()) of_scopes.emplace(id, scope.starts);
    put_map(of_scopes);
    // By the merge's id, then the arrival's place.
    std::map<uint64_t, std::map<uint32_t, StepStarts>> of_arrivals;
    for (const auto& [id, key] : run.pending_merges) {
      const std::vector<Arrival>& arrivals = run.merges.at(key).arrivals;
      for (size_t i = 0; i < arrivals.size(); ++i)
        if (!arrivals[i].starts.empty())
          of_arrivals[id].emplace(static_cast<uint32_t>(i), arrivals[i].starts);
    }
    out_.varint(of_arrivals.size());
    for (const auto& [id, starts] : of_arrivals) { put(id); put_map(starts); }
  }

 private:
  ByteWriter& out_;
  std::map<const void*, size_t> contexts_;
  std::map<const void*, size_t> values_;    ///< by node
  std::map<std::string, size_t> contents_;  ///< by their bytes
};

class SnapshotReader : public FieldReader {
 public:
  explicit SnapshotReader(ByteReader& in) : FieldReader(in), in_(in) {}
  using FieldReader::take;

  void take(Value& value) {
    uint64_t number = in_.varint();
    if (number > values_.size() + 1) return in_.fail();
    bool known = number > 0 && number <= values_.size();
    value = known ? values_[number - 1] : in_.value();
    if (number == values_.size() + 1) values_.push_back(value);
  }

  void take(Context& context) {
    uint64_t number = in_.varint();
    if (number == 0) { context = Context(); return; }
    if (number <= contexts_.size()) { context = contexts_[number - 1]; return; }
    if (number != contexts_.size() + 1) return in_.fail();
    size_t count = in_.count();
    Context read;
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      Context::Key key = 0;
      Context::Entry entry;
      take(key); take(entry.rewrites); take(entry.value);
      if (key > (1u << 24)) return in_.fail();
      read = read.with_entry(key, std::move(entry));
    }
    contexts_.push_back(read);
    context = std::move(read);
  }
  void take(Token& t) {
    take(t.node); take(t.edge); take(t.lineage); take(t.parked); take(t.visit); take(t.attempt);
    take(t.gathers); take(t.since); take(t.due); take(t.context); take(t.payload);
    take(t.parameters);
  }
  void take(Branch& b) {
    take_set(b.tokens);
    take_set(b.scopes);
    take(b.merges);
    take_map(b.visits);
    take(b.arrived_edge); take(b.arrived);
  }
  void take(Slot& s) { take(s.outcome); take(s.value); }
  void take(Scope& s) {
    take(s.split); take(s.visit); take(s.outer); take(s.edge); take(s.base); take(s.payload);
    take(s.items); take(s.batch_size); take(s.total); take(s.max_parallel); take(s.started);
    take(s.resolved); take(s.failed); take(s.halt_on_item_error); take(s.closed);
    take(s.timed_out); take(s.opened_at); take(s.deadline);
    // So many can have been started; a number beyond is not believed.
    if (s.items.is_array() && s.total > s.items.size()) return in_.fail();
    for (size_t n = in_.count(), next = 0; n > 0 && in_.ok(); --n) {
      uint32_t item = 0;
      take(item);
      if (item < next || item >= s.total || !s.items.is_array()) return in_.fail();
      take(s.branches.add(item));
      next = item + size_t{1};
    }
    take_all(s.slots);
  }
  void take(Arrival& a) { take(a.edge); take(a.context); take(a.payload); }
  void take(MergeKey& k) { take(k.lineage); take(k.node); take(k.visit); }
  void take(Merge& m) {
    take(m.closed); take(m.id); take(m.since); take(m.deadline); take(m.parameters);
    take_all(m.arrivals); take(m.arrived); take(m.expected); take(m.missing);
  }
  void take(RunTimer& t) { take(t.due); take(t.kind); take(t.id); }
  void take(KeptSignal& s) { take(s.name); take(s.id); take(s.payload); take(s.at); }
  void take(Ended& e) { take(e.output); take(e.context); }
  void take(WaitKey& k) { take(k.source); take(k.number); }
  void take(StepEnd& e) { take(e.at); take(e.opened); take_set(e.signals); }
  void take(StepStarts& starts) { take_map(starts); }
  void take_foreign(Run& run) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      ScopeId id = 0;
      take(id);
      auto scope = run.scopes.find(id);
      if (scope == run.scopes.end()) return in_.fail();
      take_set(scope->second.awaited); take_map(scope->second.given);
    }
  }
  void take_starts(Run& run) {
    std::map<TokenId, StepStarts> of_tokens;
    take_map(of_tokens);
    for (auto& [id, starts] : of_tokens) {
      auto token = run.tokens.find(id);
      if (token == run.tokens.end()) return in_.fail();
      token->second.starts = std::move(starts);
    }
    std::map<ScopeId, StepStarts> of_scopes;
    take_map(of_scopes);
    for (auto& [id, starts] : of_scopes) {
      auto scope = run.scopes.find(id);
      if (scope == run.scopes.end()) return in_.fail();
      scope->second.starts = std::move(starts);
    }
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      uint64_t id = 0;
      std::map<uint32_t, StepStarts> of_arrivals;
      take(id); take_map(of_arrivals);
      auto key = run.pending_merges.find(id);
      auto merge =
          key == run.pending_merges.end() ? run.merges.end() : run.merges.find(key->second);
      for (auto& [place, starts] : of_arrivals) {
        if (merge == run.merges.end() || place >= merge->second.arrivals.size()) return in_.fail();
        merge->second.arrivals[place].starts = std::move(starts);
      }
    }
  }
  template <class T> void take_all(T& values) {
    values.resize(in_.count());
    for (auto& value : values) take(value);
  }
  template <class Set> void take_set(Set& values) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      typename Set::value_type value{};
      take(value);
      values.insert(std::move(value));
    }
  }
  template <class Map> void take_map(Map& values) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      typename Map::key_type key{};
      take(key);
      take(values[key]);
    }
  }

 private:
  ByteReader& in_;
  std::vector<Context> contexts_;
  std::vector<Value> values_;
};

/// Every field of a run except its definition, in one order for both directions.
template <class Fields, class R>
void plain_fields(Fields& f, R& run) {
  f(run.id); f(run.account); f(run.workflow); f(run.workflow_version); f(run.input);
  f(run.trigger); f(run.trigger_kind); f(run.labels); f(run.contact_id); f(run.parent);
  f(run.origin.run); f(run.origin.kind); f(run.run_key); f(run.request_hash); f(run.status);
  f(run.started_at); f(run.last_at); f(run.completed_at); f(run.timeout_at); f(run.paused_at);
  f(run.output); f(run.error); f(run.exit_reason); f(run.last_sequence); f(run.next_token);
  f(run.next_scope); f(run.activations); f(run.value_bytes); f(run.calls);
  f(run.orders); f(run.parent_ref); f(run.depth);
}

/// What came with the third form.
template <class Fields, class R>
void third_fields(Fields& f, R& run) {
  f(run.trace.parent); f(run.trace.state); f(run.trace.recorded); f(run.definitions);
}

}  // namespace

std::string encode_snapshot(const Run& run) {
  ByteWriter out;
  out.u8(snapshot_format);
  SnapshotWriter writer(out);
  auto put = [&](const auto& field) { writer.put(field); };
  plain_fields(put, run);
  writer.put_map(run.tokens);
  std::vector<TokenId> ready;
  for (TokenId id : run.ready)
    if (run.tokens.contains(id)) ready.push_back(id);
  writer.put(ready);
  writer.put(run.root);
  writer.put_map(run.scopes);
  writer.put_map(run.merges);
  writer.put_map(run.pending_merges);
  writer.put_all(run.timers);
  writer.put_all(run.signals);
  writer.put_all(run.signal_ids);
  writer.put_map(run.ended);
  writer.put_all(run.done);
  writer.put_all(run.skipped);
  writer.put_all(run.children);
  third_fields(put, run);
  writer.put_map(run.waits);
  writer.put_map(run.waits_opened);
  writer.put(run.started_by);
  writer.put_map(run.approvals);
  writer.put_map(run.event_ends);
  writer.put_starts(run);
  writer.put_all(run.goals);
  if (run.definition && run.definition->is_script()) {
    writer.put(run.script_begins);
    writer.put(run.script_ran);
    writer.put(run.script_progress);
    writer.put(run.script_ended_by);
    writer.put(run.script != nullptr);
    if (run.script) flow::encode_execution(*run.script, out);
    writer.put(run.script_faults);
    writer.put(run.script_retry_at);
    flow::encode_orders(run.script_orders, out);
  }
  writer.put(run.endings);
  writer.put(run.saga);
  writer.put(run.rolls_back);
  writer.put(run.fed);
  if (run.fed) writer.put_foreign(run);
  return out.take();
}

Outcome<Run> decode_snapshot(std::string_view bytes, graph::DefinitionRef definition) {
  ByteReader in(bytes);
  Run run;
  run.definition = std::move(definition);
  uint8_t form = in.u8();
  bool known = form >= oldest_format && form <= snapshot_format;
  SnapshotReader reader(in);
  auto take = [&](auto& field) { reader.take(field); };
  plain_fields(take, run);
  reader.take_map(run.tokens);
  std::vector<TokenId> ready;
  reader.take(ready);
  run.ready.assign(ready.begin(), ready.end());
  reader.take(run.root);
  reader.take_map(run.scopes);
  reader.take_map(run.merges);
  reader.take_map(run.pending_merges);
  reader.take_set(run.timers);
  reader.take_all(run.signals);
  reader.take_set(run.signal_ids);
  reader.take_map(run.ended);
  reader.take_set(run.done);
  reader.take_set(run.skipped);
  reader.take_set(run.children);
  if (form >= 3) third_fields(take, run);
  if (form >= 4) {
    reader.take_map(run.waits);
    reader.take_map(run.waits_opened);
  }
  if (form >= 5) {
    reader.take(run.started_by);
    reader.take_map(run.approvals);
  }
  if (form >= 5) {
    reader.take_map(run.event_ends);
    reader.take_starts(run);
  }
  if (form >= 5) reader.take_set(run.goals);
  if (run.definition && run.definition->is_script()) {
    reader.take(run.script_begins);
    reader.take(run.script_ran);
    reader.take(run.script_progress);
    reader.take(run.script_ended_by);
    bool lives = false;
    reader.take(lives);
    if (lives) run.script = std::make_shared<flow::Execution>();
    if (lives) flow::decode_execution(in, *run.script);
    if (form >= 4) {
      reader.take(run.script_faults);
      reader.take(run.script_retry_at);
      flow::decode_orders(in, run.script_orders);
    }
  }
  if (form >= 5) reader.take(run.endings);
  for (const auto& [key, wait] : run.waits) {
    run.waits_counted += counts_in_limit(wait) ? 1 : 0;
    run.wait_keys.emplace(wait.id, key);
  }
  if (form >= 6) {
    reader.take(run.saga);
    reader.take(run.rolls_back);
  }
  if (form >= 7) reader.take(run.fed);
  if (run.fed) reader.take_foreign(run);
  if (!known || !in.done())
    return fail(ErrorCode::data_damaged, "the stored state of a run cannot be read");
  return run;
}

}  // namespace fermata
