#pragma once
#include <deque>
#include <map>
#include <memory>

#include "base/queue.h"
#include "host/host.h"
#include "host/listener_index.h"
#include "host/touched.h"

namespace fermata {

/// The desk of signals: what a partition keeps of them beside its runs (ADR 0026). A signal is
/// written down first and then offered, run by run, to what listens; when all have answered, what
/// it reached is noted in its row. Signals to one contact do not overtake each other. Except for
/// `submit`, used by the partition's thread alone.
class SignalDesk {
 public:
  SignalDesk(Store& store, Entropy& entropy, const HostSettings& settings);

  /// From any thread. False when too many wait.
  bool submit(std::vector<IncomingSignal> signals);

  /// Takes in what was submitted: what is new is to be written, what is not is answered.
  void gather(Instant now, size_t most);
  /// Offers that are to be decided now, then commands that had to wait for them.
  std::vector<Item> take_items(Instant now, size_t most);
  /// For the next batch.
  std::vector<SignalWrite> take_writes();
  void landed(const SignalWrite& write, CommitOutcome outcome, const Error& trouble, Instant now);

  /// A wait as it was decided, before the commit. Signals that it should have heard before: in the
  /// order they came. One that is not durable yet is offered to it as soon as it is.
  std::vector<SignalRef> opened(const WaitRecord& record, Instant now);
  /// A wait that has heard something in a decision: the row of a signal that is not in hand is
  /// opened with it, so that a start after a crash notes what it has reached.
  void heard(const WaitRecord& record);
  void committed(const WaitRecord& record, Instant now);
  void not_committed(const WaitRecord& record);

  /// Signals that the command must not overtake (Given::retained).
  std::vector<SignalRef> retained(const Run& run, const Command& command, Instant now);
  /// Why the last look back failed, once: what was decided without it must not stand.
  std::optional<Error> take_trouble() { return std::exchange(unread_, std::nullopt); }
  /// True when one of them is not durable yet. The command is then held until it is.
  bool delays(const Run& run, const Command& command, Instant now);
  void hold(Item item) { held_.push_back(std::move(item)); }

  /// Answers whose time has come, whatever is still to happen.
  void answer_due(Instant now);
  void stop();

  /// At start: one page of pending waits, then one of open signals; true while there are more.
  Outcome<bool> recover_listeners(size_t limit);
  Outcome<bool> recover_signals(size_t limit, Instant now);

  bool idle() const { return queue_.size() == 0 && offers_.empty() && released_.empty(); }
  bool quiet() const {
    return idle() && plans_.empty() && writes_.empty() && writes_put_off_.empty() && held_.empty();
  }
  bool wants_writing() const { return !writes_.empty(); }
  std::optional<Instant> next_due() const;
  /// When a row is to be written again. While the store is busy it has to wait.
  std::optional<Instant> next_write() const;
  size_t listeners() const { return index_.size(); }

 private:
  struct Waiting {
    SignalReply reply;
    Instant until;
    bool duplicate = false;
  };
  /// A signal in hand: what is to follow from it, in this order (W-59).
  enum class Stage : uint8_t { writing, waits, noting };
  struct Plan {
    SignalRef signal;
    SignalRecord record;
    std::string actor;
    Stage stage = Stage::writing;
    bool durable = false;
    uint64_t asked = 0;                          ///< offers without an answer
    std::set<ListenerIndex::Target> promised{};  ///< waits that opened while it was being written
    std::vector<Waiting> waiting{};
    std::vector<AuditLine> audit{};  ///< to be written with its row
    bool write_again = false;        ///< nobody knows whether its row was written
  };
  struct Offer {
    SignalKey signal;
    ListenerIndex::Target target;
  };

  void take_in(IncomingSignal incoming, const std::optional<SignalRecord>& known, Instant now);
  void begin(const SignalKey& key, Instant now);
  void offer_to_waits(Plan& plan);
  void answered(const Offer& offer, const Outcome<RunSummary>& outcome);
  void finish(const SignalKey& key, Instant now);
  void look_for_late(Plan& plan, Instant now);
  void note_reached(const WaitRecord& record, const Listener& listener, Instant now);
  Plan* bring_back(const SignalKey& key);
  void write(Plan& plan);
  void tell(Plan& plan);
  void next_in_lane(const Plan& plan, Instant now);
  std::vector<SignalRef> look_back(const WaitRecord& record, Instant now);
  /// Those that are not durable yet and might be meant for the wait.
  void each_unwritten(const WaitRecord& record, const std::function<void(Plan&)>& visit);
  Item item_of(const Offer& offer);
  static std::string lane_of(const Signal& signal);
  static SignalKey key_of(const Signal& signal) { return {signal.account, signal.id}; }

  Store& store_;
  Entropy& entropy_;
  const Duration retention_;
  const Duration late_window_;
  ListenerIndex index_;
  BoundedQueue<std::vector<IncomingSignal>> queue_;
  std::map<SignalKey, Plan> plans_;
  std::map<std::string, std::deque<SignalKey>> lanes_;  ///< by contact or run, the first is at it
  std::deque<SignalKey> ready_;                         ///< whose turn has come in their lanes
  bool running_ = false;                                ///< they are being begun
  std::deque<Offer> offers_;
  std::multimap<Instant, Offer> put_off_;  ///< the store could not be reached
  std::map<SignalKey, SignalWrite> writes_;
  std::deque<SignalKey> write_order_;
  std::multimap<Instant, SignalKey> writes_put_off_;
  std::multimap<Instant, SignalKey> patience_;  ///< when callers want to be answered
  std::optional<Error> unread_;                 ///< why looking back failed in this decision
  std::vector<Item> held_;                      ///< until what is being written is durable
  std::vector<Item> released_;
  size_t listeners_read_ = 0;
  /// Waits that have heard a signal and need others too, by signal; while recovering.
  std::map<SignalKey, std::vector<Value>> heard_before_;
  uint64_t signal_cursor_ = 0;
  Instant now_;  ///< of the turn under way
};

}  // namespace fermata
