#include "host/callback_desk.h"

#include "base/json.h"
#include "host/deferral.h"

namespace fermata {

namespace {

constexpr size_t redeliveries_max = 10'000;
constexpr Duration load_retry_delay{1'000};

/// Scheme, host and port: what is slow or dead together.
std::string endpoint_of(std::string_view url) {
  size_t host = url.find("://");
  if (host == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, url.find_first_of("/?#", host + 3)));
}

CallRequest request_of(const Delivery& delivery, const CallbackSettings& settings,
                       const AccountSettings* account, Instant now) {
  CallRequest request;
  request.account = delivery.account;
  request.method = "POST";
  request.url = delivery.callback.get("url").as_string();
  request.headers = {{"Content-Type", "application/json"},
                     {"User-Agent", "Fermata"},
                     {"Idempotency-Key", delivery.key},
                     {"Fermata-Delivery", delivery.id},
                     {"Fermata-Attempt", std::to_string(delivery.attempts + 1)}};
  request.body = to_json(delivery.body);
  request.timeout_ms = account ? account->callbacks.timeout_ms : settings.timeout_ms;
  if (account) request.allowed_networks = account->callbacks.allow_networks;
  request.follow_redirects = 0;
  request.response_bytes_max = settings.response_bytes_max;
  // Which secrets these are is found where the request leaves (W-73).
  request.credentials = Value::object(
      {{"workflow", delivery.workflow.text()}, {"named", delivery.callback.get("credentials")}});
  request.signed_at = now.ms / 1'000;
  return request;
}

}  // namespace

CallbackDesk::CallbackDesk(Store& store, Calls* calls, Entropy& entropy,
                           const CallbackSettings& settings)
    : store_(store),
      calls_(calls),
      entropy_(entropy),
      settings_(settings),
      queue_(redeliveries_max) {}

void CallbackDesk::add(const Delivery& delivery) {
  recover({delivery.id, delivery.run, delivery.sequence,
           delivery.next_at.value_or(delivery.created_at)});
}

void CallbackDesk::recover(const PendingDelivery& pending) {
  auto [at, fresh] =
      runs_[pending.run].try_emplace(pending.sequence, Entry{pending.id, pending.next_at});
  if (!fresh) return look_for_lost(pending.id, pending.run);
  ++pending_;
  watch(pending.run);
}

/// A call that nobody carries any more, though no answer came, is made again.
void CallbackDesk::look_for_lost(const std::string& id, const RunId& run) {
  auto held = in_hand_.find(id);
  if (held == in_hand_.end() || !held->second.sent || held->second.answered) return;
  const Delivery& delivery = held->second.delivery;
  if (calls_->holds({run, delivery.sequence, delivery.attempts + 1})) return;
  std::string endpoint = held->second.endpoint;
  --under_way_;
  in_hand_.erase(held);
  busy_.erase(run);
  leave(endpoint, delivery_now_);
  watch(run);
}

/// The alarm rings for the first of an execution, unless that is in hand.
void CallbackDesk::watch(const RunId& run) {
  auto found = runs_.find(run);
  if (found != runs_.end() && found->second.empty()) {
    runs_.erase(found);
    found = runs_.end();
  }
  bool rests = found == runs_.end() || busy_.contains(run);
  alarm_.set(run, rests ? std::nullopt : std::optional(found->second.begin()->second.next_at));
}

std::vector<DeliveryItem> CallbackDesk::gather(Instant now, size_t most) {
  delivery_now_ = now;
  std::vector<DeliveryItem> items;
  while (!deferred_.empty() && is_due(deferred_.begin()->first, now) && items.size() < most) {
    items.push_back(std::move(deferred_.begin()->second));
    deferred_.erase(deferred_.begin());
  }
  for (Redelivery& wanted : queue_.take(most - std::min(most, items.size()))) {
    DeliveryItem item;
    item.delivery = wanted.delivery;
    item.wanted = std::move(wanted);
    items.push_back(std::move(item));
  }
  if (!calls_) return items;
  for (CallAnswer& answer : calls_->harvest()) {
    auto busy = busy_.find(answer.ticket.run);
    auto held = busy == busy_.end() ? in_hand_.end() : in_hand_.find(busy->second);
    // An answer may come twice, or to an attempt that nobody remembers.
    bool awaited = held != in_hand_.end() && !held->second.answered &&
                   held->second.delivery.sequence == answer.ticket.token &&
                   held->second.delivery.attempts + 1 == answer.ticket.attempt;
    if (!awaited) continue;
    held->second.answered = true;
    --under_way_;
    DeliveryItem item;
    item.delivery = held->first;
    leave(held->second.endpoint, now);
    item.answer = std::move(answer);
    items.push_back(std::move(item));
  }
  return items;
}

void CallbackDesk::send_due(Instant now, std::shared_ptr<const AccountTable> accounts) {
  accounts_ = std::move(accounts);
  if (!calls_) return;
  while (under_way_ < settings_.in_flight_max) {
    auto due = alarm_.due(now, settings_.in_flight_max - under_way_);
    if (due.empty()) return;
    for (auto& entry : due) try_to_send(entry.key, now);
  }
}

/// Has it sent, or wait for others that its endpoint has not answered yet.
void CallbackDesk::try_to_send(const RunId& run, Instant now) {
  auto found = runs_.find(run);
  if (found == runs_.end() || found->second.empty() || busy_.contains(run)) return watch(run);
  Entry& first = found->second.begin()->second;
  if (!load(run, first, now)) return;
  InHand& held = in_hand_.at(first.id);
  busy_[run] = first.id;
  Endpoint& endpoint = endpoints_[held.endpoint];
  if (endpoint.under_way >= settings_.in_flight_per_endpoint_max) {
    endpoint.waiting.push_back(run);
    return;
  }
  send(run, held, now);
}

bool CallbackDesk::load(const RunId& run, const Entry& entry, Instant now) {
  auto loaded = store_.load_deliveries(std::span(&entry.id, 1));
  if (!loaded) {
    alarm_.set(run, now + load_retry_delay);
    return false;
  }
  bool pending = !loaded->empty() && loaded->front().state == DeliveryState::pending;
  if (!pending) {
    --pending_;
    runs_.at(run).erase(runs_.at(run).begin());
    watch(run);
    return false;
  }
  InHand held{std::move(loaded->front()), "", false, false};
  held.endpoint = endpoint_of(held.delivery.callback.get("url").as_string());
  in_hand_.insert_or_assign(entry.id, std::move(held));
  return true;
}

void CallbackDesk::send(const RunId& run, InHand& held, Instant now) {
  ++endpoints_[held.endpoint].under_way;
  ++under_way_;
  held.sent = true;
  const Delivery& delivery = held.delivery;
  auto own = accounts_ ? accounts_->settings_of(delivery.account) : nullptr;
  calls_->submit({run, delivery.sequence, delivery.attempts + 1},
                 request_of(delivery, settings_, own.get(), now));
}

/// One less is under way to the endpoint: the next of those that wait for it goes.
void CallbackDesk::leave(const std::string& name, Instant now) {
  auto found = endpoints_.find(name);
  if (found == endpoints_.end()) return;
  Endpoint& endpoint = found->second;
  --endpoint.under_way;
  while (!endpoint.waiting.empty() && endpoint.under_way < settings_.in_flight_per_endpoint_max) {
    RunId run = std::move(endpoint.waiting.front());
    endpoint.waiting.pop_front();
    auto busy = busy_.find(run);
    if (busy == busy_.end()) continue;
    auto held = in_hand_.find(busy->second);
    if (held != in_hand_.end()) send(run, held->second, now);
  }
  if (endpoint.under_way == 0 && endpoint.waiting.empty()) endpoints_.erase(name);
}

void CallbackDesk::settled(const Delivery& delivery) {
  in_hand_.erase(delivery.id);
  if (auto busy = busy_.find(delivery.run); busy != busy_.end() && busy->second == delivery.id)
    busy_.erase(busy);
  std::map<uint64_t, Entry>& entries = runs_[delivery.run];
  if (delivery.state == DeliveryState::pending) {
    auto [at, fresh] = entries.insert_or_assign(
        delivery.sequence, Entry{delivery.id, delivery.next_at.value_or(delivery.created_at)});
    if (fresh) ++pending_;
  } else if (entries.erase(delivery.sequence) > 0) {
    --pending_;
  }
  watch(delivery.run);
}

void CallbackDesk::forget(const RunId& run, uint64_t sequence) {
  auto found = runs_.find(run);
  if (found == runs_.end()) return;
  auto entry = found->second.find(sequence);
  if (entry == found->second.end()) return;
  in_hand_.erase(entry->second.id);
  if (auto busy = busy_.find(run); busy != busy_.end() && busy->second == entry->second.id)
    busy_.erase(busy);
  watch(run);
}

const Delivery* CallbackDesk::in_hand(const std::string& id) const {
  auto found = in_hand_.find(id);
  return found == in_hand_.end() ? nullptr : &found->second.delivery;
}

bool CallbackDesk::quiet() const { return idle() && deferred_.empty() && in_hand_.empty(); }

std::optional<Instant> CallbackDesk::next_due() const {
  // Without anybody to carry them none of them is ever due.
  std::optional<Instant> due;
  if (calls_ && under_way_ < settings_.in_flight_max) due = alarm_.next();
  if (!deferred_.empty() && (!due || deferred_.begin()->first < *due))
    due = deferred_.begin()->first;
  return due;
}

}  // namespace fermata
