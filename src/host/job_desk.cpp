#include "host/job_desk.h"

#include "core/job/history.h"
#include "core/job/view.h"
#include "core/policy/judge.h"
#include "host/deferral.h"

namespace fermata {

namespace {

constexpr Duration unasked_max{120'000};
constexpr size_t visits_at_once = 32;

}  // namespace

JobDesk::JobDesk(const HostPorts& ports, const HostSettings& settings)
    : entropy_(ports.entropy),
      scans_(ports.scans),
      limits_(settings.jobs),
      epoch_(settings.epoch),
      cache_(ports.store, settings.cached_jobs_max),
      fleet_(settings.fleet),
      policy_(settings.policy, {settings.output, ports.scans, ports.output_kernel != nullptr},
              ports.feed),
      kernel_(ports.kernel, ports.counters, ports.job_files, settings.policy),
      outputs_(ports.output_kernel, ports.counters, ports.job_files, settings.policy),
      now_(ports.clock.now()),
      started_at_(now_),
      queue_(settings.queue_commands_max) {}

/// Not more than there is room for: what waits beyond that waits where it is counted.
void JobDesk::hear_visits(size_t room) {
  for (size_t heard = 0; heard < room && items_.size() < room; heard += visits_at_once) {
    std::vector<Visit> visits = queue_.take(visits_at_once);
    for (Visit& visit : visits) visit(*this);
    if (visits.size() < visits_at_once) return;
  }
}

std::vector<JobItem> JobDesk::gather(Instant now, size_t room) {
  now_ = now;
  hear_visits(room);
  expire(now);
  hear_kernel(now);
  take_scans(now);
  while (!deferred_.empty() && is_due(deferred_.begin()->first, now)) {
    items_.push_back(std::move(deferred_.begin()->second));
    deferred_.erase(deferred_.begin());
  }
  for (const auto& due : alarm_.due(now, room - std::min(room, items_.size())))
    send(due.key, job::WakeJob{});
  // All of them: jobs that come together find the same claims waiting, and one answer holds them.
  std::vector<JobItem> items;
  while (!items_.empty() && items.size() < room) {
    JobItem item = std::move(items_.front());
    items_.pop_front();
    if (needs_word(item)) {
      kernel_.consult(std::move(item));
    } else {
      items.push_back(std::move(item));
    }
  }
  return items;
}

void JobDesk::send(const JobId& job, job::CommandBody body) {
  items_.push_back({.command = {job, std::move(body)}});
}

void JobDesk::lose(const std::vector<fleet::Lost>& lost) {
  for (const fleet::Lost& one : lost)
    send(one.lease.job, job::LoseLease{one.lease.fence, one.counted, {}});
}

void JobDesk::expire(Instant now) {
  size_t before = fleet_.registrations().size();
  lose(fleet_.expire(now));
  if (fleet_.registrations().size() != before) fail_claims_of_the_gone();
}

void JobDesk::hold(JobItem item) {
  if (!item.held_at) item.held_at = now_;
  std::vector<JobItem>& items = held_[item.command.job];
  items.push_back(std::move(item));
}

void JobDesk::release(const JobId& job) {
  auto found = held_.find(job);
  if (found == held_.end()) return;
  std::vector<JobItem> items = std::move(found->second);
  held_.erase(found);
  // Before all that came later, in their own order.
  for (auto item = items.rbegin(); item != items.rend(); ++item)
    items_.push_front(std::move(*item));
}

std::vector<JobItem> JobDesk::placements() {
  std::vector<JobItem> items;
  for (fleet::Assignment& pair : fleet_.take_assignments()) {
    job::PlaceJob place;
    place.worker = pair.worker;
    place.registration = pair.registration;
    place.pool = pair.pool;
    place.claim_seq = pair.claim_seq;
    place.lease_ms = pair.terms.lease_ms;
    place.run_timeout_ms = pair.terms.run_timeout_ms;
    place.start_timeout_ms = pair.terms.start_timeout_ms;
    JobItem item{.command = {pair.job, std::move(place)}};
    item.assignment = std::move(pair);
    items.push_back(std::move(item));
  }
  return items;
}

/// What goes into the same commit as the events.
void JobDesk::keep(TouchedJob& touched, job::Record record, std::vector<job::Record>& told) {
  if (auto* line = std::get_if<AuditLine>(&record)) touched.audit.push_back(std::move(*line));
  if (auto* letter = std::get_if<job::DeadLetter>(&record))
    touched.dead_letters.push_back({std::move(*letter)});
  if (auto* blob = std::get_if<job::KeepBlob>(&record)) touched.blobs.push_back(std::move(*blob));
  if (auto* decision = std::get_if<job::PolicyDecision>(&record)) {
    // At once: the next decision of this turn is to see it.
    for (const job::VelocityCount& passed : decision->counted) {
      policy_.windows().count(passed, decision->job, decision->at);
      touched.counted.emplace_back(passed, decision->at);
    }
    touched.decisions.push_back(std::move(*decision));
  }
  if (auto* held = std::get_if<job::KeepHeld>(&record)) touched.held = std::move(held->text);
  if (std::holds_alternative<job::DropHeld>(record)) {
    touched.held.reset();
    touched.drop_held = true;
  }
  if (auto* drop = std::get_if<job::DropBlob>(&record))
    touched.dropped_blobs.push_back(std::move(drop->sha256));
  if (auto* settle = std::get_if<job::SettleLetter>(&record)) touched.settled_letter = *settle;
  bool for_a_run = std::holds_alternative<job::JobEnded>(record) ||
                   std::holds_alternative<job::WithdrawnTold>(record) ||
                   std::holds_alternative<job::LateSuccessTold>(record) ||
                   std::holds_alternative<job::LeaseReturnedTold>(record) ||
                   std::holds_alternative<job::JoinTold>(record);
  if (for_a_run) told.push_back(std::move(record));
}

void JobDesk::keep(TouchedJob& touched, job::Event event, DecidedJobItem& decided) {
  if (const auto* dispatched = std::get_if<job::JobDispatched>(&event.body))
    decided.fence = dispatched->fence;
  const auto* ended = std::get_if<job::JobAttemptEnded>(&event.body);
  if (ended && ended->usage != job::Usage{}) {
    if (!touched.spent) touched.spent = DaySpent{fleet::day_of(event.at), {}};
    touched.spent->usage = touched.spent->usage + ended->usage;
  }
  touched.events.push_back(std::move(event));
}

job::Given JobDesk::given(const OpenJob& open, const job::Command& command, Instant now) {
  const auto* submit = std::get_if<job::SubmitJob>(&command.body);
  const AccountId& account = submit ? submit->account : open.job.account;
  const job::Request& request = submit ? submit->request : open.job.request;
  job::Given given{.now = now,
                   .entropy = entropy_.next(),
                   .version = open.version + 1,
                   .epoch = epoch_,
                   .engine_started_at = started_at_,
                   .policy = policy_of(account),
                   .limits = limits_};
  if (submit) given.queued = fleet_.queue().waiting_of(account);
  given.queue_timeout_ms = fleet_.queue().table().queue_timeout_ms(request.topic);
  bool wakes = std::holds_alternative<job::WakeJob>(command.body);
  if (wakes && open.job.state == job::State::scheduled)
    given.routing = fleet_.routing_of(now_, open.job.id);
  return given;
}

DecidedJobItem& JobDesk::decide(TouchedJob& touched, JobItem item, Instant now,
                                std::vector<job::Record>& told) {
  OpenJob& open = *touched.open;
  count_wait(item, now);
  // What one commit writes of a job happens at one instant.
  if (!touched.events.empty()) now = touched.events.front().at;
  auto decision = job::decide(open.job, item.command, given(open, item.command, now));
  DecidedJobItem decided{.item = std::move(item)};
  if (!decision) {
    decided.refusal = decision.error();
  } else {
    decided.answer = decision->answer;
    for (job::Event& event : decision->events) keep(touched, std::move(event), decided);
    for (job::Record& record : decision->records) keep(touched, std::move(record), told);
    for (job::Effect& effect : decision->effects) {
      // Offered before it is durable, so that a worker that waits is found in the same commit.
      if (std::holds_alternative<job::OfferJob>(effect) && still_wanted(open.job, effect)) {
        fleet_.offer(now_, fleet::ready_job(summarize(open.job, started_at_)));
      } else {
        touched.effects.push_back(std::move(effect));
      }
    }
  }
  touched.items.push_back(std::move(decided));
  return touched.items.back();
}

JobWrite JobDesk::write_of(TouchedJob& touched) const {
  JobWrite write;
  write.expected_version = touched.open->version;
  write.summary = summarize(touched.open->job, started_at_);
  if (!touched.events.empty()) write.events = job::encode_history(touched.events);
  write.audit = touched.audit;
  write.dead_letters = std::move(touched.dead_letters);
  write.blobs = std::move(touched.blobs);
  write.decisions = touched.decisions;
  write.spent = touched.spent;
  write.held = std::move(touched.held);
  write.drop_held = touched.drop_held;
  write.dropped_blobs = std::move(touched.dropped_blobs);
  write.settled_letter = std::move(touched.settled_letter);
  return write;
}

void JobDesk::settled(TouchedJob& touched, Instant now) {
  now_ = now;
  OpenJob& open = *touched.open;
  // Before its slot is free: what it has cost may keep the next one.
  if (touched.spent) fleet_.spend(open.job.account, touched.spent->usage, open.job.last_at);
  for (const job::Effect& effect : touched.effects)
    if (still_wanted(open.job, effect)) perform(open.job, effect);
  bool doubtful = false;
  for (const DecidedJobItem& decided : touched.items) {
    tell_fleet(decided, open);
    doubtful = doubtful || decided.item.reconcile;
  }
  // Only now: what was placed by this very commit is not to be counted twice.
  if (doubtful) reconcile(open);
  JobId id = open.job.id;
  bool ended = !open.job.exists() || open.job.finished();
  alarm_.set(id, job::next_due(open.job, started_at_));
  track(id, open.job.state, open.job.phase);
  if (ended) cache_.forget(id);
}

void JobDesk::perform(const job::Job& job, const job::Effect& effect) {
  if (std::holds_alternative<job::WithdrawJob>(effect)) fleet_.withdraw(job.id);
  if (const auto* revoke = std::get_if<job::RevokeLease>(&effect))
    fleet_.revoke(now_, {job.id, revoke->fence});
  if (const auto* free = std::get_if<job::FreeLease>(&effect))
    fleet_.free(now_, {job.id, free->fence}, free->refused);
  if (const auto* ask = std::get_if<job::AskPolicy>(&effect))
    kernel_.ask(job.id, ask->revision, job.undoes());
  if (const auto* output = std::get_if<job::ScanOutput>(&effect)) scan(job, *output);
  if (const auto* input = std::get_if<job::ScanInput>(&effect)) scan(job, *input);
}

/// Without anybody who scans nothing comes of it, and its due time says so.
void JobDesk::scan(const job::Job& job, const job::ScanOutput& wanted) {
  ScanTicket ticket{job.id, wanted.fence, wanted.tries, wanted.snapshot};
  if (!scans_ || scans_->holds(ticket) || outputs_.holds(ticket)) return;
  ScanWork work;
  work.ticket = std::move(ticket);
  work.account = job.account;
  work.policy = policy_.current();
  work.sha256 = job.held->sha256;
  work.artifacts = job.held->artifacts;
  work.read_only = job.held->fail_open && wanted.tries >= limits_.scan_tries;
  job::ResultSize size;
  size.output_bytes = job.held->bytes;
  size.artifacts = work.artifacts.size();
  for (const job::Artifact& artifact : work.artifacts) size.artifact_bytes += artifact.bytes;
  work.facts = policy::output_facts_of(job, size);
  scans_->submit(std::move(work));
}

void JobDesk::scan(const job::Job& job, const job::ScanInput& wanted) {
  if (!scans_ || !policy_.current()) return;
  ScanWork work;
  work.account = job.account;
  work.policy = policy_.current();
  work.ticket = {job.id, 0, wanted.revision, work.policy->of(job.account).snapshot};
  if (scans_->holds(work.ticket)) return;
  work.input = job.request.input;
  work.wanted = policy::wanted_content(work.policy->of(job.account), policy::facts_of(job));
  scans_->submit(std::move(work));
}

void JobDesk::take_scans(Instant now) {
  if (!scans_) return;
  for (ScanAnswer& answer : scans_->harvest()) {
    auto* judged = std::get_if<job::JudgeOutput>(&answer.said);
    if (judged && outputs_.wants(*judged)) {
      outputs_.ask(answer.ticket, std::move(*judged));
      continue;
    }
    std::visit([&](auto& said) { send(answer.ticket.job, std::move(said)); }, answer.said);
  }
  for (OutputDesk::Judged& one : outputs_.gather(now)) send(one.job, std::move(one.judge));
}

void JobDesk::tell_fleet(const DecidedJobItem& decided, const OpenJob& open) {
  // The attempt was over before: nothing else will tell that its lease is.
  const auto* loss = std::get_if<job::LoseLease>(&decided.item.command.body);
  if (loss && decided.refusal) {
    fleet::LeaseKey key{open.job.id, loss->fence};
    const fleet::Lease* held = fleet_.find_lease(key);
    // One that was revoked meanwhile is its worker's to let go of.
    if (!held || !held->revoked) fleet_.free(now_, key, false);
  }
  if (!decided.item.assignment) return;
  const job::Attempt* attempt = open.job.open_attempt();
  if (decided.fence == 0 || !attempt || attempt->fence != decided.fence)
    return fleet_.not_placed(now_, *decided.item.assignment);
  auto lost = fleet_.placed(now_, *decided.item.assignment, summarize(open.job, started_at_));
  if (lost) lose({*lost});
}

/// Brings the fleet's memory in line with what the store holds.
void JobDesk::reconcile(const OpenJob& open) {
  const job::Job& job = open.job;
  if (!job.exists() || job.state != job::State::scheduled) {
    fleet_.withdraw(job.id);
  } else {
    fleet_.offer(now_, fleet::ready_job(summarize(job, started_at_)));
  }
  if (job.open_attempt()) fleet_.adopt(now_, summarize(job, started_at_));
}

void JobDesk::recover(Instant now, const job::Summary& summary) {
  now_ = now;
  fleet_.adopt(now, summary);
  if (summary.state == job::State::scheduled) fleet_.offer(now, fleet::ready_job(summary));
  alarm_.set(summary.id, summary.next_due);
  track(summary.id, summary.state, summary.phase);
  // Nobody remembers whether the kernel was asked.
  if (summary.state == job::State::pending && summary.phase == job::Phase::policy)
    send(summary.id, job::WakeJob{});
  bool scanned = summary.phase == job::Phase::output_scan ||
                 summary.phase == job::Phase::content_check || is_terminal(summary.state);
  if (scanned) send(summary.id, job::ResumeScan{});
}

void JobDesk::set_policy(policy::PolicyPtr policy) {
  policy_.set(std::move(policy));
  review_approvals();
}

void JobDesk::take_back(const TouchedJob& touched) {
  for (const auto& [passed, at] : touched.counted)
    policy_.windows().uncount(passed, touched.open->job.id, at);
}

bool JobDesk::is_orphan(const job::Summary& row) {
  const OpenJob* open = cache_.find(row.id);
  if (open && open->undurable()) return false;
  if (row.next_due && !alarm_.has(row.id)) return true;
  if (row.state == job::State::scheduled) return !fleet_.queue().holds(row.id);
  // Waiting for a verdict that nobody was asked for (J-81 b).
  if (row.state == job::State::pending && row.phase == job::Phase::policy)
    return !kernel_.holds(row.id) && row.updated_at + unasked_max <= now_;
  return row.fence != 0 && !fleet_.find_lease({row.id, row.fence});
}

bool JobDesk::replay_orphan(const job::Summary& row, Instant now) {
  if (!is_orphan(row)) {
    suspects_.erase(row.id);
    return false;
  }
  // What is on its way between queue, worker and alarm looks the same for an instant.
  auto [suspect, fresh] = suspects_.try_emplace(row.id, row.last_sequence);
  if (fresh || suspect->second != row.last_sequence) {
    suspect->second = row.last_sequence;
    return false;
  }
  suspects_.erase(suspect);
  JobItem again{.command = {row.id, job::WakeJob{}}};
  again.reconcile = true;
  defer(std::move(again), now);
  return true;
}

std::optional<Instant> JobDesk::next_due() const {
  std::optional<Instant> due = alarm_.next();
  auto consider = [&](std::optional<Instant> at) {
    if (at && (!due || *at < *due)) due = at;
  };
  consider(fleet_.next_due());
  consider(kernel_.next_due());
  consider(outputs_.next_due());
  if (!deferred_.empty()) {
    Instant until = deferred_.begin()->first;
    consider(is_due(until, now_) ? now_ : until);
  }
  return due;
}

}  // namespace fermata
