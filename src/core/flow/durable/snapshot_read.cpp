#include <bit>

#include "base/utf8.h"
#include "core/flow/durable/snapshot_codes.h"
#include "core/flow/durable/snapshot_reader.h"

namespace fermata::flow {

using namespace snapshot;

namespace {

Failure<SnapshotError> unreadable(std::string why) {
  return {{"snapshot_unreadable", "the snapshot cannot be read: " + std::move(why)}};
}

}  // namespace

Result<void, SnapshotError> SnapshotReader::run() {
  FERMATA_TRY_VOID(header());
  read_kinds();
  read_units();
  read_fibers();
  for (HeapObject* object : objects_) {
    if (in_.ok()) read_object(*object);
  }
  if (!in_.done() || !methods_fit()) return unreadable("its contents contradict each other");
  if (!fits_records()) return unreadable("it does not belong to these records");
  return {};
}

Result<void, SnapshotError> SnapshotReader::header() {
  for (char c : mark) {
    if (in_.u8() != static_cast<uint8_t>(c)) return unreadable("it is none");
  }
  uint8_t format = in_.u8();
  if (format > format_version) {
    return Failure{SnapshotError{"snapshot_newer", "the snapshot is of a later release"}};
  }
  if (format != format_version) return unreadable("its format is unknown");
  std::string hash;
  for (size_t i = 0; i < machine_.program_.hash.size(); ++i) {
    hash += static_cast<char>(in_.u8());
  }
  if (hash != machine_.program_.hash) return unreadable("it is of another definition");
  if (in_.varint() != machine_.program_.code_version) {
    return unreadable("it is of another code version");
  }
  if (in_.varint() != execution_.last_number) return unreadable("it is of another moment");
  return {};
}

void SnapshotReader::read_kinds() {
  size_t count = in_.count();
  for (size_t i = 0; i < count && in_.ok(); ++i) objects_.push_back(make(in_.u8()));
}

HeapObject* SnapshotReader::make(uint8_t code) {
  Heap& heap = machine_.heap_;
  switch (static_cast<ObjectCode>(code)) {
    case ObjectCode::array: return heap.make<ArrayObject>();
    case ObjectCode::object: return heap.make<MapObject>();
    case ObjectCode::error: return heap.make<ErrorObject>();
    case ObjectCode::closure: return heap.make<ClosureObject>();
    case ObjectCode::bound: return heap.make<BoundObject>();
    case ObjectCode::cell: return heap.make<CellObject>();
    case ObjectCode::iterator: return heap.make<IteratorObject>();
    case ObjectCode::awaitable: return heap.make<AwaitableObject>();
  }
  in_.fail();
  return heap.make<CellObject>();
}

HeapObject* SnapshotReader::object() {
  uint64_t index = in_.varint();
  if (index < objects_.size()) return objects_[index];
  in_.fail();
  return nullptr;
}

/// The number of the next text; a new one is noted. 0 when there is none.
size_t SnapshotReader::text_number() {
  uint64_t known = in_.varint();
  if (known == 0) {
    std::string_view content = in_.text();
    if (!is_utf8(content)) in_.fail();
    if (!in_.ok()) return 0;
    texts_.push_back({content, {}});
    return texts_.size();
  }
  if (known <= texts_.size()) return known;
  in_.fail();
  return 0;
}

std::string_view SnapshotReader::text() {
  size_t number = text_number();
  return number == 0 ? std::string_view() : texts_[number - 1].content;
}

Datum SnapshotReader::text_datum() {
  size_t number = text_number();
  if (number == 0) return {};
  Text& found = texts_[number - 1];
  if (found.datum.is_null()) found.datum = machine_.heap_.text(found.content);
  return found.datum;
}

Datum SnapshotReader::datum() {
  switch (static_cast<DatumCode>(in_.u8())) {
    case DatumCode::unset: return Datum::unset();
    case DatumCode::null: return {};
    case DatumCode::no: return Datum::of(false);
    case DatumCode::yes: return Datum::of(true);
    case DatumCode::integer: return Datum::of_integer(in_.zigzag());
    case DatumCode::number: return Datum::of(std::bit_cast<double>(in_.fixed64()));
    case DatumCode::whole_number: return Datum::of(static_cast<double>(in_.zigzag()));
    case DatumCode::text: return text_datum();
    case DatumCode::builtin: {
      uint64_t number = in_.varint();
      if (number >= machine_.program_.library_size ||
          is_method(builtin(static_cast<uint32_t>(number)).owner)) {
        in_.fail();
        return {};
      }
      return Datum::of_builtin(static_cast<uint32_t>(number));
    }
    case DatumCode::object: {
      HeapObject* found = object();
      return found == nullptr ? Datum() : Heap::datum(found);
    }
    case DatumCode::json: {
      const Value* found = json_named();
      return found == nullptr ? Datum() : Datum::of(*found);
    }
    case DatumCode::verdict: return Datum::verdict();
  }
  in_.fail();
  return {};
}

std::vector<Datum> SnapshotReader::datums() {
  size_t count = in_.count();
  std::vector<Datum> out;
  for (size_t i = 0; i < count && in_.ok(); ++i) out.push_back(datum());
  return out;
}

Result<void, SnapshotError> decode_snapshot(std::string_view bytes, Machine& machine,
                                            const Execution& execution) {
  if (bytes.size() < checksum_bytes) return unreadable("it is too short");
  std::string_view content = bytes.substr(0, bytes.size() - checksum_bytes);
  uint32_t sum = 0;
  for (size_t i = 0; i < checksum_bytes; ++i) {
    sum |= uint32_t{static_cast<unsigned char>(bytes[content.size() + i])} << (8 * i);
  }
  if (sum != crc32c(content)) return unreadable("its checksum is wrong");
  return SnapshotReader(content, machine, execution).run();
}

}  // namespace fermata::flow
