#include <set>

#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// What a run has done is undone last first, one thing after the other, each once, and not before
/// the workers of what was stopped have let go; whatever is undone is on its way or waits for
/// people.
class SagaAuditor final : public Auditor {
 public:
  void event(const Run& before, const Event& event) override {
    std::visit([&](const auto& body) { see(before, event, body); }, event.body);
  }
  void written(const Run& after, const RunSummary&) override {
    const Saga& saga = after.saga;
    if (!saga.rolling_back) return;
    const SagaEntry* next = saga.newest_unsettled();
    bool parked = next && next->status == UndoStatus::parked;
    if (saga.awaited.empty() && !saga.submitted() && !parked)
      violate(after, "nothing moves the rollback");
    for (const AwaitedStop& stop : saga.awaited)
      if (!stop.until) violate(after, "a stopped job has not answered: " + stop.job.text());
  }

 private:
  template <class Body>
  void see(const Run&, const Event&, const Body&) {}

  void see(const Run& before, const Event&, const SagaRecorded& body) {
    if (body.entry.seq != before.saga.entries.size() + 1) violate(before, "entries have a gap");
    if (before.saga.of_job(body.entry.job)) violate(before, "a job is recorded twice");
  }
  void see(const Run& before, const Event&, const RollbackStarted&) {
    if (before.saga.rolling_back || before.saga.rolled_back) violate(before, "undone twice");
  }
  void see(const Run& before, const Event&, const UndoSubmitted& body) {
    const Saga& saga = before.saga;
    const SagaEntry* entry = saga.find(body.seq);
    if (!saga.rolling_back || !saga.awaited.empty()) violate(before, "undone too early");
    if (saga.submitted()) violate(before, "two things are undone at once");
    if (!entry || entry != saga.newest_unsettled()) violate(before, "undone out of order");
    if (entry->status != UndoStatus::recorded) violate(before, "undone again");
    if (body.attempt != entry->attempts + 1) violate(before, "a round is left out");
    if (!jobs_.insert(body.job).second) violate(before, "a job undoes two things");
  }
  void see(const Run& before, const Event&, const UndoEnded& body) {
    const SagaEntry* entry = before.saga.find(body.seq);
    bool by_people = body.status == UndoStatus::skipped && !body.by.empty();
    UndoStatus from = by_people ? UndoStatus::parked : UndoStatus::submitted;
    if (!entry || entry->status != from) violate(before, "something that nobody undid is undone");
  }
  void see(const Run& before, const Event&, const RollbackEnded&) {
    if (before.saga.newest_unsettled() || !before.saga.awaited.empty())
      violate(before, "the rollback ends with something left to undo");
  }
  void see(const Run& before, const Event&, const RunCompleted&) { ends(before); }
  void see(const Run& before, const Event&, const RunFailed&) { ends(before); }
  void see(const Run& before, const Event&, const RunCancelled&) { ends(before); }
  void see(const Run& before, const Event&, const RunTimedOut&) { ends(before); }
  void ends(const Run& before) {
    if (before.saga.rolling_back) violate(before, "it ends before everything is undone");
  }

  std::set<JobId> jobs_;
};

}  // namespace

std::unique_ptr<Auditor> saga_auditor() { return std::make_unique<SagaAuditor>(); }

}  // namespace fermata::sim
