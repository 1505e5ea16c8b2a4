#include <algorithm>
#include <cmath>

#include "core/flow/library_call.h"
#include "core/flow/numbers.h"

namespace fermata::flow::natives {

namespace {

constexpr int64_t flat_depth_max = 128;
constexpr double list_length_max = 4294967295.0;

/// Takes the steps that touching `count` elements costs.
bool touch(Machine& machine, size_t count) { return machine.charge(count / 16 + 1); }

bool is_nan(const Datum& datum) { return datum.tag == Tag::number && std::isnan(datum.number); }

}  // namespace

Datum array_at(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  int64_t index = call.integer(1);
  if (call.failed()) return {};
  auto size = static_cast<int64_t>(machine.array_size(call.any(0)));
  if (index < 0) index += size;
  if (index < 0 || index >= size) return {};
  return machine.array_item(call.any(0), static_cast<size_t>(index));
}

Datum array_push(Machine& machine, Arguments arguments) {
  ArrayObject& array = machine.own_array(arguments[0]);
  for (const Datum& item : arguments.subspan(1)) machine.append(array, item);
  return Datum::of_count(array.items.size());
}

Datum array_pop(Machine& machine, Arguments arguments) {
  ArrayObject& array = machine.own_array(arguments[0]);
  if (array.items.empty()) return {};
  Datum last = array.items.back();
  array.items.pop_back();
  return last;
}

Datum array_shift(Machine& machine, Arguments arguments) {
  ArrayObject& array = machine.own_array(arguments[0]);
  if (array.items.empty() || !touch(machine, array.items.size())) return {};
  Datum first = array.items.front();
  array.items.erase(array.items.begin());
  return first;
}

Datum array_unshift(Machine& machine, Arguments arguments) {
  ArrayObject& array = machine.own_array(arguments[0]);
  if (!touch(machine, array.items.size())) return {};
  Arguments added = arguments.subspan(1);
  array.items.insert(array.items.begin(), added.begin(), added.end());
  machine.heap().grow(array, added.size() * sizeof(Datum));
  return Datum::of_count(array.items.size());
}

Datum array_slice(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::vector<Datum> items = machine.array_items(arguments[0]);
  size_t begin = relative_index(call.integer(1, 0), items.size());
  size_t end = relative_index(call.integer(2, static_cast<int64_t>(items.size())), items.size());
  if (call.failed()) return {};
  if (begin >= end) return machine.heap().array({});
  return machine.heap().array({items.begin() + begin, items.begin() + end});
}

Datum array_splice(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  ArrayObject& array = machine.own_array(arguments[0]);
  size_t size = array.items.size();
  size_t begin = relative_index(call.integer(1), size);
  auto most = static_cast<int64_t>(size - begin);
  int64_t count = std::clamp<int64_t>(call.integer(2, most), 0, most);
  if (call.failed() || !touch(machine, size)) return {};
  auto first = array.items.begin() + begin;
  std::vector<Datum> removed(first, first + count);
  array.items.erase(first, first + count);
  if (arguments.size() > 3) {
    Arguments added = arguments.subspan(3);
    array.items.insert(array.items.begin() + begin, added.begin(), added.end());
    machine.heap().grow(array, added.size() * sizeof(Datum));
  }
  return machine.heap().array(std::move(removed));
}

Datum array_concat(Machine& machine, Arguments arguments) {
  std::vector<Datum> out = machine.array_items(arguments[0]);
  for (const Datum& part : arguments.subspan(1)) {
    if (!part.is_array()) {
      out.push_back(part);
      continue;
    }
    std::vector<Datum> items = machine.array_items(part);
    if (machine.stopped() || !machine.memory_fits((out.size() + items.size()) * sizeof(Datum))) {
      return {};
    }
    out.insert(out.end(), items.begin(), items.end());
  }
  return machine.heap().array(std::move(out));
}

Datum array_includes(Machine& machine, Arguments arguments) {
  size_t size = machine.array_size(arguments[0]);
  for (size_t i = 0; i < size && machine.charge(1); ++i) {
    Datum item = machine.array_item(arguments[0], i);
    bool found = is_nan(item) && is_nan(arguments[1]);
    if (found || machine.equal(item, arguments[1])) return Datum::of(true);
  }
  return Datum::of(false);
}

Datum array_index_of(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  size_t size = machine.array_size(arguments[0]);
  size_t begin = relative_index(call.integer(2, 0), size);
  for (size_t i = begin; i < size && machine.charge(1); ++i) {
    if (machine.equal(machine.array_item(arguments[0], i), arguments[1])) {
      return Datum::of_count(i);
    }
  }
  return Datum::of_integer(-1);
}

Datum array_last_index_of(Machine& machine, Arguments arguments) {
  for (size_t i = machine.array_size(arguments[0]); i-- > 0 && machine.charge(1);) {
    if (machine.equal(machine.array_item(arguments[0], i), arguments[1])) {
      return Datum::of_count(i);
    }
  }
  return Datum::of_integer(-1);
}

Datum array_join(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string between = call.has(1) ? std::string(call.text(1)) : ",";
  std::string out;
  size_t size = machine.array_size(arguments[0]);
  for (size_t i = 0; i < size; ++i) {
    if (call.failed() || !machine.charge(1) || !machine.text_fits(out.size())) return {};
    if (i > 0) out += between;
    Datum item = machine.array_item(arguments[0], i);
    if (!item.is_null()) out += machine.to_text(item);
  }
  return machine.text(std::move(out));
}

Datum array_reverse(Machine& machine, Arguments arguments) {
  ArrayObject& array = machine.own_array(arguments[0]);
  if (touch(machine, array.items.size())) std::ranges::reverse(array.items);
  return Heap::datum(&array);
}

Datum array_to_reversed(Machine& machine, Arguments arguments) {
  std::vector<Datum> items = machine.array_items(arguments[0]);
  std::ranges::reverse(items);
  return machine.heap().array(std::move(items));
}

Datum array_flat(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  int64_t depth = std::min(call.integer(1, 1), flat_depth_max);
  std::vector<Datum> items = machine.array_items(arguments[0]);
  for (; depth > 0 && !call.failed(); --depth) {
    std::vector<Datum> next;
    bool nested = false;
    for (const Datum& item : items) {
      if (!item.is_array()) {
        next.push_back(item);
        continue;
      }
      nested = true;
      std::vector<Datum> inner = machine.array_items(item);
      if (!machine.memory_fits((next.size() + inner.size()) * sizeof(Datum))) return {};
      next.insert(next.end(), inner.begin(), inner.end());
    }
    items = std::move(next);
    if (!nested || !touch(machine, items.size())) break;
  }
  if (call.failed()) return {};
  return machine.heap().array(std::move(items));
}

Datum array_fill(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  ArrayObject& array = machine.own_array(arguments[0]);
  size_t size = array.items.size();
  size_t begin = relative_index(call.integer(2, 0), size);
  size_t end = relative_index(call.integer(3, static_cast<int64_t>(size)), size);
  if (call.failed() || !touch(machine, size)) return {};
  for (size_t i = begin; i < end; ++i) array.items[i] = arguments[1];
  return Heap::datum(&array);
}

Datum array_entries(Machine& machine, Arguments arguments) {
  size_t size = machine.array_size(arguments[0]);
  size_t pair_bytes = sizeof(ArrayObject) + 2 * sizeof(Datum);
  if (!machine.charge(size) || !machine.memory_fits(size * pair_bytes)) return {};
  std::vector<Datum> out;
  out.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    std::vector<Datum> pair{Datum::of_count(i), machine.array_item(arguments[0], i)};
    out.push_back(machine.heap().array(std::move(pair)));
  }
  return machine.heap().array(std::move(out));
}

Datum array_is_array(Machine&, Arguments arguments) { return Datum::of(arguments[0].is_array()); }

Datum array_of(Machine& machine, Arguments arguments) {
  return machine.heap().array({arguments.begin(), arguments.end()});
}

/// A sorted copy: numbers by value, strings by code points, anything mixed is refused.
Datum sorted_plainly(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  (void)call.array(0);
  if (call.failed()) return {};
  std::vector<Datum> items = machine.array_items(arguments[0]);
  bool numbers = std::ranges::all_of(items, [](const Datum& d) { return d.is_number(); });
  bool texts = std::ranges::all_of(items, [](const Datum& d) { return d.is_text(); });
  if (!numbers && !texts) {
    return machine.throw_type("sort without a function takes only numbers or only strings");
  }
  // Every comparison handles two items, texts perhaps to their ends.
  size_t bytes = 0;
  if (texts) {
    for (const Datum& item : items) bytes += text_of(item).size();
  }
  double rounds = std::ceil(std::log2(static_cast<double>(items.size()) + 1));
  size_t each_round = items.size() + bytes / 16;
  double steps = rounds * static_cast<double>(each_round);
  if (!machine.charge(static_cast<uint64_t>(steps))) return {};
  std::ranges::stable_sort(items, [&](const Datum& a, const Datum& b) {
    if (texts) return text_of(a) < text_of(b);
    // NaN has no order of its own; at the end it does no harm to the others.
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return compare_numbers(a, b) < 0;
  });
  return machine.heap().array(std::move(items));
}

Datum need_function(Machine& machine, Arguments arguments) {
  if (!arguments[1].is_function()) {
    return machine.throw_argument("a function is needed, not " +
                                  std::string(Machine::type_name(arguments[1])));
  }
  return {};
}

Datum fail_empty_reduce(Machine& machine, Arguments) {
  return machine.throw_type("an empty array can be reduced only with a start value");
}

/// `Array.from({length: 3}, f)` makes as many nulls; anything else is a list already.
Datum list_from(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  if (call.any(0).is_object()) {
    auto length = machine.object_find(call.any(0), "length");
    bool fits = length && length->is_number() && length->as_number() >= 0 &&
                length->as_number() <= list_length_max;
    if (!fits) {
      return machine.throw_argument("Array.from takes an array, a string or {length: count}");
    }
    auto count = static_cast<size_t>(length->as_number());
    if (!machine.charge(count) || !machine.memory_fits(count * sizeof(Datum))) return {};
    return machine.heap().array(std::vector<Datum>(count));
  }
  Datum list = machine.list_of(arguments[0], "an array or a string is needed");
  if (machine.stopped()) return {};
  return machine.heap().array(machine.array_items(list));
}

/// Puts the second array's items into the first, which keeps its identity.
Datum replace_items(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  (void)call.array(0);
  (void)call.array(1);
  if (call.failed()) return {};
  ArrayObject& array = machine.own_array(arguments[0]);
  array.items = machine.array_items(arguments[1]);
  return Heap::datum(&array);
}

}  // namespace fermata::flow::natives
