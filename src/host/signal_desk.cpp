#include "host/signal_desk.h"

#include <algorithm>

#include "base/uuid.h"
#include "host/deferral.h"

namespace fermata {

SignalDesk::SignalDesk(Store& store, Entropy& entropy, const HostSettings& settings,
                       SignalSurroundings& around)
    : store_(store), entropy_(entropy), around_(around), queue_(settings.queue_commands_max) {}

const AccountSettings& SignalDesk::settings_of(const AccountId& account) const {
  static const AccountSettings usual;
  auto chosen = accounts_ ? accounts_->settings_of(account) : nullptr;
  return chosen ? *chosen : usual;
}

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
    std::vector<std::string> warnings;
    Outcome<void> readable = known ? Outcome<void>{} : Outcome<void>{Failure{known.error()}};
    bool is_new = known && (!(*known)[i] || (*known)[i]->expires_at <= now);
    if (is_new) readable = find_contact(taken[i].signal, warnings);
    if (readable) {
      take_in(std::move(taken[i]), (*known)[i], std::move(warnings), now);
    } else if (taken[i].reply) {
      taken[i].reply(Failure{readable.error()});
    }
  }
}

/// Whom it is about, by telephone number or mail address if it is not said (W-52).
Outcome<void> SignalDesk::find_contact(Signal& signal, std::vector<std::string>& warnings) {
  ContactBook& book = around_.contacts();
  if (!book.keeps_any()) return {};
  if (signal.contact_id.empty()) {
    bool by_phone = !signal.phone.empty();
    if (!by_phone && signal.email.empty()) return {};
    auto address = by_phone ? ContactAddress::phone : ContactAddress::email;
    std::string key = by_phone ? phone_key(signal.phone) : email_key(signal.email);
    FERMATA_TRY(found, book.store()->contacts_at(signal.account, address, key));
    if (found.empty()) warnings.emplace_back("unknown_contact");
    if (found.size() > 1) warnings.emplace_back("ambiguous_contact");
    // Of several the one that is known longest.
    if (!found.empty()) signal.contact_id = found.front().id;
    return {};
  }
  ContactKey key{signal.account, signal.contact_id};
  FERMATA_TRY_VOID(book.fetch({key}));
  auto contact = book.find(key);
  if (!contact || !contact->exists()) warnings.emplace_back("unknown_contact");
  return {};
}

void SignalDesk::take_in(IncomingSignal incoming, const std::optional<SignalRecord>& known,
                         std::vector<std::string> warnings, Instant now) {
  SignalKey key = key_of(incoming.signal);
  Waiting waiting{std::move(incoming.reply), now + incoming.patience, false};
  if (auto plan = plans_.find(key); plan != plans_.end()) {
    waiting.duplicate = true;
    tell_repeated(plan->second.record, incoming.actor, now);
    patience_.emplace(waiting.until, key);
    plan->second.waiting.push_back(std::move(waiting));
    return;
  }
  if (known && known->expires_at > now) {
    tell_repeated(*known, incoming.actor, now);
    if (waiting.reply) waiting.reply(SignalTold{*known, true, 0});
    return;
  }
  Plan& plan = plans_[key];
  plan.actor = std::move(incoming.actor);
  plan.record.signal = std::move(incoming.signal);
  plan.record.reach.warnings = std::move(warnings);
  int64_t hours = settings_of(plan.record.signal.account).signals.retention_hours;
  plan.record.expires_at = now + Duration{hours * 3'600'000};
  plan.signal = std::make_shared<const Signal>(plan.record.signal);
  plan.rules = accounts_;
  plan.record.open = may_lead_anywhere(plan);
  patience_.emplace(waiting.until, key);
  plan.waiting.push_back(std::move(waiting));
  if (std::string lane = lane_of(*plan.signal); !lane.empty()) lanes_[lane].push_back(key);
  write(plan);
}

/// Repeats are told of where the signal itself is (W-87).
void SignalDesk::tell_repeated(const SignalRecord& record, const std::string& actor, Instant now) {
  const Signal& signal = record.signal;
  uint64_t total = record.reach.total + record.effects.total;
  if (total == 0 && !settings_of(signal.account).audit_all_signals) return;
  around_.note({signal.account, now, actor, "signal.duplicate", signal.id, "",
                Value::object({{"event_type", signal.type},
                               {"first_received_at", to_rfc3339(signal.received_at)}})});
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
      begin(key, now);
    } else if (found->second.stage == Stage::noting && !writes_.contains(key) &&
               !found->second.write_again) {
      // Repeats that came while the row was being noted.
      tell(found->second);
      plans_.erase(found);
    }
    return;
  }
  if (outcome == CommitOutcome::unknown) found->second.in_doubt = true;
  // Who is told that it is not there may not find it there: the next start would carry on with it.
  bool surely_not = !found->second.in_doubt;
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
  release_held();
  next_in_lane(refused, now);
}

/// What waited for a signal to be offered comes after the offers.
void SignalDesk::release_held() {
  std::move(held_.begin(), held_.end(), std::back_inserter(released_));
  held_.clear();
}

void SignalDesk::begin(const SignalKey& key, Instant now) {
  Plan& plan = plans_.at(key);
  if (!plan.durable || plan.stage != Stage::writing) return;
  std::string lane = lane_of(*plan.signal);
  if (!lane.empty() && lanes_.at(lane).front() != key) return;
  go_on(key, now);
}

/// The stages one after the other (W-59), as far as nobody has to be waited for.
void SignalDesk::go_on(const SignalKey& key, Instant now) {
  Plan& plan = plans_.at(key);
  while (plan.asked == 0) {
    if (plan.stage == Stage::triggers) return finish(key, now);
    auto next = static_cast<Stage>(static_cast<uint8_t>(plan.stage) + 1);
    auto commands = offers_of(plan, next);
    if (!commands) return stall(key, now);
    plan.stage = next;
    if (next == Stage::waits) release_held();
    plan.asked = commands->size();
    for (Command& command : *commands) offers_.push_back({key, std::move(command)});
  }
}

/// The store could not be read: the next step is taken as soon as it can be.
void SignalDesk::stall(const SignalKey& key, Instant now) {
  stalled_.emplace(now + signal_retry_delay, key);
}

Outcome<std::vector<Command>> SignalDesk::offers_of(Plan& plan, Stage stage) {
  if (stage == Stage::goals) return goals_of(plan);
  if (stage == Stage::waits) return waits_of(plan);
  return starts_of(plan);
}

std::vector<Command> SignalDesk::waits_of(Plan& plan) {
  std::vector<ListenerIndex::Target> targets = index_.targets(*plan.signal);
  for (const ListenerIndex::Target& promised : plan.promised)
    if (std::find(targets.begin(), targets.end(), promised) == targets.end())
      targets.push_back(promised);
  plan.promised.clear();
  // The run itself keeps it for whoever takes signals in order.
  if (!plan.signal->run.empty()) targets.push_back({plan.signal->run, ""});
  std::vector<Command> offers;
  for (ListenerIndex::Target& target : targets)
    offers.push_back({std::move(target.run), OfferSignal{plan.signal, std::move(target.wait)}});
  return offers;
}

std::vector<Item> SignalDesk::take_items(Instant now, size_t most) {
  now_ = now;
  while (!put_off_.empty() && is_due(put_off_.begin()->first, now, offer_delay_max)) {
    offers_.push_back(std::move(put_off_.begin()->second));
    put_off_.erase(put_off_.begin());
  }
  std::vector<SignalKey> again;
  while (!stalled_.empty() && is_due(stalled_.begin()->first, now)) {
    again.push_back(std::move(stalled_.begin()->second));
    stalled_.erase(stalled_.begin());
  }
  for (const SignalKey& key : again) go_on(key, now);
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
  return {offer.command, [this, offer](Outcome<RunSummary> outcome) { answered(offer, outcome); }};
}

}  // namespace fermata
