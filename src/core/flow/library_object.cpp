#include "core/flow/library_call.h"

namespace fermata::flow::natives {

namespace {

Datum pair(Machine& machine, Datum first, Datum second) {
  return machine.heap().array({first, second});
}

/// A deep copy; sharing inside is not kept, circles are refused.
Datum clone(Machine& machine, const Datum& given, int depth) {
  Datum source = machine.current(given);
  if (depth > library_nesting_max)
    return machine.throw_type("clone: nested too deeply, or in a circle");
  if (!machine.charge(1)) return {};
  if (source.is_array()) {
    std::vector<Datum> items = machine.array_items(source);
    for (Datum& item : items) {
      item = clone(machine, item, depth + 1);
      if (machine.stopped()) return {};
    }
    return machine.heap().array(std::move(items));
  }
  if (!source.is_object()) return source;
  auto* copy = machine.heap().make<MapObject>();
  size_t size = machine.object_size(source);
  for (size_t i = 0; i < size; ++i) {
    auto [key, value] = machine.object_entry(source, i);
    Datum inner = clone(machine, value, depth + 1);
    if (machine.stopped() || machine.heap().over()) return {};
    machine.put(*copy, key, inner);
  }
  return Heap::datum(copy);
}

}  // namespace

Datum object_keys(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum object = call.object(0);
  if (call.failed() || !machine.charge(machine.object_size(object))) return {};
  std::vector<Datum> out;
  for (size_t i = 0; i < machine.object_size(object); ++i) {
    out.push_back(machine.object_entry(object, i).first);
  }
  return machine.heap().array(std::move(out));
}

Datum object_values(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum object = call.object(0);
  if (call.failed() || !machine.charge(machine.object_size(object))) return {};
  std::vector<Datum> out;
  for (size_t i = 0; i < machine.object_size(object); ++i) {
    out.push_back(machine.object_entry(object, i).second);
  }
  return machine.heap().array(std::move(out));
}

Datum object_entries(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum object = call.object(0);
  if (call.failed() || !machine.charge(machine.object_size(object))) return {};
  std::vector<Datum> out;
  for (size_t i = 0; i < machine.object_size(object); ++i) {
    auto [key, value] = machine.object_entry(object, i);
    out.push_back(pair(machine, key, value));
  }
  return machine.heap().array(std::move(out));
}

Datum object_from_entries(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum entries = call.array(0);
  if (call.failed() || !machine.charge(machine.array_size(entries))) return {};
  auto* out = machine.heap().make<MapObject>();
  for (size_t i = 0; i < machine.array_size(entries); ++i) {
    Datum entry = machine.array_item(entries, i);
    bool fits = entry.is_array() && machine.array_size(entry) == 2;
    Datum key = fits ? machine.array_item(entry, 0) : Datum();
    if (!fits || !(key.is_text() || key.is_number())) {
      return machine.throw_argument("fromEntries takes an array of [key, value]");
    }
    if (key.is_number()) key = machine.text(machine.to_text(key));
    if (machine.stopped()) return {};
    machine.put(*out, key, machine.array_item(entry, 1));
  }
  return Heap::datum(out);
}

Datum object_assign(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum target = call.object(0);
  if (call.failed()) return {};
  MapObject& own = machine.own_object(target);
  for (size_t i = 1; i < call.size(); ++i) {
    if (!call.has(i)) continue;
    Datum source = call.object(i);
    if (call.failed()) return {};
    if (!(source.tag == Tag::object && source.heap == &own)) machine.copy_entries(own, source);
  }
  return Heap::datum(&own);
}

Datum object_has_own(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum object = call.object(0);
  bool is_key = arguments[1].is_text() || arguments[1].is_number();
  if (!is_key) return machine.throw_argument("argument 2 must be a string or a number");
  if (call.failed()) return {};
  return Datum::of(machine.object_find(object, machine.to_text(arguments[1])).has_value());
}

Datum object_clone(Machine& machine, Arguments arguments) {
  return clone(machine, arguments[0], 0);
}

Datum object_equals(Machine& machine, Arguments arguments) {
  return Datum::of(machine.equal(arguments[0], arguments[1]));
}

Datum object_is(Machine& machine, Arguments arguments) {
  return Datum::of(Machine::same(machine.current(arguments[0]), machine.current(arguments[1])));
}

Datum error_new(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum message = call.has(0) ? call.any(0) : machine.text("");
  if (!message.is_text()) message = machine.text(machine.to_text(message));
  Datum made = machine.make_error("ERROR", message);
  if (!call.has(1)) return made;
  Datum options = call.object(1);
  if (call.failed()) return {};
  auto& error = *static_cast<ErrorObject*>(made.heap);
  if (auto code = machine.object_find(options, "code"); code && !code->is_null()) {
    if (!code->is_text()) return machine.throw_argument("the code of an error must be a string");
    error.code = *code;
  }
  if (auto details = machine.object_find(options, "details")) error.details = *details;
  if (auto cause = machine.object_find(options, "cause")) error.cause = *cause;
  return made;
}

}  // namespace fermata::flow::natives
