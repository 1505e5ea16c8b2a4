#include "core/flow/durable/library_options.h"

/// all, any, race and settled, each from an array or an object (F-29).
namespace fermata::flow::natives {

namespace {

uint32_t number_of(const Datum& item) {
  return item.tag == Tag::awaitable ? static_cast<AwaitableObject*>(item.heap)->number : 0;
}

struct Form {
  AwaitableKind kind;
  Composite::Shape shape;
  std::string_view called;
};

/// The values under the composite, in order; the names of an object's go to its keys.
std::vector<Datum> items_of(Machine& machine, const Datum& given, Composite& composite) {
  if (given.is_array()) return machine.array_items(given);
  std::vector<Datum> out;
  composite.object = true;
  size_t size = machine.object_size(given);
  if (!machine.charge(size)) return out;
  for (size_t i = 0; i < size; ++i) {
    auto [key, value] = machine.object_entry(given, i);
    composite.keys.emplace_back(text_of(key));
    out.push_back(value);
  }
  return out;
}

Datum open_composite(Machine& machine, Arguments arguments, Form form) {
  Call call(machine, arguments);
  Datum given = call.any(0);
  if (!given.is_array() && !given.is_object()) {
    return machine.throw_argument(std::string(form.called) + " takes an array or an object, not " +
                                  std::string(Machine::type_name(given)));
  }
  Options options(machine, call.any(1), form.called, {"cancel"});
  Awaitable record;
  record.kind = form.kind;
  record.composite.shape = form.shape;
  record.composite.cancel = options.flag("cancel");
  std::vector<Datum> items = items_of(machine, given, record.composite);
  if (options.failed()) return {};
  if (items.empty() && form.kind == AwaitableKind::race) {
    return machine.throw_argument(std::string(form.called) + " of nothing would never settle");
  }
  Activation& activation = machine.activation();
  if (!activation.room_for_awaitable()) return {};
  record.composite.items.reserve(items.size());
  for (const Datum& item : items) record.composite.items.push_back(number_of(item));
  record.place = machine.here();
  uint32_t number = activation.ledger().open_composite(std::move(record));
  AwaitableObject& object = machine.awaitable(number);
  machine.heap().grow(object, items.size() * sizeof(Datum));
  object.items = std::move(items);
  return Heap::datum(&object);
}

}  // namespace

Datum await_all(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::all, Composite::Shape::bare, "Task.all"});
}
Datum await_settled(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::settled, Composite::Shape::bare, "Task.allSettled"});
}
Datum task_any(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::any, Composite::Shape::item, "Task.any"});
}
Datum task_race(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::race, Composite::Shape::item, "Task.race"});
}
Datum promise_any(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::any, Composite::Shape::bare, "Promise.any"});
}
Datum promise_any_kv(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::any, Composite::Shape::kv, "Promise.any_kv"});
}
Datum promise_race(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::race, Composite::Shape::bare, "Promise.race"});
}
Datum promise_race_kv(Machine& machine, Arguments arguments) {
  return open_composite(machine, arguments,
                        {AwaitableKind::race, Composite::Shape::kv, "Promise.race_kv"});
}

}  // namespace fermata::flow::natives
