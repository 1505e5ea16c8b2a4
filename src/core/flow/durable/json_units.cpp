#include "core/flow/durable/json_units.h"

#include "core/flow/durable/snapshot_codes.h"

namespace fermata::flow {

void each_container(const Value& root, const std::function<bool(const Value&)>& enter) {
  std::vector<const Value*> open{&root};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (!enter(next)) continue;
    if (next.is_array()) {
      auto items = next.items();
      for (size_t i = items.size(); i-- > 0;) {
        if (items[i].is_array() || items[i].is_object()) open.push_back(&items[i]);
      }
    } else {
      auto members = next.members();
      for (size_t i = members.size(); i-- > 0;) {
        const Value& value = members[i].value;
        if (value.is_array() || value.is_object()) open.push_back(&value);
      }
    }
  }
}

JsonUnits::JsonUnits(const Reach& reach, const Value* inputs, const Value* context) {
  for (const Value* one : reach.json()) wanted_[one] = false;
  unnamed_ = wanted_.size();
  if (inputs != nullptr) name_outside(reach, inputs, snapshot::unit_inputs);
  if (context != nullptr) name_outside(reach, context, snapshot::unit_context);
  find_own(reach);
}

void JsonUnits::name_outside(const Reach& reach, const Value* root, uint32_t unit) {
  if (!root->is_array() && !root->is_object()) return;
  size_t changes_left = reach.changes().size();
  uint32_t index = 0;
  each_container(*root, [&](const Value& part) {
    // Once everything has a name the rest need not be looked at.
    if (unnamed_ == 0 && changes_left == 0) return false;
    Name name{unit, index++};
    auto wanted = wanted_.find(&part);
    if (wanted != wanted_.end() && !wanted->second) {
      wanted->second = true;
      names_[&part] = name;
      --unnamed_;
    }
    if (reach.is_changed(&part)) outside_changes_.push_back({name, reach.changed(&part)});
    return true;
  });
}

/// A piece that lies inside another one belongs to it; those that lie in none are the units. Pieces
/// behind a changed place are on their own: the place is written as what it was changed to.
void JsonUnits::find_own(const Reach& reach) {
  if (unnamed_ == 0) return;
  std::map<const Value*, bool> inside;
  for (const Value* root : reach.json()) {
    if (wanted_.at(root) || inside.contains(root)) continue;
    each_container(*root, [&](const Value& part) {
      if (reach.is_changed(&part)) return false;
      if (&part == root) return true;
      bool first = inside.try_emplace(&part, true).second;
      // What was the root of an earlier walk has been walked already.
      return first;
    });
  }
  for (const Value* root : reach.json()) {
    if (wanted_.at(root) || inside.contains(root)) continue;
    auto unit = static_cast<uint32_t>(snapshot::unit_first_own + own_.size());
    own_.push_back(root);
    uint32_t index = 0;
    each_container(*root, [&](const Value& part) {
      Name name{unit, index++};
      if (wanted_.contains(&part)) names_.try_emplace(&part, name);
      return &part == root || !reach.is_changed(&part);
    });
  }
}

}  // namespace fermata::flow
