#include "host/host.h"

#include "host/partition.h"

namespace fermata {

namespace {

constexpr size_t recovery_page_runs = 2'000;
/// Few, because a page is read within a turn and everything due waits for it.
constexpr size_t sweep_page_runs = 100;
constexpr size_t recovery_page_schedules = 2'000;
constexpr size_t sweep_page_schedules = 100;
constexpr size_t recovery_page_deliveries = 2'000;
constexpr size_t sweep_page_deliveries = 100;
constexpr size_t sweep_page_jobs = 200;
constexpr size_t sweep_job_pages_max = 100;
constexpr Duration sleep_max{1'000};

}  // namespace

Host::Host(HostPorts ports, HostSettings settings)
    : partition_(std::make_unique<Partition>(ports, settings)) {}
Host::~Host() = default;

Outcome<void> Host::recover() { return partition_->recover(); }
bool Host::submit(Command command, Reply reply) {
  return partition_->submit(std::move(command), std::move(reply));
}
bool Host::submit_job(job::Command command, JobReply reply) {
  return partition_->ask_jobs(
      [command = std::move(command), reply = std::move(reply)](JobDesk& desk) mutable {
        desk.put_last({.command = std::move(command), .reply = std::move(reply)});
      });
}
bool Host::submit_jobs(std::vector<job::Command> commands, JobReplies reply) {
  return partition_->ask_jobs([commands = std::move(commands),
                               reply = std::move(reply)](JobDesk& desk) mutable {
    for (size_t i = 0; i < commands.size(); ++i)
      desk.put_last({.command = std::move(commands[i]),
                     .reply = [reply, i](Outcome<JobTold> told) { reply(i, std::move(told)); }});
  });
}
bool Host::with_workers(std::function<void(Workers&)> visit) {
  return partition_->ask_jobs([visit = std::move(visit)](JobDesk& desk) { visit(desk); });
}
bool Host::submit_schedule(schedule::Command command, ScheduleReply reply) {
  return partition_->submit_schedule({.command = std::move(command), .reply = std::move(reply)});
}
bool Host::redeliver(Redelivery wanted) { return partition_->redeliver(std::move(wanted)); }
bool Host::submit_signals(std::vector<IncomingSignal> signals) {
  return partition_->submit_signals(std::move(signals));
}
bool Host::submit_contact(contact::Command command, ContactReply reply) {
  return partition_->submit_contact({.command = std::move(command), .reply = std::move(reply)});
}
bool Host::submit_message(Command command, std::string mark, Reply reply) {
  return partition_->submit_message(std::move(command), std::move(mark), std::move(reply));
}
NextTurn Host::turn() { return partition_->turn(); }
void Host::run() { partition_->run(); }
void Host::stop() { partition_->stop(); }
void Host::wake() { partition_->wake(); }
HostCounters Host::counters() const { return partition_->counters(); }
void Host::advance_clock(Instant target, std::function<void(Instant)> set_clock,
                         std::function<void()> done) {
  partition_->advance_clock(target, std::move(set_clock), std::move(done));
}

Outcome<void> Host::Partition::recover() {
  sweep_cursor_ = 0;
  for (bool more = true; more;) {
    FERMATA_TRY(page_more, sweep_page(recovery_page_runs));
    more = page_more;
  }
  FERMATA_TRY_VOID(recover_jobs());
  for (bool more = true; more;) {
    FERMATA_TRY(page_more, sweep_schedules(recovery_page_schedules));
    more = page_more;
  }
  for (bool more = true; more;) {
    FERMATA_TRY(page_more, sweep_deliveries(recovery_page_deliveries));
    more = page_more;
  }
  FERMATA_TRY_VOID(recover_listening());
  FERMATA_TRY_VOID(limits_.recover());
  next_sweep_ = ports_.clock.now() + Duration{settings_.sweep_interval_ms};
  return {};
}

/// Looks at one page of live runs: arms what has a due time, has lost calls placed again. Decides
/// nothing; what is there already stays as it is.
Outcome<bool> Host::Partition::sweep_page(size_t runs) {
  FERMATA_TRY(page, ports_.store.pending(sweep_cursor_, runs));
  for (const Store::Pending& pending : page.runs) {
    if (pending.next_due)
      ports_.timers.arm(pending.id, *pending.next_due, lane_of(pending.account));
    if (pending.calls_pending > 0)
      deferred_.emplace(Instant{0}, Item{{pending.id, RecoverCalls{}}, {}});
  }
  sweep_cursor_ = page.cursor;
  return page.more;
}

/// The same of schedules.
Outcome<bool> Host::Partition::sweep_schedules(size_t schedules) {
  FERMATA_TRY(page, ports_.store.open_schedules(schedule_cursor_, schedules));
  for (const schedule::ScheduleSummary& summary : page.schedules) schedules_.recover(summary);
  schedule_cursor_ = page.cursor;
  return page.more;
}

/// The same of open jobs: those that nothing would move any more are (J-81). True while this round
/// has more to look at; a long queue takes several rounds.
Outcome<bool> Host::Partition::sweep_jobs_page(Instant now) {
  if (!jobs_open_ || job_pages_left_ == 0) return false;
  --job_pages_left_;
  FERMATA_TRY(page, ports_.store.open_jobs(job_sweep_cursor_, sweep_page_jobs));
  for (const job::Summary& row : page.jobs) {
    ++jobs_seen_;
    if (!desk_.replay_orphan(row, now)) continue;
    ports_.feed.job_replayed(row);
    ++stale_found_[row.state];
  }
  job_sweep_cursor_ = page.cursor;
  if (page.more) return true;
  ports_.feed.jobs_swept(std::exchange(stale_found_, {}));
  jobs_open_ = jobs_seen_ > 0;
  jobs_seen_ = job_sweep_cursor_ = 0;
  return false;
}

void Host::Partition::sweep(Instant now) {
  if (!sweeping_) {
    if (next_sweep_ > now && next_sweep_ <= now + Duration{settings_.sweep_interval_ms}) return;
    sweeping_ = runs_left_to_sweep_ = true;
    sweep_cursor_ = schedule_cursor_ = delivery_cursor_ = 0;
    job_pages_left_ = sweep_job_pages_max;
    if (!desk_.windows().readable()) recall_windows(now);
  }
  if (runs_left_to_sweep_) {
    auto more = sweep_page(sweep_page_runs);
    runs_left_to_sweep_ = more && *more;
    if (runs_left_to_sweep_) return;
  }
  auto more = sweep_schedules(sweep_page_schedules);
  if (more && *more) return;
  auto more_deliveries = sweep_deliveries(sweep_page_deliveries);
  if (more_deliveries && *more_deliveries) return;
  auto more_jobs = sweep_jobs_page(now);
  if (more_jobs && *more_jobs) return;
  // A page that could not be read is left for the next round.
  sweeping_ = false;
  next_sweep_ = now + Duration{settings_.sweep_interval_ms};
}

NextTurn Host::Partition::next(Instant now) {
  NextTurn next;
  // Until the store has answered nothing can be done; the answer wakes.
  if (is_full()) return next;
  next.at_once = queue_.size() > 0 || !released_.empty() || !continuing_.empty() || sweeping_ ||
                 !desk_.idle() || !schedules_.idle() || !callbacks_.idle() || !signals_.idle() ||
                 (flying_.empty() && (signals_.wants_writing() || notes_due(now))) ||
                 !contacts_.idle() || due_.size() > 0 || !limits_.idle() || !follower_.idle();
  std::optional<Instant> due = next_due();
  if (!deferred_.empty() && (!due || deferred_.begin()->first < *due))
    due = deferred_.begin()->first;
  // While the store is busy it is not asked for more; its answer wakes.
  std::optional<Instant> note = notes_.empty() ? std::nullopt : std::optional(notes_at_);
  if (flying_.empty())
    for (std::optional<Instant> write : {desk_.next_roll(), signals_.next_write(), note})
      if (write && (!due || *write < *due)) due = write;
  if (due && *due <= now) next.at_once = true;
  bool quiet = !next.at_once && flying_.empty() && deferred_.empty() && desk_.quiet() &&
               schedules_.quiet() && callbacks_.quiet() && signals_.quiet() &&
               ports_.calls.in_flight() == 0;
  if (step_clock(quiet)) next.at_once = true;
  next.at = due && *due < next_sweep_ ? *due : next_sweep_;
  return next;
}

/// Of runs, jobs and schedules.
std::optional<Instant> Host::Partition::next_due() const {
  std::optional<Instant> due = ports_.timers.next_due();
  for (std::optional<Instant> other :
       {desk_.next_due(), schedules_.next_due(), callbacks_.next_due(), signals_.next_due(),
        limits_.next_due(), follower_.next_due()})
    if (other && (!due || *other < *due)) due = other;
  return due;
}

bool Host::Partition::step_clock(bool quiet) {
  std::unique_lock lock(advance_mutex_);
  if (!advance_ || !quiet) return false;
  Instant now = ports_.clock.now();
  if (now >= advance_->target) {
    std::function<void()> done = std::move(advance_->done);
    advance_.reset();
    lock.unlock();
    done();
    return false;
  }
  std::optional<Instant> due = next_due();
  advance_->set_clock(due && *due < advance_->target ? std::max(*due, now) : advance_->target);
  return true;
}

void Host::Partition::advance_clock(Instant target, std::function<void(Instant)> set_clock,
                                    std::function<void()> done) {
  {
    std::lock_guard lock(advance_mutex_);
    advance_ = Advance{target, std::move(set_clock), std::move(done)};
  }
  wake();
}

void Host::Partition::run() {
  while (!stopping_.load()) {
    NextTurn next = turn();
    if (!next.at_once) sleep(next);
  }
  // Nobody can submit any more; what was taken in is answered.
  do {
    NextTurn next = turn();
    if (!flying_.empty() && (is_full() || queue_.size() == 0)) sleep(next);
  } while (queue_.size() > 0 || !flying_.empty() || !released_.empty() || !desk_.idle() ||
           !schedules_.idle() || !callbacks_.idle() || !signals_.idle() || !contacts_.idle());
  desk_.stop();
  signals_.stop();
}

void Host::Partition::sleep(const NextTurn& next) {
  Duration sleep = sleep_max;
  if (next.at) sleep = std::min(sleep, *next.at - ports_.clock.now());
  if (sleep.ms <= 0) return;
  std::chrono::milliseconds most(sleep.ms);
  is_full() ? queue_.wait_for_wake(most) : queue_.wait_for(most);
}

void Host::Partition::stop() {
  stopping_ = true;
  wake();
}

}  // namespace fermata
