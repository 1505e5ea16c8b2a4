#include "sim/auditors/wait_rows.h"

#include "core/run/wait_events.h"
#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// Which cause goes with which status (W-63).
bool fits(const Wait& wait) {
  switch (wait.status) {
    case WaitStatus::scheduled: return !wait.is_for_event() && wait.resumed_by.empty();
    case WaitStatus::waiting: return wait.is_for_event() && wait.resumed_by.empty();
    case WaitStatus::resumed:
      if (wait.type == "until_date" &&
          (wait.resumed_by == "past_date" || wait.resumed_by == "missing_date"))
        return true;
      return wait.resumed_by == "manual" ||
             wait.resumed_by == (wait.is_for_event() ? "event" : "scheduler");
    case WaitStatus::timeout: return wait.is_for_event() && wait.resumed_by == "timeout";
    case WaitStatus::cancelled: return wait.resumed_by == "cancelled";
    case WaitStatus::error: return wait.resumed_by.empty();
  }
  return false;
}

}  // namespace

void WaitRows::move(const Run& state, const Wait& to) {
  auto [row, fresh] = rows_.try_emplace(to.id, to);
  if (!fits(to)) violate(state, "wait " + to.step + " has a cause that does not fit its status");
  if (is_pending(to.status) == to.ended_at.has_value())
    violate(state, "wait " + to.step + " does not know whether it has ended");
  bool by_clock = to.resumed_by == "scheduler" && to.due && to.ended_at;
  if (by_clock && *to.ended_at < *to.due) violate(state, "wait " + to.step + " resumes early");
  if (fresh) return;
  const Wait& from = row->second;
  bool ended = !is_pending(from.status);
  if (ended && (to.status != from.status || to.resumed_by != from.resumed_by ||
                to.ended_at != from.ended_at))
    violate(state, "wait " + to.step + " ends twice");
  // One beside a program parks nothing and changes all the same.
  if (!from.parked && (ended || from.source != WaitSource::api))
    violate(state, "wait " + to.step + " changes after its token has gone");
  row->second = to;
}

void WaitRows::written(Run& state, const std::vector<WaitRecord>& waits) {
  std::map<std::string, Wait> expected, given;
  for (WaitRecord& record : take_wait_changes(state)) expected[record.wait.id] = record.wait;
  for (const WaitRecord& record : waits) given[record.wait.id] = record.wait;
  if (given.size() != waits.size()) violate(state, "a commit writes a wait twice");
  if (expected != given) violate(state, "the rows of waits are not those that the events changed");
  for (const auto& [id, wait] : given) move(state, wait);
  for (const auto& [key, wait] : state.waits) {
    auto row = rows_.find(wait.id);
    if (row == rows_.end() || row->second.status != wait.status || row->second.hold != wait.hold ||
        row->second.due != wait.due)
      violate(state, "wait " + wait.step + " has another row");
  }
}

}  // namespace fermata::sim
