#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/machine.h"

/// Walking and taking apart: for loops, spread and patterns.
namespace fermata::flow {

/// An array as it is, a string as the array of its code points.
Datum Machine::list_of(const Datum& source, std::string_view expectation) {
  if (source.is_array()) return current(source);
  if (!source.is_text()) {
    return throw_type(std::string(expectation) + ", not " + std::string(type_name(source)));
  }
  std::string_view content = text_of(source);
  size_t points = utf8_length(content);
  if (!charge(points) || !memory_fits(points * (sizeof(Datum) + sizeof(TextObject)))) return {};
  std::vector<Datum> out;
  out.reserve(points);
  for (size_t at = 0; at < content.size(); at += utf8::width(content[at])) {
    out.push_back(heap_.text(content.substr(at, utf8::width(content[at]))));
  }
  return heap_.array(std::move(out));
}

void Machine::op_iterate_of(const Instruction&) {
  Datum source = current(stack_.pop());
  auto* iterator = heap_.make<IteratorObject>();
  stack_.push(Heap::datum(iterator));
  if (source.tag == Tag::array) {
    iterator->items = array_items(source);
    heap_.grow(*iterator, iterator->items.size() * sizeof(Datum));
  } else if (source.is_text() || source.tag == Tag::json_array) {
    iterator->source = source;
  } else {
    throw_type("for…of takes an array or a string, not " + std::string(type_name(source)));
  }
}

void Machine::op_iterate_in(const Instruction&) {
  Datum source = current(stack_.pop());
  auto* iterator = heap_.make<IteratorObject>();
  stack_.push(Heap::datum(iterator));
  bool is_array = source.is_array();
  if (!is_array && !source.is_object()) {
    throw_type("for…in takes an object or an array, not " + std::string(type_name(source)));
    return;
  }
  size_t size = is_array ? array_size(source) : object_size(source);
  if (!charge(size / bytes_per_step) || !memory_fits(size * sizeof(Datum))) return;
  iterator->items.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    iterator->items.push_back(is_array ? Datum::of_count(i) : object_entry(source, i).first);
  }
  heap_.grow(*iterator, size * sizeof(Datum));
}

void Machine::op_next(const Instruction& in) {
  const Datum& place = stack_[base_ + in.c];
  if (place.tag != Tag::iterator) return end(Verdict::damaged);
  auto& iterator = *static_cast<IteratorObject*>(place.heap);
  size_t position = iterator.position;
  bool done = false;
  Datum item;
  if (iterator.source.is_text()) {
    std::string_view content = text_of(iterator.source);
    done = position >= content.size();
    if (!done) {
      size_t width = utf8::width(content[position]);
      item = heap_.text(content.substr(position, width));
      iterator.position += width;
    }
  } else if (iterator.source.tag == Tag::json_array) {
    // The JSON itself never changes, so it is what it was at the loop's entry.
    std::span<const Value> items = iterator.source.json->items();
    done = position >= items.size();
    if (!done) item = Datum::of(items[iterator.position++]);
  } else {
    done = position >= iterator.items.size();
    if (!done) item = iterator.items[iterator.position++];
  }
  if (done) {
    next_ = frames_.back().function->step(in.a);
  } else {
    stack_.push(item);
  }
}

void Machine::op_to_list(const Instruction&) {
  stack_.back() = list_of(stack_.back(), "a list pattern takes an array or a string");
}

void Machine::op_list_item(const Instruction& in) {
  Datum list = stack_.back();
  if (!list.is_array()) return end(Verdict::damaged);
  stack_.back() = in.a < array_size(list) ? array_item(list, in.a) : Datum();
}

void Machine::op_list_rest(const Instruction& in) {
  if (!stack_.back().is_array()) return end(Verdict::damaged);
  std::vector<Datum> items = array_items(stack_.back());
  items.erase(items.begin(), items.begin() + std::min<size_t>(in.a, items.size()));
  stack_.back() = heap_.array(std::move(items));
}

void Machine::op_object_rest(const Instruction& in) {
  Datum source = current(stack_.back());
  if (!source.is_object()) {
    throw_type("an object pattern takes an object, not " + std::string(type_name(source)));
    return;
  }
  const Value& without = frames_.back().function->program->constants[in.a];
  auto* rest = heap_.make<MapObject>();
  copy_entries(*rest, source);
  for (const Value& key : without.items()) rest->erase(key.as_string());
  stack_.back() = Heap::datum(rest);
}

}  // namespace fermata::flow
