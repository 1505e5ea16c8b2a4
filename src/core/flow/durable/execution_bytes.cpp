#include "core/flow/durable/execution_bytes.h"

#include "base/fields.h"

namespace fermata::flow {

namespace {

// Every record lists its fields once, in one order for both directions.

template <class V, class T> void list(V& v, T& value) { v.plain(value); }
template <class V> void list(V& v, Place& p) { v(p.function); v(p.line); v(p.column); }
template <class V> void list(V& v, SignalWait& w) {
  v(w.match); v(w.place); v(w.signal); v(w.taken);
}
template <class V> void list(V& v, Composite& c) {
  v(c.shape); v(c.object); v(c.cancel); v(c.waits); v(c.open); v(c.winner); v(c.items); v(c.keys);
}
template <class V> void list(V& v, Awaitable& a) {
  v(a.kind); v(a.status); v(a.on_parent_end); v(a.given_whole); v(a.delivered); v(a.observed);
  v(a.lost); v(a.sequence); v(a.name); v(a.result); v(a.due); v(a.otherwise); v(a.composites);
  v(a.fibers); v(a.place);
  if (a.kind == AwaitableKind::signal) v(a.wait);
  if (is_composite(a.kind)) v(a.composite);
}
template <class V> void list(V& v, FlowError& e) {
  v(e.code); v(e.message); v(e.details); v(e.cause); v(e.line); v(e.column);
}
template <class V> void list(V& v, KeptSignal& s) { v(s.payload); v(s.wait); }
template <class V> void list(V& v, Mailbox& m) { v(m.kept); v(m.waits); }
template <class V> void list(V& v, ReadyFiber& f) { v(f.fiber); v(f.wake); }
template <class V> void list(V& v, ParkedFiber& f) { v(f.awaiting); v(f.stamp); v(f.place); }
template <class V> void list(V& v, OpenActivation& a) {
  v(a.now); v(a.random); v(a.fuel_used); v(a.log_lines);
}
template <class V> void list(V& v, std::pair<Instant, uint32_t>& alarm) {
  v(alarm.first); v(alarm.second);
}
template <class V> void list(V& v, SettleAwaitable& c) { v(c.number); v(c.status); v(c.result); }
template <class V> void list(V& v, FireTimer& c) { v(c.number); }
template <class V> void list(V& v, ReceiveSignal& c) { v(c.name); v(c.payload); }
template <class V> void list(V& v, CancelAwaitable& c) { v(c.number); v(c.reason); }
template <class V> void list(V& v, EndFlow& c) { v(c.end); v(c.reason); v(c.force); }
template <class V> void list(V& v, FailFlow& c) { v(c.error); }
template <class V> void list(V& v, Execution& e) {
  v(e.run_id); v(e.inputs); v(e.context); v(e.started); v(e.end); v(e.output); v(e.error);
  v(e.unwinding); v(e.reason); v(e.grace_until); v(e.last_number); v(e.pending);
  v(e.last_sequence); v(e.last_signal); v(e.last_place); v(e.last_stamp); v(e.signals_kept);
  v(e.result_bytes); v(e.activations); v(e.fuel); v(e.warned_of_size); v(e.awaitables);
  v(e.mailboxes); v(e.parked); v(e.alarms); v(e.ready); v(e.unwinding_fibers); v(e.doomed);
  v(e.open); v(e.deferred); v(e.snapshot);
}

class Writer {
 public:
  explicit Writer(ByteWriter& out) : out_(out), fields_(out) {}

  template <class T> void operator()(T& value) { list(*this, value); }
  template <class T> void operator()(std::optional<T>& value) {
    out_.u8(value ? 1 : 0);
    if (value) (*this)(*value);
  }
  template <class T> void operator()(std::vector<T>& values) { each(values); }
  template <class T> void operator()(std::set<T>& values) { each(values); }
  template <class K, class T, class C> void operator()(std::map<K, T, C>& values) {
    out_.varint(values.size());
    for (auto& [key, value] : values) {
      (*this)(const_cast<K&>(key));
      (*this)(value);
    }
  }
  void operator()(FlowCommand& command) {
    out_.u8(static_cast<uint8_t>(command.index()));
    std::visit([&](auto& body) { list(*this, body); }, command);
  }
  void plain(int& value) { out_.zigzag(value); }
  template <class T> void plain(T& value) { fields_.put(value); }

 private:
  template <class T> void each(T& values) {
    out_.varint(values.size());
    for (auto& value : values) (*this)(const_cast<typename T::value_type&>(value));
  }
  ByteWriter& out_;
  FieldWriter fields_;
};

class Reader {
 public:
  explicit Reader(ByteReader& in) : in_(in), fields_(in) {}

  template <class T> void operator()(T& value) { list(*this, value); }
  template <class T> void operator()(std::optional<T>& value) {
    if (in_.u8() == 0) return value.reset();
    (*this)(value.emplace());
  }
  template <class T> void operator()(std::vector<T>& values) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) (*this)(values.emplace_back());
  }
  template <class T> void operator()(std::set<T>& values) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      T value{};
      (*this)(value);
      values.insert(std::move(value));
    }
  }
  template <class K, class T, class C> void operator()(std::map<K, T, C>& values) {
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      K key{};
      (*this)(key);
      (*this)(values[std::move(key)]);
    }
  }
  void operator()(FlowCommand& command) {
    size_t index = in_.u8();
    if (index >= std::variant_size_v<FlowCommand>) return in_.fail();
    emplace(command, index, std::make_index_sequence<std::variant_size_v<FlowCommand>>());
    std::visit([&](auto& body) { list(*this, body); }, command);
  }
  void plain(int& value) {
    int64_t wide = in_.zigzag();
    if (wide < 0 || wide > INT32_MAX) return in_.fail();
    value = static_cast<int>(wide);
  }
  template <class T> void plain(T& value) { fields_.take(value); }

 private:
  template <size_t... I>
  static void emplace(FlowCommand& command, size_t index, std::index_sequence<I...>) {
    ((index == I ? void(command.emplace<I>()) : void()), ...);
  }
  ByteReader& in_;
  FieldReader fields_;
};

}  // namespace

void encode_execution(const Execution& execution, ByteWriter& out) {
  Writer writer(out);
  // The lists visit fields by reference; writing does not change them.
  writer(const_cast<Execution&>(execution));
}

void decode_execution(ByteReader& in, Execution& execution) {
  Reader reader(in);
  reader(execution);
}

}  // namespace fermata::flow
