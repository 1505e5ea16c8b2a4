#pragma once
#include "core/model/call.h"
#include "core/model/delivery.h"

/// What follows from an attempt to deliver a callback (W-74). Functions of their arguments.
namespace fermata::callback {

constexpr int64_t first_delay_ms = 5'000;
constexpr int64_t delay_ms_max = 3'600'000;
constexpr size_t attempts_shown_max = 20;

/// How long to wait after so many attempts: 5, 15, 45 s … up to an hour, ± 10 % by `fraction`,
/// which lies in [0, 1).
Duration delay_after(uint32_t attempts, double fraction);
/// What a `Retry-After` asks for, seconds or a date, at most an hour.
std::optional<Duration> asked_delay(const CallAnswer& answer, Instant now);

/// The delivery after an attempt: done, gone, dead, or pending with its next attempt.
Delivery settled(Delivery delivery, const CallAnswer& answer, Instant now, double fraction);
/// Sent again by a user's wish: due now, with all its time before it.
Delivery renewed(Delivery delivery, Instant now);

}  // namespace fermata::callback
