#include <mutex>

#include "base/uuid.h"
#include "front/event_request.h"
#include "server/problem.h"
#include "server/routes/event_routes.h"

namespace fermata::server::routes {
namespace {

constexpr Duration patience_default{1'000};
constexpr Duration patience_max{10'000};

Value list_of(const std::vector<Value>& items) {
  return Value::array({items.begin(), items.end()});
}

front::EventSender sender_of(const Call& call, const AccountSettings* chosen) {
  front::EventSender sender{call.who.account};
  if (chosen) sender.event_types = chosen->signals.event_types;
  return sender;
}

/// What is answered to whoever sent it (W-23).
Value receipt(const SignalTold& told, bool repeated) {
  const SignalRecord& record = told.record;
  const SignalReach reach = whole_reach(record);
  Value warnings = Value::array();
  for (const std::string& warning : reach.warnings) warnings.push(warning);
  const std::string& contact = record.signal.contact_id;
  return Value::object({{"event_id", record.signal.id},
                        {"status", told.duplicate && !repeated ? "duplicate" : "accepted"},
                        {"received_at", to_rfc3339(record.signal.received_at)},
                        {"contact_id", contact.empty() ? Value() : Value(contact)},
                        {"matched", Value::object({{"goals", list_of(reach.goals)},
                                                   {"waits", list_of(reach.waits)},
                                                   {"triggers", list_of(reach.triggers)}})},
                        {"matched_total", reach.total},
                        {"pending", told.pending},
                        {"ignored", list_of(reach.ignored)},
                        {"warnings", std::move(warnings)}});
}

/// `kept` may have been given the contact that its address led to.
bool same_request(const Signal& kept, const Signal& sent) {
  const Signal &a = kept, &b = sent;
  bool led = sent.contact_id.empty() && (!sent.phone.empty() || !sent.email.empty());
  return a.type == b.type && (led || a.contact_id == b.contact_id) && a.run == b.run &&
         a.correlation_id == b.correlation_id && a.data == b.data &&
         a.occurred_at == b.occurred_at && a.phone == b.phone && a.email == b.email;
}

/// What became of each event of a request, in their order.
struct Results {
  explicit Results(Call asked, size_t events)
      : call(std::move(asked)), items(events), left(events) {}
  /// The last one answers.
  void set(size_t index, Value item) {
    std::unique_lock lock(mutex);
    items[index] = std::move(item);
    if (--left > 0) return;
    lock.unlock();
    call.send_json(200, Value::object({{"results", list_of(items)}}));
  }
  Call call;
  std::mutex mutex;
  std::vector<Value> items;
  size_t left;
};

Value invalid_item(const Error& error) {
  return Value::object({{"status", "invalid"}, {"problem", problem_value(error, "")}});
}

Error key_was_used() {
  return {ErrorCode::idempotency_key_reused, "The key was used with another event.", {}};
}

Outcome<Duration> patience_of(Api& api, const Call& call) {
  FERMATA_TRY(wanted, wait_wanted(api, call));
  if (wanted && *wanted > patience_max)
    return fail(ErrorCode::invalid_query, "wait: at most 10s is possible here.",
                {{"invalid_query", "wait", "At most 10s is possible here.", {}}});
  return wanted.value_or(patience_default);
}

/// An event without an id of its own is named by the key of the request, so that a repeat is known.
std::string named_by_key(const Call& call, size_t index) {
  std::string key(call.request.header("idempotency-key"));
  if (key.empty()) return {};
  return uuid_v5("event\n" + call.who.account.text() + "\n" + key + "\n" + std::to_string(index));
}

void refuse_full(Api& api, const Call& call) {
  bool stopping = api.stopping();
  api.fail(call, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                  stopping ? "The server is stopping." : "The engine's queue is full.",
                  {}});
}

void receive_one(Api& api, Call call, Duration patience) {
  auto chosen = api.account_book().accounts()->settings_of(call.who.account);
  auto signal = front::read_event(call.body, sender_of(call, chosen.get()), "");
  if (!signal) return api.fail(call, signal.error());
  bool by_key = signal->id.empty() && !named_by_key(call, 0).empty();
  if (by_key) signal->id = named_by_key(call, 0);
  IncomingSignal incoming{*signal, call.who.actor, patience, {}};
  Call spare = call;
  incoming.reply = [&api, call, by_key, sent = *std::move(signal)](Outcome<SignalTold> told) {
    if (!told) return api.fail(call, told.error());
    if (by_key && told->duplicate && !same_request(told->record.signal, sent))
      return api.fail(call, key_was_used());
    call.send_json(200, receipt(*told, by_key));
  };
  std::vector<IncomingSignal> one;
  one.push_back(std::move(incoming));
  if (!api.signals().submit_signals(std::move(one))) refuse_full(api, spare);
}

Outcome<const Value*> batch_of(const Value& body) {
  const Value* events = body.find("events");
  bool only = body.size() == 1 && events->is_array() && events->size() > 0;
  if (!only)
    return fail(ErrorCode::invalid_event, "A batch is an object with a list of events only.",
                {{"invalid_event", "/events", "1 to 1000 events are expected.", {}}});
  if (events->size() > front::event_batch_max)
    return fail(ErrorCode::batch_too_large,
                "The batch has " + std::to_string(events->size()) + " events; at most " +
                    std::to_string(front::event_batch_max) + " are possible.");
  return events;
}

void receive_many(Api& api, Call call, const Value& events, Duration patience) {
  auto results = std::make_shared<Results>(call, events.size());
  auto chosen = api.account_book().accounts()->settings_of(call.who.account);
  std::vector<IncomingSignal> incoming;
  std::vector<std::pair<size_t, Value>> invalid;
  for (size_t i = 0; i < events.size(); ++i) {
    auto signal = front::read_event(events.items()[i], sender_of(call, chosen.get()), "");
    if (!signal) {
      invalid.emplace_back(i, invalid_item(signal.error()));
      continue;
    }
    bool by_key = signal->id.empty() && !named_by_key(call, i).empty();
    if (by_key) signal->id = named_by_key(call, i);
    incoming.push_back({*signal, call.who.actor, patience, {}});
    incoming.back().reply = [results, i, by_key,
                             sent = *std::move(signal)](Outcome<SignalTold> told) {
      if (!told)
        return results->set(
            i, Value::object({{"status", "failed"}, {"problem", problem_value(told.error(), "")}}));
      bool other = by_key && told->duplicate && !same_request(told->record.signal, sent);
      results->set(i, other ? invalid_item(key_was_used()) : receipt(*told, by_key));
    };
  }
  if (!incoming.empty() && !api.signals().submit_signals(std::move(incoming)))
    return refuse_full(api, call);
  for (auto& [index, item] : invalid) results->set(index, std::move(item));
}

}  // namespace

void receive_events(Api& api, Call call) {
  auto patience = patience_of(api, call);
  if (!patience) return api.fail(call, patience.error());
  if (!call.body.is_object() || !call.body.find("events"))
    return receive_one(api, std::move(call), *patience);
  auto events = batch_of(call.body);
  if (!events) return api.fail(call, events.error());
  Value list = **events;
  receive_many(api, std::move(call), list, *patience);
}

}  // namespace fermata::server::routes
