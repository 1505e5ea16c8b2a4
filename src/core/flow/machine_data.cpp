#include "core/flow/machine.h"

/// Arrays and objects, whether they are the script's own or JSON it was given.
namespace fermata::flow {

Datum Machine::current(const Datum& datum) const {
  bool changeable = datum.tag == Tag::json_array || datum.tag == Tag::json_object;
  if (!changeable || adopted_.empty()) return datum;
  auto found = adopted_.find(datum.json);
  return found == adopted_.end() ? datum : Heap::datum(found->second);
}

size_t Machine::array_size(const Datum& array) const {
  Datum now = current(array);
  if (now.tag == Tag::json_array) return now.json->size();
  return static_cast<ArrayObject*>(now.heap)->items.size();
}

Datum Machine::array_item(const Datum& array, size_t index) const {
  Datum now = current(array);
  if (now.tag == Tag::json_array) return Datum::of(now.json->items()[index]);
  return static_cast<ArrayObject*>(now.heap)->items[index];
}

/// A copy of the list; charges for its length.
std::vector<Datum> Machine::array_items(const Datum& array) {
  Datum now = current(array);
  std::vector<Datum> out;
  size_t size = array_size(now);
  if (!charge(size / bytes_per_step) || !memory_fits(size * sizeof(Datum))) return out;
  if (now.tag == Tag::array) return static_cast<ArrayObject*>(now.heap)->items;
  out.reserve(size);
  for (const Value& item : now.json->items()) out.push_back(Datum::of(item));
  return out;
}

size_t Machine::object_size(const Datum& object) const {
  Datum now = current(object);
  if (now.tag == Tag::json_object) return now.json->size();
  return static_cast<MapObject*>(now.heap)->entries().size();
}

std::pair<Datum, Datum> Machine::object_entry(const Datum& object, size_t index) const {
  Datum now = current(object);
  if (now.tag == Tag::json_object) {
    const Value::Member& member = now.json->members()[index];
    return {Datum::of(member.key), Datum::of(member.value)};
  }
  const auto& entry = static_cast<MapObject*>(now.heap)->entries()[index];
  return {entry.key, entry.value};
}

std::optional<Datum> Machine::object_find(const Datum& object, std::string_view key) const {
  Datum now = current(object);
  if (now.tag == Tag::json_object) {
    const Value* found = now.json->find(key);
    return found == nullptr ? std::nullopt : std::optional(Datum::of(*found));
  }
  const Datum* found = static_cast<const MapObject*>(now.heap)->find(key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// The array itself, or the copy that takes the place of given JSON from now on.
ArrayObject& Machine::own_array(const Datum& array) {
  Datum now = current(array);
  if (now.tag == Tag::array) return *static_cast<ArrayObject*>(now.heap);
  auto* copy = static_cast<ArrayObject*>(heap_.array(array_items(now)).heap);
  adopted_[now.json] = copy;
  return *copy;
}

MapObject& Machine::own_object(const Datum& object) {
  Datum now = current(object);
  if (now.tag == Tag::object) return *static_cast<MapObject*>(now.heap);
  auto* copy = heap_.make<MapObject>();
  if (charge(now.json->size())) {
    for (const Value::Member& member : now.json->members()) {
      put(*copy, Datum::of(member.key), Datum::of(member.value));
    }
  }
  adopted_[now.json] = copy;
  return *copy;
}

void Machine::put(MapObject& object, const Datum& key, const Datum& value) {
  if (Datum* found = object.find(text_of(key))) {
    *found = value;
    return;
  }
  object.append(key, value);
  heap_.grow(object, sizeof(MapObject::Entry) + sizeof(uint32_t) * 2);
}

void Machine::append(ArrayObject& array, const Datum& item) {
  if (!list_fits(array.items.size() + 1)) return;
  array.items.push_back(item);
  heap_.grow(array, sizeof(Datum));
}

void Machine::op_new_array(const Instruction& in) {
  std::vector<Datum> items(stack_.end() - in.a, stack_.end());
  stack_.drop(in.a);
  stack_.push(heap_.array(std::move(items)));
}

void Machine::op_append(const Instruction&) {
  Datum item = stack_.pop();
  if (stack_.back().tag != Tag::array) return end(Verdict::damaged);
  append(*static_cast<ArrayObject*>(stack_.back().heap), item);
}

void Machine::op_append_spread(const Instruction&) {
  Datum source = list_of(stack_.pop(), "`...` takes an array or a string here");
  if (stopped()) return;
  if (stack_.back().tag != Tag::array) return end(Verdict::damaged);
  auto& array = *static_cast<ArrayObject*>(stack_.back().heap);
  for (const Datum& item : array_items(source)) append(array, item);
}

void Machine::op_new_object(const Instruction&) {
  stack_.push(Heap::datum(heap_.make<MapObject>()));
}

void Machine::op_put_member(const Instruction& in) {
  Datum value = stack_.pop();
  const Value& name = frames_.back().function->program->constants[in.c];
  if (stack_.back().tag != Tag::object) return end(Verdict::damaged);
  put(*static_cast<MapObject*>(stack_.back().heap), Datum::of(name), value);
}

void Machine::op_put_index(const Instruction&) {
  Datum value = stack_.pop();
  Datum key = stack_.pop();
  auto name = key_text(key);
  if (stack_.back().tag != Tag::object) return end(Verdict::damaged);
  if (name) put(*static_cast<MapObject*>(stack_.back().heap), *name, value);
}

void Machine::op_put_spread(const Instruction&) {
  Datum source = current(stack_.pop());
  if (source.is_null()) return;
  if (!source.is_object()) {
    throw_type("`...` in an object takes an object or null, not " + std::string(type_name(source)));
    return;
  }
  if (stack_.back().tag != Tag::object) return end(Verdict::damaged);
  copy_entries(*static_cast<MapObject*>(stack_.back().heap), source);
}

void Machine::copy_entries(MapObject& to, const Datum& from) {
  size_t size = object_size(from);
  if (!charge(size)) return;
  for (size_t i = 0; i < size; ++i) {
    auto [key, value] = object_entry(from, i);
    put(to, key, value);
  }
}

}  // namespace fermata::flow
