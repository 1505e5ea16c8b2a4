#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/value.h"

namespace fermata::flow {

struct HeapObject;

/// Stands where a name means no function of the library.
constexpr uint32_t no_builtin = UINT32_MAX;

/// What a datum is. The json_ kinds point into immutable JSON that the evaluation keeps alive (its
/// roots, its constants): reading them copies nothing. The heap kinds belong to the script.
enum class Tag : uint8_t {
  unset,  ///< a variable whose declaration has not run yet
  null,
  boolean,
  integer,  ///< came from JSON or a literal and keeps every digit
  number,
  json_text,
  json_array,
  json_object,
  builtin,  ///< number of a library function
  verdict,  ///< the engine's own throw, which only `finally` blocks hold; never seen by scripts
  // Heap kinds.
  text,
  array,
  object,
  error,
  closure,
  bound,     ///< library function with its receiver
  cell,      ///< a variable shared with closures; never seen by scripts
  iterator,  ///< the state of a for loop; never seen by scripts
  awaitable,
};

/// A value of the machine: 16 bytes, freely copied, owning nothing.
struct Datum {
  Tag tag = Tag::null;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const Value* json;
    HeapObject* heap;
    uint32_t builtin;
  };

  Datum() : integer(0) {}
  static Datum unset() { return of_tag(Tag::unset); }
  static Datum of(bool value) {
    Datum out = of_tag(Tag::boolean);
    out.boolean = value;
    return out;
  }
  static Datum of(double value) {
    Datum out = of_tag(Tag::number);
    out.number = value;
    return out;
  }
  static Datum of_integer(int64_t value) {
    Datum out = of_tag(Tag::integer);
    out.integer = value;
    return out;
  }
  static Datum of_count(size_t value) { return of_integer(static_cast<int64_t>(value)); }
  static Datum of_builtin(uint32_t number) {
    Datum out = of_tag(Tag::builtin);
    out.builtin = number;
    return out;
  }
  static Datum verdict() { return of_tag(Tag::verdict); }
  static Datum of_heap(Tag tag, HeapObject* object) {
    Datum out = of_tag(tag);
    out.heap = object;
    return out;
  }
  /// Points into `value`, which must outlive the evaluation and stay unchanged.
  static Datum of(const Value& value);

  bool is_null() const { return tag == Tag::null; }
  bool is_number() const { return tag == Tag::integer || tag == Tag::number; }
  bool is_text() const { return tag == Tag::text || tag == Tag::json_text; }
  bool is_array() const { return tag == Tag::array || tag == Tag::json_array; }
  bool is_object() const { return tag == Tag::object || tag == Tag::json_object; }
  bool is_function() const {
    return tag == Tag::closure || tag == Tag::builtin || tag == Tag::bound;
  }
  bool is_heap() const { return tag >= Tag::text; }
  double as_number() const { return tag == Tag::integer ? static_cast<double>(integer) : number; }

 private:
  static Datum of_tag(Tag tag) {
    Datum out;
    out.tag = tag;
    return out;
  }
};
static_assert(sizeof(Datum) == 16 && std::is_trivially_copyable_v<Datum>);

inline Datum Datum::of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null: return {};
    case Value::Kind::boolean: return of(value.as_bool());
    case Value::Kind::integer: return of_integer(value.as_integer());
    case Value::Kind::number: return of(value.as_number());
    default: break;
  }
  Datum out = of_tag(value.is_string()  ? Tag::json_text
                     : value.is_array() ? Tag::json_array
                                        : Tag::json_object);
  out.json = &value;
  return out;
}

}  // namespace fermata::flow
