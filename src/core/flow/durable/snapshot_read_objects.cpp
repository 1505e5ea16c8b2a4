#include "base/utf8.h"
#include "core/flow/durable/snapshot_codes.h"
#include "core/flow/durable/snapshot_reader.h"

namespace fermata::flow {

using namespace snapshot;

void SnapshotReader::read_object(HeapObject& given) {
  switch (given.kind) {
    case Tag::array: {
      auto& array = static_cast<ArrayObject&>(given);
      array.items = datums();
      return machine_.heap_.grow(array, array.items.size() * sizeof(Datum));
    }
    case Tag::object: return read_map(static_cast<MapObject&>(given));
    case Tag::error: return read_error(static_cast<ErrorObject&>(given));
    case Tag::closure: return read_closure(static_cast<ClosureObject&>(given));
    case Tag::bound: {
      auto& bound = static_cast<BoundObject&>(given);
      uint64_t number = in_.varint();
      if (number >= machine_.program_.library_size) return in_.fail();
      bound.builtin = static_cast<uint32_t>(number);
      bound.receiver = datum();
      return;
    }
    case Tag::cell: static_cast<CellObject&>(given).value = datum(); return;
    case Tag::iterator: return read_iterator(static_cast<IteratorObject&>(given));
    default: return read_awaitable(static_cast<AwaitableObject&>(given));
  }
}

void SnapshotReader::read_map(MapObject& map) {
  size_t count = in_.count();
  for (size_t i = 0; i < count && in_.ok(); ++i) {
    Datum key = text_datum();
    Datum value = datum();
    if (!in_.ok() || map.find(text_of(key)) != nullptr) return in_.fail();
    machine_.put(map, key, value);
  }
}

void SnapshotReader::read_error(ErrorObject& error) {
  for (Datum* part :
       {&error.code, &error.message, &error.details, &error.cause, &error.stack, &error.extra}) {
    *part = datum();
  }
  if (!error.extra.is_null() && error.extra.tag != Tag::object) return in_.fail();
  error.line = static_cast<int>(in_.varint() & INT32_MAX);
  error.column = static_cast<int>(in_.varint() & INT32_MAX);
}

void SnapshotReader::read_closure(ClosureObject& closure) {
  closure.function = function();
  if (!in_.ok()) return;
  for (size_t i = 0; i < closure.function->captures.size() && in_.ok(); ++i) {
    closure.cells.push_back(object_of<CellObject>(Tag::cell));
  }
  machine_.heap_.grow(closure, closure.cells.size() * sizeof(CellObject*));
}

void SnapshotReader::read_iterator(IteratorObject& iterator) {
  uint64_t position = in_.varint();
  if (position == 0) {
    iterator.items = datums();
    return machine_.heap_.grow(iterator, iterator.items.size() * sizeof(Datum));
  }
  iterator.source = datum();
  iterator.position = position - 1;
  if (!in_.ok()) return;
  if (iterator.source.is_text()) {
    std::string_view content = text_of(iterator.source);
    bool inside = iterator.position < content.size();
    bool starts = inside && utf8_sequence_size(content.substr(iterator.position)) > 0;
    if (iterator.position != content.size() && !starts) in_.fail();
  } else if (iterator.source.tag != Tag::json_array) {
    in_.fail();
  }
}

void SnapshotReader::read_awaitable(AwaitableObject& awaitable) {
  uint64_t number = in_.varint();
  uint8_t flags = in_.u8();
  if (number == 0 || number > execution_.last_number || flags > 3) return in_.fail();
  awaitable.number = static_cast<uint32_t>(number);
  awaitable.has_outcome = flags % 2 == 1;
  awaitable.threw = flags >= 2;
  if (!machine_.awaitables_.try_emplace(awaitable.number, &awaitable).second) return in_.fail();
  if (awaitable.has_outcome) {
    awaitable.outcome = datum();
    return;
  }
  awaitable.items = datums();
  machine_.heap_.grow(awaitable, awaitable.items.size() * sizeof(Datum));
}

/// A method finds a receiver of its own type.
bool SnapshotReader::methods_fit() const {
  for (const HeapObject* object : objects_) {
    if (object->kind != Tag::bound) continue;
    const auto& bound = static_cast<const BoundObject&>(*object);
    if (!Machine::is_receiver(bound.receiver, builtin(bound.builtin).owner)) return false;
  }
  return true;
}

}  // namespace fermata::flow
