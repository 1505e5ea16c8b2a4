#include "core/wait/matching.h"

#include "core/wait/criteria.h"

namespace fermata::waits {
namespace {

/// Where it is addressed to; one that names a run reaches that run alone.
bool reaches(const Listener& listener, const ListenerPlace& place, const Signal& signal) {
  if (!signal.run.empty() && signal.run != place.run) return false;
  if (listener.scope == "account") return true;
  if (listener.scope == "execution") return signal.run == place.run;
  bool by_phone = !listener.phone.empty() && listener.phone == signal.phone;
  if (signal.contact_id.empty()) return by_phone || !signal.run.empty();
  return signal.contact_id == place.contact_id || by_phone;
}

/// Both ends of the window count; the sender's clock may be a little behind.
bool in_window(const Listener& listener, const ListenerPlace& place, const Signal& signal) {
  if (place.expires_at && signal.received_at > *place.expires_at) return false;
  if (!listener.window_start) return true;
  if (signal.received_at < *listener.window_start) return false;
  return !signal.occurred_at || *signal.occurred_at + sender_skew >= *listener.window_start;
}

}  // namespace

bool fits(const Listener& listener, const ListenerPlace& place, const Signal& signal) {
  if (signal.account != place.account || signal.type != listener.event_type) return false;
  if (!reaches(listener, place, signal) || !in_window(listener, place, signal)) return false;
  bool both = !listener.correlation_id.empty() && !signal.correlation_id.empty();
  if (both && listener.correlation_id != signal.correlation_id) return false;
  return meets_criteria(listener.criteria, signal.data);
}

std::optional<size_t> hearer(const WaitRecord& record, const Signal& signal) {
  const Wait& wait = record.wait;
  if (!is_pending(wait.status) || !wait.hold.empty()) return std::nullopt;
  ListenerPlace place{record.account, record.run, record.contact_id, wait.due};
  for (size_t i = 0; i < wait.listeners.size(); ++i) {
    const Listener& listener = wait.listeners[i];
    if (listener.status == ListenerStatus::active && fits(listener, place, signal)) return i;
  }
  return std::nullopt;
}

}  // namespace fermata::waits
