#include "core/flow/durable/ledger.h"
#include "core/model/measure.h"
#include "core/wait/criteria.h"

/// Signals are kept until a script has them in its hands (F-34, F-35).
namespace fermata::flow {

uint32_t Ledger::open_signal_wait(Awaitable record) {
  uint32_t number = open(std::move(record));
  queue_wait(number, *find(number));
  drain();
  return number;
}

/// Puts a wait at the end of the line and gives it the first signal that fits.
void Ledger::queue_wait(uint32_t number, Awaitable& record) {
  Mailbox& mailbox = execution_.mailboxes[record.name];
  record.wait.place = ++execution_.last_place;
  mailbox.waits.emplace(record.wait.place, number);
  for (auto& [arrival, kept] : mailbox.kept) {
    if (kept.wait != 0 || !meets_criteria(record.wait.match, kept.payload)) continue;
    return assign(number, record, arrival, kept);
  }
}

void Ledger::leave_queue(Awaitable& record) {
  if (record.wait.place == 0) return;
  auto mailbox = execution_.mailboxes.find(record.name);
  mailbox->second.waits.erase(record.wait.place);
  record.wait.place = 0;
  if (mailbox->second.waits.empty() && mailbox->second.kept.empty()) {
    execution_.mailboxes.erase(mailbox);
  }
}

/// The status is set when the settling is applied; until then nobody else may get the signal.
void Ledger::assign(uint32_t number, Awaitable& record, uint64_t signal, KeptSignal& kept) {
  kept.wait = number;
  record.wait.signal = signal;
  Settling settling{number, AwaitableStatus::completed, Value()};
  settling.signal = signal;
  enqueue(std::move(settling));
}

void Ledger::receive(std::string_view name, Value payload) {
  uint64_t arrival = ++execution_.last_signal;
  ++execution_.signals_kept;
  execution_.result_bytes += approximate_bytes(payload);
  auto mailbox = execution_.mailboxes.find(name);
  if (mailbox == execution_.mailboxes.end()) {
    mailbox = execution_.mailboxes.emplace(std::string(name), Mailbox{}).first;
  }
  mailbox->second.kept.emplace(arrival, KeptSignal{std::move(payload)});
  offer_signal(name, arrival);
  drain();
}

void Ledger::offer_signal(std::string_view name, uint64_t signal) {
  Mailbox& mailbox = execution_.mailboxes.find(name)->second;
  KeptSignal& kept = mailbox.kept.at(signal);
  for (auto [place, number] : mailbox.waits) {
    Awaitable& record = *find(number);
    if (record.wait.signal != 0 || !meets_criteria(record.wait.match, kept.payload)) continue;
    return assign(number, record, signal, kept);
  }
}

void Ledger::take(uint32_t number) {
  Awaitable& record = *find(number);
  if (record.wait.signal == 0 || record.wait.taken) return;
  auto mailbox = execution_.mailboxes.find(record.name);
  auto kept = mailbox->second.kept.find(record.wait.signal);
  // Its bytes are counted already.
  record.result = std::move(kept->second.payload);
  record.wait.taken = true;
  tell(SignalTaken{number, record.name, record.wait.signal}, record.place);
  mailbox->second.kept.erase(kept);
  --execution_.signals_kept;
  if (mailbox->second.waits.empty() && mailbox->second.kept.empty()) {
    execution_.mailboxes.erase(mailbox);
  }
}

/// True when a fiber is parked on it, or on something that it is part of.
bool Ledger::wanted(uint32_t number) {
  std::set<uint32_t> seen;
  std::vector<uint32_t> open{number};
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    const Awaitable* record = find(next);
    if (record == nullptr || !seen.insert(next).second) continue;
    if (!record->fibers.empty()) return true;
    open.insert(open.end(), record->composites.begin(), record->composites.end());
  }
  return false;
}

/// Gives up the places of a wait, or of the waits that stand in a composite, unless somebody else
/// waits for them. An assigned signal goes back to its old place.
void Ledger::relinquish(uint32_t first) {
  std::vector<uint32_t> open{first};
  while (!open.empty()) {
    uint32_t number = open.back();
    open.pop_back();
    Awaitable* record = number == 0 ? nullptr : find(number);
    if (record == nullptr || wanted(number)) continue;
    if (is_composite(record->kind) && record->composite.waits && record->pending()) {
      open.insert(open.end(), record->composite.items.rbegin(), record->composite.items.rend());
    }
    if (record->kind != AwaitableKind::signal || record->wait.taken) continue;
    leave_queue(*record);
    uint64_t signal = std::exchange(record->wait.signal, 0);
    if (signal == 0) continue;
    if (!record->pending()) {
      record->status = AwaitableStatus::pending;
      record->sequence = 0;
      ++execution_.pending;
      if (record->due) tell(ArmTimer{number, *record->due}, record->place);
    }
    execution_.mailboxes.find(record->name)->second.kept.at(signal).wait = 0;
    offer_signal(record->name, signal);
  }
}

void Ledger::withdraw(uint32_t number) {
  relinquish(number);
  Awaitable* record = find(number);
  if (record != nullptr && record->pending()) {
    if (record->due) tell(DisarmTimer{number}, record->place);
    --execution_.pending;
    execution_.awaitables.erase(number);
  }
  drain();
}

}  // namespace fermata::flow
