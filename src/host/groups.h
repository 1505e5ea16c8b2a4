#pragma once
#include <cstdint>
#include <vector>

namespace fermata {

/// Which decisions of a batch belong together: those that posts connect are written together or not
/// at all.
class Groups {
 public:
  using Member = uint32_t;

  Member add() {
    entries_.push_back({static_cast<Member>(entries_.size()), false, false});
    return entries_.back().parent;
  }
  void join(Member a, Member b) {
    Member whole = of(a), other = of(b);
    if (whole == other) return;
    entries_[other].parent = whole;
    entries_[whole].shared = true;
  }
  /// The same for all members of a group.
  Member of(Member member) const {
    while (entries_[member].parent != member)
      member = entries_[member].parent = entries_[entries_[member].parent].parent;
    return member;
  }
  bool shared(Member member) const { return entries_[of(member)].shared; }

  void abandon(Member member) {
    entries_[of(member)].abandoned = true;
    any_abandoned_ = true;
  }
  bool abandoned(Member member) const { return entries_[of(member)].abandoned; }
  bool any_abandoned() const { return any_abandoned_; }

 private:
  struct Entry {
    Member parent;
    bool shared;     ///< has more than one member; of the entry that stands for the group
    bool abandoned;  ///< likewise
  };
  mutable std::vector<Entry> entries_;
  bool any_abandoned_ = false;
};

}  // namespace fermata
