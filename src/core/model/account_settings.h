#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/wait/days.h"
#include "core/wait/zone_table.h"

/// What an account has chosen for all of its workflows (W-81). Plain data: decisions are given one,
/// and what follows from it is written into events.
namespace fermata {

struct AccountSettings {
  struct Limits {  ///< 0: none
    int64_t waits_per_execution = 100;
    int64_t waits_per_account = 10'000;
    int64_t listeners_per_minute = 100;
    bool operator==(const Limits&) const = default;
  };
  struct Signals {
    int64_t retention_hours = 168;
    std::vector<std::string> event_types{};  ///< beside the built-in ones
    int64_t late_window_hours = 24;
    bool operator==(const Signals&) const = default;
  };
  struct Waits {
    int64_t default_timeout_hours = 168;
    int64_t overdue_alert_s = 300;
    bool resumes_off = false;  ///< nothing but a user lets a wait of the account go on
    bool operator==(const Waits&) const = default;
  };
  struct Callbacks {
    std::string url{};
    std::string sealed_secret{};  ///< as front/vault.h seals it; never shown
    int64_t timeout_ms = 10'000;
    int64_t give_up_hours = 72;
    std::vector<std::string> allow_networks{};
    bool operator==(const Callbacks&) const = default;
  };
  std::string timezone{};  ///< empty: none
  BusinessDays business{};
  /// As they were given: the day as text, and what it is called.
  struct NamedHoliday {
    std::string date;
    std::string name;
    bool operator==(const NamedHoliday&) const = default;
  };
  std::vector<NamedHoliday> holidays{};
  GapPolicy gap_policy = GapPolicy::gap_end;
  Limits limits{};
  Signals signals{};
  Waits waits{};
  Callbacks callbacks{};
  std::string alerts_url{};
  bool audit_all_signals = false;  ///< else those that matched something
  int64_t retention_days = 90;     ///< of ended waits and listeners
  bool operator==(const AccountSettings& other) const;
};

/// Every failure is found: `code`, `path` and a message. Fields that are absent or null have their
/// defaults. `callbacks.secret` is not read here: who seals it puts it in afterwards. Without zone
/// data the name of the zone is not checked: one that was known once may be gone.
Result<AccountSettings, std::vector<Finding>> read_account_settings(const Value& document,
                                                                    const ZoneTable* zones);
/// All fields, as the API shows them and as they are stored; the secret is only said to be there.
Value account_settings_value(const AccountSettings& settings);

/// What an inactive workflow does with its waits (W-31).
enum class OnInactive : uint8_t {
  active,    ///< it is not inactive
  keep,      ///< they go on
  standard,  ///< waits of the four types end their run, plain intervals and scripts go on
  cancel,    ///< every wait ends its run
  hold,      ///< every wait stands until the workflow is activated
};
constexpr OnInactive last_of(OnInactive) { return OnInactive::hold; }
std::string_view name_of(OnInactive choice);

}  // namespace fermata
