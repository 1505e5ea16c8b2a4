#include "host/partition.h"

#include "base/check.h"
#include "core/run/history.h"

namespace fermata {

namespace {

constexpr uint32_t conflict_tries_max = 16;
constexpr Duration store_retry_delay{1'000};
/// A parked run is kept in memory only if it wants to be looked at within this time.
constexpr Duration keep_open{5'000};

bool awaits(const Run& run, const CallTicket& ticket) {
  auto found = run.tokens.find(ticket.token);
  return found != run.tokens.end() && found->second.parked == Parked::call &&
         found->second.attempt == ticket.attempt;
}

}  // namespace

Host::Partition::Partition(HostPorts ports, HostSettings settings)
    : ports_(ports),
      settings_(settings),
      cache_(ports.store, ports.definitions, settings.cached_runs_max),
      queue_(settings.queue_commands_max) {}

bool Host::Partition::submit(Command command, Reply reply) {
  if (stopping_.load(std::memory_order_relaxed)) return false;
  Item item{std::move(command), std::move(reply)};
  return queue_.push(item);
}

NextTurn Host::Partition::turn() {
  Instant now = ports_.clock.now();
  sweep(now);
  decide_all(gather(now), now);
  commit(now);
  cache_.trim();
  cache_.clear_damage();
  counters_.runs_cached = cache_.size();
  return next(now);
}

/// Commands and answers in the order they came, then what goes on, then due timers (F-30).
std::vector<Item> Host::Partition::gather(Instant now) {
  size_t most = settings_.turn_commands_max;
  std::vector<Item> items = queue_.take(most);
  for (CallAnswer& answer : ports_.calls.harvest()) {
    RunId run = answer.ticket.run;
    items.push_back({{run, AnswerCall{std::move(answer)}}, {}});
  }
  while (!deferred_.empty() && deferred_.begin()->first <= now) {
    items.push_back(std::move(deferred_.begin()->second));
    deferred_.erase(deferred_.begin());
  }
  for (size_t n = continuing_.size(); n > 0; --n) {
    items.push_back({{continuing_.front(), WakeRun{}}, {}});
    continuing_.pop_front();
  }
  if (items.size() < most) {
    for (RunId& run : ports_.timers.due(now, most - items.size())) {
      ++counters_.timers_fired;
      items.push_back({{std::move(run), WakeRun{}}, {}});
    }
  }
  return items;
}

void Host::Partition::decide_all(std::vector<Item> items, Instant now) {
  if (items.empty()) return;
  std::vector<RunId> ids;
  for (const Item& item : items) {
    bool known = touched_.contains(item.command.run);
    touched_[item.command.run];
    if (!known) ids.push_back(item.command.run);
  }
  if (auto fetched = cache_.fetch(ids); !fetched) {
    ++counters_.store_failures;
    touched_.clear();
    return refuse_all(std::move(items), fetched.error(), now);
  }
  Given given{now, 0, settings_.limits};
  for (Item& item : items) {
    ++counters_.commands;
    Touched& touched = touched_.at(item.command.run);
    if (!touched.open) touched.open = cache_.find(item.command.run);
    if (!touched.open) {
      const Error* damage = cache_.damage(item.command.run);
      check(damage != nullptr);
      touched.items.push_back(std::move(item));
      touched.refusals.push_back(*damage);
      continue;
    }
    given.entropy = ports_.entropy.next();
    decide_one(touched, std::move(item), given);
  }
}

/// True when nobody carries the call: it is not under way, not about to be placed by this turn, and
/// no answer to it waits for the store to come back.
bool Host::Partition::is_lost(const Touched& touched, const CallTicket& ticket) const {
  if (ports_.calls.holds(ticket)) return false;
  for (const Effect& effect : touched.effects)
    if (const auto* place = std::get_if<PlaceCall>(&effect); place && place->ticket == ticket)
      return false;
  for (const auto& [until, item] : deferred_)
    if (const auto* answer = std::get_if<AnswerCall>(&item.command.body);
        answer && answer->answer.ticket == ticket)
      return false;
  return true;
}

void Host::Partition::decide_one(Touched& touched, Item item, const Given& given) {
  Run& run = touched.open->run;
  if (auto* recover = std::get_if<RecoverCalls>(&item.command.body)) {
    // Which calls are lost is known only here, beside the port that carries them.
    recover->lost.clear();
    for (const auto& [id, token] : run.tokens)
      if (token.parked == Parked::call && is_lost(touched, {run.id, id, token.attempt}))
        recover->lost.push_back(id);
  }
  auto decision = decide(run, item.command, given);
  std::optional<Error> refusal;
  if (decision) {
    std::move(decision->events.begin(), decision->events.end(), std::back_inserter(touched.events));
    std::move(decision->effects.begin(), decision->effects.end(),
              std::back_inserter(touched.effects));
  } else {
    ++counters_.refusals;
    refusal = decision.error();
  }
  touched.items.push_back(std::move(item));
  touched.refusals.push_back(std::move(refusal));
}

void Host::Partition::commit(Instant now) {
  CommitBatch batch;
  std::vector<Touched*> writers;
  for (auto& [id, touched] : touched_) {
    if (touched.events.empty()) continue;
    batch.runs.push_back({touched.open->version, summarize(touched.open->run),
                          encode_history(touched.events), audit_of(touched, now)});
    writers.push_back(&touched);
  }
  if (!batch.runs.empty()) {
    ++counters_.commits;
    std::vector<CommitOutcome> outcomes = ports_.store.commit(batch);
    for (size_t i = 0; i < writers.size(); ++i) {
      CommitOutcome outcome = outcomes[i];
      if (outcome == CommitOutcome::unknown) outcome = find_out(batch.runs[i]);
      if (outcome == CommitOutcome::done) {
        committed(*writers[i], batch.runs[i], now);
      } else {
        not_committed(*writers[i], outcome, now);
      }
    }
  }
  for (auto& [id, touched] : touched_) {
    if (!touched.events.empty()) continue;
    if (!touched.open || !touched.open->run.exists()) {
      answer(touched, fail(ErrorCode::execution_not_found, "there is no execution " + id.text()));
      cache_.forget(id);
      continue;
    }
    RunSummary summary = summarize(touched.open->run);
    // Effects without events: a call that is placed again.
    for (const Effect& effect : touched.effects) perform(touched.open->run, effect);
    answer(touched, summary);
    watch(touched.open->run, summary, now);
  }
  touched_.clear();
  for (auto& tell : after_) tell();
  after_.clear();
}

std::vector<AuditLine> Host::Partition::audit_of(const Touched& touched, Instant now) const {
  std::vector<AuditLine> lines;
  for (size_t i = 0; i < touched.items.size(); ++i) {
    if (touched.refusals[i]) continue;
    const Command& command = touched.items[i].command;
    if (command.actor == "engine") continue;
    const char* action = nullptr;
    std::string reason;
    if (std::holds_alternative<StartRun>(command.body)) action = "execution.start";
    if (std::holds_alternative<PauseRun>(command.body)) action = "execution.pause";
    if (std::holds_alternative<ResumeRun>(command.body)) action = "execution.resume";
    if (std::holds_alternative<SignalRun>(command.body)) action = "execution.signal";
    if (std::holds_alternative<MigrateRun>(command.body)) action = "execution.migrate";
    if (const auto* cancel = std::get_if<CancelRun>(&command.body)) {
      action = "execution.cancel";
      reason = cancel->reason;
    }
    if (!action) continue;
    lines.push_back({touched.open->run.account, now, command.actor, action, command.run.text(),
                     std::move(reason), Value()});
  }
  return lines;
}

/// After an unknown outcome: what was written is there word for word, or it was not written.
CommitOutcome Host::Partition::find_out(const RunWrite& write) {
  const RunId& id = write.summary.id;
  auto loaded = ports_.store.load(std::span(&id, 1));
  if (!loaded) return CommitOutcome::unknown;
  for (const HistoryChunk& chunk : loaded->front().history)
    if (chunk == write.events) return CommitOutcome::done;
  return CommitOutcome::conflict;
}

void Host::Partition::committed(Touched& touched, const RunWrite& write, Instant now) {
  ++touched.open->version;
  counters_.events += touched.events.size();
  for (const Effect& effect : touched.effects) perform(touched.open->run, effect);
  ports_.feed.committed(write.summary, write.events);
  ports_.feed.settled(touched.open->run);
  answer(touched, write.summary);
  watch(touched.open->run, write.summary, now);
}

void Host::Partition::not_committed(Touched& touched, CommitOutcome outcome, Instant now) {
  cache_.forget(touched.items.front().command.run);
  touched.open = nullptr;
  if (outcome == CommitOutcome::conflict) {
    ++counters_.conflicts;
    for (Item& item : touched.items) {
      if (++item.tries < conflict_tries_max) {
        defer(std::move(item), now);
      } else {
        Error error{ErrorCode::store_unavailable, "the execution is being changed too often", {}};
        std::vector<Item> one;
        one.push_back(std::move(item));
        refuse_all(std::move(one), error, now);
      }
    }
    return;
  }
  ++counters_.store_failures;
  bool surely_not = outcome == CommitOutcome::unavailable;
  Error error{surely_not ? ErrorCode::store_unavailable : ErrorCode::outcome_unknown,
              surely_not ? "the store could not be written"
                         : "the store did not say whether the write happened", {}};
  refuse_all(std::move(touched.items), error, now);
}

/// Callers are told; what the engine itself sent must not be lost and is tried again.
void Host::Partition::refuse_all(std::vector<Item> items, const Error& error, Instant now) {
  for (Item& item : items) {
    if (item.reply) {
      after_.push_back([reply = std::move(item.reply), error] { reply(Failure{error}); });
    } else {
      defer(std::move(item), now + store_retry_delay);
    }
  }
}

void Host::Partition::defer(Item item, Instant until) {
  deferred_.emplace(until, std::move(item));
}

void Host::Partition::answer(Touched& touched, const Outcome<RunSummary>& accepted) {
  for (size_t i = 0; i < touched.items.size(); ++i) {
    Item& item = touched.items[i];
    if (!item.reply) continue;
    if (touched.refusals[i]) {
      item.reply(Failure{*touched.refusals[i]});
    } else {
      item.reply(accepted);
    }
  }
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
    ports_.feed.logged(log->run, log->level, log->message);
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
    ports_.timers.arm(summary.id, *summary.next_due);
  }
  bool soon = summary.next_due && *summary.next_due <= now + keep_open;
  if (is_terminal(summary.status) || (!soon && summary.calls_pending == 0))
    cache_.forget(summary.id);
}

HostCounters Host::Partition::counters() const {
  HostCounters counters;
  counters.commits = counters_.commits;
  counters.commands = counters_.commands;
  counters.events = counters_.events;
  counters.conflicts = counters_.conflicts;
  counters.refusals = counters_.refusals;
  counters.timers_fired = counters_.timers_fired;
  counters.calls_placed = counters_.calls_placed;
  counters.store_failures = counters_.store_failures;
  counters.runs_cached = counters_.runs_cached;
  counters.queue_depth = queue_.size();
  return counters;
}

}  // namespace fermata
