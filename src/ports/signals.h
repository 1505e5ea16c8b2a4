#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/wait.h"

/// What a store keeps of signals (W-50, W-90).
namespace fermata {

constexpr size_t signal_reach_listed_max = 100;

/// What a signal came to. Lists hold the first hundred, the number counts all.
struct SignalReach {
  std::vector<Value> goals{};
  std::vector<Value> waits{};
  std::vector<Value> triggers{};
  std::vector<Value> ignored{};
  uint64_t total = 0;
  std::vector<std::string> warnings{};
  bool operator==(const SignalReach&) const = default;
};
Value to_value(const SignalReach& reach);
SignalReach signal_reach_of(const Value& value);

/// A signal as it is kept: a row of the commit that made it durable.
struct SignalRecord {
  Signal signal;
  Instant expires_at;   ///< from then on it may be forgotten
  bool open = false;    ///< not all that follows from it has happened
  SignalReach reach{};  ///< what its own row notes
  /// What runs say that it has done to them. Filled in when it is read, never written: it was
  /// written with the runs (`RunWrite::reached`).
  SignalReach effects{};
  bool operator==(const SignalRecord&) const = default;
};
/// Both together.
SignalReach whole_reach(const SignalRecord& record);

struct SignalKey {
  AccountId account;
  std::string id;
  auto operator<=>(const SignalKey&) const = default;
};

/// What a signal has done to one run: a row of the commit that did it, so that neither is ever
/// without the other (ADR 0034). Known by signal, kind and `ref`, and kept as long as the signal.
enum class ReachKind : uint8_t { goal, wait, trigger };
std::string_view name_of(ReachKind kind);
ReachKind reach_kind_of(std::string_view name);
struct SignalReached {
  SignalKey signal;
  ReachKind kind = ReachKind::wait;
  std::string ref;
  Value entry;  ///< as it is listed
  bool operator==(const SignalReached&) const = default;
};
/// Counts it, and lists it while there is room.
void add_reached(SignalReach& reach, ReachKind kind, Value entry);

/// One signal's part of a commit: written as it is now, whether it was there or not.
struct SignalWrite {
  SignalRecord record;
  std::vector<AuditLine> audit{};
  bool first = false;  ///< a hint: it is most likely not there yet
};

/// Which retained signals may be meant for a listener: of the contact, else of the run, else all of
/// the account; received within both ends. In the order they came.
struct SignalWindow {
  AccountId account;
  std::string type;
  std::string contact_id{};
  RunId run{};
  std::string phone{};  ///< also those that came from it
  Instant from;
  Instant to;
};

/// Which signals a list shows; empty fields do not filter.
struct SignalFilter {
  AccountId account{};
  std::string type{};
  std::string contact_id{};
  std::optional<Instant> from{};  ///< received at or after
  std::optional<Instant> to{};    ///< received before
  std::optional<bool> matched{};  ///< reached something
};
bool matches(const SignalFilter& filter, const SignalRecord& record);

struct SignalPage {
  std::vector<SignalRecord> items;  ///< newest first
  std::string next_cursor;
};

/// Asked by the partition, on its thread.
class SignalStore {
 public:
  virtual ~SignalStore() = default;
  /// One for each key; nothing where no such signal is kept.
  virtual Outcome<std::vector<std::optional<SignalRecord>>> load_signals(
      std::span<const SignalKey> keys) = 0;
  /// The first `limit` in the window behind `after`, the place of the last one that was given.
  struct Windowed {
    std::vector<SignalRef> signals;
    uint64_t place = 0;
    bool more = false;
  };
  virtual Outcome<Windowed> signals_in(const SignalWindow& window, uint64_t after,
                                       size_t limit) = 0;
  /// Those that are open, in the order they came: what a start has to carry on.
  struct OpenSignals {
    std::vector<SignalRecord> signals;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<OpenSignals> open_signals(uint64_t after, size_t limit) = 0;
  /// Waits for signals that are pending, behind the first `after`: what the index of listeners is
  /// rebuilt from, before anything changes.
  virtual Outcome<std::vector<WaitRecord>> listening_waits(size_t after, size_t limit) = 0;
  /// Waits for signals that ended at or after `since`, of the contact, else of the run.
  virtual Outcome<std::vector<WaitRecord>> ended_listeners(const Signal& signal, Instant since,
                                                           size_t limit) = 0;
};

}  // namespace fermata
