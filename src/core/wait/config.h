#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/wait/date_text.h"
#include "core/wait/days.h"

/// The configuration of a wait for an instant, read and checked (W-40 to W-46). What waits for
/// signals is read by for_event.h.
namespace fermata::waits {

/// W-41: elapsed time.
struct FixedTime {
  Duration length;
};

/// What is added to an anchor (R6): calendar parts first, hours and minutes as elapsed time.
struct DateOffset {
  int64_t months = 0;  ///< years included
  int64_t days = 0;
  int64_t minutes = 0;  ///< hours included
};

enum class DateAction : uint8_t { proceed, exit, branch, fail };
/// What follows a date that has passed or is missing; a branch is named by step or by edge (W-47).
struct DateReaction {
  DateAction action = DateAction::proceed;
  std::string step;
  std::string edge_id;
};

/// W-42.
struct UntilDate {
  std::optional<WrittenDate> date;  ///< target or anchor; none while it stands in a contact's field
  bool is_anchor = false;           ///< an anchor may have an offset, a target may not
  std::string contact_field;
  DateOffset offset;
  std::optional<int> clock_minutes;  ///< replaces the time of day
  bool yearly = false;
  DateReaction past{};
  DateReaction missing{DateAction::fail, {}, {}};
  bool follow_field = false;
};

/// W-43.
struct UntilTime {
  int clock_minutes = 0;
  DayFilter days;
  bool skip_today = false;
};

/// Hours in which a wait may resume; `start > end` crosses midnight. A day counts by its opening.
struct ResumeWindow {
  int start_minutes = 0;
  int end_minutes = 0;
  DayFilter days;
  std::string timezone;
};

/// Where the chain of R10 is entered when no zone is named.
enum class ZoneMode : uint8_t { unsaid, contact, account, utc };

struct WaitConfig {
  std::variant<FixedTime, UntilDate, UntilTime> kind;
  std::string timezone;  ///< as named in the configuration, or empty
  ZoneMode zone_mode = ZoneMode::unsaid;
  std::optional<GapPolicy> gap_policy;
  int64_t spread_ms = 0;
  std::optional<ResumeWindow> window;
};

/// The fields of a type of wait, separated by |; empty for what is none of the four.
std::string_view fields_of(std::string_view wait_type);

/// True for a value that is not known yet, such as an expression in a definition: it is left
/// unchecked, and what is made from it is not to be used.
using IsOpen = bool (*)(const Value&);

/// Every failure is found: `code`, `path` within the configuration and a message.
Result<WaitConfig, std::vector<Finding>> read_config(std::string_view wait_type,
                                                     const Value& config, IsOpen is_open = nullptr);

}  // namespace fermata::waits
