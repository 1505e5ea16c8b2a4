#include "core/flow/durable/reach.h"

namespace fermata::flow {

Reach::Reach(const Machine& machine) : machine_(machine) {
  see_roots();
  for (const auto& [number, fiber] : machine.fibers_) {
    size_t next = 0;
    for (const Frame& frame : fiber.frames) {
      for (; next < frame.base; ++next) see(fiber.stack[next]);
      see(frame.closure);
    }
    for (; next < fiber.stack.size(); ++next) see(fiber.stack[next]);
  }
  // The list grows while it is walked.
  for (size_t i = 0; i < objects_.size(); ++i) follow(*objects_[i]);
}

/// The script can read `Inputs` and `Context` at any time, and so what it has changed in them.
void Reach::see_roots() {
  if (machine_.adopted_.empty()) return;
  for (size_t i = 0; i < machine_.program_.roots.size(); ++i) {
    const Machine::Root& root =
        machine_.many_roots_ ? machine_.many_roots_[i] : machine_.few_roots_[i];
    if (root.present) see(Datum::of(root.value));
  }
}

void Reach::see(const Datum& given) {
  Datum datum = machine_.current(given);
  if (datum.tag != given.tag) changed_[given.json] = datum.heap;
  if (datum.tag == Tag::json_array || datum.tag == Tag::json_object) {
    look_into(*datum.json);
  } else if (datum.tag == Tag::json_text) {
    texts_.push_back(datum.json);
  } else if (datum.is_heap() && datum.tag != Tag::text) {
    see(datum.heap);
  }
}

void Reach::see(HeapObject* object) {
  if (object == nullptr || object->number != 0) return;
  objects_.push_back(object);
  object->number = static_cast<uint32_t>(objects_.size());
}

Reach::~Reach() {
  for (HeapObject* object : objects_) object->number = 0;
}

/// Notes the JSON, and follows the places inside it that the script has changed.
void Reach::look_into(const Value& root) {
  auto [seen, added] = looked_into_.try_emplace(&root, true);
  if (!added && seen->second) return;
  seen->second = true;
  json_.push_back(&root);
  if (machine_.adopted_.empty()) return;
  std::vector<const Value*> open{&root};
  auto enter = [&](const Value& part) {
    if (!part.is_array() && !part.is_object()) return;
    auto changed = machine_.adopted_.find(&part);
    if (changed != machine_.adopted_.end()) {
      changed_[&part] = changed->second;
      see(changed->second);
    } else if (looked_into_.try_emplace(&part, false).second) {
      open.push_back(&part);
    }
  };
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.is_array()) {
      for (const Value& item : next.items()) enter(item);
    } else {
      for (const Value::Member& member : next.members()) enter(member.value);
    }
  }
}

bool Reach::tells_source(const Machine& machine, const IteratorObject& iterator) {
  if (iterator.source.is_text()) return true;
  return iterator.source.tag == Tag::json_array &&
         machine.current(iterator.source).tag == Tag::json_array;
}

std::vector<Datum> Reach::items_to_come(const Machine&, const IteratorObject& iterator) {
  std::vector<Datum> out;
  if (iterator.source.tag == Tag::json_array) {
    auto items = iterator.source.json->items();
    for (size_t i = iterator.position; i < items.size(); ++i) out.push_back(Datum::of(items[i]));
    return out;
  }
  for (size_t i = iterator.position; i < iterator.items.size(); ++i) {
    out.push_back(iterator.items[i]);
  }
  return out;
}

void Reach::follow(HeapObject& object) {
  switch (object.kind) {
    case Tag::array:
      for (const Datum& item : static_cast<ArrayObject&>(object).items) see(item);
      break;
    case Tag::object:
      for (const auto& entry : static_cast<MapObject&>(object).entries()) {
        see(entry.key);  // may lie in JSON that was spread
        see(entry.value);
      }
      break;
    case Tag::error: {
      auto& error = static_cast<ErrorObject&>(object);
      for (const Datum& part :
           {error.code, error.message, error.details, error.cause, error.stack, error.extra}) {
        see(part);
      }
      break;
    }
    case Tag::closure:
      for (CellObject* cell : static_cast<ClosureObject&>(object).cells) see(cell);
      break;
    case Tag::bound: see(static_cast<BoundObject&>(object).receiver); break;
    case Tag::cell: see(static_cast<CellObject&>(object).value); break;
    case Tag::iterator: {
      auto& iterator = static_cast<IteratorObject&>(object);
      if (tells_source(machine_, iterator)) {
        see(iterator.source);
      } else {
        for (const Datum& item : items_to_come(machine_, iterator)) see(item);
      }
      break;
    }
    case Tag::awaitable: {
      auto& awaitable = static_cast<AwaitableObject&>(object);
      see(awaitable.outcome);
      for (const Datum& item : awaitable.items) see(item);
      break;
    }
    default: break;
  }
}

}  // namespace fermata::flow
