#include "core/flow/quick.h"

/// Members of objects and elements of arrays that the script made itself.
namespace fermata::flow {

namespace {

using From = Quick::From;
using To = Quick::To;

/// The place of a member whose key is that very constant, which is what keys written in the script
/// are; nullptr for all others.
Datum* own_member(const Datum& object, const Value* key) {
  if (object.tag != Tag::object) return nullptr;
  return static_cast<MapObject*>(object.heap)->find_same(key);
}

/// The place of a member by the letters of its key, also where a copy has taken the place of JSON.
Datum* changeable_member(const Machine& m, const Datum& object, const Value* key) {
  if (!object.is_object()) return nullptr;
  Datum now = m.current(object);
  if (now.tag != Tag::object) return nullptr;
  return static_cast<MapObject*>(now.heap)->find(key->as_string());
}

/// The member of any object, of JSON that nobody has changed, too. False when it is not there.
bool any_member(const Machine& m, const Datum& object, const Value* key, Datum& out) {
  if (const Datum* found = changeable_member(m, object, key)) {
    out = *found;
    return true;
  }
  if (object.tag != Tag::json_object || m.current(object).tag != Tag::json_object) return false;
  const Value* found = object.json->find(key->as_string());
  if (found != nullptr) out = Datum::of(*found);
  return found != nullptr;
}

/// The place of an element that exists; nullptr for all others.
Datum* element_of(const Datum& array, const Datum& key) {
  if (array.tag != Tag::array) return nullptr;
  auto& items = static_cast<ArrayObject*>(array.heap)->items;
  size_t index = 0;
  if (key.tag == Tag::integer) {
    index = static_cast<size_t>(key.integer);  // a negative one is beyond every end
  } else {
    if (key.tag != Tag::number) return nullptr;
    if (!(key.number >= 0 && key.number < static_cast<double>(items.size()))) return nullptr;
    index = static_cast<size_t>(key.number);
    if (static_cast<double>(index) != key.number) return nullptr;
  }
  return index < items.size() ? &items[index] : nullptr;
}

/// For members that are not found at once.
template <From object, bool keep>
void read_any_member(FLOW_STEP) {
  constexpr bool replace = object == From::stack && !keep;
  Datum found;
  bool known = any_member(m, object == From::slot ? base[at->left] : top[-1], at->text, found);
  if (!known || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  top += !replace;
  Quick::copy(top[-1], found);
  FLOW_RUN(at->next);
}

/// The object in a slot or on the stack; on the stack it may stay under its member.
template <From object, bool keep>
void read_member(FLOW_STEP) {
  constexpr bool replace = object == From::stack && !keep;
  const Datum* found = own_member(object == From::slot ? base[at->left] : top[-1], at->text);
  if (found == nullptr || fuel < at->cost) [[unlikely]] {
    [[clang::musttail]] return read_any_member<object, keep>(m, at, top, base, fuel);
  }
  fuel -= at->cost;
  top += !replace;
  Quick::copy(top[-1], *found);
  FLOW_RUN(at->next);
}

/// How many items an array has. That of a text is counted, which costs.
template <From object>
void read_length(FLOW_STEP) {
  const Datum& array = object == From::slot ? base[at->left] : top[-1];
  if (array.tag != Tag::array || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  size_t length = static_cast<ArrayObject*>(array.heap)->items.size();
  top += object == From::slot;
  top[-1].tag = Tag::integer;
  top[-1].integer = static_cast<int64_t>(length);
  FLOW_RUN(at->next);
}

template <bool drop>
void write_any_member(FLOW_STEP) {
  Datum* found = changeable_member(m, top[-2], at->text);
  if (found == nullptr || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*found, top[-1]);
  if (!drop) Quick::copy(top[-2], top[-1]);
  top -= drop ? 2 : 1;
  FLOW_RUN(at->next);
}

template <bool drop>
void write_member(FLOW_STEP) {
  Datum* found = own_member(top[-2], at->text);
  if (found == nullptr || fuel < at->cost) [[unlikely]] {
    [[clang::musttail]] return write_any_member<drop>(m, at, top, base, fuel);
  }
  fuel -= at->cost;
  Quick::copy(*found, top[-1]);
  if (!drop) Quick::copy(top[-2], top[-1]);
  top -= drop ? 2 : 1;
  FLOW_RUN(at->next);
}

template <From object, From key>
void read_element(FLOW_STEP) {
  constexpr int on_stack = (object == From::stack) + (key == From::stack);
  const Datum& array = object == From::slot ? base[at->left] : top[-on_stack];
  const Datum* found = nullptr;
  if constexpr (key == From::number) {
    found = element_of(array, Datum::of_integer(at->content));
  } else {
    found = element_of(array, key == From::slot ? base[at->right] : top[-1]);
  }
  if (found == nullptr || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  top += 1 - on_stack;
  Quick::copy(top[-1], *found);
  FLOW_RUN(at->next);
}

template <bool drop>
void write_element(FLOW_STEP) {
  Datum* found = element_of(top[-3], top[-2]);
  if (found == nullptr || fuel < at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  Quick::copy(*found, top[-1]);
  if (!drop) Quick::copy(top[-3], top[-1]);
  top -= drop ? 3 : 2;
  FLOW_RUN(at->next);
}

/// The next of items that a loop copied when it began. Some fuel must be left behind it: a turn
/// costs fuel in the library, too, where the steps that follow do not ask for any.
template <To to>
void walk(FLOW_STEP) {
  const Datum& place = base[at->left];
  if (place.tag != Tag::iterator || fuel <= at->cost) [[unlikely]]
    FLOW_RUN_PLAIN();
  auto& iterator = *static_cast<IteratorObject*>(place.heap);
  if (!iterator.source.is_null() || iterator.position >= iterator.items.size()) [[unlikely]]
    FLOW_RUN_PLAIN();
  fuel -= at->cost;
  const Datum& item = iterator.items[iterator.position++];
  if constexpr (to == To::fresh_slot) {
    Quick::copy(base[at->result], item);
  } else {
    Quick::copy(*top++, item);
  }
  FLOW_RUN(at->next);
}

}  // namespace

StepRun Quick::get_member(From object, bool keep) {
  if (object == From::slot) return read_member<From::slot, false>;
  return keep ? read_member<From::stack, true> : read_member<From::stack, false>;
}

StepRun Quick::get_length(From object) {
  return object == From::slot ? read_length<From::slot> : read_length<From::stack>;
}

StepRun Quick::get_index(From object, From key) {
  if (object == From::slot) {
    if (key == From::stack) return nullptr;
    return key == From::slot ? read_element<From::slot, From::slot>
                             : read_element<From::slot, From::number>;
  }
  if (key == From::stack) return read_element<From::stack, From::stack>;
  return key == From::slot ? read_element<From::stack, From::slot>
                           : read_element<From::stack, From::number>;
}

StepRun Quick::set_member(bool drop) { return drop ? write_member<true> : write_member<false>; }

StepRun Quick::set_index(bool drop) { return drop ? write_element<true> : write_element<false>; }

StepRun Quick::next_item(To to) {
  return to == To::fresh_slot ? walk<To::fresh_slot> : walk<To::push>;
}

}  // namespace fermata::flow
