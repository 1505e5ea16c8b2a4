#include "host/receiver.h"

#include "base/hash.h"
#include "base/overloaded.h"

namespace fermata {

namespace {

constexpr size_t pull_max = 64;
/// How long a message is put off, by how often it was before.
constexpr Duration put_offs[] = {{1'000}, {5'000}, {15'000}, {60'000}};

Duration put_off_of(uint32_t attempt) {
  size_t place = std::min<size_t>(attempt > 0 ? attempt - 1 : 0, std::size(put_offs) - 1);
  return put_offs[place];
}

bool is_of_store(const Error& error) {
  return error.code == ErrorCode::store_unavailable || error.code == ErrorCode::outcome_unknown ||
         error.code == ErrorCode::io_failed;
}

/// What people see of it. A message delivered twice is one entry.
DeadLetterEntry entry_of(const BusDelivery& delivery, const Unusable& unusable,
                         const AccountId& account, Instant now) {
  std::string identity = delivery.message_id.empty() ? delivery.body : delivery.message_id;
  DeadLetterEntry entry;
  job::DeadLetter& letter = entry.letter;
  letter.id = "message-" + sha256_hex(delivery.queue + "\n" + identity).substr(0, 32);
  letter.account = account;
  letter.run = unusable.run;
  letter.topic = delivery.queue;
  letter.reason_code = unusable.reason;
  letter.reason = unusable.detail;
  letter.attempts = delivery.attempt;
  letter.created_at = now;
  letter.error = Value::object({{"message_id", delivery.message_id},
                                {"queue", delivery.queue},
                                {"bytes", delivery.body.size()}});
  return entry;
}

}  // namespace

NextTurn Receiver::turn(Instant now) {
  take_answers(now);
  NextTurn next;
  if (now < resting_until_) {
    next.at = resting_until_;
    return next;
  }
  size_t room = under_way_max - std::min(under_way_.size(), under_way_max);
  std::vector<BusDelivery> pulled = bus_.pull(std::min(room, pull_max));
  for (size_t i = 0; i < pulled.size() && now >= resting_until_; ++i) {
    Reading reading = interpreter_.read(pulled[i]);
    if (auto* understood = std::get_if<Understood>(&reading)) {
      submit(std::move(pulled[i]), std::move(*understood));
    } else {
      settle(pulled[i], std::move(reading), now);
    }
  }
  next.at_once = pulled.size() == pull_max;
  if (now < resting_until_) next.at = resting_until_;
  return next;
}

void Receiver::submit(BusDelivery delivery, Understood understood) {
  uint64_t id = delivery.id;
  auto reply = [answers = answers_, ring = on_answer, id](Outcome<RunSummary> outcome) {
    {
      std::lock_guard lock(answers->mutex);
      answers->items.push_back(
          {id, outcome ? std::optional<Error>() : std::optional(outcome.error())});
    }
    if (ring) ring();
  };
  if (!intake_.submit_message(std::move(understood.command), std::move(understood.mark), reply)) {
    // As full as it may be: the message waits at the broker, not here.
    bus_.settle(id, {BusSettlement::Kind::retry, put_offs[0]});
    return;
  }
  under_way_.emplace(id, std::move(delivery));
}

void Receiver::take_answers(Instant now) {
  std::vector<Answer> answers;
  {
    std::lock_guard lock(answers_->mutex);
    answers.swap(answers_->items);
  }
  for (Answer& answer : answers) {
    auto found = under_way_.find(answer.delivery);
    if (found == under_way_.end()) continue;
    BusDelivery delivery = std::move(found->second);
    under_way_.erase(found);
    if (!answer.refusal) {
      ++taken_;
      next_rest_ = rest_first;
      bus_.settle(delivery.id, {});
      continue;
    }
    if (is_of_store(*answer.refusal)) {
      rest(now);
      continue;
    }
    settle(delivery, interpreter_.refused(delivery, *answer.refusal), now);
  }
}

void Receiver::settle(const BusDelivery& delivery, Reading reading, Instant now) {
  std::visit(Overloaded{[&](const Understood&) { bus_.settle(delivery.id, {}); },
                        [&](const NothingToDo& nothing) {
                          count(passed_, nothing.why);
                          bus_.settle(delivery.id, {});
                        },
                        [&](const Unusable& unusable) { bury(delivery, unusable, now); },
                        [&](const NotNow& later) {
                          if (is_of_store(later.error)) return rest(now);
                          put_off(delivery, later.error.message, now);
                        }},
             reading);
}

void Receiver::put_off(const BusDelivery& delivery, const std::string& why, Instant now) {
  if (delivery.attempt >= attempts_max) return bury(delivery, {"put_off_too_often", why}, now);
  bus_.settle(delivery.id, {BusSettlement::Kind::retry, put_off_of(delivery.attempt)});
}

/// The entry first, then the copy, then the acknowledgement: whatever is interrupted is repeated.
void Receiver::bury(const BusDelivery& delivery, const Unusable& unusable, Instant now) {
  if (!outbox_.bury(entry_of(delivery, unusable, account_, now))) return rest(now);
  count(dead_, unusable.reason);
  if (on_dead) on_dead(delivery, unusable);
  std::string reason = unusable.reason;
  bus_.settle(delivery.id, {BusSettlement::Kind::dead, {}, std::move(reason)});
}

/// The store is away: deliveries go back to the broker, where they are safe.
void Receiver::rest(Instant now) {
  if (now < resting_until_) return;
  bus_.rest(next_rest_);
  under_way_.clear();
  resting_until_ = now + next_rest_;
  next_rest_ = std::min(Duration{next_rest_.ms * 2}, rest_longest);
}

void Receiver::count(std::map<std::string, uint64_t>& counts, const std::string& reason) {
  std::lock_guard lock(counts_mutex_);
  ++counts[reason];
}

std::map<std::string, uint64_t> Receiver::dead_by_reason() const {
  std::lock_guard lock(counts_mutex_);
  return dead_;
}

std::map<std::string, uint64_t> Receiver::passed_by_reason() const {
  std::lock_guard lock(counts_mutex_);
  return passed_;
}

}  // namespace fermata
