#include "host/partition.h"

#include "base/check.h"

namespace fermata {

namespace {

/// Fewer commands than these are not worth two batches.
constexpr size_t bite_commands_min = 32;

std::vector<WaitRecord> listening_in(const std::vector<WaitRecord>& waits) {
  std::vector<WaitRecord> listening;
  for (const WaitRecord& record : waits)
    if (record.wait.listens()) listening.push_back(record);
  return listening;
}

/// A start of a run that nobody has asked the store about is most likely what it says.
bool is_first_start(const Item& item) {
  return item.tries == 0 && std::holds_alternative<StartRun>(item.command.body);
}

}  // namespace

Host::Partition::Partition(HostPorts ports, HostSettings settings)
    : ports_(ports),
      settings_(settings),
      cache_(ports.store, ports.definitions, settings.cached_runs_max),
      queue_(settings.queue_commands_max),
      desk_(ports, settings_),
      schedules_(ports.store, settings_),
      callbacks_(ports.store, ports.callbacks, ports.entropy, settings_.callbacks),
      signals_(ports.store, ports.entropy, settings_, *this),
      contacts_(ports.contacts, settings.queue_commands_max, settings.cached_contacts_max),
      limits_(ports.store),
      follower_(ports.store) {
  ports_.store.on_answer([this] { wake(); });
}

Host::Partition::~Partition() { ports_.store.on_answer({}); }

bool Host::Partition::submit(Command command, Reply reply) {
  if (stopping_.load(std::memory_order_relaxed)) return false;
  Item item{std::move(command), std::move(reply)};
  return queue_.push(item);
}

NextTurn Host::Partition::turn() {
  Instant now = ports_.clock.now();
  if (ports_.zones) zones_ = ports_.zones->zones(now);
  if (ports_.accounts) {
    auto known = ports_.accounts->accounts();
    if (known != accounts_) limits_.look_again();
    accounts_ = std::move(known);
  }
  signals_.use(accounts_);
  sweep(now);
  land(now);
  Taken taken;
  if (!is_full()) {
    taken.deliveries = callbacks_.gather(now, bite());
    taken.jobs = desk_.gather(now, room());
    // Before anything is decided by it.
    if (auto named = desk_.take_kernel_named()) ports_.feed.kernel_named(*named);
    taken.schedules = schedules_.gather(now, zones_, bite());
    taken.contacts = contacts_.gather(bite());
    signals_.gather(now, bite());
  }
  taken.items = gather(now);
  for (AuditLine& line : desk_.take_notes()) note(std::move(line));
  decide_all(std::move(taken), now);
  take_off();
  // A store that is done at once may have been given another batch by then.
  while (land(now)) {
  }
  callbacks_.send_due(now, accounts_);
  desk_.ask_kernel(now);
  while (auto changed = desk_.take_breaker_change())
    ports_.feed.breaker_changed(changed->name, changed->state);
  desk_.answer_claims(now);
  signals_.answer_due(now);
  // What has just landed may have made room for others.
  for (JobItem& placement : desk_.placements()) desk_.put_last(std::move(placement));
  desk_.cache().trim();
  desk_.cache().clear_damage();
  schedules_.cache().trim();
  schedules_.cache().clear_damage();
  contacts_.trim();
  cache_.trim();
  cache_.clear_damage();
  counters_.runs_cached = cache_.size();
  counters_.callbacks_pending = callbacks_.pending();
  counters_.checkpoints_restored = cache_.checkpoints_restored();
  counters_.checkpoints_unreadable = cache_.checkpoints_unreadable();
  return next(now);
}

/// True when nothing more can be taken in before the batch under way has landed.
bool Host::Partition::is_full() const {
  size_t most = settings_.turn_commands_max;
  return !flying_.empty() && (next_.commands >= most || held_.size() >= most);
}

/// How many commands the next batch still has room for.
size_t Host::Partition::room() const {
  return settings_.turn_commands_max - std::min(next_.commands, settings_.turn_commands_max);
}

/// How many commands of runs this turn takes in: half of what waits, so that the store has work
/// while the other half is decided, and an answer of the store is not left waiting for long.
size_t Host::Partition::bite() const {
  return std::min(room(), std::max(bite_commands_min, (queue_.size() + due_.size() + 1) / 2));
}

/// Commands and answers in the order they came, then what goes on, then due timers (F-30).
std::vector<Item> Host::Partition::gather(Instant now) {
  if (is_full()) return {};
  due_.fill(ports_.timers, now);
  std::vector<Item> items(std::make_move_iterator(released_.begin()),
                          std::make_move_iterator(released_.end()));
  released_.clear();
  size_t most = bite();
  // Before due timers, so that no timeout overtakes a signal (W-57).
  for (Item& item : signals_.take_items(now, most)) items.push_back(std::move(item));
  take_waits(items, most, now);
  // What is due takes half of a turn while commands wait, and they take the other half.
  size_t due_share = std::min(due_.size(), queue_.size() > 0 ? most / 2 : most);
  size_t room = most > due_share ? most - due_share : 0;
  queue_.take(items.size() < room ? room - items.size() : 0, items);
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
  take_due(items, std::max(due_share, most - std::min(most, items.size())));
  return items;
}

/// Opens the runs of the items and takes those out whose turn it is not: null for each of them.
std::vector<OpenRun*> Host::Partition::open_all(std::vector<Item>& items, Instant now) {
  std::vector<OpenRun*> open(items.size());
  std::vector<RunId> missing;
  for (size_t i = 0; i < items.size(); ++i) {
    const RunId& run = items[i].command.run;
    open[i] = cache_.find(run);
    if (open[i]) continue;
    if (is_first_start(items[i])) {
      open[i] = &cache_.assume_new(run);
    } else {
      missing.push_back(run);
    }
  }
  auto fetched = missing.empty() ? Outcome<void>{} : cache_.fetch(missing);
  if (!fetched) ++counters_.store_failures;
  for (size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    if (!open[i]) open[i] = cache_.find(item.command.run);
    if (open[i] && open[i]->undurable()) {
      ++counters_.commands_held;
      held_.hold(std::move(item));
      open[i] = nullptr;
    } else if (!open[i] && !fetched) {
      std::vector<Item> one;
      one.push_back(std::move(item));
      refuse_all(std::move(one), fetched.error(), now);
    } else if (!open[i]) {
      const Error* damage = cache_.damage(item.command.run);
      check(damage != nullptr);
      ports_.feed.run_unreadable(item.command.run, now);
      if (item.reply) item.reply(Failure{*damage});
    }
  }
  return open;
}

void Host::Partition::decide_runs(std::vector<Item> items, Instant now) {
  std::vector<OpenRun*> open = open_all(items, now);
  next_.runs.reserve(next_.runs.size() + items.size());
  auto known = fetch_contacts(items, open);
  if (!known) ++counters_.store_failures;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!open[i]) continue;
    if (!known && !fetch_contact(items[i], open[i]->run)) {
      std::vector<Item> one;
      one.push_back(std::move(items[i]));
      refuse_all(std::move(one), known.error(), now);
      continue;
    }
    if (signals_.delays(open[i]->run, items[i].command, now)) {
      signals_.hold(std::move(items[i]));
      continue;
    }
    Standing standing = standing_of(items[i]);
    if (standing == Standing::flying) {
      const auto& start = std::get<StartRun>(items[i].command.body);
      starts_held_[{start.account, start.contact_id}].push_back(std::move(items[i]));
      continue;
    }
    Touched& touched = touch(*open[i]);
    if (standing == Standing::in_next) join_contact(items[i], touched.group);
    decide_one(touched, std::move(items[i]), now);
  }
}

void Host::Partition::decide_all(Taken taken, Instant now) {
  if (taken.empty()) return;
  size_t before = next_.runs.size();
  // What people say of a contact comes before what happens to its runs in the same turn.
  decide_contacts(std::move(taken.contacts), now);
  decide_runs(std::move(taken.items), now);
  decide_jobs(std::move(taken.jobs), now);
  decide_schedules(std::move(taken.schedules), now);
  decide_deliveries(std::move(taken.deliveries), now);
  decide_posts(now);
  decide_contacts(std::exchange(mentions_, {}), now);
  settle_idle(before, now);
  settle_idle_jobs(now);
  settle_idle_schedules();
}

/// The run's place in the next batch.
Touched& Host::Partition::touch(OpenRun& open) {
  if (open.place == OpenRun::nowhere) {
    open.place = static_cast<uint32_t>(next_.runs.size());
    Touched& touched = next_.runs.emplace_back();
    touched.open = &open;
    touched.group = next_.groups.add();
  }
  return next_.runs[open.place];
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

void Host::Partition::decide_one(Touched& touched, Item item, Instant now) {
  ++counters_.commands;
  ++next_.commands;
  Run& run = touched.open->run;
  if (auto* recover = std::get_if<RecoverCalls>(&item.command.body)) {
    // Which calls are lost is known only here, beside the port that carries them.
    recover->lost.clear();
    for (const auto& [id, token] : run.tokens)
      if (token.parked == Parked::call && is_lost(touched, {run.id, id, token.attempt}))
        recover->lost.push_back(id);
  }
  if (!item.mark.empty()) {
    auto taken = was_taken(touched, item);
    if (!taken) {
      std::vector<Item> one;
      one.push_back(std::move(item));
      return refuse_all(std::move(one), taken.error(), now);
    }
    if (*taken) return touched.items.push_back({std::move(item), {}, true});
  }
  if (ports_.announcer) note_scopes(touched);
  // What one commit writes of a run happens at one instant, though a post may come to it later.
  if (!touched.events.empty()) now = touched.events.front().at;
  Given given{now, ports_.entropy.next(), settings_.limits, zones_};
  given.retained = signals_.retained(run, item.command, now);
  if (auto trouble = signals_.take_trouble()) {
    std::vector<Item> one;
    one.push_back(std::move(item));
    return refuse_all(std::move(one), *trouble, now);
  }
  give_surroundings(given, item.command, run);
  int64_t counted_before = run.waits_counted;
  if (std::holds_alternative<WakeRun>(item.command.body)) count_lateness(run, now);
  auto decision = decide(run, item.command, given);
  touched.write.reset();
  touched.counted.add(limits_, run.account, int64_t{run.waits_counted} - counted_before);
  if (decision) limits_.opened_listeners(run.account, decision->listeners_opened);
  std::vector<WaitRecord> listening =
      decision ? listening_in(decision->waits) : std::vector<WaitRecord>{};
  std::optional<Error> refusal;
  if (!decision) {
    ++counters_.refusals;
    refusal = decision.error();
  } else if (touched.items.empty()) {
    touched.events = std::move(decision->events);
    touched.effects = std::move(decision->effects);
    touched.waits = std::move(decision->waits);
    touched.approvals = std::move(decision->approvals);
    touched.deliveries = std::move(decision->deliveries);
  } else {
    std::move(decision->events.begin(), decision->events.end(), std::back_inserter(touched.events));
    std::move(decision->effects.begin(), decision->effects.end(),
              std::back_inserter(touched.effects));
    add_waits(touched.waits, std::move(decision->waits));
    add_approvals(touched.approvals, std::move(decision->approvals));
    std::move(decision->deliveries.begin(), decision->deliveries.end(),
              std::back_inserter(touched.deliveries));
  }
  touched.items.push_back({std::move(item), std::move(refusal)});
  if (!decision) return;
  const CommandBody& asked = touched.items.back().item.command.body;
  if (std::holds_alternative<FollowZones>(asked) && !touched.events.empty())
    tell_zones(run.account, now);
  mention(touched.items.back().item.command, run);
  for (Post& post : decision->posts) {
    if (post_job(post, run.id, touched.group) || post_schedule(post, touched.group) ||
        post_to_label(post, touched.group))
      continue;
    auto addressed_post = addressed(std::move(post), run.id);
    if (!addressed_post) continue;
    addressed_post->group = touched.group;
    posts_.push_back(*std::move(addressed_post));
  }
  if (!listening.empty()) offer_past(touched, listening, now);
}

/// What came to have events stays in the next batch; the rest of this turn is settled at once.
void Host::Partition::settle_idle(size_t from, Instant now) {
  // What was abandoned has moved the others up.
  if (next_.groups.any_abandoned()) from = 0;
  std::vector<Touched> idle;
  size_t kept = from;
  for (size_t i = from; i < next_.runs.size(); ++i) {
    Touched& touched = next_.runs[i];
    if (touched.events.empty()) {
      touched.open->place = OpenRun::nowhere;
      idle.push_back(std::move(touched));
      continue;
    }
    touched.open->place = static_cast<uint32_t>(kept);
    // Made now, while the store is busy with the last batch.
    if (!touched.write) touched.write = write_of(touched);
    if (kept != i) next_.runs[kept] = std::move(touched);
    ++kept;
  }
  next_.runs.resize(kept);
  for (Touched& touched : idle) settled_without_events(std::move(touched), now);
}

void Host::Partition::settled_without_events(Touched touched, Instant now) {
  OpenRun& open = *touched.open;
  RunId id = open.run.id;
  if (open.assumed) {
    // Nothing came of it, so no commit will tell whether the run exists.
    cache_.forget(id);
    return try_again(std::move(touched.items), now);
  }
  if (!open.run.exists()) {
    // An index of timers may name what is not here any more.
    ports_.timers.disarm(id);
    answer(touched.items,
           fail(ErrorCode::execution_not_found, "there is no execution " + id.text()));
    return cache_.forget(id);
  }
  RunSummary summary = summarize(open.run);
  // Effects without events: a call that is placed again.
  for (const Effect& effect : touched.effects) perform(open.run, effect);
  watch(open.run, summary, now);
  answer(touched.items, std::move(summary));
}

/// Callers are told; what the engine itself sent must not be lost and is tried again.
void Host::Partition::refuse_all(std::vector<Item> items, const Error& error, Instant now) {
  for (Item& item : items) {
    if (item.reply) {
      item.reply(Failure{error});
    } else {
      Duration delay = store_delay(item);
      defer(std::move(item), now + delay);
    }
  }
}

void Host::Partition::defer(Item item, Instant until) { deferred_.emplace(until, std::move(item)); }

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
  counters.commands_held = counters_.commands_held;
  counters.commits_overlapped = counters_.commits_overlapped;
  counters.checkpoints_written = counters_.checkpoints_written;
  counters.checkpoints_restored = counters_.checkpoints_restored;
  counters.checkpoints_unreadable = counters_.checkpoints_unreadable;
  counters.queue_depth = queue_.size();
  counters.callbacks_pending = counters_.callbacks_pending;
  counters.resumes_delayed = counters_.resumes_delayed;
  counters.commit_us = counters_.commit_us.seen();
  counters.commit_roots = counters_.commit_roots.seen();
  counters.lateness_ms = counters_.lateness_ms.seen();
  return counters;
}

}  // namespace fermata
