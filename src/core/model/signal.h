#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// Something that happened outside and that waits listen to (waits.md section 5). Known by its id
/// within its account; never changed once it was received.
namespace fermata {

struct Signal {
  AccountId account;
  std::string id;
  std::string type;        ///< one spelling of each (core/wait/event_types.h)
  std::string contact_id;  ///< whom it is about, or empty
  RunId run;               ///< the one run it is meant for, or empty
  std::string correlation_id;
  Value data;
  std::optional<Instant> occurred_at;  ///< by the sender's clock
  Instant received_at;                 ///< by ours
  std::string phone;                   ///< normalised, as is the address below
  std::string email;
  bool operator==(const Signal&) const = default;
};
using SignalRef = std::shared_ptr<const Signal>;

/// As the step after a wait sees it, and as it is listed.
Value shown_signal(const Signal& signal);

}  // namespace fermata
