#include "host/deferral.h"
#include "host/partition.h"

/// Signals on their way to waits: what came before a wait opened is offered in the decision that
/// opened it, what comes later by the desk.
namespace fermata {

namespace {

constexpr size_t recovery_page_waits = 20'000;
constexpr size_t recovery_page_signals = 1'000;
/// Lines that wait for a store that is away; more are not kept.
constexpr size_t notes_max = 10'000;
constexpr Duration notes_delay{1'000};

}  // namespace

bool Host::Partition::submit_signals(std::vector<IncomingSignal> signals) {
  if (stopping_.load(std::memory_order_relaxed) || !signals_.submit(std::move(signals)))
    return false;
  wake();
  return true;
}

Outcome<std::vector<RunId>> Host::Partition::runs_about(const ContactKey& key) {
  if (!contacts_.keeps_any()) return std::vector<RunId>{};
  return live_runs_of(key);
}

Outcome<bool> Host::Partition::takes_part(const ContactKey& key, const WorkflowId& workflow,
                                          const RunId& besides) {
  FERMATA_TRY(runs, runs_about(key));
  std::vector<RunId> missing;
  for (const RunId& id : runs)
    if (id != besides && !cache_.find(id)) missing.push_back(id);
  if (!missing.empty()) FERMATA_TRY_VOID(cache_.fetch(missing));
  for (const RunId& id : runs) {
    const OpenRun* open = cache_.find(id);
    if (id == besides || !open || open->run.finished()) continue;
    if (open->run.workflow == workflow) return true;
  }
  return false;
}

Outcome<FoundWorkflow> Host::Partition::workflow(const AccountId& account, const WorkflowId& id) {
  return ports_.definitions.workflow(account, id, 0);
}

/// Written with what opened the wait, or not at all.
void Host::Partition::offer_past(Touched& touched, const std::vector<WaitRecord>& waits,
                                 Instant now) {
  for (const WaitRecord& record : waits) {
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

void Host::Partition::note(AuditLine line) {
  if (notes_.size() < notes_max) notes_.push_back(std::move(line));
}

bool Host::Partition::notes_due(Instant now) const {
  return !notes_.empty() && is_due(notes_at_, now);
}

/// What is not known to be written is written with the next batch, or after a while.
void Host::Partition::land_notes(const CommitAnswer& answer, CommitOutcome outcome, Instant now) {
  if (outcome == CommitOutcome::done) return ports_.feed.audited(answer.batch.audit);
  if (outcome == CommitOutcome::refused) return;
  notes_at_ = now + notes_delay;
  for (const AuditLine& line : answer.batch.audit) note(line);
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
  if (ports_.accounts) accounts_ = ports_.accounts->accounts();
  signals_.use(accounts_);
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
