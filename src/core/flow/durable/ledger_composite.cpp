#include <algorithm>

#include "core/flow/durable/awaitable_errors.h"
#include "core/flow/durable/ledger.h"

/// Composites settle by counting: each settling of an item costs the same, whatever their size.
namespace fermata::flow {

namespace {

uint32_t place_of(const Composite& composite, uint32_t item) {
  auto found = std::ranges::find(composite.items, item);
  return static_cast<uint32_t>(found - composite.items.begin()) + 1;
}

bool failed(const Awaitable& item) { return item.status != AwaitableStatus::completed; }

}  // namespace

uint32_t Ledger::open_composite(Awaitable record) {
  for (uint32_t item : record.composite.items) {
    Awaitable* found = item == 0 ? nullptr : find(item);
    if (found == nullptr) continue;
    found->observed = true;
    bool waits = found->kind == AwaitableKind::signal ||
                 (is_composite(found->kind) && found->composite.waits);
    record.composite.waits = record.composite.waits || waits;
  }
  uint32_t number = open(std::move(record));
  judge_new(number, *find(number));
  if (find(number)->pending()) want(number);
  return number;
}

/// Items that had settled before count by their sequence; plain values came before all of them
/// (F-29, F-30).
void Ledger::judge_new(uint32_t number, Awaitable& record) {
  Composite& composite = record.composite;
  uint32_t first_done = 0;
  uint32_t first_failed = 0;
  auto earlier = [&](uint32_t place, uint32_t best) {
    if (best == 0) return true;
    uint32_t best_item = composite.items[best - 1];
    uint32_t item = composite.items[place - 1];
    if (best_item == 0) return false;
    return item == 0 || find(item)->sequence < find(best_item)->sequence;
  };
  for (uint32_t place = 1; place <= composite.items.size(); ++place) {
    uint32_t item = composite.items[place - 1];
    Awaitable* found = item == 0 ? nullptr : find(item);
    if (found != nullptr && found->pending()) {
      ++composite.open;
      found->composites.push_back(number);
      continue;
    }
    uint32_t& best = found != nullptr && failed(*found) ? first_failed : first_done;
    if (earlier(place, best)) best = place;
  }
  bool nothing_open = composite.open == 0;
  switch (record.kind) {
    case AwaitableKind::all:
      if (first_failed != 0) return decide(number, record, AwaitableStatus::failed, first_failed);
      break;
    case AwaitableKind::any:
      if (first_done != 0) return decide(number, record, AwaitableStatus::completed, first_done);
      if (nothing_open) return decide(number, record, AwaitableStatus::failed, 0);
      return;
    case AwaitableKind::race: {
      bool any = first_done != 0 || first_failed != 0;
      if (!any) return;
      bool done_first = first_failed == 0 || (first_done != 0 && earlier(first_done, first_failed));
      uint32_t winner = done_first ? first_done : first_failed;
      bool throws = !done_first && composite.shape != Composite::Shape::item;
      return decide(number, record, throws ? AwaitableStatus::failed : AwaitableStatus::completed,
                    winner);
    }
    default: break;
  }
  if (nothing_open) decide(number, record, AwaitableStatus::completed, 0);
}

void Ledger::count(uint32_t number, uint32_t item, const Awaitable& settled) {
  Awaitable* found = find(number);
  if (found == nullptr || !found->pending()) return;
  Awaitable& record = *found;
  Composite& composite = record.composite;
  if (composite.open > 0) --composite.open;
  // Another item may have decided it a moment ago, in this very settling.
  if (composite.winner != 0) return;
  bool last = composite.open == 0;
  switch (record.kind) {
    case AwaitableKind::all:
      if (failed(settled)) {
        decide(number, record, AwaitableStatus::failed, place_of(composite, item));
      } else if (last) {
        decide(number, record, AwaitableStatus::completed, 0);
      }
      return;
    case AwaitableKind::any:
      if (!failed(settled)) {
        decide(number, record, AwaitableStatus::completed, place_of(composite, item));
      } else if (last) {
        decide(number, record, AwaitableStatus::failed, 0);
      }
      return;
    case AwaitableKind::race: {
      bool throws = failed(settled) && composite.shape != Composite::Shape::item;
      return decide(number, record, throws ? AwaitableStatus::failed : AwaitableStatus::completed,
                    place_of(composite, item));
    }
    default:
      if (last) decide(number, record, AwaitableStatus::completed, 0);
  }
}

/// The winner is stored and never chosen again.
void Ledger::decide(uint32_t number, Awaitable& record, AwaitableStatus status, uint32_t winner) {
  record.composite.winner = winner;
  enqueue({number, status, Value()});
  drain();
}

/// Once a composite has settled its other items are nobody's business any more: they are cancelled
/// if it was made so, and waits for signals give up their place (F-31, F-35).
void Ledger::let_go(uint32_t number, const Awaitable& settled) {
  // Cancelling may open nothing, but the map's nodes stay where they are in any case.
  std::vector<uint32_t> items = settled.composite.items;
  uint32_t winner = settled.composite.winner;
  bool all_count =
      settled.status == AwaitableStatus::completed && winner == 0 && !settled.given_whole;
  bool cancels = settled.composite.cancel;
  for (uint32_t place = 1; place <= items.size(); ++place) {
    uint32_t item = items[place - 1];
    Awaitable* record = item == 0 ? nullptr : find(item);
    if (record == nullptr || all_count || place == winner) continue;
    if (winner != 0 && item == items[winner - 1]) continue;
    std::erase(record->composites, number);
    if (record->pending() && cancels) {
      enqueue({item, AwaitableStatus::cancelled, cancelled_error("it lost"), true, "it lost"});
    }
    if (settled.composite.waits) relinquish(item);
  }
}

}  // namespace fermata::flow
