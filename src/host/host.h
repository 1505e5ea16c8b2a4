#pragma once
#include <functional>
#include <memory>

#include "core/job/decide.h"
#include "core/run/decide.h"
#include "core/schedule/decide.h"
#include "host/callback_intake.h"
#include "host/contact_intake.h"
#include "host/definitions.h"
#include "host/intake.h"
#include "host/job_intake.h"
#include "host/kernel_desk.h"
#include "host/message_intake.h"
#include "host/schedule_intake.h"
#include "host/signal_intake.h"
#include "host/spread.h"
#include "ports/accounts.h"
#include "ports/announcer.h"
#include "ports/calls.h"
#include "ports/clock.h"
#include "ports/feed.h"
#include "ports/output_kernel.h"
#include "ports/scans.h"
#include "ports/store.h"
#include "ports/timers.h"
#include "ports/zones.h"

/// Runs the core against the ports. Everything here happens on one thread, in turns; the simulator
/// takes the same turns with simulated ports.
namespace fermata {

/// The world a host runs against. Borrowed: the caller owns the adapters and keeps them alive.
struct HostPorts {
  Store& store;
  Timers& timers;
  Calls& calls;
  Clock& clock;
  Entropy& entropy;
  Feed& feed;
  Definitions& definitions;
  ZoneSource* zones = nullptr;        ///< none: decisions know UTC and fixed offsets only
  Calls* callbacks = nullptr;         ///< carries callbacks; none: they stay where they are
  Contacts* contacts = nullptr;       ///< none: runs are about nobody
  AccountSource* accounts = nullptr;  ///< none: all have the defaults
  PolicyKernel* kernel = nullptr;     ///< asked where `policy.mode` says so; needs `counters`
  Counters* counters = nullptr;
  JobFiles* job_files = nullptr;  ///< none: large inputs are told by their size alone
  Scans* scans = nullptr;         ///< none: results that are to be scanned cannot be
  /// Has a say in every result that a scan has let pass; needs `scans` and `counters`.
  OutputKernel* output_kernel = nullptr;
  Announcer* announcer = nullptr;  ///< none: nobody is told, and no rows are written
  Outbox* outbox = nullptr;        ///< knows which messages were taken; with messages
};

/// How callbacks are sent (W-74); settings `callback_…`.
struct CallbackSettings {
  int64_t timeout_ms = 10'000;
  size_t in_flight_max = 256;
  size_t in_flight_per_endpoint_max = 32;  ///< so that a dead one leaves room for others
  uint64_t response_bytes_max = 64 << 10;
};

struct HostSettings {
  RunLimits limits;
  CallbackSettings callbacks{};
  size_t turn_commands_max = 512;      ///< per commit
  size_t queue_commands_max = 65'536;  ///< callers beyond are refused
  size_t cached_runs_max = 20'000;
  size_t cached_contacts_max = 20'000;
  int64_t sweep_interval_ms = 30'000;
  uint64_t checkpoint_events = 2'000;   ///< since the last one; 0: none are written
  uint64_t checkpoint_bytes = 1 << 20;  ///< of history since the last one
  uint32_t checkpoints_kept = 2;        ///< per run
  size_t cached_jobs_max = 20'000;
  job::Limits jobs{};
  uint32_t epoch = 0;  ///< of the store: fences of jobs begin with it
  PolicySettings policy{};
  fleet::Settings fleet{};
  policy::OutputSettings output{};
  size_t cached_schedules_max = 10'000;
  schedule::ScheduleLimits schedules{};
  uint64_t schedule_checkpoint_events = 100;      ///< since the last one
  uint64_t schedule_history_events_max = 20'000;  ///< kept of each
};

struct HostCounters {
  uint64_t callbacks_pending = 0;
  uint64_t resumes_delayed = 0;  ///< due runs that the store kept waiting (W-66)
  uint64_t commits = 0;
  uint64_t commands = 0;
  uint64_t events = 0;
  uint64_t conflicts = 0;
  uint64_t refusals = 0;
  uint64_t timers_fired = 0;
  uint64_t calls_placed = 0;
  uint64_t store_failures = 0;
  uint64_t commands_held = 0;       ///< had to wait until their run was durable
  uint64_t commits_overlapped = 0;  ///< batches decided while another was made durable
  uint64_t checkpoints_written = 0;
  uint64_t checkpoints_restored = 0;    ///< runs opened from one
  uint64_t checkpoints_unreadable = 0;  ///< passed over for an older one or the whole history
  uint64_t queue_depth = 0;
  uint64_t runs_cached = 0;
  SpreadSeen commit_us{};
  SpreadSeen commit_roots{};
  SpreadSeen lateness_ms{};  ///< of runs that were woken
};

/// When a turn wants the next one.
struct NextTurn {
  bool at_once = false;       ///< there is more to do
  std::optional<Instant> at;  ///< else then, or when something comes in
};

class Host : public Intake,
             public JobIntake,
             public ScheduleIntake,
             public CallbackIntake,
             public SignalIntake,
             public ContactIntake,
             public MessageIntake {
 public:
  Host(HostPorts ports, HostSettings settings);
  ~Host() override;

  /// Reads what the store knows: arms timers, has calls placed again. Before the first turn.
  Outcome<void> recover();
  [[nodiscard]] bool submit(Command command, Reply reply) override;
  [[nodiscard]] bool submit_job(job::Command command, JobReply reply) override;
  [[nodiscard]] bool submit_jobs(std::vector<job::Command> commands, JobReplies reply) override;
  [[nodiscard]] bool with_workers(std::function<void(Workers&)> visit) override;
  [[nodiscard]] bool submit_schedule(schedule::Command command, ScheduleReply reply) override;
  [[nodiscard]] bool redeliver(Redelivery wanted) override;
  [[nodiscard]] bool submit_signals(std::vector<IncomingSignal> signals) override;
  [[nodiscard]] bool submit_contact(contact::Command command, ContactReply reply) override;
  [[nodiscard]] bool submit_message(Command command, std::string mark, Reply reply) override;
  /// One turn: commands, answers and due timers in, one commit, effects out.
  NextTurn turn();
  /// Turns until `stop`, sleeping in between; for a thread of its own.
  void run();
  /// Makes `run` return after the turn under way; safe from any thread.
  void stop();
  /// Has `run` look again: an answer has come, or the clock was moved. Safe from any thread.
  void wake();
  /// Moves a clock set by hand to `target`, stopping at every due time on the way, and calls `done`
  /// when all of it has happened. Safe from any thread; one at a time.
  void advance_clock(Instant target, std::function<void(Instant)> set_clock,
                     std::function<void()> done);
  HostCounters counters() const;

 private:
  class Partition;
  std::unique_ptr<Partition> partition_;
};

}  // namespace fermata
