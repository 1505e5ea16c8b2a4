#pragma once
#include <span>
#include <string>

#include "core/model/signal.h"
#include "front/run_query.h"
#include "ports/signals.h"

/// Events as they come in over the API, which calls signals so (W-23, W-51, W-52).
namespace fermata::front {

constexpr size_t event_data_bytes_max = 64 << 10;
constexpr size_t event_batch_max = 1'000;

/// Who sends it, and what that account has registered.
struct EventSender {
  AccountId account;
  std::span<const std::string> event_types = {};
};

/// One event, without the instant it was received. Fails with account_mismatch, signal_too_large,
/// unknown_event_type, invalid_event, invalid_id or unknown_field.
Outcome<Signal> read_event(const Value& body, const EventSender& sender, const std::string& path);

/// `event_type`, `contact_id`, `from`, `to`, `matched`; other names are left alone.
Outcome<SignalFilter> read_signal_filter(const NamedValues& query, const AccountId& account);

}  // namespace fermata::front
