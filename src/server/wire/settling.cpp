#include <algorithm>

#include "base/hash.h"
#include "base/uuid.h"
#include "server/wire/gateway.h"

/// What becomes of a delivery.
namespace fermata::server {
namespace {

/// The bytes of a message that nobody could use, and how it came (J-83).
DeadLetterEntry entry_of(const WireDelivery& delivery, const Error& error, const AccountId& account,
                         Instant now) {
  Value headers = Value::object();
  for (const auto& [name, value] : delivery.headers) headers.set(name, value);
  Value details = Value::object(
      {{"subject", delivery.subject},
       {"message_id", delivery.id},
       {"headers", std::move(headers)},
       {"size", delivery.bytes.size()},
       {"bytes_base64", base64(std::string_view(delivery.bytes).substr(0, poison_bytes_max))}});
  DeadLetterEntry entry;
  job::DeadLetter& letter = entry.letter;
  letter.id = uuid_v5("fermata.wire.poison\n" + delivery.subject + "\n" + delivery.id);
  letter.account = account;
  letter.topic = delivery.subject;
  letter.reason_code = "poison_message";
  letter.reason = error.message;
  letter.attempts = delivery.deliveries;
  letter.error = Value::object(
      {{"code", name_of(error.code)}, {"message", error.message}, {"details", std::move(details)}});
  letter.created_at = now;
  return entry;
}

bool passes(ErrorCode code) {
  return code == ErrorCode::store_unavailable || code == ErrorCode::outcome_unknown ||
         code == ErrorCode::shutting_down || code == ErrorCode::io_failed ||
         code == ErrorCode::data_damaged || code == ErrorCode::queue_full;
}

}  // namespace

void Gateway::ack(const WireDelivery& delivery) {
  if (delivery.number != 0) settle_done(delivery.number);
}

void Gateway::settle_done(uint64_t number) {
  parts_.wire.settle(number, {WireSettlement::Kind::ack, {}});
  auto place = places_.find(number);
  if (place == places_.end()) return;
  parts_.memory->done(place->second);
  places_.erase(place);
}

void Gateway::put_off(const WireDelivery& delivery, Duration pause) {
  if (delivery.number == 0) return;
  ++counts_.put_off;
  places_.erase(delivery.number);
  parts_.wire.settle(delivery.number, {WireSettlement::Kind::again, pause});
}

void Gateway::fail(const WireDelivery& delivery, const Error& error) {
  if (!passes(error.code)) return refuse(delivery, error);
  if (error.code == ErrorCode::queue_full) return put_off(delivery, busy_pause);
  uint32_t doublings = std::min<uint32_t>(delivery.deliveries - 1, 10);
  put_off(delivery, std::min(Duration{store_pause_first.ms << doublings}, store_pause_max));
}

void Gateway::refuse(const WireDelivery& delivery, const Error& error) {
  ++counts_.refused;
  places_.erase(delivery.number);
  if (delivery.number == 0) return;
  WireSettlement again{WireSettlement::Kind::again, refusal_pause};
  if (delivery.deliveries < refusals_before_death)
    return parts_.wire.settle(delivery.number, again);
  // First the letter, then its death: whoever dies between the two is delivered once more.
  bool kept = bury(delivery, error);
  parts_.wire.settle(delivery.number,
                     kept ? WireSettlement{WireSettlement::Kind::dead, {}} : again);
}

bool Gateway::bury(const WireDelivery& delivery, const Error& error) {
  Instant now = parts_.clock.now();
  DeadLetterEntry entry = entry_of(delivery, error, options_.account, now);
  AuditLine line{options_.account,
                 now,
                 "wire",
                 "wire.message_refused",
                 entry.letter.id,
                 std::string(name_of(error.code)),
                 Value::object({{"subject", delivery.subject}, {"message_id", delivery.id}})};
  if (!parts_.poison.keep_poison(entry, line)) return false;
  ++counts_.dead;
  front::cap::Outgoing notice = front::cap::dead_letter_of(entry.letter, options_.sender);
  (void)parts_.wire.publish(
      {0, notice.subject, notice.message_id, parts_.codec.write(notice.packet)});
  if (options_.warn)
    options_.warn("A message of the bus cannot be used; it is a dead letter now",
                  delivery.subject + ": " + error.message);
  return true;
}

}  // namespace fermata::server
