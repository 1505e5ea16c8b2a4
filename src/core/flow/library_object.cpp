#include <map>

#include "core/flow/library_call.h"

namespace fermata::flow::natives {

namespace {

Datum pair(Machine& machine, Datum first, Datum second) {
  return machine.heap().array({first, second});
}

/// A deep copy that shares inside what the original shares, circles included.
class Cloning {
 public:
  explicit Cloning(Machine& machine) : machine_(machine) {}

  Datum copy(const Datum& given, int depth) {
    Datum source = machine_.current(given);
    if (!source.is_array() && !source.is_object()) return source;
    if (depth > library_nesting_max) return machine_.throw_type("clone: nested too deeply");
    const void* identity = source.is_heap() ? static_cast<const void*>(source.heap) : source.json;
    if (auto made = made_.find(identity); made != made_.end()) return made->second;
    if (!machine_.charge(1)) return {};
    return source.is_array() ? copy_array(source, identity, depth)
                             : copy_object(source, identity, depth);
  }

 private:
  Datum copy_array(const Datum& source, const void* identity, int depth) {
    Datum out = machine_.heap().array({});
    made_[identity] = out;
    auto& array = *static_cast<ArrayObject*>(out.heap);
    for (const Datum& item : machine_.array_items(source)) {
      Datum inner = copy(item, depth + 1);
      if (machine_.stopped() || machine_.heap().over()) return {};
      machine_.append(array, inner);
    }
    return out;
  }

  Datum copy_object(const Datum& source, const void* identity, int depth) {
    auto* object = machine_.heap().make<MapObject>();
    Datum out = Heap::datum(object);
    made_[identity] = out;
    size_t size = machine_.object_size(source);
    if (!machine_.charge(size)) return {};
    for (size_t i = 0; i < size; ++i) {
      auto [key, value] = machine_.object_entry(source, i);
      Datum inner = copy(value, depth + 1);
      if (machine_.stopped() || machine_.heap().over()) return {};
      machine_.put(*object, key, inner);
    }
    return out;
  }

  Machine& machine_;
  std::map<const void*, Datum> made_;  ///< looked up only, never walked
};

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
  return Cloning(machine).copy(arguments[0], 0);
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
