#include <bit>
#include <cmath>

#include "base/bytes.h"
#include "base/check.h"
#include "core/flow/durable/json_units.h"
#include "core/flow/durable/snapshot.h"
#include "core/flow/durable/snapshot_codes.h"
#include "core/flow/durable/text_table.h"

namespace fermata::flow {

using namespace snapshot;

class SnapshotWriter {
 public:
  SnapshotWriter(const Expression::Program* program, const Machine& machine,
                 const Execution& execution, const Reach& reach)
      : program_(program == nullptr ? machine.program_ : *program),
        machine_(machine),
        execution_(execution),
        reach_(reach),
        units_(reach, root("Inputs"), root("Context")) {}

  std::string run() {
    for (char c : mark) out_.u8(static_cast<uint8_t>(c));
    out_.u8(format_version);
    for (char c : program_.hash) out_.u8(static_cast<uint8_t>(c));
    out_.varint(program_.code_version);
    out_.varint(execution_.last_number);
    out_.varint(reach_.objects().size());
    for (const HeapObject* object : reach_.objects()) code(code_of(object->kind));
    write_units();
    write_fibers();
    for (const HeapObject* object : reach_.objects()) write_object(*object);
    std::string bytes = out_.take();
    uint32_t sum = crc32c(bytes);
    for (size_t i = 0; i < checksum_bytes; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xff);
    return bytes;
  }

 private:
  template <class Code>
  void code(Code value) {
    out_.u8(static_cast<uint8_t>(value));
  }

  const Value* root(std::string_view name) const {
    const auto& names = machine_.program_.roots;
    for (size_t i = 0; i < names.size(); ++i) {
      const Machine::Root& found =
          machine_.many_roots_ ? machine_.many_roots_[i] : machine_.few_roots_[i];
      if (names[i] == name && found.present) return &found.value;
    }
    return nullptr;
  }

  static ObjectCode code_of(Tag kind) {
    switch (kind) {
      case Tag::array: return ObjectCode::array;
      case Tag::object: return ObjectCode::object;
      case Tag::error: return ObjectCode::error;
      case Tag::closure: return ObjectCode::closure;
      case Tag::bound: return ObjectCode::bound;
      case Tag::cell: return ObjectCode::cell;
      case Tag::iterator: return ObjectCode::iterator;
      default: return ObjectCode::awaitable;
    }
  }

  void text(std::string_view content) {
    size_t known = texts_.find_or_add(content);
    out_.varint(known);
    if (known == 0) out_.text(content);
  }

  void object(const HeapObject* object) { out_.varint(reach_.index_of(object)); }

  void number(double value, DatumCode plain, DatumCode whole) {
    constexpr double exact_max = 9007199254740992.0;
    bool is_whole = std::fabs(value) < exact_max && std::floor(value) == value &&
                    !(value == 0 && std::signbit(value));
    code(is_whole ? whole : plain);
    if (is_whole) {
      out_.zigzag(static_cast<int64_t>(value));
    } else {
      out_.fixed64(std::bit_cast<uint64_t>(value));
    }
  }

  void datum(const Datum& given) {
    Datum value = machine_.current(given);
    switch (value.tag) {
      case Tag::unset: return code(DatumCode::unset);
      case Tag::null: return code(DatumCode::null);
      case Tag::boolean: return code(value.boolean ? DatumCode::yes : DatumCode::no);
      case Tag::integer: code(DatumCode::integer); return out_.zigzag(value.integer);
      case Tag::number: return number(value.number, DatumCode::number, DatumCode::whole_number);
      case Tag::json_text:
      case Tag::text: code(DatumCode::text); return text(text_of(value));
      case Tag::builtin: code(DatumCode::builtin); return out_.varint(value.builtin);
      case Tag::verdict: return code(DatumCode::verdict);
      case Tag::json_array:
      case Tag::json_object: return json_name(*value.json);
      default: code(DatumCode::object); return object(value.heap);
    }
  }

  void json_name(const Value& container) {
    JsonUnits::Name name = units_.name_of(&container);
    code(DatumCode::json);
    out_.varint(name.unit);
    out_.varint(name.index);
  }

  void write_units() {
    out_.varint(units_.own().size());
    for (const Value* unit : units_.own()) json(*unit, true);
    out_.varint(units_.outside_changes().size());
    for (const JsonUnits::Change& change : units_.outside_changes()) {
      out_.varint(change.name.unit);
      out_.varint(change.name.index);
      object(change.object);
    }
  }

  void json(const Value& value, bool is_root = false) {
    bool container = value.is_array() || value.is_object();
    if (container && !is_root && reach_.is_changed(&value)) {
      code(value.is_array() ? JsonCode::changed_array : JsonCode::changed_object);
      return object(reach_.changed(&value));
    }
    switch (value.kind()) {
      case Value::Kind::null: return code(JsonCode::null);
      case Value::Kind::boolean: return code(value.as_bool() ? JsonCode::yes : JsonCode::no);
      case Value::Kind::integer: code(JsonCode::integer); return out_.zigzag(value.as_integer());
      case Value::Kind::number:
        code(JsonCode::number);
        return out_.fixed64(std::bit_cast<uint64_t>(value.as_number()));
      case Value::Kind::string: code(JsonCode::text); return text(value.as_string());
      case Value::Kind::array:
        code(JsonCode::array);
        out_.varint(value.size());
        for (const Value& item : value.items()) json(item);
        return;
      case Value::Kind::object:
        code(JsonCode::object);
        out_.varint(value.size());
        for (const Value::Member& member : value.members()) {
          text(member.key.as_string());
          json(member.value);
        }
        return;
    }
  }

  void function(const Function& function) {
    out_.varint(uint64_t{function.index} * 2 + function.library);
  }

  void write_fibers() {
    out_.varint(machine_.fibers_.size());
    for (const auto& [number, fiber] : machine_.fibers_) {
      out_.varint(number);
      out_.varint(fiber.unwinding ? uint64_t{fiber.unwind_floor} + 1 : 0);
      out_.varint(fiber.frames.size());
      for (size_t i = 0; i < fiber.frames.size(); ++i) {
        bool last = i + 1 == fiber.frames.size();
        write_frame(fiber, fiber.frames[i], last ? fiber.stack.size() : fiber.frames[i + 1].base);
      }
    }
    out_.varint(machine_.suspended_ ? uint64_t{machine_.current_} + 1 : 0);
    out_.varint(machine_.callers_.size());
    for (uint32_t caller : machine_.callers_) out_.varint(caller);
  }

  void write_frame(const Fiber& fiber, const Frame& frame, size_t end) {
    const Function& of = *frame.function;
    auto next = size_t{of.index_of(frame.next)};
    check(end - frame.base == of.slots + of.layout.heights[next]);
    function(of);
    out_.varint(next);
    out_.varint(frame.closure == nullptr ? 0 : reach_.index_of(frame.closure) + 1);
    for (size_t i = frame.base; i < end; ++i) datum(fiber.stack[i]);
  }

  void write_object(const HeapObject& given) {
    switch (given.kind) {
      case Tag::array: {
        const auto& items = static_cast<const ArrayObject&>(given).items;
        out_.varint(items.size());
        for (const Datum& item : items) datum(item);
        return;
      }
      case Tag::object: {
        const auto& entries = static_cast<const MapObject&>(given).entries();
        out_.varint(entries.size());
        for (const auto& entry : entries) {
          text(text_of(entry.key));
          datum(entry.value);
        }
        return;
      }
      case Tag::error: return write_error(static_cast<const ErrorObject&>(given));
      case Tag::closure: {
        const auto& closure = static_cast<const ClosureObject&>(given);
        function(*closure.function);
        for (const CellObject* cell : closure.cells) object(cell);
        return;
      }
      case Tag::bound:
        out_.varint(static_cast<const BoundObject&>(given).builtin);
        return datum(static_cast<const BoundObject&>(given).receiver);
      case Tag::cell: return datum(static_cast<const CellObject&>(given).value);
      case Tag::iterator: return write_iterator(static_cast<const IteratorObject&>(given));
      default: return write_awaitable(static_cast<const AwaitableObject&>(given));
    }
  }

  void write_error(const ErrorObject& error) {
    for (const Datum& part :
         {error.code, error.message, error.details, error.cause, error.stack, error.extra}) {
      datum(part);
    }
    out_.varint(static_cast<uint64_t>(error.line));
    out_.varint(static_cast<uint64_t>(error.column));
  }

  void write_iterator(const IteratorObject& iterator) {
    if (Reach::tells_source(machine_, iterator)) {
      out_.varint(uint64_t{iterator.position} + 1);
      return datum(iterator.source);
    }
    out_.varint(0);
    std::vector<Datum> items = Reach::items_to_come(machine_, iterator);
    out_.varint(items.size());
    for (const Datum& item : items) datum(item);
  }

  void write_awaitable(const AwaitableObject& awaitable) {
    out_.varint(awaitable.number);
    out_.u8(static_cast<uint8_t>(awaitable.has_outcome + 2 * awaitable.threw));
    if (awaitable.has_outcome) return datum(awaitable.outcome);
    out_.varint(awaitable.items.size());
    for (const Datum& item : awaitable.items) datum(item);
  }

  const Expression::Program& program_;
  const Machine& machine_;
  const Execution& execution_;
  const Reach& reach_;
  JsonUnits units_;
  TextTable texts_;
  ByteWriter out_;
};

std::string encode_snapshot(const Machine& machine, const Execution& execution,
                            const Reach& reach) {
  return SnapshotWriter(nullptr, machine, execution, reach).run();
}

std::string encode_snapshot_as(const Expression::Program& program, const Machine& machine,
                               const Execution& execution, const Reach& reach) {
  return SnapshotWriter(&program, machine, execution, reach).run();
}

}  // namespace fermata::flow
