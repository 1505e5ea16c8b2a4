#include "host/signal_desk.h"

#include <algorithm>

#include "base/uuid.h"
#include "core/wait/matching.h"
#include "host/deferral.h"

namespace fermata {

namespace {

constexpr Duration signal_retry_delay{1'000};
constexpr size_t late_waits_max = 100;

bool is_transient(ErrorCode code) {
  return code == ErrorCode::store_unavailable || code == ErrorCode::outcome_unknown ||
         code == ErrorCode::queue_full;
}

Value shown_wait(const WaitRecord& record) {
  return Value::object({{"wait_id", record.wait.id},
                        {"execution_id", record.run.text()},
                        {"step_id", record.wait.step},
                        {"occurrence", record.wait.occurrence}});
}

/// True when it was not there before.
bool add_once(std::vector<Value>& list, Value entry, std::string_view by) {
  bool known = std::any_of(list.begin(), list.end(),
                           [&](const Value& one) { return one.get(by) == entry.get(by); });
  if (known) return false;
  if (list.size() < signal_reach_listed_max) list.push_back(std::move(entry));
  return true;
}

AuditLine line_of(const Signal& signal, Instant now, const std::string& actor, const char* action,
                  Value details) {
  return {signal.account, now, actor, action, signal.id, {}, std::move(details)};
}

}  // namespace

SignalDesk::SignalDesk(Store& store, Entropy& entropy, const HostSettings& settings)
    : store_(store),
      entropy_(entropy),
      retention_(settings.signal_retention),
      late_window_(settings.signal_late_window),
      queue_(settings.queue_commands_max) {}

bool SignalDesk::submit(std::vector<IncomingSignal> signals) { return queue_.push(signals); }

std::string SignalDesk::lane_of(const Signal& signal) {
  const std::string& account = signal.account.text();
  if (!signal.contact_id.empty()) return account + "\ncontact\n" + signal.contact_id;
  if (!signal.run.empty()) return account + "\nrun\n" + signal.run.text();
  return {};
}

void SignalDesk::gather(Instant now, size_t most) {
  now_ = now;
  std::vector<IncomingSignal> taken;
  while (taken.size() < std::max<size_t>(most, 1)) {
    std::vector<std::vector<IncomingSignal>> batch = queue_.take(1);
    if (batch.empty()) break;
    std::move(batch[0].begin(), batch[0].end(), std::back_inserter(taken));
  }
  if (taken.empty()) return;
  std::vector<SignalKey> keys;
  for (IncomingSignal& incoming : taken) {
    Signal& signal = incoming.signal;
    signal.received_at = now;
    if (signal.id.empty()) signal.id = uuid_v7(now, entropy_.next(), entropy_.next());
    keys.push_back(key_of(signal));
  }
  auto known = store_.load_signals(keys);
  for (size_t i = 0; i < taken.size(); ++i) {
    if (known) {
      take_in(std::move(taken[i]), (*known)[i], now);
    } else if (taken[i].reply) {
      taken[i].reply(Failure{known.error()});
    }
  }
}

void SignalDesk::take_in(IncomingSignal incoming, const std::optional<SignalRecord>& known,
                         Instant now) {
  SignalKey key = key_of(incoming.signal);
  Waiting waiting{std::move(incoming.reply), now + incoming.patience, false};
  if (auto plan = plans_.find(key); plan != plans_.end()) {
    waiting.duplicate = true;
    patience_.emplace(waiting.until, key);
    plan->second.waiting.push_back(std::move(waiting));
    return;
  }
  if (known && known->expires_at > now) {
    if (waiting.reply) waiting.reply(SignalTold{*known, true, 0});
    return;
  }
  Plan& plan = plans_[key];
  plan.actor = std::move(incoming.actor);
  plan.record.signal = std::move(incoming.signal);
  plan.record.expires_at = now + retention_;
  plan.signal = std::make_shared<const Signal>(plan.record.signal);
  plan.record.open = !plan.signal->run.empty() || !index_.targets(*plan.signal).empty();
  patience_.emplace(waiting.until, key);
  plan.waiting.push_back(std::move(waiting));
  if (std::string lane = lane_of(*plan.signal); !lane.empty()) lanes_[lane].push_back(key);
  write(plan);
}

/// Of several writes of one signal in a batch the last is the one.
void SignalDesk::write(Plan& plan) {
  SignalKey key = key_of(*plan.signal);
  auto [place, fresh] = writes_.try_emplace(key);
  if (fresh) write_order_.push_back(key);
  place->second.record = plan.record;
  std::move(plan.audit.begin(), plan.audit.end(), std::back_inserter(place->second.audit));
  plan.audit.clear();
  place->second.first = !plan.durable;
}

std::vector<SignalWrite> SignalDesk::take_writes() {
  while (!writes_put_off_.empty() && is_due(writes_put_off_.begin()->first, now_)) {
    auto plan = plans_.find(writes_put_off_.begin()->second);
    writes_put_off_.erase(writes_put_off_.begin());
    if (plan == plans_.end() || !std::exchange(plan->second.write_again, false)) continue;
    write(plan->second);
  }
  std::vector<SignalWrite> out;
  for (const SignalKey& key : std::exchange(write_order_, {}))
    out.push_back(std::move(writes_.at(key)));
  writes_.clear();
  return out;
}

void SignalDesk::landed(const SignalWrite& written, CommitOutcome outcome, const Error& trouble,
                        Instant now) {
  now_ = now;
  SignalKey key = key_of(written.record.signal);
  auto found = plans_.find(key);
  // It stays in hand until its row is known to be as it should.
  if (found == plans_.end()) return;
  bool first = !found->second.durable;
  if (outcome == CommitOutcome::done) {
    if (found->second.audit.empty()) found->second.write_again = false;
    if (first) {
      found->second.durable = true;
      std::move(held_.begin(), held_.end(), std::back_inserter(released_));
      held_.clear();
      begin(key, now);
    } else if (found->second.stage == Stage::noting && !writes_.contains(key) &&
               !found->second.write_again) {
      // Repeats that came while the row was being noted.
      tell(found->second);
      plans_.erase(found);
    }
    return;
  }
  bool surely_not = outcome == CommitOutcome::unavailable || outcome == CommitOutcome::conflict;
  if (!first || !surely_not) {
    // Writing it once more makes it so, whether it was written or not.
    found->second.write_again = true;
    found->second.audit.insert(found->second.audit.begin(), written.audit.begin(),
                               written.audit.end());
    writes_put_off_.emplace(now + signal_retry_delay, key);
    return;
  }
  Plan refused = std::move(found->second);
  plans_.erase(found);
  writes_.erase(key);
  std::erase(write_order_, key);
  for (Waiting& waiting : refused.waiting)
    if (waiting.reply) waiting.reply(Failure{trouble});
  std::move(held_.begin(), held_.end(), std::back_inserter(released_));
  held_.clear();
  next_in_lane(refused, now);
}

void SignalDesk::begin(const SignalKey& key, Instant now) {
  Plan& plan = plans_.at(key);
  if (!plan.durable || plan.stage != Stage::writing) return;
  std::string lane = lane_of(*plan.signal);
  if (!lane.empty() && lanes_.at(lane).front() != key) return;
  // Goals would stand here, and triggers behind the waits (W-59).
  plan.stage = Stage::waits;
  offer_to_waits(plan);
  if (plan.asked == 0) finish(key, now);
}

void SignalDesk::offer_to_waits(Plan& plan) {
  SignalKey key = key_of(*plan.signal);
  std::vector<ListenerIndex::Target> targets = index_.targets(*plan.signal);
  for (const ListenerIndex::Target& promised : plan.promised)
    if (std::find(targets.begin(), targets.end(), promised) == targets.end())
      targets.push_back(promised);
  // The run itself keeps it for whoever takes signals in order.
  if (!plan.signal->run.empty()) targets.push_back({plan.signal->run, ""});
  plan.promised.clear();
  plan.asked = targets.size();
  for (ListenerIndex::Target& target : targets) offers_.push_back({key, std::move(target)});
}

std::vector<Item> SignalDesk::take_items(Instant now, size_t most) {
  now_ = now;
  while (!put_off_.empty() && is_due(put_off_.begin()->first, now)) {
    offers_.push_back(std::move(put_off_.begin()->second));
    put_off_.erase(put_off_.begin());
  }
  std::vector<Item> items;
  while (!offers_.empty() && items.size() < most) {
    items.push_back(item_of(offers_.front()));
    offers_.pop_front();
  }
  // What had to wait for them comes after them.
  if (!offers_.empty()) return items;
  std::move(released_.begin(), released_.end(), std::back_inserter(items));
  released_.clear();
  return items;
}

Item SignalDesk::item_of(const Offer& offer) {
  Command command{offer.target.run, OfferSignal{plans_.at(offer.signal).signal, offer.target.wait}};
  return {std::move(command),
          [this, offer](Outcome<RunSummary> outcome) { answered(offer, outcome); }};
}

void SignalDesk::answered(const Offer& offer, const Outcome<RunSummary>& outcome) {
  if (!outcome && is_transient(outcome.error().code)) {
    put_off_.emplace(now_ + signal_retry_delay, offer);
    return;
  }
  Plan& plan = plans_.at(offer.signal);
  if (outcome && offer.target.wait.empty()) {
    Value entry = Value::object({{"wait_id", Value()}, {"execution_id", offer.target.run.text()}});
    if (add_once(plan.record.reach.waits, std::move(entry), "execution_id"))
      ++plan.record.reach.total;
  }
  // One that it had reached before a crash.
  const WaitRecord* record = index_.find(offer.target.wait);
  bool counted = plan.record.reach.waits.size() == signal_reach_listed_max;
  if (outcome && record && !counted)
    if (add_once(plan.record.reach.waits, shown_wait(*record), "wait_id"))
      ++plan.record.reach.total;
  if (--plan.asked == 0) finish(offer.signal, now_);
}

/// All that follows from it has happened.
void SignalDesk::finish(const SignalKey& key, Instant now) {
  Plan& plan = plans_.at(key);
  look_for_late(plan, now);
  SignalReach& reach = plan.record.reach;
  if (reach.total > 0)
    plan.audit.push_back(line_of(
        *plan.signal, now, plan.actor, "signal.received",
        Value::object({{"event_type", plan.signal->type}, {"matched_total", reach.total}})));
  bool told_more = plan.record.open || reach.total > 0 || !plan.audit.empty();
  plan.record.open = false;
  plan.stage = Stage::noting;
  tell(plan);
  if (told_more) write(plan);
  Plan done = told_more ? Plan{plan.signal, plan.record, {}} : std::move(plan);
  if (!told_more) plans_.erase(key);
  next_in_lane(done, now);
}

void SignalDesk::next_in_lane(const Plan& plan, Instant now) {
  auto lane = lanes_.find(lane_of(*plan.signal));
  if (lane == lanes_.end()) return;
  std::erase(lane->second, key_of(*plan.signal));
  if (lane->second.empty()) {
    lanes_.erase(lane);
    return;
  }
  ready_.push_back(lane->second.front());
  // Many may follow one after the other; they do so in turn, not one inside the other.
  if (std::exchange(running_, true)) return;
  while (!ready_.empty()) {
    SignalKey next = std::move(ready_.front());
    ready_.pop_front();
    if (plans_.contains(next)) begin(next, now);
  }
  running_ = false;
}

/// Waits that ended not long ago and would have heard it (W-60). Those that it ended itself, before
/// a crash kept that from being noted, are told as reached.
void SignalDesk::look_for_late(Plan& plan, Instant now) {
  const Signal& signal = *plan.signal;
  if (signal.contact_id.empty() && signal.run.empty()) return;
  auto ended = store_.ended_listeners(signal, now - late_window_, late_waits_max);
  if (!ended) return;
  for (const WaitRecord& record : *ended) {
    const Wait& wait = record.wait;
    waits::ListenerPlace place{record.account, record.run, record.contact_id, std::nullopt};
    bool own = false, late = false;
    for (const Listener& listener : wait.listeners) {
      own = own || listener.matched_event == signal.id;
      late = late || waits::fits(listener, place, signal);
    }
    // A full list does not tell whether it was counted.
    bool counted = plan.record.reach.waits.size() == signal_reach_listed_max;
    if (own && !counted && add_once(plan.record.reach.waits, shown_wait(record), "wait_id"))
      ++plan.record.reach.total;
    if (own || !late || wait.status == WaitStatus::error) continue;
    Value entry = Value::object({{"wait_id", wait.id}, {"reason", name_of(wait.status)}});
    if (!add_once(plan.record.reach.ignored, entry, "wait_id")) continue;
    plan.audit.push_back(line_of(signal, now, plan.actor, "signal.late", std::move(entry)));
  }
}

void SignalDesk::tell(Plan& plan) {
  for (Waiting& waiting : std::exchange(plan.waiting, {}))
    if (waiting.reply) waiting.reply(SignalTold{plan.record, waiting.duplicate, plan.asked});
}

void SignalDesk::answer_due(Instant now) {
  while (!patience_.empty() && patience_.begin()->first <= now) {
    auto found = plans_.find(patience_.begin()->second);
    patience_.erase(patience_.begin());
    // What is not durable yet is told of when it is, or is refused.
    if (found == plans_.end()) continue;
    Plan& plan = found->second;
    if (plan.durable) {
      tell(plan);
    } else if (!plan.waiting.empty()) {
      patience_.emplace(now + signal_retry_delay, found->first);
    }
  }
}

void SignalDesk::stop() {
  for (auto& [key, plan] : plans_) {
    if (plan.durable) {
      tell(plan);
      continue;
    }
    for (Waiting& waiting : std::exchange(plan.waiting, {}))
      if (waiting.reply)
        waiting.reply(fail(ErrorCode::outcome_unknown, "the engine stopped before it was durable"));
  }
}

Outcome<bool> SignalDesk::recover_listeners(size_t limit) {
  FERMATA_TRY(page, store_.listening_waits(listeners_read_, limit));
  for (const WaitRecord& record : page) {
    index_.settled(record);
    for (const Listener& listener : record.wait.listeners)
      if (listener.window_start && listener.status == ListenerStatus::matched)
        heard_before_[{record.account, listener.matched_event}].push_back(shown_wait(record));
  }
  listeners_read_ += page.size();
  return page.size() == limit;
}

Outcome<bool> SignalDesk::recover_signals(size_t limit, Instant now) {
  now_ = now;
  FERMATA_TRY(page, store_.open_signals(signal_cursor_, limit));
  for (SignalRecord& record : page.signals) {
    SignalKey key = key_of(record.signal);
    Plan& plan = plans_[key];
    plan.signal = std::make_shared<const Signal>(record.signal);
    plan.record = std::move(record);
    plan.actor = "engine";
    plan.durable = true;
    // What the crash kept from being noted; waits that have ended are found when it is done.
    for (Value& reached : heard_before_[key])
      if (add_once(plan.record.reach.waits, std::move(reached), "wait_id"))
        ++plan.record.reach.total;
    if (std::string lane = lane_of(*plan.signal); !lane.empty()) lanes_[lane].push_back(key);
    begin(key, now);
  }
  signal_cursor_ = page.cursor;
  if (!page.more) heard_before_.clear();
  return page.more;
}

std::optional<Instant> SignalDesk::next_due() const {
  std::optional<Instant> due;
  auto consider = [&](Instant at) {
    if (!due || at < *due) due = at;
  };
  // What was put off before the clock was set back does not wait for it.
  auto again_at = [&](Instant at) { return is_due(at, now_) ? std::min(at, now_) : at; };
  if (!put_off_.empty()) consider(again_at(put_off_.begin()->first));
  if (!patience_.empty() && !plans_.empty()) consider(patience_.begin()->first);
  return due;
}

std::optional<Instant> SignalDesk::next_write() const {
  if (writes_put_off_.empty()) return std::nullopt;
  Instant at = writes_put_off_.begin()->first;
  return is_due(at, now_) ? std::min(at, now_) : at;
}

}  // namespace fermata
