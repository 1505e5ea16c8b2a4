#include <cmath>

#include "base/json.h"
#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/machine.h"
#include "core/flow/names.h"
#include "core/flow/unresolved.h"

namespace fermata::flow {

namespace {

/// An index that an element could have; anything else is nowhere.
std::optional<size_t> index_of(const Datum& key) {
  if (key.tag == Tag::integer) {
    return key.integer < 0 ? std::nullopt : std::optional<size_t>(key.integer);
  }
  constexpr double index_max = 9007199254740992.0;
  double number = key.number;
  if (!(number >= 0 && number < index_max) || std::floor(number) != number) return std::nullopt;
  return static_cast<size_t>(number);
}

bool is_integral(const Datum& key) {
  return key.tag == Tag::integer || std::floor(key.number) == key.number;
}

}  // namespace

/// Functions that the library got after the script was compiled do not exist for it (F-46).
uint32_t Machine::find_method(Owner owner, std::string_view name) const {
  uint32_t number = find_builtin(owner, name);
  return number < program_.library_size ? number : no_builtin;
}

Machine::Found Machine::find_member(const Datum& object, std::string_view name, Datum& out) {
  Owner owner = Owner::global;
  switch (object.tag) {
    case Tag::json_object:
    case Tag::object: {
      auto found = object_find(object, name);
      if (found) out = *found;
      return found ? Found::yes : Found::no;
    }
    case Tag::json_array:
    case Tag::array:
      owner = Owner::array_type;
      if (name == "length") out = Datum::of_count(array_size(object));
      break;
    case Tag::json_text:
    case Tag::text:
      owner = Owner::string_type;
      if (name == "length") {
        if (!charge_bytes(text_of(object).size())) return Found::thrown;
        out = Datum::of_count(utf8_length(text_of(object)));
      }
      break;
    case Tag::error: return find_error_member(object, name, out);
    case Tag::awaitable:
      owner = Owner::awaitable_type;
      if (find_awaitable_member(object, name, out) == Found::yes) return Found::yes;
      break;
    case Tag::integer:
    case Tag::number: owner = Owner::number_type; break;
    default: return Found::no;
  }
  if (!out.is_null()) return Found::yes;
  uint32_t number = find_method(owner, name);
  if (number == no_builtin) return Found::no;
  auto* bound = heap_.make<BoundObject>();
  bound->builtin = number;
  bound->receiver = object;
  out = Heap::datum(bound);
  return Found::yes;
}

Machine::Found Machine::find_error_member(const Datum& object, std::string_view name, Datum& out) {
  const auto& error = *static_cast<ErrorObject*>(object.heap);
  if (name == "name") {
    out = text("Error");
  } else if (name == "code") {
    out = error.code;
  } else if (name == "message") {
    out = error.message;
  } else if (name == "details") {
    out = error.details;
  } else if (name == "cause") {
    out = error.cause;
  } else if (name == "at") {
    out = text(std::to_string(error.line) + ":" + std::to_string(error.column));
  } else if (name == "stack") {
    out = error.stack;
  } else {
    auto part = error.extra.is_null() ? std::nullopt : object_find(error.extra, name);
    if (!part) return Found::no;
    out = *part;
  }
  return Found::yes;
}

Machine::Found Machine::find_element(const Datum& object, const Datum& key, Datum& out) {
  if (object.is_object() || object.tag == Tag::error) {
    auto name = key_text(key);
    if (!name) return Found::thrown;
    return find_member(object, text_of(*name), out);
  }
  if (!object.is_array() && !object.is_text()) return Found::no;
  if (!key.is_number() || !is_integral(key)) {
    throw_type("the index of " + std::string(type_name(object)) + " must be an integer, not " +
               std::string(type_name(key)));
    return Found::thrown;
  }
  auto index = index_of(key);
  if (!index) return Found::no;
  if (object.is_array()) {
    if (*index >= array_size(object)) return Found::no;
    out = array_item(object, *index);
    return Found::yes;
  }
  std::string_view content = text_of(object);
  if (!charge_bytes(content.size())) return Found::thrown;
  size_t at = utf8::offset_of(content, *index);
  if (at >= content.size()) return Found::no;
  out = text(content.substr(at, utf8::width(content[at])));
  return Found::yes;
}

/// Decides what a missing part means here (F-15, G-15).
void Machine::missing(const Instruction& in, const Datum& object, std::string_view what) {
  switch (static_cast<Missing>(in.b)) {
    case Missing::fails: return unresolved(frames_.back().function->program->paths[in.a]);
    case Missing::is_null:
      stack_.back() = {};
      next_ = frames_.back().function->step(in.a);
      return;
    case Missing::plain: break;
  }
  bool element = what.empty();
  bool may_lack = object.is_object() || object.tag == Tag::error ||
                  (element && (object.is_array() || object.is_text()));
  if (may_lack && !program_.rhythm) {
    stack_.back() = {};
    return;
  }
  bool named = object.is_object() || object.is_array() || object.is_text();
  if (program_.rhythm && (named || object.tag == Tag::error)) {
    throw_error("PROPERTY_NOT_FOUND", std::string(type_name(object)) + " has no " +
                                          (element ? "such element" : "property " + quoted(what)));
    return;
  }
  std::string part = element ? "elements" : "member " + quoted(what);
  throw_type(std::string(type_name(object)) + " has no " + part);
}

void Machine::unresolved(const PathSpan& path) {
  std::string_view source = program_.text;
  std::string_view whole = source.substr(path.whole.begin, path.whole.end - path.whole.begin);
  unresolved_ = std::make_unique<EvalError>(
      unresolved_reference(whole, whole.substr(0, path.part_end - path.whole.begin)));
  TextPosition position = position_at(source, path.whole.begin);
  unresolved_->line = position.line;
  unresolved_->column = position.column;
  end(Verdict::unresolved);
}

void Machine::op_get_index(const Instruction& in) {
  Datum key = stack_.pop();
  Datum object = current(stack_.back());
  Datum out;
  // On a path from a root a key of the wrong kind is simply not there.
  bool path = static_cast<Missing>(in.b) != Missing::plain;
  bool wrong_key = path && (object.is_array() || object.is_text()) && !key.is_number();
  switch (wrong_key ? Found::no : find_element(object, key, out)) {
    case Found::yes: stack_.back() = out; return;
    case Found::no: return missing(in, object, {});
    case Found::thrown: return;
  }
}

std::optional<Datum> Machine::key_text(const Datum& key) {
  if (key.is_text()) return key;
  if (key.tag == Tag::integer) return text(std::to_string(key.integer));
  if (key.tag == Tag::number) return text(number_to_text(key.number));
  throw_type("a key must be a string or a number, not " + std::string(type_name(key)));
  return std::nullopt;
}

bool Machine::set_key(const Datum& object, const Datum& key, const Datum& value) {
  if (!object.is_object()) {
    throw_type("a member of " + std::string(type_name(object)) + " cannot be set");
    return false;
  }
  auto name = key_text(key);
  if (!name) return false;
  put(own_object(object), *name, value);
  return true;
}

void Machine::set_element(const Datum& object, const Datum& key, const Datum& value) {
  if (!object.is_array()) {
    set_key(object, key, value);
    return;
  }
  auto index = key.is_number() ? index_of(key) : std::nullopt;
  size_t size = array_size(object);
  if (!index || *index > size) {
    throw_type("an array of " + std::to_string(size) + " takes indices from 0 to " +
               std::to_string(size));
    return;
  }
  ArrayObject& array = own_array(object);
  if (*index == size) {
    append(array, value);
  } else {
    array.items[*index] = value;
  }
}

void Machine::op_set_member(const Instruction& in) {
  Datum value = stack_.pop();
  const Value& name = frames_.back().function->program->constants[in.c];
  set_key(current(stack_.back()), Datum::of(name), value);
  stack_.back() = value;
}

void Machine::op_set_index(const Instruction&) {
  Datum value = stack_.pop();
  Datum key = stack_.pop();
  set_element(current(stack_.back()), key, value);
  stack_.back() = value;
}

void Machine::remove_key(const Datum& object, const Datum& key) {
  if (!object.is_object()) {
    throw_type("delete takes a member of an object, not of " + std::string(type_name(object)));
    return;
  }
  auto name = key_text(key);
  // The keys behind it move up, and in large objects all of them are found anew.
  constexpr size_t small_object = 12;
  size_t size = object_size(object);
  if (!name || !charge(size > small_object ? size : 0)) return;
  own_object(object).erase(text_of(*name));
}

void Machine::op_delete_member(const Instruction& in) {
  const Value& name = frames_.back().function->program->constants[in.c];
  remove_key(current(stack_.back()), Datum::of(name));
  stack_.back() = Datum::of(true);
}

void Machine::op_delete_index(const Instruction&) {
  Datum key = stack_.pop();
  remove_key(current(stack_.back()), key);
  stack_.back() = Datum::of(true);
}

}  // namespace fermata::flow
