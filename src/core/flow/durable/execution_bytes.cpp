#include "core/flow/durable/execution_bytes.h"

#include "base/check.h"
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
template <class V> void list(V& v, ReadyFiber& f) { v(f.fiber); v.woken(f); }
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

template <class V> void list(V& v, SubmitTask& o) {
  v(o.number); v(o.name); v(o.input); v(o.options);
}
template <class V> void list(V& v, StartChild& o) {
  v(o.number); v(o.workflow); v(o.input); v(o.options); v(o.detached);
}
template <class V> void list(V& v, SendSignal& o) {
  v(o.number); v(o.run); v(o.name); v(o.payload);
}
template <class V> void list(V& v, OpenApproval& o) { v(o.number); v(o.request); }

/// What can be ordered anew; the position is the stored tag.
using Order = std::variant<SubmitTask, StartChild, SendSignal, OpenApproval>;

/// Added to the word for how a fiber goes on when the number of what it awaited follows.
constexpr uint8_t names_awaited = 0x10;

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
  template <class... T> void operator()(std::variant<T...>& either) {
    out_.u8(static_cast<uint8_t>(either.index()));
    std::visit([&](auto& body) { list(*this, body); }, either);
  }
  /// What it was parked at came later: the word for how it goes on says whether that follows.
  void woken(ReadyFiber& fiber) {
    uint8_t how = static_cast<uint8_t>(fiber.wake);
    out_.u8(fiber.awaited == 0 ? how : static_cast<uint8_t>(how + names_awaited));
    if (fiber.awaited != 0) out_.varint(fiber.awaited);
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
  template <class... T> void operator()(std::variant<T...>& either) {
    size_t index = in_.u8();
    if (index >= sizeof...(T)) return in_.fail();
    emplace(either, index, std::index_sequence_for<T...>());
    std::visit([&](auto& body) { list(*this, body); }, either);
  }
  void woken(ReadyFiber& fiber) {
    uint8_t how = in_.u8();
    bool named = how >= names_awaited;
    how = static_cast<uint8_t>(named ? how - names_awaited : how);
    if (how > static_cast<uint8_t>(Wake::verdict)) return in_.fail();
    fiber.wake = static_cast<Wake>(how);
    if (named) fields_.take(fiber.awaited);
  }
  void plain(int& value) {
    int64_t wide = in_.zigzag();
    if (wide < 0 || wide > INT32_MAX) return in_.fail();
    value = static_cast<int>(wide);
  }
  template <class T> void plain(T& value) { fields_.take(value); }

 private:
  template <class Either, size_t... I>
  static void emplace(Either& either, size_t index, std::index_sequence<I...>) {
    ((index == I ? void(either.template emplace<I>()) : void()), ...);
  }
  ByteReader& in_;
  FieldReader fields_;
};

}  // namespace

void encode_orders(const std::vector<Outgoing>& orders, ByteWriter& out) {
  Writer writer(out);
  out.varint(orders.size());
  for (const Outgoing& order : orders) {
    Place place = order.place;
    writer(place);
    std::visit(
        [&](const auto& body) {
          if constexpr (requires(Order& one) { one = body; }) {
            Order one = body;
            writer(one);
          } else {
            check(false);
          }
        },
        order.what);
  }
}

void decode_orders(ByteReader& in, std::vector<Outgoing>& orders) {
  Reader reader(in);
  for (size_t n = in.count(); n > 0 && in.ok(); --n) {
    Outgoing& order = orders.emplace_back();
    Order one;
    reader(order.place);
    reader(one);
    std::visit([&](auto& body) { order.what = std::move(body); }, one);
  }
}

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
