#include <algorithm>

#include "core/wait/matching.h"
#include "host/deferral.h"
#include "host/signal_desk.h"

/// What signals came to: answers of runs, what came too late, who is told, and the rows that a
/// start carries on with.
namespace fermata {

namespace {

constexpr size_t late_waits_max = 100;
/// An offer that could not be made is made again after one second, two, four, then each eight.
constexpr uint32_t offer_doublings_max = 3;

bool is_transient(ErrorCode code) {
  return code == ErrorCode::store_unavailable || code == ErrorCode::outcome_unknown ||
         code == ErrorCode::queue_full;
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

void SignalDesk::answered(const Offer& offer, const Outcome<RunSummary>& outcome) {
  if (!outcome && is_transient(outcome.error().code)) {
    Offer again = offer;
    int64_t delay = signal_retry_delay.ms << std::min(again.delays, offer_doublings_max);
    ++again.delays;
    put_off_.emplace(now_ + Duration{std::min(delay, offer_delay_max.ms)}, std::move(again));
    return;
  }
  Plan& plan = plans_.at(offer.signal);
  const auto* offered = std::get_if<OfferSignal>(&offer.command.body);
  if (outcome && offered && offered->wait.empty()) {
    Value entry = Value::object({{"wait_id", Value()}, {"execution_id", offer.command.run.text()}});
    if (add_once(plan.record.reach.waits, std::move(entry), "execution_id"))
      ++plan.record.reach.total;
  }
  const auto* start = std::get_if<StartRun>(&offer.command.body);
  if (!outcome && start && outcome.error().code != ErrorCode::contact_opted_out)
    plan.record.reach.warnings.push_back("trigger_refused: " + start->workflow.text() + ": " +
                                         std::string(name_of(outcome.error().code)));
  --plan.asked;
  go_on(offer.signal, now_);
}

void SignalDesk::committed(const SignalReached& reached) {
  auto plan = plans_.find(reached.signal);
  if (plan != plans_.end()) add_reached(plan->second.record.effects, reached.kind, reached.entry);
}

void SignalDesk::tell_later(const std::vector<SignalReached>& reached, Instant now,
                            std::vector<AuditLine>& lines) const {
  for (const SignalReached& one : reached) {
    auto plan = plans_.find(one.signal);
    if (plan != plans_.end() && plan->second.stage != Stage::noting) continue;
    lines.push_back(
        {one.signal.account, now, "engine", "signal.received", one.signal.id, {}, one.entry});
  }
}

/// All that follows from it has happened.
void SignalDesk::finish(const SignalKey& key, Instant now) {
  Plan& plan = plans_.at(key);
  if (!look_for_late(plan, now)) return stall(key, now);
  uint64_t total = plan.record.reach.total + plan.record.effects.total;
  if (total > 0 || settings_of(plan.signal->account).audit_all_signals)
    plan.audit.push_back(
        line_of(*plan.signal, now, plan.actor, "signal.received",
                Value::object({{"event_type", plan.signal->type}, {"matched_total", total}})));
  bool told_more = plan.record.open || plan.record.reach.total > 0 || !plan.audit.empty();
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

/// Waits that ended not long before it came and would have heard it (W-60).
Outcome<void> SignalDesk::look_for_late(Plan& plan, Instant now) {
  const Signal& signal = *plan.signal;
  if (signal.contact_id.empty() && signal.run.empty()) return {};
  Duration window{settings_of(signal.account).signals.late_window_hours * 3'600'000};
  if (window.ms == 0) return {};
  FERMATA_TRY(ended, store_.ended_listeners(signal, signal.received_at - window, late_waits_max));
  for (const WaitRecord& record : ended) {
    const Wait& wait = record.wait;
    waits::ListenerPlace place{record.account, record.run, record.contact_id, std::nullopt};
    bool own = false, late = false;
    for (const Listener& listener : wait.listeners) {
      own = own || listener.matched_event == signal.id;
      late = late || waits::fits(listener, place, signal);
    }
    // Its goal has ended the run: that was no wait that came too late.
    bool by_goal = wait.ended_reason == goal_achieved && wait.ended_at >= signal.received_at;
    if (own || by_goal || !late || wait.status == WaitStatus::error) continue;
    Value entry = Value::object({{"wait_id", wait.id}, {"reason", name_of(wait.status)}});
    if (!add_once(plan.record.reach.ignored, entry, "wait_id")) continue;
    plan.audit.push_back(line_of(signal, now, plan.actor, "signal.late", std::move(entry)));
  }
  return {};
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
  for (const WaitRecord& record : page) index_.settled(record);
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
    plan.rules = accounts_;
    if (std::string lane = lane_of(*plan.signal); !lane.empty()) lanes_[lane].push_back(key);
    begin(key, now);
  }
  signal_cursor_ = page.cursor;
  return page.more;
}

bool SignalDesk::only_put_off() const {
  size_t asked = 0;
  for (const auto& [key, plan] : plans_) asked += plan.asked;
  return !put_off_.empty() && asked == put_off_.size();
}

std::optional<Instant> SignalDesk::next_due() const {
  std::optional<Instant> due;
  auto consider = [&](Instant at) {
    if (!due || at < *due) due = at;
  };
  // What was put off before the clock was set back does not wait for it.
  auto again_at = [&](Instant at, Duration longest) {
    return is_due(at, now_, longest) ? std::min(at, now_) : at;
  };
  if (!put_off_.empty()) consider(again_at(put_off_.begin()->first, offer_delay_max));
  if (!stalled_.empty()) consider(again_at(stalled_.begin()->first, put_off_max));
  if (!patience_.empty() && !plans_.empty()) consider(patience_.begin()->first);
  return due;
}

std::optional<Instant> SignalDesk::next_write() const {
  if (writes_put_off_.empty()) return std::nullopt;
  Instant at = writes_put_off_.begin()->first;
  return is_due(at, now_) ? std::min(at, now_) : at;
}

}  // namespace fermata
