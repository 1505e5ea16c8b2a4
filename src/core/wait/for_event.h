#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/model/account_settings.h"
#include "core/wait/config.h"

/// The configuration of a wait for signals, read and checked (W-44).
namespace fermata::waits {

constexpr size_t awaited_events_max = 10;
constexpr int64_t event_timeout_ms_min = 3'600'000;
constexpr int64_t event_timeout_ms_max = int64_t{2'160} * 3'600'000;
constexpr int64_t lookback_minutes_max = 10'080;

/// What one listener is for.
struct AwaitedEvent {
  std::string type;
  Value criteria;
  std::string correlation_id;
  std::string branch;  ///< a step or an edge, taken alone when this one wins; or empty
};

enum class EventScope : uint8_t { unsaid, contact, execution, account };
std::string_view name_of(EventScope scope);
enum class TimeoutAction : uint8_t { proceed, exit, branch };
/// Where the window of a wait begins (W-56).
enum class Lookback : uint8_t { related, run_start, none, minutes };

struct ForEvent {
  std::vector<AwaitedEvent> events;
  bool all = false;  ///< each of them once, instead of the first that comes
  EventScope scope = EventScope::unsaid;
  Duration timeout;
  TimeoutAction timeout_action = TimeoutAction::proceed;
  std::string timeout_step;
  std::string timeout_edge_id;
  Lookback lookback = Lookback::related;
  int64_t lookback_minutes = 0;
  std::string related_step;
  std::optional<Instant> related_at;
};

/// What the account has to say.
struct ForEventRules {
  std::span<const std::string> event_types = {};  ///< that it has registered
  Duration default_timeout{int64_t{168} * 3'600'000};
  bool any_type = false;  ///< names were checked before
};
ForEventRules for_event_rules(const AccountSettings* account);

/// Every failure is found, as by `read_config`.
Result<ForEvent, std::vector<Finding>> read_for_event(const Value& config,
                                                      const ForEventRules& rules = {},
                                                      IsOpen is_open = nullptr);

/// The scope in force: the contact's when the run has one, else the execution's (W-53). Fails when
/// the contact is asked for and there is none.
Result<EventScope, Finding> scope_of(const ForEvent& config, bool has_contact);

}  // namespace fermata::waits
