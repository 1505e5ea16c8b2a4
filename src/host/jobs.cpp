#include "base/check.h"
#include "host/orders.h"
#include "host/partition.h"

/// Commands to jobs, and what runs and jobs ask of one another.
namespace fermata {

namespace {

constexpr Duration job_retry_delay{1'000};

bool is_first_submit(const JobItem& item) {
  return item.tries == 0 && !item.posted &&
         std::holds_alternative<job::SubmitJob>(item.command.body);
}

}  // namespace

bool Host::Partition::ask_jobs(JobDesk::Visit visit) {
  if (stopping_.load(std::memory_order_relaxed) || !desk_.ask(std::move(visit))) return false;
  wake();
  return true;
}

/// Decides those whose jobs are at hand; the others wait for the store, or are refused.
void Host::Partition::decide_jobs(std::vector<JobItem> items, Instant now) {
  std::vector<JobId> missing;
  for (const JobItem& item : items) {
    const JobId& id = item.command.job;
    if (desk_.cache().find(id)) continue;
    if (is_first_submit(item)) {
      desk_.cache().assume_new(id);
    } else {
      missing.push_back(id);
    }
  }
  auto fetched = missing.empty() ? Outcome<void>{} : desk_.cache().fetch(missing);
  if (!fetched) ++counters_.store_failures;
  for (JobItem& item : items) {
    OpenJob* open = desk_.cache().find(item.command.job);
    // A placement goes into the commit that made the job ready (J-64).
    bool joins = open && !open->flying && item.assignment.has_value();
    if (open && open->undurable() && !joins) {
      desk_.hold(std::move(item));
    } else if (open) {
      decide_job(*open, std::move(item), std::nullopt, now);
    } else if (!fetched) {
      refuse(std::move(item), fetched.error(), now);
    } else {
      const Error* damage = desk_.cache().damage(item.command.job);
      check(damage != nullptr);
      if (item.assignment) desk_.not_placed(*item.assignment);
      if (item.reply) item.reply(Failure{*damage});
    }
  }
}

TouchedJob& Host::Partition::touch(OpenJob& open) {
  if (open.place == OpenJob::nowhere) {
    open.place = static_cast<uint32_t>(next_.jobs.size());
    TouchedJob& touched = next_.jobs.emplace_back();
    touched.open = &open;
    touched.group = next_.groups.add();
  }
  return next_.jobs[open.place];
}

void Host::Partition::decide_job(OpenJob& open, JobItem item, std::optional<Groups::Member> sender,
                                 Instant now) {
  ++counters_.commands;
  ++next_.commands;
  TouchedJob& touched = touch(open);
  if (sender) next_.groups.join(*sender, touched.group);
  std::vector<job::Record> told;
  const DecidedJobItem& decided = desk_.decide(touched, std::move(item), now, told);
  if (decided.answer != job::Answer::accepted && decided.answer != job::Answer::duplicate)
    ports_.feed.report_rejected(decided.answer);
  if (decided.refusal) {
    ++counters_.refusals;
    const JobItem& order = decided.item;
    if (!order.orderer.empty())
      refuse_order(order.orderer, order.command.job, *decided.refusal, touched.group);
  }
  Groups::Member group = touched.group;
  for (job::Record& record : told) tell_run(std::move(record), group);
}

/// True when the post is for a job; then it is on its way.
bool Host::Partition::post_job(Post& post, const RunId& from, Groups::Member group) {
  JobItem item;
  item.posted = true;
  item.command.actor = "execution " + from.text();
  if (auto* stop = std::get_if<StopJob>(&post)) {
    item.command.job = stop->job;
    item.command.body = job::CancelJob{std::move(stop->reason), stop->awaited};
    // A job that does not exist has no worker to wait for, and the run is to hear that.
    if (stop->awaited) item.orderer = from;
  } else if (auto* leave = std::get_if<LeaveLate>(&post)) {
    item.command.job = leave->job;
    item.command.body = job::LeaveLateSuccess{std::move(leave->reason)};
  } else if (auto* order = std::get_if<OrderJob>(&post)) {
    auto submit = submit_of(*order, desk_.limits().request, item.command.actor);
    if (!submit) {
      refuse_order(from, order->job, submit.error(), group);
      return true;
    }
    item.orderer = from;
    item.command.job = order->job;
    item.command.body = *std::move(submit);
  } else {
    return false;
  }
  job_posts_.push_back({std::move(item), group});
  return true;
}

void Host::Partition::decide_job_posts(Instant now) {
  std::vector<PostedJob> posts = std::exchange(job_posts_, {});
  std::vector<JobId> missing;
  for (const PostedJob& post : posts) {
    const JobId& id = post.item.command.job;
    if (desk_.cache().find(id)) continue;
    // The id of what a run orders is made of its own and a number: nearly always nobody has used
    // it.
    bool ordered = !post.item.orderer.empty() &&
                   std::holds_alternative<job::SubmitJob>(post.item.command.body);
    if (ordered && desk_.cache().may_assume_new(id)) {
      desk_.cache().assume_new(id);
    } else {
      missing.push_back(id);
    }
  }
  auto fetched = missing.empty() ? Outcome<void>{} : desk_.cache().fetch(missing);
  if (!fetched) ++counters_.store_failures;
  for (PostedJob& post : posts) {
    if (next_.groups.abandoned(post.group)) continue;
    JobItem& item = post.item;
    OpenJob* open = desk_.cache().find(item.command.job);
    if (open && open->flying) {
      held_job_posts_.push_back(std::move(post));
    } else if (open) {
      decide_job(*open, std::move(item), post.group, now);
    } else if (!fetched) {
      abandon(post.group, fetched.error(), now);
    } else if (!item.orderer.empty()) {
      const Error* damage = desk_.cache().damage(item.command.job);
      check(damage != nullptr);
      refuse_order(item.orderer, item.command.job, *damage, post.group);
    }
  }
}

/// Jobs that found a worker and what runs ask of jobs. True when there is something for runs.
bool Host::Partition::decide_for_jobs(Instant now) {
  for (;;) {
    std::vector<JobItem> placements = desk_.placements();
    bool done = placements.empty() && job_posts_.empty();
    if (done) return !posts_.empty();
    decide_jobs(std::move(placements), now);
    decide_job_posts(now);
  }
}

void Host::Partition::settle_idle_jobs(Instant now) {
  std::vector<TouchedJob> idle;
  size_t kept = 0;
  for (size_t i = 0; i < next_.jobs.size(); ++i) {
    TouchedJob& touched = next_.jobs[i];
    if (touched.idle()) {
      touched.open->place = OpenJob::nowhere;
      idle.push_back(std::move(touched));
      continue;
    }
    touched.open->place = static_cast<uint32_t>(kept);
    if (kept != i) next_.jobs[kept] = std::move(touched);
    ++kept;
  }
  next_.jobs.resize(kept);
  for (TouchedJob& touched : idle) {
    OpenJob& open = *touched.open;
    JobId id = open.job.id;
    if (open.assumed) {
      // Nothing came of it, so no commit will tell whether the job exists.
      desk_.cache().forget(id);
      try_again(std::move(touched.items), now);
    } else {
      job::Summary summary = desk_.summary_of(open);
      desk_.settled(touched, now);
      answer(touched.items, summary);
    }
    desk_.release(id);
  }
}

void Host::Partition::answer(std::vector<DecidedJobItem>& items, const job::Summary& summary) {
  for (DecidedJobItem& decided : items) {
    JobReply& reply = decided.item.reply;
    if (!reply) continue;
    if (decided.refusal) {
      reply(Failure{*std::move(decided.refusal)});
    } else {
      reply(JobTold{decided.answer, summary});
    }
  }
}

void Host::Partition::refuse(JobItem item, const Error& error, Instant now) {
  if (item.reply) {
    item.reply(Failure{error});
  } else {
    desk_.defer(std::move(item), now + job_retry_delay);
  }
}

/// The jobs' part of forgetting a group.
void Host::Partition::abandon_jobs(Groups::Member whole, const Error& error, Instant now) {
  std::vector<JobItem> items;
  for (TouchedJob& touched : next_.jobs) {
    if (next_.groups.of(touched.group) != whole) continue;
    JobId id = touched.open->job.id;
    desk_.take_back(touched);
    for (DecidedJobItem& decided : touched.items)
      if (!decided.item.posted) items.push_back(std::move(decided.item));
    forget_job(id, now);
    touched.open = nullptr;
  }
  std::erase_if(next_.jobs, [](const TouchedJob& touched) { return touched.open == nullptr; });
  for (size_t i = 0; i < next_.jobs.size(); ++i)
    next_.jobs[i].open->place = static_cast<uint32_t>(i);
  auto gone = [&](const PostedJob& post) { return next_.groups.of(post.group) == whole; };
  std::erase_if(job_posts_, gone);
  std::erase_if(held_job_posts_, gone);
  for (JobItem& item : items) refuse(std::move(item), error, now);
}

/// What was decided of the job did not happen: the store is asked what holds, and what the fleet
/// was told too early is put right.
void Host::Partition::forget_job(JobId id, Instant now) {
  desk_.cache().forget(id);
  desk_.release(id);
  JobItem again{.command = {id, job::WakeJob{}}};
  again.reconcile = true;
  desk_.defer(std::move(again), now);
}

// The way of a batch, as in flight.cpp.

/// A failure that the job's run lives on with, or has ended well in spite of, is nobody's to look
/// at: the entry is resolved in the commit that opens it (J-82).
void Host::Partition::resolve_handled(const CommitBatch& batch, JobWrite& write) const {
  // What could not be undone is for people, whatever the run makes of it.
  bool undoes = write.summary.labels.get("is_compensation") == Value("true");
  if (write.dead_letters.empty() || write.summary.run.empty() || undoes) return;
  for (const RunWrite& run : batch.runs) {
    if (run.summary.id != write.summary.run) continue;
    if (run.summary.status == RunStatus::failed || write.group == 0 || run.group != write.group)
      return;
    for (DeadLetterEntry& entry : write.dead_letters) {
      entry.resolution = Resolution::run_handled;
      entry.resolved_at = entry.letter.created_at;
      entry.resolved_by = "execution " + run.summary.id.text();
    }
    return;
  }
}

void Host::Partition::load_jobs(CommitBatch& batch) {
  batch.jobs.reserve(flying_.jobs.size());
  for (TouchedJob& touched : flying_.jobs) {
    touched.open->place = OpenJob::nowhere;
    touched.open->flying = true;
    JobWrite& write = batch.jobs.emplace_back(desk_.write_of(touched));
    if (flying_.groups.shared(touched.group)) write.group = flying_.groups.of(touched.group) + 1;
    resolve_handled(batch, write);
  }
}

void Host::Partition::landed(TouchedJob& touched, JobWrite& write, CommitOutcome outcome,
                             Instant now) {
  if (outcome == CommitOutcome::unknown) outcome = find_out(write);
  OpenJob& open = *touched.open;
  JobId id = write.summary.id;
  open.flying = false;
  if (outcome != CommitOutcome::done) return not_committed(touched, outcome, now);
  ++open.version;
  open.assumed = false;
  counters_.events += write.events.count;
  ports_.feed.job_committed(write.summary, write.events);
  ports_.feed.job_settled(open.job);
  ports_.feed.job_happened(open.job, touched.events);
  for (const job::PolicyDecision& decision : write.decisions) ports_.feed.job_judged(decision);
  jobs_open_ = true;
  desk_.settled(touched, now);
  answer(touched.items, write.summary);
  desk_.release(id);
}

CommitOutcome Host::Partition::find_out(const JobWrite& write) {
  const JobId& id = write.summary.id;
  auto loaded = ports_.store.load_jobs(std::span(&id, 1));
  if (!loaded) return CommitOutcome::unknown;
  const StoredJob& stored = loaded->front();
  bool there = stored.version > write.expected_version;
  if (write.events.count == 0) return there ? CommitOutcome::done : CommitOutcome::conflict;
  for (const HistoryChunk& chunk : stored.history)
    if (chunk == write.events) return CommitOutcome::done;
  return CommitOutcome::conflict;
}

void Host::Partition::not_committed(TouchedJob& touched, CommitOutcome outcome, Instant now) {
  std::vector<DecidedJobItem> items = std::move(touched.items);
  desk_.take_back(touched);
  if (touched.open->assumed) desk_.cache().doubt(touched.open->job.id);
  forget_job(touched.open->job.id, now);
  touched.open = nullptr;
  if (outcome == CommitOutcome::conflict) {
    ++counters_.conflicts;
    return try_again(std::move(items), now);
  }
  ++counters_.store_failures;
  Error error = trouble(outcome);
  for (DecidedJobItem& decided : items)
    if (!decided.item.posted) refuse(std::move(decided.item), error, now);
}

void Host::Partition::try_again(std::vector<DecidedJobItem> items, Instant now) {
  for (auto decided = items.rbegin(); decided != items.rend(); ++decided) {
    JobItem& item = decided->item;
    if (item.posted) continue;
    if (++item.tries < conflict_tries_max) {
      desk_.put_first(std::move(item));
      continue;
    }
    Error error{ErrorCode::store_unavailable, "the job is being changed too often", {}};
    refuse(std::move(item), error, now);
  }
}

Outcome<void> Host::Partition::recover_jobs() {
  constexpr size_t page_jobs = 2'000;
  Instant now = ports_.clock.now();
  desk_.started(now);
  // Who cannot be read registers again.
  FERMATA_TRY(registrations, ports_.store.registrations());
  for (const fleet::RegistrationRecord& record : registrations) desk_.recover(now, record);
  FERMATA_TRY(spent, ports_.store.spent_on(fleet::day_of(now)));
  for (const AccountSpent& one : spent) desk_.recover(now, one);
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    FERMATA_TRY(page, ports_.store.open_jobs(cursor, page_jobs));
    for (const job::Summary& summary : page.jobs) desk_.recover(now, summary);
    cursor = page.cursor;
    more = page.more;
  }
  recall_windows(now);
  return {};
}

/// The windows of velocity rules, from the decision log. Until it can be read their rules ask
/// people (J-20).
void Host::Partition::recall_windows(Instant now) {
  constexpr size_t page_decisions = 2'000;
  Instant since = now - Duration{policy::window_ms_max};
  policy::Windows recalled;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto page = ports_.store.passed(since, cursor, page_decisions);
    if (!page) return desk_.windows().set_readable(false);
    for (const job::PolicyDecision& decision : page->decisions)
      for (const job::VelocityCount& passed : decision.counted)
        recalled.count(passed, decision.job, decision.at);
    cursor = page->cursor;
    more = page->more;
  }
  desk_.windows() = std::move(recalled);
}

}  // namespace fermata
