#pragma once
#include <cstdint>
#include <string_view>

/// The bytes of a snapshot (F-45), in this order:
///
///   mark, format version, definition hash, code version, last awaitable number,
///   kinds of all objects, JSON that the script holds, fibers, contents of the objects, checksum.
///
/// Numbers are varints, a text stands once and is pointed at afterwards. Codes are only ever added.
namespace fermata::flow::snapshot {

constexpr std::string_view mark = "FFS";
constexpr uint8_t format_version = 1;
constexpr size_t checksum_bytes = 4;

/// A value of the machine.
enum class DatumCode : uint8_t {
  unset,
  null,
  no,
  yes,
  integer,
  number,
  whole_number,  ///< a double without fraction
  text,
  builtin,
  object,
  json,
  verdict,
};

/// An object of the heap.
enum class ObjectCode : uint8_t {
  array,
  object,
  error,
  closure,
  bound,
  cell,
  iterator,
  awaitable,
};

/// Part of a JSON value.
enum class JsonCode : uint8_t {
  null,
  no,
  yes,
  integer,
  number,
  text,
  array,
  object,
  changed_array,  ///< the script put an object of its own in this place
  changed_object,
};

/// JSON outside the snapshot that it may point into.
constexpr uint32_t unit_inputs = 0;
constexpr uint32_t unit_context = 1;
constexpr uint32_t unit_first_own = 2;

constexpr int json_nesting_max = 512;

}  // namespace fermata::flow::snapshot
