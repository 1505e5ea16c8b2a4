#include <cmath>

#include "base/json.h"
#include "core/flow/machine.h"

namespace fermata::flow {

/// Where the walk is, for the path that NOT_JSON names.
struct Machine::Export {
  std::vector<std::string> path;
};

std::optional<Value> Machine::to_json_value(const Datum& datum) {
  Export state;
  return export_any(datum, state);
}

Result<Value, EvalError> Machine::result_value() {
  verdict_ = Verdict::none;
  attention_ = false;
  auto value = to_json_value(result_);
  if (!value) return Failure{error()};
  return *std::move(value);
}

std::optional<Value> Machine::export_result() {
  verdict_ = Verdict::none;
  attention_ = false;
  return to_json_value(result_);
}

bool Machine::not_json(const Export& state, std::string_view why) {
  // In a circle the path goes on for ever; its beginning says enough.
  constexpr size_t parts_max = 8;
  std::string where;
  for (size_t i = 0; i < state.path.size() && i < parts_max; ++i) {
    where += "/" + escape_pointer(state.path[i]);
  }
  if (state.path.size() > parts_max) where += "/…";
  throw_error("NOT_JSON", "not JSON at \"" + where + "\": " + std::string(why));
  return false;
}

std::optional<Value> Machine::export_any(const Datum& given, Export& state) {
  Datum datum = current(given);
  switch (datum.tag) {
    case Tag::boolean: return Value(datum.boolean);
    case Tag::integer: return Value(datum.integer);
    case Tag::number: {
      if (!std::isfinite(datum.number)) {
        not_json(state, number_to_text(datum.number));
        return std::nullopt;
      }
      // Whole numbers leave as integers, so that 4 / 2 can be a count.
      constexpr double exact_max = 9007199254740992.0;
      bool whole = std::fabs(datum.number) <= exact_max && std::floor(datum.number) == datum.number;
      return whole ? Value(static_cast<int64_t>(datum.number)) : Value(datum.number);
    }
    case Tag::json_text: return *datum.json;
    case Tag::text: return Value(text_of(datum));
    case Tag::json_array:
      if (adopted_.empty() || !touched(*datum.json)) return *datum.json;
      return export_array(datum, state);
    case Tag::array: return export_array(datum, state);
    case Tag::json_object:
      if (adopted_.empty() || !touched(*datum.json)) return *datum.json;
      return export_object(datum, state);
    case Tag::object: return export_object(datum, state);
    case Tag::error: return export_error(datum, state);
    case Tag::builtin:
    case Tag::bound:
    case Tag::closure: not_json(state, "a function"); return std::nullopt;
    case Tag::awaitable: not_json(state, "an awaitable; await it first"); return std::nullopt;
    default: return Value();
  }
}

/// True when the script has changed this JSON or anything inside it.
bool Machine::touched(const Value& value) const {
  if (!value.is_array() && !value.is_object()) return false;
  if (adopted_.contains(&value)) return true;
  if (value.is_array()) {
    for (const Value& item : value.items()) {
      if (touched(item)) return true;
    }
    return false;
  }
  for (const Value::Member& member : value.members()) {
    if (touched(member.value)) return true;
  }
  return false;
}

std::optional<Value> Machine::export_array(const Datum& datum, Export& state) {
  if (state.path.size() >= nesting_max) {
    not_json(state, "nested too deeply, or in a circle");
    return std::nullopt;
  }
  size_t size = array_size(datum);
  if (!charge(size / bytes_per_step) || !memory_fits(size * sizeof(Value))) return std::nullopt;
  exported_bytes_ += size * sizeof(Value);
  if (!memory_fits(exported_bytes_)) return std::nullopt;
  std::vector<Value> items;
  items.reserve(size);
  state.path.emplace_back();
  for (size_t i = 0; i < size; ++i) {
    state.path.back() = std::to_string(i);
    auto item = export_any(array_item(datum, i), state);
    if (!item) return std::nullopt;
    items.push_back(*std::move(item));
  }
  state.path.pop_back();
  return Value::array(std::move(items));
}

std::optional<Value> Machine::export_object(const Datum& datum, Export& state) {
  if (state.path.size() >= nesting_max) {
    not_json(state, "nested too deeply, or in a circle");
    return std::nullopt;
  }
  size_t size = object_size(datum);
  exported_bytes_ += size * 2 * sizeof(Value);
  if (!charge(size / bytes_per_step) || !memory_fits(exported_bytes_)) return std::nullopt;
  Value out = Value::object();
  out.reserve(size);
  state.path.emplace_back();
  for (size_t i = 0; i < size; ++i) {
    auto [key, value] = object_entry(datum, i);
    state.path.back() = text_of(key);
    auto member = export_any(value, state);
    if (!member) return std::nullopt;
    out.set(text_of(key), *std::move(member));
  }
  state.path.pop_back();
  return out;
}

std::optional<Value> Machine::export_error(const Datum& datum, Export& state) {
  // Causes make a chain of any length.
  if (state.path.size() >= nesting_max) {
    not_json(state, "nested too deeply, or in a circle");
    return std::nullopt;
  }
  const auto& error = *static_cast<ErrorObject*>(datum.heap);
  Value out = Value::object();
  state.path.emplace_back();
  auto add = [&](std::string_view name, const Datum& part) {
    state.path.back() = name;
    auto value = export_any(part, state);
    if (!value) return false;
    out.set(name, *std::move(value));
    return true;
  };
  bool fine = add("code", error.code) && add("message", error.message) &&
              (error.details.is_null() || add("details", error.details)) &&
              (error.cause.is_null() || add("cause", error.cause));
  for (std::string_view name : {"task", "attempts", "item_id", "key"}) {
    if (!fine || error.extra.is_null()) break;
    auto part = object_find(error.extra, name);
    fine = !part || part->is_null() || add(name, *part);
  }
  state.path.pop_back();
  return fine ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace fermata::flow
