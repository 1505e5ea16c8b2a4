#include "host/promotion.h"

namespace fermata {

Promotion::Promotion(Ports ports, std::string from, std::string to, PromotionSettings settings,
                     std::function<void(std::string_view)> on_step)
    : ports_(std::move(ports)),
      from_(std::move(from)),
      to_(std::move(to)),
      settings_(settings),
      on_step_(std::move(on_step)) {}

void Promotion::step(std::string_view name) const {
  if (on_step_) on_step_(name);
}

Outcome<void> Promotion::go_on() const {
  if (!ports_.stopped || !ports_.stopped()) return {};
  return fail(ErrorCode::store_unavailable, "it was stopped on the way; the store is as before");
}

Outcome<PromotionReport> Promotion::run() {
  step("begin");
  FERMATA_TRY(token, ports_.source.token());
  token_ = std::move(token);
  FERMATA_TRY_VOID(ports_.target.begin(token_, from_));
  FERMATA_TRY_VOID(copy());
  FERMATA_TRY_VOID(follow());
  step("compare");
  FERMATA_TRY_VOID(compare());
  for (uint32_t tries = 0; tries < settings_.holds_max; ++tries) {
    FERMATA_TRY_VOID(follow());
    FERMATA_TRY(done, hand_over());
    if (!done) continue;
    step("finish");
    FERMATA_TRY_VOID(ports_.target.finish(token_));
    return report_;
  }
  return fail(ErrorCode::store_unavailable,
              "what changed while writes were held could not be copied within " +
                  std::to_string(settings_.hold_ms_max) + " ms, " +
                  std::to_string(settings_.holds_max) +
                  " times; the store goes on as before. Try again when there is less to do");
}

Outcome<void> Promotion::copy() {
  step("copy");
  FERMATA_TRY_VOID(ports_.source.begin());
  FERMATA_TRY_VOID(ports_.source.all([&](const transfer::Item& item) -> Outcome<void> {
    FERMATA_TRY_VOID(go_on());
    ++report_.things;
    return ports_.target.put(item);
  }));
  return ports_.target.flush();
}

/// What changes while a round is copied is the next one; a round that is short enough ends it.
Outcome<void> Promotion::follow() {
  for (uint32_t round = 0; round < settings_.rounds_max; ++round) {
    step("follow");
    int64_t since = ports_.clock_ms();
    FERMATA_TRY(keys, ports_.source.step());
    FERMATA_TRY_VOID(apply(keys));
    ++report_.rounds;
    if (ports_.clock_ms() - since <= settings_.hold_ms_max / 4) return {};
  }
  return {};
}

Outcome<void> Promotion::apply(const std::vector<transfer::Key>& keys) {
  ports_.target.begin_sum();
  FERMATA_TRY_VOID(ports_.target.remove(keys));
  FERMATA_TRY_VOID(ports_.source.some(keys, [&](const transfer::Item& item) -> Outcome<void> {
    FERMATA_TRY_VOID(go_on());
    ++report_.things;
    return ports_.target.put(item);
  }));
  FERMATA_TRY_VOID(ports_.target.flush());
  return ports_.target.compare(keys);
}

/// The state that was copied last is read once more, from its first thing to its last.
Outcome<void> Promotion::compare() {
  ports_.target.begin_sum();
  FERMATA_TRY_VOID(ports_.source.all([&](const transfer::Item& item) -> Outcome<void> {
    FERMATA_TRY_VOID(go_on());
    return ports_.target.expect(item);
  }));
  return ports_.target.compare_all();
}

/// False when there was too little time.
Outcome<bool> Promotion::hand_over() {
  step("hold");
  int64_t since = ports_.clock_ms();
  ports_.target.end_within(settings_.hold_ms_max);
  ports_.source.hold();
  Outcome<bool> done = hand_over_held(since);
  ports_.source.release();
  ports_.target.end_within(0);
  report_.held_ms = ports_.clock_ms() - since;
  return done;
}

Outcome<bool> Promotion::hand_over_held(int64_t since_ms) {
  step("rest");
  FERMATA_TRY(keys, ports_.source.step());
  FERMATA_TRY_VOID(apply(keys));
  FERMATA_TRY_VOID(ports_.target.ready());
  if (ports_.clock_ms() - since_ms > settings_.hold_ms_max) return false;
  step("leave");
  left_ = true;
  FERMATA_TRY_VOID(ports_.source.leave({token_, to_}));
  return true;
}

}  // namespace fermata
