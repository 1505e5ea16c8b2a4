#pragma once
#include "core/model/signal.h"
#include "core/model/wait.h"

/// Whether a listener hears a signal (W-53, W-54). Pure: the same everywhere it is asked.
namespace fermata::waits {

/// How far the sender's clock may be behind.
constexpr Duration sender_skew{5'000};

/// What a listener belongs to.
struct ListenerPlace {
  const AccountId& account;
  const RunId& run;
  const std::string& contact_id;
  std::optional<Instant> expires_at;
};

/// Everything but whether it is active and its wait held: those change while a signal is on its
/// way.
bool fits(const Listener& listener, const ListenerPlace& place, const Signal& signal);

/// The number of the first active listener of a pending wait that hears it; none while it is held.
std::optional<size_t> hearer(const WaitRecord& record, const Signal& signal);

}  // namespace fermata::waits
