#include "core/flow/durable/ledger.h"

#include <algorithm>

#include "core/flow/durable/awaitable_errors.h"
#include "core/model/measure.h"

namespace fermata::flow {

Awaitable* Ledger::find(uint32_t number) {
  auto found = execution_.awaitables.find(number);
  return found == execution_.awaitables.end() ? nullptr : &found->second;
}

void Ledger::tell(decltype(Outgoing::what) what, Place place) {
  if (const auto* armed = std::get_if<ArmTimer>(&what)) {
    execution_.alarms.emplace(armed->due, armed->number);
  } else if (const auto* disarmed = std::get_if<DisarmTimer>(&what)) {
    silence(disarmed->number);
  } else if (const auto* fired = std::get_if<TimerFired>(&what)) {
    silence(fired->number);
  }
  out_.push_back({std::move(place), std::move(what)});
}

/// Called while the record still knows when it would have fired.
void Ledger::silence(uint32_t number) {
  const Awaitable* record = find(number);
  auto due = number == 0 ? execution_.grace_until : record ? record->due : std::nullopt;
  if (due) execution_.alarms.erase({*due, number});
}

uint32_t Ledger::open(Awaitable record) {
  uint32_t number = ++execution_.last_number;
  ++execution_.pending;
  execution_.awaitables.emplace(number, std::move(record));
  return number;
}

bool Ledger::settle(uint32_t number, AwaitableStatus status, Value result) {
  Awaitable* record = find(number);
  if (record == nullptr || !record->pending()) return false;
  if (is_composite(record->kind) || record->kind == AwaitableKind::fiber) {
    record->given_whole = true;
  }
  enqueue({number, status, std::move(result)});
  drain();
  return true;
}

bool Ledger::fire(uint32_t number, Instant now) {
  Awaitable* record = find(number);
  bool armed = record != nullptr && record->pending() && record->due.has_value();
  if (!armed || *record->due > now) return false;
  tell(TimerFired{number}, record->place);
  bool is_signal = record->kind == AwaitableKind::signal;
  if (record->kind == AwaitableKind::timer) {
    enqueue({number, AwaitableStatus::completed, Value()});
  } else if (record->otherwise) {
    enqueue({number, AwaitableStatus::completed, *record->otherwise});
  } else {
    std::string what = is_signal ? "no signal `" + record->name + "` came in time"
                                 : "the approval was not given in time";
    enqueue({number, AwaitableStatus::failed,
             awaitable_error(is_signal ? "SIGNAL_TIMED_OUT" : "APPROVAL_TIMED_OUT", what)});
  }
  // An approval that timed out must not be answered any more.
  if (record->kind == AwaitableKind::approval) {
    tell(CancelWork{number, record->kind, "timed out"}, record->place);
  }
  record->due.reset();
  drain();
  return true;
}

bool Ledger::cancel(uint32_t number, std::string_view reason) {
  Awaitable* record = find(number);
  if (record == nullptr || !record->pending()) return false;
  enqueue({number, AwaitableStatus::cancelled, cancelled_error(reason), true, std::string(reason)});
  drain();
  return true;
}

/// One settling may bring about others: composites, and the items they cancel. They are taken one
/// after another, each with its own sequence number. The fibers that all of them made runnable go
/// on in the order they parked (F-44).
void Ledger::drain() {
  if (draining_) return;
  draining_ = true;
  while (!queue_.empty()) {
    Settling next = std::move(queue_.front());
    queue_.pop_front();
    apply(std::move(next));
  }
  std::ranges::stable_sort(woken_, {}, &Woken::stamp);
  for (const Woken& woken : woken_) execution_.ready.push_back(woken.fiber);
  woken_.clear();
  draining_ = false;
}

void Ledger::apply(Settling settling) {
  Awaitable* found = find(settling.number);
  if (found == nullptr || !found->pending()) return;
  Awaitable& record = *found;
  if (settling.signal != 0 && record.wait.signal != settling.signal) return;
  record.status = settling.status;
  record.sequence = ++execution_.last_sequence;
  --execution_.pending;
  release(settling.number, record, settling);
  execution_.result_bytes += approximate_bytes(settling.result);
  record.result = std::move(settling.result);
  std::vector<uint32_t> fibers = std::exchange(record.fibers, {});
  std::vector<uint32_t> composites = std::exchange(record.composites, {});
  wake(fibers, Wake::outcome);
  for (uint32_t composite : composites) count(composite, settling.number, record);
  if (is_composite(record.kind)) let_go(settling.number, record);
  if (record.lost) forget(settling.number);
}

void Ledger::end_fiber(uint32_t fiber, AwaitableStatus status, Value why) {
  enqueue({fiber, status, std::move(why)});
  drain();
}

/// A fiber that failed with nobody to see it leaves a trace (F-39).
void Ledger::warn_if_unawaited(const Awaitable& record) {
  bool unseen = record.kind == AwaitableKind::fiber && record.status == AwaitableStatus::failed &&
                !record.observed;
  if (!unseen) return;
  const Value& message = record.result.get("message");
  std::string what = message.is_string() ? std::string(message.as_string()) : "a value was thrown";
  tell(Warned{"unawaited-failure", "nobody awaited the fiber " + record.name + ": " + what},
       record.place);
}

void Ledger::forget(uint32_t number) {
  auto found = execution_.awaitables.find(number);
  if (found == execution_.awaitables.end()) return;
  const Awaitable& record = found->second;
  warn_if_unawaited(record);
  if (!record.delivered) drop_bytes(record.result);
  execution_.awaitables.erase(found);
}

void Ledger::drop_bytes(const Value& result) {
  uint64_t bytes = approximate_bytes(result);
  execution_.result_bytes -= std::min(execution_.result_bytes, bytes);
}

/// What the awaitable held outside is given back.
void Ledger::release(uint32_t number, Awaitable& record, const Settling& settling) {
  switch (record.kind) {
    case AwaitableKind::signal:
      leave_queue(record);
      if (record.due) tell(DisarmTimer{number}, record.place);
      break;
    case AwaitableKind::timer:
      if (record.due && settling.ours) tell(DisarmTimer{number}, record.place);
      break;
    case AwaitableKind::approval:
      if (record.due) tell(DisarmTimer{number}, record.place);
      [[fallthrough]];
    case AwaitableKind::task:
    case AwaitableKind::child:
      if (settling.ours) tell(CancelWork{number, record.kind, settling.reason}, record.place);
      break;
    case AwaitableKind::fiber:
      if (settling.ours) throw_into(number, Wake::cancelled);
      break;
    default: break;
  }
}

void Ledger::wake(std::span<const uint32_t> fibers, Wake how) {
  for (uint32_t fiber : fibers) {
    auto parked = execution_.parked.find(fiber);
    if (parked == execution_.parked.end()) continue;
    woken_.push_back({parked->second.stamp, {fiber, how, parked->second.awaiting}});
    execution_.parked.erase(parked);
  }
}

void Ledger::park(uint32_t fiber, uint32_t awaiting, Place place) {
  execution_.parked[fiber] = {awaiting, ++execution_.last_stamp, std::move(place)};
  if (Awaitable* record = find(awaiting)) {
    record->fibers.push_back(fiber);
    record->observed = true;
  }
  want(awaiting);
}

void Ledger::want(uint32_t number) {
  std::vector<uint32_t> open{number};
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    Awaitable* record = find(next);
    if (record == nullptr || !record->pending()) continue;
    if (record->kind == AwaitableKind::signal && record->wait.place == 0) {
      queue_wait(next, *record);
    } else if (is_composite(record->kind) && record->composite.waits) {
      const auto& items = record->composite.items;
      open.insert(open.end(), items.rbegin(), items.rend());
    }
  }
  drain();
}

/// Follows what each fiber waits for until something is found that the world can settle.
bool Ledger::stuck() {
  std::set<uint32_t> seen;
  std::vector<uint32_t> open;
  for (const auto& [fiber, parked] : execution_.parked) open.push_back(parked.awaiting);
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const Awaitable* record = find(next);
    if (record == nullptr || !record->pending()) continue;
    if (is_outside(record->kind)) return false;
    if (is_composite(record->kind)) {
      const auto& items = record->composite.items;
      open.insert(open.end(), items.begin(), items.end());
    } else if (auto fiber = execution_.parked.find(next); fiber != execution_.parked.end()) {
      open.push_back(fiber->second.awaiting);
    }
  }
  return true;
}

}  // namespace fermata::flow
