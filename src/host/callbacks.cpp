#include "base/uuid.h"
#include "core/callback/open_request.h"
#include "core/callback/settle.h"
#include "host/partition.h"

/// What became of callbacks: each outcome is a commit, together with what the answer asked for.
namespace fermata {

namespace {

constexpr Duration delivery_retry_delay{1'000};

AuditLine line_of(const Delivery& delivery, std::string actor, const char* action, Instant now) {
  return {delivery.account,
          now,
          std::move(actor),
          action,
          delivery.id,
          delivery.note,
          Value::object({{"execution_id", delivery.run.text()},
                         {"type", delivery.type},
                         {"attempts", delivery.attempts}})};
}

/// What the dead letter queue shows of a callback that was given up (W-74).
DeadLetterEntry letter_of(const Delivery& delivery) {
  DeadLetterEntry entry;
  job::DeadLetter& letter = entry.letter;
  // Given up a second time, it is another entry.
  letter.id = uuid_v5(delivery.id + "/dead#" + std::to_string(delivery.attempts));
  letter.account = delivery.account;
  letter.run = delivery.run;
  letter.step_id = delivery.step;
  letter.topic = "callback";
  letter.status = job::State::failed;
  letter.last_state = job::State::failed;
  letter.reason_code = "callback_failed";
  letter.reason = "nobody has taken " + delivery.type + " until it was given up";
  letter.attempts = delivery.attempts;
  letter.error = Value::object({{"delivery_id", delivery.id},
                                {"url", delivery.callback.get("url")},
                                {"type", delivery.type}});
  if (!delivery.latest.empty()) {
    letter.error.set("status", delivery.latest.back().status);
    letter.error.set("message", delivery.latest.back().message);
  }
  letter.created_at = delivery.ended_at.value_or(delivery.created_at);
  return entry;
}

}  // namespace

bool Host::Partition::redeliver(Redelivery wanted) {
  if (stopping_.load(std::memory_order_relaxed) || !callbacks_.submit(std::move(wanted)))
    return false;
  wake();
  return true;
}

TouchedDelivery& Host::Partition::touch(Delivery next, uint64_t expected, DeliveryItem item) {
  TouchedDelivery& touched = next_.deliveries.emplace_back();
  touched.next = std::move(next);
  touched.expected_version = expected;
  touched.item = std::move(item);
  touched.group = next_.groups.add();
  ++next_.commands;
  return touched;
}

void Host::Partition::decide_deliveries(std::vector<DeliveryItem> items, Instant now) {
  for (DeliveryItem& item : items) {
    if (item.wanted) {
      decide_redelivery(std::move(item), now);
    } else if (const Delivery* held = callbacks_.in_hand(item.delivery)) {
      decide_answer(*held, std::move(item), now);
    }
  }
}

void Host::Partition::decide_answer(const Delivery& before, DeliveryItem item, Instant now) {
  Delivery next = callback::settled(before, *item.answer, now, callbacks_.fraction());
  std::optional<TakeAnswer> asked;
  if (next.state == DeliveryState::done)
    asked = callback::read_answer(next.step, item.answer->body);
  TouchedDelivery& touched = touch(std::move(next), before.version, std::move(item));
  if (touched.next.state == DeliveryState::dead) {
    touched.audit.push_back(line_of(touched.next, "engine", "callback.dead", now));
    touched.dead_letters.push_back(letter_of(touched.next));
  }
  if (!asked) return;
  Item command{{touched.next.run, *std::move(asked), "callback " + touched.next.id}, {}};
  command.posted = true;
  Posted post{std::move(command), touched.group, std::nullopt};
  post.delivery = touched.next.id;
  posts_.push_back(std::move(post));
}

/// What a callback's answer asked for cannot be done: it is told where the delivery is shown.
void Host::Partition::refuse_answer(const std::string& delivery, const Error& error, Instant now) {
  for (TouchedDelivery& touched : next_.deliveries) {
    if (touched.next.id != delivery) continue;
    touched.next.note = std::string(name_of(error.code)) + ": " + error.message;
    touched.audit.push_back(line_of(touched.next, "engine", "callback.refused", now));
  }
}

/// Somebody wants it sent again (W-33). One that is under way needs nothing.
void Host::Partition::decide_redelivery(DeliveryItem item, Instant now) {
  Redelivery& wanted = *item.wanted;
  auto touched_already = [&](const std::vector<TouchedDelivery>& deliveries) {
    return std::any_of(deliveries.begin(), deliveries.end(),
                       [&](const TouchedDelivery& one) { return one.next.id == wanted.delivery; });
  };
  if (touched_already(next_.deliveries) || touched_already(flying_.deliveries))
    return callbacks_.put_off(std::move(item), now + delivery_retry_delay);
  auto loaded = ports_.store.load_deliveries(std::span(&wanted.delivery, 1));
  if (!loaded) return wanted.reply(Failure{loaded.error()});
  if (loaded->empty() || loaded->front().account != wanted.account)
    return wanted.reply(
        fail(ErrorCode::delivery_not_found, "there is no delivery " + wanted.delivery));
  Delivery before = std::move(loaded->front());
  if (before.state == DeliveryState::done)
    return wanted.reply(
        fail(ErrorCode::delivery_done, "it was delivered at " + to_rfc3339(*before.ended_at)));
  if (callbacks_.is_under_way(before.id)) return wanted.reply(std::move(before));
  std::string actor = wanted.actor;
  uint64_t version = before.version;
  std::vector<DeadLetterEntry> letters;
  if (before.state == DeliveryState::dead) {
    DeadLetterEntry letter = letter_of(before);
    letter.resolution = Resolution::retried;
    letter.resolved_at = now;
    letter.resolved_by = actor;
    letters.push_back(std::move(letter));
  }
  TouchedDelivery& touched =
      touch(callback::renewed(std::move(before), now), version, std::move(item));
  touched.audit.push_back(line_of(touched.next, std::move(actor), "callback.redeliver", now));
  touched.dead_letters = std::move(letters);
}

void Host::Partition::load_deliveries(CommitBatch& batch) {
  for (const TouchedDelivery& touched : flying_.deliveries) {
    DeliveryWrite& write = batch.deliveries.emplace_back();
    write.expected_version = touched.expected_version;
    write.delivery = touched.next;
    write.audit = touched.audit;
    write.dead_letters = touched.dead_letters;
    if (flying_.groups.shared(touched.group)) write.group = flying_.groups.of(touched.group) + 1;
  }
}

/// After an unknown outcome: what was written is there word for word, or it was not written.
CommitOutcome Host::Partition::find_out(const DeliveryWrite& write) {
  auto loaded = ports_.store.load_deliveries(std::span(&write.delivery.id, 1));
  if (!loaded) return CommitOutcome::unknown;
  Delivery wanted = write.delivery;
  wanted.version = write.expected_version + 1;
  bool done = !loaded->empty() && loaded->front() == wanted;
  return done ? CommitOutcome::done : CommitOutcome::conflict;
}

void Host::Partition::landed(TouchedDelivery& touched, const DeliveryWrite& write,
                             CommitOutcome outcome, Instant now) {
  if (outcome == CommitOutcome::unknown) outcome = find_out(write);
  Delivery& delivery = touched.next;
  if (outcome == CommitOutcome::done) {
    delivery.version = touched.expected_version + 1;
    callbacks_.settled(delivery);
    if (touched.item.answer) ports_.feed.callback_attempted(delivery);
    if (touched.item.wanted) touched.item.wanted->reply(std::move(delivery));
    return;
  }
  if (outcome == CommitOutcome::conflict) {
    ++counters_.conflicts;
    // Another has written it meanwhile: what it is now counts. Else its group was in conflict.
    auto loaded = ports_.store.load_deliveries(std::span(&delivery.id, 1));
    bool other = loaded && !loaded->empty() && loaded->front().version != touched.expected_version;
    if (other) callbacks_.settled(loaded->front());
    if (other && !touched.item.wanted) return;
  }
  not_recorded(std::move(touched), trouble(outcome), now);
}

/// The outcome of an attempt must not be lost, and what its answer asked for is asked again.
void Host::Partition::not_recorded(TouchedDelivery touched, const Error& error, Instant now) {
  DeliveryItem& item = touched.item;
  if (item.wanted) return item.wanted->reply(Failure{error});
  callbacks_.put_off(std::move(item), now + delivery_retry_delay);
}

void Host::Partition::abandon_deliveries(Groups::Member whole, const Error& error, Instant now) {
  std::vector<TouchedDelivery> gone;
  std::erase_if(next_.deliveries, [&](TouchedDelivery& touched) {
    if (next_.groups.of(touched.group) != whole) return false;
    gone.push_back(std::move(touched));
    return true;
  });
  for (TouchedDelivery& touched : gone) not_recorded(std::move(touched), error, now);
}

/// Those that nobody remembers any more, because the process is new.
Outcome<bool> Host::Partition::sweep_deliveries(size_t deliveries) {
  FERMATA_TRY(page, ports_.store.pending_deliveries(delivery_cursor_, deliveries));
  for (const PendingDelivery& pending : page.deliveries) callbacks_.recover(pending);
  delivery_cursor_ = page.cursor;
  return page.more;
}

}  // namespace fermata
