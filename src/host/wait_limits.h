#pragma once
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/run/decide.h"
#include "ports/accounts.h"
#include "ports/store.h"

namespace fermata {

/// Keeps count of what the limits of accounts count (W-80), and lets in what has found no room.
/// Memory, made from the store at start: decisions count at once, commits that fail are taken back.
/// Used by the partition's thread alone.
class WaitLimits {
 public:
  explicit WaitLimits(Store& store) : store_(store) {}
  Outcome<void> recover();
  /// Somebody else has written runs: what is counted is asked for anew when nothing is under way.
  void doubt() { doubted_ = true; }
  void recount_if_doubted() {
    // What cannot be read now is asked for again.
    if (doubted_ && recount()) doubted_ = false;
  }

  /// What the limits leave to a decision about a run of the account.
  WaitRoom room_of(const AccountId& account, const AccountSettings& settings, Instant now);
  /// A wait as it was written: it joins those that wait for room, or is done waiting.
  void committed(const WaitRecord& record);
  /// Waits that may come in now, in the order they were reached; each is named once.
  std::vector<Command> entering(const AccountTable* accounts, Instant now, size_t most);
  /// When listeners may be opened again that wait for it; nothing when none does.
  std::optional<Instant> next_due() const;
  bool idle() const { return !may_enter_; }
  /// Settings may have changed, or room was made.
  void look_again() { may_enter_ = !waiting_.empty(); }

  /// What decisions that are not durable yet have counted: room that was taken counts at once and
  /// is given back unless it is kept; room that was made counts when it is kept.
  class Counted {
   public:
    Counted() = default;
    ~Counted() { take_back(); }
    Counted(Counted&& other) noexcept { *this = std::move(other); }
    Counted& operator=(Counted&& other) noexcept;
    void add(WaitLimits& limits, const AccountId& account, int64_t waits);
    void keep();

   private:
    void take_back();
    WaitLimits* limits_ = nullptr;
    AccountId account_;
    int64_t taken_ = 0;
    int64_t freed_ = 0;
  };
  /// Listeners that a decision has opened; they are not given back.
  void opened_listeners(const AccountId& account, int64_t listeners);

 private:
  struct Waiting {
    Instant reached_at;
    std::string wait;
    auto operator<=>(const Waiting&) const = default;
  };
  struct Entry {
    RunId run;
    int64_t listeners = 0;
    bool named = false;  ///< it has been told to come in
  };
  /// A bucket of listeners that fills up within a minute.
  struct Bucket {
    double listeners = 0;
    Instant at;
    bool begun = false;
  };
  struct Queue {
    std::map<Waiting, Entry> entries;
    std::unordered_map<std::string, Instant> reached;  ///< of each wait that is in it
    int64_t listeners = 0;                             ///< of those that were not named
    size_t named = 0;
  };
  Outcome<void> recount();
  void count(const AccountId& account, int64_t waits);
  Bucket& filled(const AccountId& account, int64_t per_minute, Instant now);
  void leave(Queue& queue, const std::string& wait);
  void let_in(const AccountId& account, Queue& queue, const AccountSettings& settings, Instant now,
              size_t most, std::vector<Command>& commands);

  Store& store_;
  std::unordered_map<AccountId, int64_t> counted_;
  std::unordered_map<AccountId, Bucket> buckets_;
  std::map<AccountId, Queue> waiting_;
  bool may_enter_ = false;
  bool doubted_ = false;
  std::optional<Instant> refilled_at_;  ///< when the first that waits for listeners gets its own
};

}  // namespace fermata
