#pragma once
#include <deque>
#include <map>
#include <memory>

#include "base/queue.h"
#include "host/contact_book.h"
#include "host/host.h"
#include "host/listener_index.h"
#include "host/touched.h"

namespace fermata {

/// What the desk of signals asks of its partition.
class SignalSurroundings {
 public:
  virtual ~SignalSurroundings() = default;
  /// Every run about the contact that may be alive, durable or not.
  virtual Outcome<std::vector<RunId>> runs_about(const ContactKey& key) = 0;
  /// Whether another run of the workflow is about the contact.
  virtual Outcome<bool> takes_part(const ContactKey& key, const WorkflowId& workflow,
                                   const RunId& besides) = 0;
  virtual Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id) = 0;
  virtual ContactBook& contacts() = 0;
  /// For the audit, with the next commit.
  virtual void note(AuditLine line) = 0;
};

/// The desk of signals: what a partition keeps of them beside its runs (ADR 0026). A signal is
/// written down first and then offered to goals, to waits and to triggers; what it does to a run is
/// written with the run (ADR 0034). Signals to one contact do not overtake each other. Except for
/// `submit`, used by the partition's thread alone.
class SignalDesk {
 public:
  SignalDesk(Store& store, Entropy& entropy, const HostSettings& settings,
             SignalSurroundings& around);

  /// What accounts have chosen, in force from now on.
  void use(std::shared_ptr<const AccountTable> accounts) { accounts_ = std::move(accounts); }

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
  /// order they came. One that is still to be offered to waits is offered to it too.
  std::vector<SignalRef> opened(const WaitRecord& record, Instant now);
  void committed(const WaitRecord& record) { index_.settled(record); }
  void not_committed(const WaitRecord& record) { index_.failed(record); }
  /// What signals have done to a run is durable.
  void committed(const SignalReached& reached);
  /// Lines for the audit of what signals do to a run long after they came.
  void tell_later(const std::vector<SignalReached>& reached, Instant now,
                  std::vector<AuditLine>& lines) const;

  /// Signals that the command must not overtake (Given::retained).
  std::vector<SignalRef> retained(const Run& run, const Command& command, Instant now);
  /// Why the last look back failed, once: what was decided without it must not stand.
  std::optional<Error> take_trouble() { return std::exchange(unread_, std::nullopt); }
  /// True when one of them is still to be offered to waits. The command is held until it is.
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
    return idle() && (plans_.empty() || only_put_off()) && writes_.empty() &&
           writes_put_off_.empty() && stalled_.empty() && held_.empty();
  }
  bool wants_writing() const { return !writes_.empty(); }
  std::optional<Instant> next_due() const;
  /// When a row is to be written again. While the store is busy it has to wait.
  std::optional<Instant> next_write() const;
  size_t listeners() const { return index_.size(); }

 private:
  static constexpr Duration signal_retry_delay{1'000};
  static constexpr Duration offer_delay_max{8'000};
  struct Waiting {
    SignalReply reply;
    Instant until;
    bool duplicate = false;
  };
  /// A signal in hand: what is to follow from it, in this order (W-59).
  enum class Stage : uint8_t { writing, goals, waits, triggers, noting };
  struct Plan {
    SignalRef signal;
    SignalRecord record;
    std::string actor;
    std::shared_ptr<const AccountTable> rules{};  ///< in force when it came
    Stage stage = Stage::writing;
    bool durable = false;
    uint64_t asked = 0;                          ///< offers of the stage without an answer
    std::set<ListenerIndex::Target> promised{};  ///< waits that opened while it was being written
    std::vector<Waiting> waiting{};
    std::vector<AuditLine> audit{};  ///< to be written with its row
    bool write_again = false;        ///< nobody knows whether its row was written
    bool in_doubt = false;           ///< its row may be there since an earlier try
  };
  struct Offer {
    SignalKey signal;
    Command command;
    uint32_t delays = 0;
  };

  /// Nothing is left but offers that are made again later: time may pass.
  bool only_put_off() const;
  void tell_repeated(const SignalRecord& record, const std::string& actor, Instant now);
  Outcome<void> find_contact(Signal& signal, std::vector<std::string>& warnings);
  void take_in(IncomingSignal incoming, const std::optional<SignalRecord>& known,
               std::vector<std::string> warnings, Instant now);
  void begin(const SignalKey& key, Instant now);
  void go_on(const SignalKey& key, Instant now);
  void stall(const SignalKey& key, Instant now);
  bool may_lead_anywhere(const Plan& plan) const;
  Outcome<std::vector<Command>> offers_of(Plan& plan, Stage stage);
  // signal_rules.cpp: what workflows have said about signals.
  Outcome<std::vector<Command>> goals_of(const Plan& plan);
  std::vector<Command> waits_of(Plan& plan);
  Outcome<std::vector<Command>> starts_of(Plan& plan);
  Outcome<std::optional<Command>> start_by(const Plan& plan, const TriggerRule& rule);
  void answered(const Offer& offer, const Outcome<RunSummary>& outcome);
  void finish(const SignalKey& key, Instant now);
  Outcome<void> look_for_late(Plan& plan, Instant now);
  const AccountSettings& settings_of(const AccountId& account) const;
  void write(Plan& plan);
  void tell(Plan& plan);
  void next_in_lane(const Plan& plan, Instant now);
  std::vector<SignalRef> look_back(const WaitRecord& record, Instant now);
  /// Those that might be meant for the wait and whose turn at waits is still to come: they are not
  /// durable yet, are behind others in their lane, or goals come first.
  void each_coming(const WaitRecord& record, const std::function<void(Plan&)>& visit);
  bool is_coming(const Plan& plan) const { return plan.stage < Stage::waits; }
  void release_held();
  Item item_of(const Offer& offer);
  static std::string lane_of(const Signal& signal);
  static SignalKey key_of(const Signal& signal) { return {signal.account, signal.id}; }

  Store& store_;
  Entropy& entropy_;
  SignalSurroundings& around_;
  std::shared_ptr<const AccountTable> accounts_;
  ListenerIndex index_;
  BoundedQueue<std::vector<IncomingSignal>> queue_;
  std::map<SignalKey, Plan> plans_;
  std::map<std::string, std::deque<SignalKey>> lanes_;  ///< by contact or run, the first is at it
  std::deque<SignalKey> ready_;                         ///< whose turn has come in their lanes
  bool running_ = false;                                ///< they are being begun
  std::deque<Offer> offers_;
  std::multimap<Instant, Offer> put_off_;      ///< the store could not be reached
  std::multimap<Instant, SignalKey> stalled_;  ///< likewise, between two stages
  std::map<SignalKey, SignalWrite> writes_;
  std::deque<SignalKey> write_order_;
  std::multimap<Instant, SignalKey> writes_put_off_;
  std::multimap<Instant, SignalKey> patience_;  ///< when callers want to be answered
  std::optional<Error> unread_;                 ///< why looking back failed in this decision
  std::vector<Item> held_;                      ///< until what is coming has been offered
  std::vector<Item> released_;
  size_t listeners_read_ = 0;
  uint64_t signal_cursor_ = 0;
  Instant now_;  ///< of the turn under way
};

}  // namespace fermata
