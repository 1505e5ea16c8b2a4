#include "base/check.h"
#include "host/checkpoints.h"
#include "host/partition.h"
#include "host/signal_effects.h"

/// The way of a batch: to the store, and back with what became of it. Whoever is told of a run,
/// and whatever is done for it, comes after its outcome.
namespace fermata {

namespace {

/// A parked run is kept in memory only if it wants to be looked at within this time.
constexpr Duration keep_open{5'000};

bool awaits(const Run& run, const CallTicket& ticket) {
  auto found = run.tokens.find(ticket.token);
  return found != run.tokens.end() && found->second.parked == Parked::call &&
         found->second.attempt == ticket.attempt;
}

/// True when other roots are at work for the run: their ends come one by one, and soon. Of the many
/// tasks that a script may await the first and the last are looked at: they end roughly in the
/// order they began.
bool awaits_others(const Run& run) {
  if (!run.script) return run.orders > 0;
  constexpr int looked_at_max = 16;
  const auto& awaited = run.script->awaitables;
  auto is_at_work = [](const auto& entry) {
    return entry.second.kind == flow::AwaitableKind::task && entry.second.pending();
  };
  int looked_at = 0;
  for (auto one = awaited.begin(); one != awaited.end() && looked_at < looked_at_max; ++one) {
    if (is_at_work(*one)) return true;
    ++looked_at;
  }
  for (auto one = awaited.rbegin(); looked_at > 0; ++one, --looked_at)
    if (is_at_work(*one)) return true;
  return false;
}

}  // namespace

void Host::Partition::take_off() {
  if (!flying_.empty()) return;
  flying_ = std::exchange(next_, Flight{});
  flying_.roll = desk_.take_roll();
  CommitBatch batch;
  batch.signals = signals_.take_writes();
  flying_.signals = batch.signals.size();
  if (!flying_.empty() || notes_due(ports_.clock.now())) batch.audit = std::exchange(notes_, {});
  flying_.lines = batch.audit.size();
  if (flying_.empty()) return;
  ++flights_begun_;
  if (flying_.size() + flying_.signals > 0) ++counters_.commits;
  batch.roll = flying_.roll;
  batch.runs.reserve(flying_.runs.size());
  for (Touched& touched : flying_.runs) {
    OpenRun& open = *touched.open;
    open.place = OpenRun::nowhere;
    open.flying = true;
    batch.runs.push_back(touched.write ? *std::move(touched.write) : write_of(touched));
    RunWrite& write = batch.runs.back();
    write.waits = std::move(touched.waits);
    write.approvals = std::move(touched.approvals);
    write.deliveries = std::move(touched.deliveries);
    write.reached = reached_by(open.run, touched.events, write.waits);
    tell_goals(open.run, touched.events, write.audit);
    signals_.tell_later(write.reached, touched.events.front().at, write.audit);
    write.dead_letters = failed_resumes(open.run, touched.events, write.waits);
    add_messages(touched, write);
    if (flying_.groups.shared(touched.group)) write.group = flying_.groups.of(touched.group) + 1;
    write.checkpoint = checkpoint_due(open, write.events, settings_);
    write.checkpoints_kept = settings_.checkpoints_kept;
    touched.events = {};
  }
  load_jobs(batch);
  load_schedules(batch);
  load_deliveries(batch);
  load_contacts(batch);
  ports_.store.submit(std::move(batch));
}

/// True when a batch has landed.
bool Host::Partition::land(Instant now) {
  if (flying_.empty()) return false;
  std::optional<CommitAnswer> answer = ports_.store.harvest();
  if (!answer) return false;
  check(answer->outcomes.size() == answer->batch.size());
  Flight down = std::exchange(flying_, Flight{});
  ++flights_landed_;
  counters_.commit_us.add(static_cast<uint64_t>(answer->took_us));
  counters_.commit_roots.add(answer->batch.size());
  std::vector<Touched>& runs = down.runs;
  if (!next_.empty()) ++counters_.commits_overlapped;
  // The store first: what has landed can be seen to while the next batch is written. Unless that
  // one is not complete: some of it was sent to a run that has just landed.
  bool waited_for =
      !held_posts_.empty() || !held_job_posts_.empty() || !held_schedule_posts_.empty();
  if (!waited_for) take_off();
  if (!down.roll.empty() && answer->outcomes.back() != CommitOutcome::done)
    desk_.roll_not_written(down.roll, now);
  for (size_t i = 0; i < runs.size(); ++i) {
    RunWrite& write = answer->batch.runs[i];
    RunId id = write.summary.id;
    CommitOutcome outcome = answer->outcomes[i];
    if (outcome == CommitOutcome::unknown) outcome = find_out(write);
    runs[i].open->flying = false;
    if (outcome == CommitOutcome::done) {
      committed(runs[i], write, now);
    } else {
      for (const WaitRecord& record : write.waits) signals_.not_committed(record);
      not_committed(runs[i], outcome, now);
    }
    for (Item& item : held_.release(id)) put_first(std::move(item));
  }
  for (size_t i = 0; i < down.jobs.size(); ++i)
    landed(down.jobs[i], answer->batch.jobs[i], answer->outcomes[runs.size() + i], now);
  for (size_t i = 0; i < down.schedules.size(); ++i)
    landed(down.schedules[i], answer->batch.schedules[i],
           answer->outcomes[runs.size() + down.jobs.size() + i], now);
  for (size_t i = 0; i < down.deliveries.size(); ++i)
    landed(down.deliveries[i], answer->batch.deliveries[i],
           answer->outcomes[runs.size() + down.jobs.size() + down.schedules.size() + i], now);
  size_t others = runs.size() + down.jobs.size() + down.schedules.size() + down.deliveries.size();
  for (size_t i = 0; i < down.contacts.size(); ++i)
    landed(down.contacts[i], answer->batch.contacts[i], answer->outcomes[others + i]);
  land_signals(*answer, down.size(), now);
  if (down.lines > 0) land_notes(*answer, answer->outcomes[down.size() + down.signals], now);
  if (waited_for) {
    size_t before = next_.runs.size();
    posts_ = std::exchange(held_posts_, {});
    job_posts_ = std::exchange(held_job_posts_, {});
    schedule_posts_ = std::exchange(held_schedule_posts_, {});
    decide_posts(now);
    decide_contacts(std::exchange(mentions_, {}), now);
    settle_idle(before, now);
    settle_idle_jobs(now);
    settle_idle_schedules();
    take_off();
  }
  return true;
}

/// After an unknown outcome: what was written is there word for word, or it was not written.
CommitOutcome Host::Partition::find_out(const RunWrite& write) {
  const RunId& id = write.summary.id;
  // A checkpoint that was written with them would stand in their place.
  auto loaded = ports_.store.load(std::span(&id, 1), write.events.first_sequence);
  if (!loaded) return CommitOutcome::unknown;
  for (const HistoryChunk& chunk : loaded->front().history)
    if (chunk == write.events) return CommitOutcome::done;
  return CommitOutcome::conflict;
}

void Host::Partition::committed(Touched& touched, RunWrite& write, Instant now) {
  OpenRun& open = *touched.open;
  ++open.version;
  open.assumed = false;
  counters_.events += write.events.count;
  if (write.checkpoint) ++counters_.checkpoints_written;
  for (const Delivery& delivery : write.deliveries) callbacks_.add(delivery);
  if (!write.outbox.empty()) ports_.announcer->written(write.outbox.size());
  touched.counted.keep();
  for (const WaitRecord& record : write.waits) {
    limits_.committed(record);
    if (record.wait.listens()) signals_.committed(record);
  }
  for (const SignalReached& reached : write.reached) signals_.committed(reached);
  if (store_failed_) store_is_back(now);
  for (const Effect& effect : touched.effects) perform(open.run, effect);
  ports_.feed.committed(write.summary, write.events);
  ports_.feed.settled(open.run);
  if (!write.approvals.empty()) ports_.feed.approvals_changed(write.approvals);
  if (!write.waits.empty()) ports_.feed.waits_changed(write.waits);
  if (!write.audit.empty()) ports_.feed.audited(write.audit);
  watch(open.run, write.summary, now);
  answer(touched.items, std::move(write.summary));
}

void Host::Partition::not_committed(Touched& touched, CommitOutcome outcome, Instant now) {
  cache_.forget(touched.items.front().item.command.run);
  touched.open = nullptr;
  if (outcome == CommitOutcome::conflict) {
    ++counters_.conflicts;
    limits_.doubt();
    return try_again(std::move(touched.items), now);
  }
  if (outcome == CommitOutcome::refused) return refused(touched, now);
  ++counters_.store_failures;
  Error error = trouble(outcome);
  std::vector<Item> items;
  for (DecidedItem& decided : touched.items)
    if (!decided.item.posted) items.push_back(std::move(decided.item));
  refuse_all(std::move(items), error, now);
}

Error Host::Partition::trouble(CommitOutcome outcome) const {
  bool surely_not = outcome != CommitOutcome::unknown;
  Error error{surely_not ? ErrorCode::store_unavailable : ErrorCode::outcome_unknown,
              surely_not ? "the store could not be written"
                         : "the store did not say whether the write happened",
              {}};
  if (outcome == CommitOutcome::refused) error.message = "the store did not take the write";
  if (std::string why = ports_.store.trouble(); surely_not && !why.empty())
    error.message += ": " + why;
  return error;
}

/// With what the store holds, before anything that came later.
void Host::Partition::try_again(std::vector<DecidedItem> items, Instant now) {
  for (DecidedItem& decided : items) {
    Item& item = decided.item;
    if (item.posted) continue;
    if (++item.tries < conflict_tries_max) {
      put_first(std::move(item));
      continue;
    }
    Error error{ErrorCode::store_unavailable, "the execution is being changed too often", {}};
    std::vector<Item> one;
    one.push_back(std::move(item));
    refuse_all(std::move(one), error, now);
  }
}

/// Has the command decided before those that have not been taken in yet.
void Host::Partition::put_first(Item item) {
  // Which calls are lost can be told only when all answers that have come are taken in.
  if (std::holds_alternative<RecoverCalls>(item.command.body)) {
    defer(std::move(item), Instant{0});
  } else {
    released_.push_back(std::move(item));
  }
}

void Host::Partition::answer(std::vector<DecidedItem>& items, Outcome<RunSummary> accepted) {
  // NOLINTBEGIN(bugprone-use-after-move): only the last item takes it away.
  for (DecidedItem& decided : items) {
    Reply& reply = decided.item.reply;
    if (!reply) continue;
    if (decided.refusal) {
      reply(Failure{*std::move(decided.refusal)});
    } else if (&decided == &items.back()) {
      reply(std::move(accepted));
    } else {
      reply(accepted);
    }
  }
  // NOLINTEND(bugprone-use-after-move)
}

void Host::Partition::perform(const Run& run, const Effect& effect) {
  if (const auto* place = std::get_if<PlaceCall>(&effect)) {
    // What came later in the same turn may have ended the attempt: then it is not sent at all.
    if (!awaits(run, place->ticket) || ports_.calls.holds(place->ticket)) return;
    ++counters_.calls_placed;
    ports_.calls.submit(place->ticket, place->request);
  } else if (const auto* abandon = std::get_if<AbandonCall>(&effect)) {
    ports_.calls.abandon(abandon->ticket);
  } else if (const auto* log = std::get_if<WriteLog>(&effect)) {
    ports_.feed.logged(*log);
  }
}

/// Sees to it that the run is looked at again when it wants to be.
void Host::Partition::watch(const Run& run, const RunSummary& summary, Instant now) {
  if (!summary.next_due) {
    ports_.timers.disarm(summary.id);
  } else if (*summary.next_due <= now || has_ready_work(run)) {
    // Ready work does not wait for a clock that was set back to catch up.
    ports_.timers.disarm(summary.id);
    continuing_.push_back(summary.id);
  } else {
    ports_.timers.arm(summary.id, *summary.next_due, lane_of(summary.account));
  }
  bool soon = summary.next_due && *summary.next_due <= now + keep_open;
  if (is_terminal(summary.status) || (!soon && summary.calls_pending == 0 && !awaits_others(run)))
    cache_.forget(summary.id);
}

}  // namespace fermata
