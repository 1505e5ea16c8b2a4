#include "host/partition.h"

/// Signals on their way to waits: what came before a wait opened is offered in the decision that
/// opened it, what comes later by the desk.
namespace fermata {

namespace {

constexpr size_t recovery_page_waits = 20'000;
constexpr size_t recovery_page_signals = 1'000;

}  // namespace

bool Host::Partition::submit_signals(std::vector<IncomingSignal> signals) {
  if (stopping_.load(std::memory_order_relaxed) || !signals_.submit(std::move(signals)))
    return false;
  wake();
  return true;
}

/// Written with what opened the wait, or not at all.
void Host::Partition::offer_past(Touched& touched, const std::vector<WaitRecord>& waits,
                                 Instant now) {
  for (const WaitRecord& record : waits) {
    signals_.heard(record);
    for (SignalRef& signal : signals_.opened(record, now)) {
      Item item{{record.run, OfferSignal{std::move(signal), record.wait.id}}, {}};
      item.posted = true;
      decide_one(touched, std::move(item), now);
    }
    if (auto trouble = signals_.take_trouble())
      unsound_.emplace_back(touched.group, *std::move(trouble));
  }
}

void Host::Partition::forget_unsound(Instant now) {
  for (auto& [group, error] : std::exchange(unsound_, {})) {
    ++counters_.store_failures;
    abandon(group, error, now);
  }
}

void Host::Partition::land_signals(const CommitAnswer& answer, size_t first, Instant now) {
  for (size_t i = 0; i < answer.batch.signals.size(); ++i) {
    CommitOutcome outcome = answer.outcomes[first + i];
    bool done = outcome == CommitOutcome::done;
    if (!done) ++counters_.store_failures;
    Error error = done ? Error{ErrorCode::internal, "", {}} : trouble(outcome);
    signals_.landed(answer.batch.signals[i], outcome, error, now);
  }
}

Outcome<void> Host::Partition::recover_listening() {
  Instant now = ports_.clock.now();
  for (bool more = true; more;) {
    FERMATA_TRY(page_more, signals_.recover_listeners(recovery_page_waits));
    more = page_more;
  }
  for (bool more = true; more;) {
    FERMATA_TRY(page_more, signals_.recover_signals(recovery_page_signals, now));
    more = page_more;
  }
  return {};
}

}  // namespace fermata
