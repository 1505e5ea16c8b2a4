#pragma once
#include <map>
#include <vector>

#include "core/flow/machine.h"

namespace fermata::flow {

/// Everything a parked script can still get at, in the order in which its fibers lead there. That
/// order depends on the script's own values alone, so a machine and its rebuilt copy agree on it.
/// JSON is told apart by address: two values at one address are one value to the script, and what
/// the script changed in given JSON is found through the place it was changed at.
class Reach {
 public:
  explicit Reach(const Machine& machine);
  ~Reach();
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;

  const std::vector<HeapObject*>& objects() const { return objects_; }
  const std::vector<const Value*>& json() const { return json_; }
  /// Strings inside JSON.
  const std::vector<const Value*>& texts() const { return texts_; }
  /// Position in `objects`; the object must be there.
  size_t index_of(const HeapObject* object) const { return object->number - 1; }
  /// Changed places inside the JSON that is reached.
  bool is_changed(const Value* place) const { return changed_.contains(place); }
  HeapObject* changed(const Value* place) const { return changed_.at(place); }
  const std::map<const Value*, HeapObject*>& changes() const { return changed_; }

  /// The items of a loop that are still to come, when they cannot be told by their source.
  static std::vector<Datum> items_to_come(const Machine& machine, const IteratorObject& iterator);
  static bool tells_source(const Machine& machine, const IteratorObject& iterator);

 private:
  void see_roots();
  void see(const Datum& datum);
  void see(HeapObject* object);
  void look_into(const Value& json);
  void follow(HeapObject& object);

  const Machine& machine_;
  std::vector<HeapObject*> objects_;
  std::vector<const Value*> json_;
  std::vector<const Value*> texts_;
  std::map<const Value*, HeapObject*> changed_;
  std::map<const Value*, bool> looked_into_;
};

}  // namespace fermata::flow
