#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/post.h"
#include "host/contact_book.h"
#include "host/groups.h"
#include "host/intake.h"
#include "host/run_cache.h"
#include "host/touched_delivery.h"
#include "host/touched_job.h"
#include "host/touched_schedule.h"
#include "host/wait_limits.h"
#include "ports/announcer.h"

/// What travels through a partition: commands, and what was decided about their runs.
namespace fermata {

/// A command on its way through the host.
struct Item {
  Command command;
  Reply reply;            ///< empty for the engine's own commands
  uint32_t tries = 0;     ///< commits that conflicted
  uint32_t delays = 0;    ///< how often the store could not be read or written
  uint32_t refusals = 0;  ///< how often the store did not take what was decided
  /// Follows from a command of the same turn, which brings it again should the commit fail.
  bool posted = false;
  std::string mark{};  ///< of the message that brought it, or empty
};

struct DecidedItem {
  Item item;
  std::optional<Error> refusal;  ///< empty when it was accepted
  bool repeated = false;         ///< a message that was taken before: it did nothing
};

/// What was decided about one run and is not durable yet.
struct Touched {
  OpenRun* open = nullptr;
  Groups::Member group = 0;
  std::vector<Event> events;
  std::vector<Effect> effects;
  std::vector<WaitRecord> waits;          ///< that the events changed, each as it is now
  std::vector<ApprovalRecord> approvals;  ///< the same
  std::vector<Delivery> deliveries;       ///< of ends among the events
  std::vector<DecidedItem> items;         ///< repeated when the commit conflicts
  std::optional<RunWrite> write;          ///< once made; a post that comes later unmakes it
  WaitLimits::Counted counted{};          ///< by the decisions, until they are durable
  OpenScopes scopes{};                    ///< before the first of them, where somebody is told
};

/// Roots that were decided. In the batch made of it each has the same place.
struct Flight {
  std::vector<Touched> runs;
  std::vector<TouchedJob> jobs;
  std::vector<TouchedSchedule> schedules;
  std::vector<TouchedDelivery> deliveries;
  std::vector<TouchedContact> contacts;
  Groups groups;
  size_t commands = 0;
  RollWrite roll{};
  size_t signals = 0;  ///< that are written with it
  size_t lines = 0;    ///< of the audit, that belong to nothing in it
  bool empty() const { return size() == 0 && roll.empty() && signals == 0 && lines == 0; }
  size_t size() const {
    return runs.size() + jobs.size() + schedules.size() + deliveries.size() + contacts.size();
  }
};

/// What becomes of a signal to a label: told to its sender when all that have it have answered.
struct SignalTally {
  size_t left = 0;
  uint64_t delivered = 0;
  std::string refusal{};  ///< of the last one that refused
};

/// A command that a decision of this turn addresses to another run.
struct Posted {
  Item item;
  Groups::Member group = 0;  ///< of the sender
  /// Whoever wants to know what became of a signal; none: nobody.
  std::optional<SendSignal> sender;
  std::shared_ptr<SignalTally> tally{};  ///< when the signal goes to several
  /// Whose occurrence this start is of; it hears when none comes of it.
  std::optional<schedule::Key> schedule{};
  /// Whose answer asked for this; it is told of a refusal.
  std::optional<std::string> delivery{};
  /// What a change of a contact means to one of its runs.
  struct FromContact {
    ContactKey key;
    WorkflowId workflow;  ///< only if it is of this one; empty: of any
  };
  std::optional<FromContact> contact{};
};

/// Commands for runs that are decided and not durable yet. They wait in order until it is known
/// what became of the run: nothing is decided on top of a state that may never be.
class HeldItems {
 public:
  void hold(Item item);
  /// The run's commands in the order they came.
  std::vector<Item> release(const RunId& run);
  size_t size() const { return size_; }

 private:
  std::unordered_map<RunId, std::vector<Item>> by_run_;
  size_t size_ = 0;
};

/// A later change of a wait takes the place of an earlier one.
void add_waits(std::vector<WaitRecord>& waits, std::vector<WaitRecord> more);

void add_approvals(std::vector<ApprovalRecord>& approvals, std::vector<ApprovalRecord> more);

/// What the dead letter queue shows of waits that could not be resumed (W-66).
std::vector<DeadLetterEntry> failed_resumes(const Run& run, const std::vector<Event>& events,
                                            const std::vector<WaitRecord>& waits);

/// What is to be stored of it. Its waits and approvals are handed over when the batch is made.
RunWrite write_of(const Touched& touched);

}  // namespace fermata
