#include <algorithm>

#include "core/flow/durable/awaitable_errors.h"
#include "core/flow/durable/ledger.h"

/// Cancelling fibers and ending the run (F-31, F-39, F-53).
namespace fermata::flow {

std::string_view end_name(FlowEnd end) {
  switch (end) {
    case FlowEnd::none: return "none";
    case FlowEnd::completed: return "completed";
    case FlowEnd::failed: return "failed";
    case FlowEnd::cancelled: return "cancelled";
    case FlowEnd::timed_out: return "timed_out";
  }
  return {};
}

Value FlowError::to_value() const {
  Value out = Value::object({{"code", code}, {"message", message}});
  if (!details.is_null()) out.set("details", details);
  if (!cause.is_null()) out.set("cause", cause);
  if (line > 0) out.set("at", std::to_string(line) + ":" + std::to_string(column));
  return out;
}

/// A parked fiber goes on with a throw; one that was about to go on gets the throw instead; one
/// that runs right now is told when it parks next.
void Ledger::throw_into(uint32_t fiber, Wake how) {
  auto parked = execution_.parked.find(fiber);
  if (parked != execution_.parked.end()) {
    if (Awaitable* awaited = find(parked->second.awaiting)) std::erase(awaited->fibers, fiber);
    uint32_t one[] = {fiber};
    return wake(one, how);
  }
  for (Woken& woken : woken_) {
    if (woken.fiber.fiber == fiber) woken.fiber.wake = how;
  }
  auto ready = std::ranges::find(execution_.ready, fiber, &ReadyFiber::fiber);
  if (ready != execution_.ready.end()) {
    ready->wake = how;
  } else {
    execution_.doomed.insert(fiber);
  }
}

/// Does the run's end leave the work behind this awaitable alone?
bool Ledger::kept_at(FlowEnd end, const Awaitable& record) const {
  bool work = record.kind == AwaitableKind::task || record.kind == AwaitableKind::child;
  if (!work) return false;
  if (record.on_parent_end == OnParentEnd::as_usual) return end == FlowEnd::completed;
  return record.on_parent_end == OnParentEnd::keep;
}

/// Everything pending is cancelled, then every fiber is unwound. A fiber's own awaitable is not
/// cancelled: the verdict itself ends the fiber.
void Ledger::unwind(const EndFlow& how, Instant now, int64_t grace_ms) {
  execution_.unwinding = how.end;
  execution_.reason = how.reason;
  std::vector<uint32_t> pending;
  for (const auto& [number, record] : execution_.awaitables) {
    bool cancels = record.pending() && is_outside(record.kind) && !kept_at(how.end, record);
    if (cancels) pending.push_back(number);
  }
  std::string why = how.reason;
  if (why.empty()) why = "the run was " + std::string(end_name(how.end));
  draining_ = true;
  for (uint32_t number : pending) {
    enqueue({number, AwaitableStatus::cancelled, cancelled_error(why), true, why});
  }
  draining_ = false;
  drain();
  // Whatever woke them: the verdict takes its place.
  std::vector<uint32_t> fibers;
  for (const auto& [fiber, parked] : execution_.parked) fibers.push_back(fiber);
  for (uint32_t fiber : fibers) throw_into(fiber, Wake::verdict);
  drain();
  for (ReadyFiber& ready : execution_.ready) {
    ready.wake = Wake::verdict;
    execution_.unwinding_fibers.insert(ready.fiber);
  }
  execution_.grace_until = now + Duration{grace_ms};
  tell(ArmTimer{0, *execution_.grace_until});
}

void Ledger::finish(FlowEnd end) {
  for (auto& [number, record] : execution_.awaitables) {
    warn_if_unawaited(record);
    if (!record.pending()) continue;
    bool timed = record.kind == AwaitableKind::timer || record.kind == AwaitableKind::signal ||
                 record.kind == AwaitableKind::approval;
    if (timed && record.due) tell(DisarmTimer{number}, record.place);
    bool work = record.kind == AwaitableKind::task || record.kind == AwaitableKind::child ||
                record.kind == AwaitableKind::approval;
    if (work && !kept_at(end, record)) {
      tell(CancelWork{number, record.kind, "the run has " + std::string(end_name(end))},
           record.place);
    }
    // What is left behind is final for the run.
    if (!kept_at(end, record)) record.status = AwaitableStatus::cancelled;
  }
  if (execution_.grace_until) tell(DisarmTimer{0});
  execution_.grace_until.reset();
  size_t dropped = execution_.parked.size() + execution_.ready.size();
  if (execution_.parked.contains(0)) --dropped;
  if (dropped > 0) tell(FibersDropped{dropped});
  execution_.parked.clear();
  execution_.ready.clear();
  execution_.doomed.clear();
  execution_.unwinding_fibers.clear();
  execution_.open.reset();
  execution_.deferred.clear();
  execution_.unwinding = FlowEnd::none;
  execution_.pending = 0;
  execution_.end = end;
}

}  // namespace fermata::flow
