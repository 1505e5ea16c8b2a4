#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "core/flow/durable/snapshot.h"
#include "core/flow/machine.h"

namespace fermata::flow {

/// Fills a fresh machine from a snapshot. Believes nothing: every number is held against what it
/// counts or points at, every frame against the layout of its code.
class SnapshotReader {
 public:
  SnapshotReader(std::string_view bytes, Machine& machine, const Execution& execution)
      : in_(bytes), machine_(machine), execution_(execution) {}

  Result<void, SnapshotError> run();

 private:
  // snapshot_read.cpp
  Result<void, SnapshotError> header();
  void read_kinds();
  HeapObject* make(uint8_t code);
  HeapObject* object();
  template <class T>
  T* object_of(Tag kind) {
    HeapObject* found = object();
    if (found != nullptr && found->kind == kind) return static_cast<T*>(found);
    in_.fail();
    return nullptr;
  }
  size_t text_number();
  std::string_view text();
  Datum text_datum();
  Datum datum();
  std::vector<Datum> datums();

  // snapshot_read_json.cpp
  const Value* json_named();
  void add_given(std::string_view name);
  void read_units();
  void adopt(const Value& place, HeapObject* copy);
  void settle_changes(const Value& root);
  Value json(int depth);
  Value json_array(int depth);
  Value json_object(int depth);

  // snapshot_read_fibers.cpp
  const Function* function();
  void read_fibers();
  void read_fiber();
  void read_frame(Fiber& fiber);
  static void add_handlers(Fiber& fiber, const Function& of, uint32_t guard);
  bool fits_records() const;

  // snapshot_read_objects.cpp
  void read_object(HeapObject& given);
  void read_map(MapObject& map);
  void read_error(ErrorObject& error);
  void read_closure(ClosureObject& closure);
  void read_iterator(IteratorObject& iterator);
  void read_awaitable(AwaitableObject& awaitable);
  bool methods_fit() const;

  struct Text {
    std::string_view content;
    Datum datum;  ///< once the script has it; equal texts share an object
  };
  struct Unit {
    const Value* root;
    std::vector<const Value*> containers;
  };
  struct PlaceChange {
    uint32_t index;
    HeapObject* object;
  };

  ByteReader in_;
  Machine& machine_;
  const Execution& execution_;
  std::vector<HeapObject*> objects_;
  std::vector<Text> texts_;
  std::vector<Unit> units_;
  std::vector<PlaceChange> changes_;
  uint32_t containers_ = 0;
};

}  // namespace fermata::flow
