#include <algorithm>

#include "core/flow/durable/reach.h"
#include "core/flow/machine.h"

namespace fermata::flow {

namespace {

/// Slots that belong to no variable at this point of the function hold what nobody can name.
void clear_dead_slots(const Frame& frame, std::vector<Datum>& stack) {
  const Function& function = *frame.function;
  auto next = function.index_of(frame.next);
  std::vector<bool> live(function.slots, false);
  for (const Function::Local& local : function.locals) {
    if (local.from <= next && next < local.to) live[local.slot] = true;
  }
  for (uint32_t slot = 0; slot < function.slots; ++slot) {
    if (!live[slot]) stack[frame.base + slot] = Datum::unset();
  }
}

/// What a loop has been through is never asked for again.
void drop_consumed(IteratorObject& iterator) {
  if (iterator.items.empty()) return;
  iterator.items.erase(iterator.items.begin(),
                       iterator.items.begin() + static_cast<std::ptrdiff_t>(iterator.position));
  iterator.position = 0;
}

bool holds_any(const Value& root, const std::vector<const Value*>& sorted) {
  std::vector<const Value*> open{&root};
  while (!open.empty()) {
    const Value* next = open.back();
    open.pop_back();
    if (std::ranges::binary_search(sorted, next)) return true;
    if (next->is_array()) {
      for (const Value& item : next->items()) open.push_back(&item);
    } else if (next->is_object()) {
      for (const Value::Member& member : next->members()) {
        // Keys of JSON that was walked are values, too.
        open.push_back(&member.key);
        open.push_back(&member.value);
      }
    }
  }
  return false;
}

}  // namespace

void Machine::tidy() {
  result_ = {};
  thrown_value_ = {};
  for (auto& [number, fiber] : fibers_) {
    for (const Frame& frame : fiber.frames) clear_dead_slots(frame, fiber.stack);
  }
}

void Machine::keep_only(const Reach& reach) {
  adopted_ = reach.changes();
  for (const auto& [number, fiber] : fibers_) {
    for (const Datum& datum : fiber.stack) heap_.mark(datum);
    for (const Frame& frame : fiber.frames) heap_.mark(frame.closure);
  }
  for (HeapObject* object : reach.objects()) {
    if (object->kind == Tag::iterator) drop_consumed(static_cast<IteratorObject&>(*object));
    heap_.mark(object);
  }
  heap_.trace();
  std::erase_if(awaitables_, [](const auto& one) { return !one.second->marked; });
  heap_.sweep();
  if (kept_.empty()) return;
  std::vector<const Value*> used = reach.json();
  used.insert(used.end(), reach.texts().begin(), reach.texts().end());
  for (const auto& [place, copy] : reach.changes()) used.push_back(place);
  std::ranges::sort(used);
  std::erase_if(kept_, [&](const Kept& kept) {
    if (holds_any(*kept.value, used)) return false;
    heap_.unpin(kept.bytes);
    return true;
  });
}

}  // namespace fermata::flow
