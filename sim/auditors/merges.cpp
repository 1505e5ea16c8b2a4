#include <map>
#include <set>

#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// An instance is pending from its first arrival, closes once, and ignores whoever comes later.
class MergeAuditor final : public Auditor {
 public:
  void event(const Run& before, const Event& event) override {
    std::set<MergeKey>& closed = closed_[before.id];
    if (const auto* arrived = std::get_if<MergeArrived>(&event.body)) {
      if (closed.contains(key_of(arrived->activation)))
        violate(before, "an arrival is counted at a closed merge");
    } else if (const auto* ignored = std::get_if<ArrivalIgnored>(&event.body)) {
      if (!closed.contains(key_of(ignored->activation)))
        violate(before, "an arrival is ignored at a merge that is not closed");
    } else if (const auto* opened = std::get_if<MergeOpened>(&event.body)) {
      close(before, {opened->lineage, opened->node, opened->visit});
    } else if (const auto* failed = std::get_if<MergeFailed>(&event.body)) {
      close(before, {failed->lineage, failed->node, failed->visit});
    } else if (const auto* started = start_in(event.body)) {
      restored_ = !started->seed.empty();
    }
  }
  void written(const Run& after, const RunSummary&) override {
    if (!restored_) return;
    // A run made from another one begins with that one's closed merges.
    for (const auto& [key, merge] : after.merges)
      if (merge.closed) closed_[after.id].insert(key);
    restored_ = false;
  }

 private:
  static MergeKey key_of(const Activation& activation) {
    return {activation.lineage, activation.node, activation.visit};
  }
  void close(const Run& before, const MergeKey& key) {
    if (!closed_[before.id].insert(key).second)
      violate(before,
              "merge " + place(before, key.node, key.lineage, key.visit) + " closes a second time");
  }

  std::map<RunId, std::set<MergeKey>> closed_;
  bool restored_ = false;
};

}  // namespace

std::unique_ptr<Auditor> merge_auditor() { return std::make_unique<MergeAuditor>(); }

}  // namespace fermata::sim
