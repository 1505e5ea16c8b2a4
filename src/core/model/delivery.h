#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// What is told to another program when a wait of the API or an external run ends (W-72). It is
/// written in the commit of that end and is a row of its own from then on: its run may be gone
/// long before somebody listens.
namespace fermata {

/// The last three are final, though a dead one may be sent again (W-33).
enum class DeliveryState : uint8_t {
  pending,  ///< to be sent, perhaps again
  done,     ///< taken with a 2xx
  gone,     ///< the receiver said 410: it wants no more of it
  dead,     ///< given up (W-74)
};
constexpr DeliveryState last_of(DeliveryState) { return DeliveryState::dead; }
std::string_view name_of(DeliveryState state);
std::optional<DeliveryState> delivery_state_of(std::string_view name);

/// What came of one attempt.
struct DeliveryAttempt {
  static constexpr bool extensible = true;
  Instant at;
  uint32_t number = 0;
  uint32_t status = 0;  ///< of the answer; 0: there was none
  std::string error;    ///< network, timeout, address_forbidden …, or empty
  std::string message;
  int64_t duration_ms = 0;
  bool operator==(const DeliveryAttempt&) const = default;
  template <class V> void each(V&& v) {
    v("at", at); v("number", number); v("status", status); v("error", error);
    v("message", message); v("duration_ms", duration_ms);
  }
};

struct Delivery {
  static constexpr bool extensible = true;
  std::string id;
  AccountId account;
  WorkflowId workflow;
  RunId run;
  uint64_t sequence = 0;  ///< among the ends of its run: they are told in this order
  std::string type;       ///< wait.resumed, .timeout, .cancelled, .error or execution.ended
  std::string wait;       ///< id of the wait, or empty
  std::string step;
  std::string key;        ///< `Idempotency-Key`, the same on every attempt (W-73)
  Value callback;         ///< {url, credentials?}: where to
  Value body;
  DeliveryState state = DeliveryState::pending;
  Instant created_at;
  std::optional<Instant> next_at;  ///< of the next attempt, while it is pending
  Instant give_up_at;
  uint32_t attempts = 0;           ///< whose outcome is known
  std::vector<DeliveryAttempt> latest;  ///< of them, the last ones
  std::optional<Instant> ended_at;
  std::string note;      ///< what came of the answer's `next` or `complete`, or why it is dead
  uint64_t version = 0;  ///< counts its commits
  bool operator==(const Delivery&) const = default;
  template <class V> void each(V&& v) {
    v("delivery_id", id); v("account_id", account); v("workflow_id", workflow);
    v("execution_id", run); v("sequence", sequence); v("type", type); v("wait_id", wait);
    v("step_id", step); v("key", key); v("callback", callback); v("body", body);
    v("state", state); v("created_at", created_at); v("next_at", next_at);
    v("give_up_at", give_up_at); v("attempts", attempts); v("latest", latest);
    v("ended_at", ended_at); v("note", note); v("version", version);
  }
};

}  // namespace fermata
