#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// A wait as people and other programs see it (waits.md). It belongs to its run: only the run's
/// events change it, and the store keeps a copy of every wait that is written in the same commit.
namespace fermata {

/// The last four are final (W-61).
enum class WaitStatus : uint8_t { scheduled, waiting, resumed, timeout, cancelled, error };
constexpr WaitStatus last_of(WaitStatus) { return WaitStatus::error; }
std::string_view name_of(WaitStatus status);
std::optional<WaitStatus> wait_status_of(std::string_view name);
constexpr bool is_pending(WaitStatus status) { return status <= WaitStatus::waiting; }

/// Who opened it (W-70).
enum class WaitSource : uint8_t { api, graph, flow };
constexpr WaitSource last_of(WaitSource) { return WaitSource::flow; }
std::string_view name_of(WaitSource source);
std::optional<WaitSource> wait_source_of(std::string_view name);

enum class ListenerStatus : uint8_t { active, matched, expired, cancelled };
constexpr ListenerStatus last_of(ListenerStatus) { return ListenerStatus::cancelled; }
std::string_view name_of(ListenerStatus status);
std::optional<ListenerStatus> listener_status_of(std::string_view name);

/// What a wait for a signal listens to; one for each kind of signal it names (W-62).
struct Listener {
  static constexpr bool extensible = true;
  std::string event_type;
  std::string correlation_id;
  Value criteria;
  std::string scope;  ///< contact, execution or account
  ListenerStatus status = ListenerStatus::active;
  std::optional<Instant> matched_at;
  std::string matched_event;
  /// From when on a signal counts (W-56); none for waits that take signals of their run in order.
  std::optional<Instant> window_start{};
  std::string phone{};  ///< of the contact, for replies by phone
  Value event{};        ///< the signal it heard, as the next step sees it
  bool operator==(const Listener&) const = default;
  template <class V> void each(V&& v) {
    v("event_type", event_type); v("correlation_id", correlation_id); v("criteria", criteria);
    v("scope", scope); v("status", status); v("matched_at", matched_at);
    v("matched_event_id", matched_event); v("window_start", window_start); v("phone", phone);
    v("event", event);
  }
};

struct Wait {
  static constexpr bool extensible = true;
  std::string id;
  std::string step;
  uint32_t occurrence = 1;  ///< of this step in this run (W-3)
  WaitSource source = WaitSource::graph;
  std::string type;  ///< fixed_time, until_date, until_time or for_event
  Value config;
  WaitStatus status = WaitStatus::scheduled;
  /// Its instant, or the timeout of a wait for a signal; none: it waits for ever.
  std::optional<Instant> due;
  /// What it means in local time and how its instant was found (core/graph/wait_plan.h), or null.
  Value intent;
  std::vector<Listener> listeners;
  std::string hold;     ///< why it is held (W-65), or empty
  bool parked = true;   ///< the token stands at the step
  Instant reached_at;
  Instant updated_at;
  std::optional<Instant> ended_at;
  std::string resumed_by;    ///< scheduler, event, timeout, manual, past_date or cancelled
  std::string ended_reason;
  std::string signal_id;     ///< of the signal that ended it
  Value callback;            ///< of a wait of the API: {url, credentials?}, or null
  Value metadata;            ///< as it was given, or null
  std::string request;       ///< tells a repeated request from another (A-4), or empty
  /// {event, branch} as whoever goes on after it is told them, or null.
  Value outcome;
  std::string last_error;    ///< of one that ended as `error`
  uint64_t ending = 0;  ///< its place among the ends of its run that are told (W-72); 0: none
  uint32_t retries = 0;  ///< of a resume that failed (W-66)
  bool operator==(const Wait&) const = default;
  bool is_for_event() const { return type == "for_event"; }
  /// Hears signals to its contact or account, not only those kept by its run.
  bool listens() const { return !listeners.empty() && listeners.front().window_start; }
  template <class V> void each(V&& v) {
    v("id", id); v("step_id", step); v("occurrence", occurrence); v("source", source);
    v("wait_type", type); v("config", config); v("status", status); v("due_at", due);
    v("intent", intent); v("listeners", listeners); v("hold_reason", hold); v("parked", parked);
    v("reached_at", reached_at); v("updated_at", updated_at); v("ended_at", ended_at);
    v("resumed_by", resumed_by); v("ended_reason", ended_reason); v("signal_id", signal_id);
    v("callback", callback); v("metadata", metadata); v("request", request);
    v("outcome", outcome); v("last_error", last_error); v("ending", ending);
    v("retry_count", retries);
  }
};

/// Why a wait is held that found no room within its account's limits (W-80), or that fell due while
/// resumes are switched off.
inline constexpr std::string_view held_by_limit = "limit";
inline constexpr std::string_view held_by_switch = "resumes_off";
/// True for a wait that was given as one of the four types, not a plain interval, a timer of a
/// script or a signal to the run.
bool is_typed(const Wait& wait);
/// What the limit of an account counts (W-80).
bool counts_in_limit(const Wait& wait);
/// It should have ended by now, and nobody but a switch holds it (W-86).
bool is_overdue(const Wait& wait, Instant now);

/// A wait with the names of what it belongs to: a row of the store (W-90).
struct WaitRecord {
  AccountId account;
  WorkflowId workflow;
  RunId run;
  std::string contact_id;
  Wait wait;
  bool operator==(const WaitRecord&) const = default;
};

/// What stands for a due time where there is none: such waits come last.
Instant latest_due();
inline Instant due_or_never(const Wait& wait) { return wait.due ? *wait.due : latest_due(); }

/// The listeners as the store and the API hold them, and back.
Value listeners_value(const Wait& wait);
std::vector<Listener> listeners_of(const Value& list);

}  // namespace fermata
