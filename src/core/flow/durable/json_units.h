#pragma once
#include <functional>
#include <map>
#include <vector>

#include "core/flow/durable/reach.h"

namespace fermata::flow {

/// Walks the arrays and objects of a value, outer before inner, in order. `enter` says whether to
/// look inside.
void each_container(const Value& root, const std::function<bool(const Value&)>& enter);

/// How a snapshot names JSON: as the n-th container of a unit. The first two units are what the run
/// was given; others are the largest pieces that the script holds, written into the snapshot.
class JsonUnits {
 public:
  struct Name {
    uint32_t unit = 0;
    uint32_t index = 0;
  };
  JsonUnits(const Reach& reach, const Value* inputs, const Value* context);

  const std::vector<const Value*>& own() const { return own_; }
  Name name_of(const Value* container) const { return names_.at(container); }
  /// Changed places inside `Inputs` and `Context`, which the snapshot does not write out.
  struct Change {
    Name name;
    HeapObject* object;
  };
  const std::vector<Change>& outside_changes() const { return outside_changes_; }

 private:
  void name_outside(const Reach& reach, const Value* root, uint32_t unit);
  void find_own(const Reach& reach);

  std::vector<const Value*> own_;
  std::map<const Value*, Name> names_;
  std::map<const Value*, bool> wanted_;  ///< reached, and whether it has a name yet
  size_t unnamed_ = 0;
  std::vector<Change> outside_changes_;
};

}  // namespace fermata::flow
