#include "base/check.h"
#include "base/hash.h"
#include "host/partition.h"

/// Commands to schedules, the runs they start, and what those report.
namespace fermata {

namespace {

constexpr Duration schedule_retry_delay{1'000};

std::string name_of(const schedule::Key& key) { return "schedule " + key.id.text(); }

StartRun start_of(schedule::OrderScheduled& order, FoundWorkflow found, Instant now) {
  StartRun start;
  start.account = order.account;
  start.workflow = order.workflow;
  start.workflow_version = found.version;
  start.definition = std::move(found.definition);
  start.input = order.input.is_null() ? Value::object() : std::move(order.input);
  start.trigger = std::move(order.trigger);
  start.trigger_kind = "schedule";
  start.labels = std::move(order.labels);
  if (order.start_at > now) start.start_at = order.start_at;
  // The id names one occurrence, so there is only one such request.
  start.request_hash = sha256_hex("schedule\n" + order.run.text());
  start.waits_its_turn = true;
  return start;
}

}  // namespace

bool Host::Partition::submit_schedule(ScheduleItem item) {
  if (stopping_.load(std::memory_order_relaxed) || !schedules_.submit(std::move(item)))
    return false;
  wake();
  return true;
}

/// Decides those whose schedules are at hand; the others wait for the store, or are refused.
void Host::Partition::decide_schedules(std::vector<ScheduleItem> items, Instant now) {
  if (items.empty()) return;
  std::vector<schedule::Key> keys;
  for (const ScheduleItem& item : items) keys.push_back(item.command.schedule);
  auto fetched = schedules_.cache().fetch(keys);
  if (!fetched) ++counters_.store_failures;
  for (ScheduleItem& item : items) {
    OpenSchedule* open = schedules_.cache().find(item.command.schedule);
    if (open && open->undurable()) {
      schedules_.hold(std::move(item));
    } else if (open) {
      decide_schedule(*open, std::move(item), std::nullopt, now);
    } else if (const Error* damage = schedules_.cache().damage(item.command.schedule)) {
      if (item.reply) item.reply(Failure{*damage});
    } else {
      refuse(std::move(item), fetched.error(), now);
    }
  }
}

TouchedSchedule& Host::Partition::touch(OpenSchedule& open) {
  if (open.place == OpenSchedule::nowhere) {
    open.place = static_cast<uint32_t>(next_.schedules.size());
    TouchedSchedule& touched = next_.schedules.emplace_back();
    touched.open = &open;
    touched.group = next_.groups.add();
  }
  return next_.schedules[open.place];
}

/// Whether the run of a trigger's key is there already is known only here, beside the store.
Outcome<void> Host::Partition::look_for_run(const OpenSchedule& open, schedule::Command& command) {
  auto* trigger = std::get_if<schedule::TriggerSchedule>(&command.body);
  if (!trigger || !open.schedule.exists()) return {};
  RunId run = schedule::triggered_run_of(open.schedule, trigger->key);
  if (!cache_.find(run)) FERMATA_TRY_VOID(cache_.fetch({run}));
  const OpenRun* found = cache_.find(run);
  trigger->started_before = !found || found->run.exists();
  return {};
}

void Host::Partition::decide_schedule(OpenSchedule& open, ScheduleItem item,
                                      std::optional<Groups::Member> sender, Instant now) {
  if (auto looked = look_for_run(open, item.command); !looked) {
    ++counters_.store_failures;
    return refuse(std::move(item), looked.error(), now);
  }
  ++counters_.commands;
  ++next_.commands;
  schedule::Key key = item.command.schedule;
  TouchedSchedule& touched = touch(open);
  if (sender) next_.groups.join(*sender, touched.group);
  Groups::Member group = touched.group;
  std::vector<schedule::SchedulePost> posts;
  if (schedules_.decide(touched, std::move(item), now, posts).refusal) ++counters_.refusals;
  for (schedule::SchedulePost& post : posts) post_from_schedule(key, std::move(post), group, now);
}

void Host::Partition::post_from_schedule(const schedule::Key& from, schedule::SchedulePost post,
                                         Groups::Member group, Instant now) {
  auto to_run = [&](const RunId& run, CommandBody body) {
    Item item{{run, std::move(body), name_of(from)}, {}};
    item.posted = true;
    return Posted{std::move(item), group, std::nullopt};
  };
  if (auto* stop = std::get_if<StopRun>(&post)) {
    posts_.push_back(to_run(stop->run, CancelRun{std::move(stop->reason)}));
    return;
  }
  auto& order = std::get<schedule::OrderScheduled>(post);
  auto found = ports_.definitions.workflow(order.account, order.workflow, order.version);
  if (!found) return refuse_start(from, order.run, found.error(), group);
  if (!found->active) {
    Error inactive{
        ErrorCode::workflow_inactive, "workflow " + order.workflow.text() + " is inactive", {}};
    return refuse_start(from, order.run, inactive, group);
  }
  RunId run = order.run;
  posts_.push_back(to_run(run, start_of(order, *std::move(found), now)));
  posts_.back().schedule = from;
}

/// True when the post is for a schedule; then it is on its way.
bool Host::Partition::post_schedule(const Post& post, Groups::Member group) {
  const auto* report = std::get_if<ReportScheduled>(&post);
  if (!report) return false;
  ScheduleItem item{.command = {{report->account, report->schedule},
                                schedule::RunEnded{report->run, report->status}}};
  item.posted = true;
  schedule_posts_.push_back({std::move(item), group});
  return true;
}

/// A run that was there before does not start again; if it is over, nobody would tell the schedule.
void Host::Partition::answer_schedule(const schedule::Key& key, const Run& run, bool was_there,
                                      const std::optional<Error>& refusal, Groups::Member group) {
  if (refusal) return refuse_start(key, run.id, *refusal, group);
  if (!was_there || !is_terminal(run.status)) return;
  ScheduleItem item{.command = {key, schedule::RunEnded{run.id, std::string(name_of(run.status))}}};
  item.posted = true;
  schedule_posts_.push_back({std::move(item), group});
}

void Host::Partition::refuse_start(const schedule::Key& key, const RunId& run, const Error& error,
                                   Groups::Member group) {
  ScheduleItem item{.command = {key, schedule::RefuseStart{run, std::string(name_of(error.code)),
                                                           error.message}}};
  item.posted = true;
  schedule_posts_.push_back({std::move(item), group});
}

void Host::Partition::decide_schedule_posts(Instant now) {
  std::vector<PostedSchedule> posts = std::exchange(schedule_posts_, {});
  for (PostedSchedule& post : posts) {
    if (next_.groups.abandoned(post.group)) continue;
    const schedule::Key& key = post.item.command.schedule;
    auto fetched = schedules_.cache().fetch({key});
    OpenSchedule* open = schedules_.cache().find(key);
    if (open && open->flying) {
      held_schedule_posts_.push_back(std::move(post));
    } else if (open) {
      decide_schedule(*open, std::move(post.item), post.group, now);
    } else if (!fetched) {
      ++counters_.store_failures;
      abandon(post.group, fetched.error(), now);
    }
    // Else the schedule is damaged: its run must not suffer for it.
  }
}

void Host::Partition::settle_idle_schedules() {
  std::vector<TouchedSchedule> idle;
  size_t kept = 0;
  for (size_t i = 0; i < next_.schedules.size(); ++i) {
    TouchedSchedule& touched = next_.schedules[i];
    if (touched.events.empty()) {
      touched.open->place = OpenSchedule::nowhere;
      idle.push_back(std::move(touched));
      continue;
    }
    touched.open->place = static_cast<uint32_t>(kept);
    if (kept != i) next_.schedules[kept] = std::move(touched);
    ++kept;
  }
  next_.schedules.resize(kept);
  for (TouchedSchedule& touched : idle) {
    schedule::Key key = touched.items.front().item.command.schedule;
    if (touched.open->schedule.exists()) schedules_.settled(*touched.open);
    answer(touched.items, touched.open->schedule);
    schedules_.release(key);
  }
}

void Host::Partition::answer(std::vector<DecidedScheduleItem>& items,
                             const schedule::Schedule& state) {
  for (DecidedScheduleItem& decided : items) {
    ScheduleReply& reply = decided.item.reply;
    if (!reply) continue;
    if (decided.refusal) {
      reply(Failure{*std::move(decided.refusal)});
    } else {
      reply(ScheduleTold{state, decided.changed});
    }
  }
}

void Host::Partition::refuse(ScheduleItem item, const Error& error, Instant now) {
  if (item.reply) {
    item.reply(Failure{error});
  } else if (!item.posted) {
    schedules_.defer(std::move(item), now + schedule_retry_delay);
  }
}

/// The schedules' part of forgetting a group.
void Host::Partition::abandon_schedules(Groups::Member whole, const Error& error, Instant now) {
  std::vector<ScheduleItem> items;
  for (TouchedSchedule& touched : next_.schedules) {
    if (next_.groups.of(touched.group) != whole) continue;
    schedule::Key key = touched.items.front().item.command.schedule;
    for (DecidedScheduleItem& decided : touched.items)
      if (!decided.item.posted) items.push_back(std::move(decided.item));
    schedules_.cache().forget(key);
    schedules_.release(key);
    touched.open = nullptr;
  }
  std::erase_if(next_.schedules, [](const auto& touched) { return touched.open == nullptr; });
  for (size_t i = 0; i < next_.schedules.size(); ++i)
    next_.schedules[i].open->place = static_cast<uint32_t>(i);
  auto gone = [&](const PostedSchedule& post) { return next_.groups.of(post.group) == whole; };
  std::erase_if(schedule_posts_, gone);
  std::erase_if(held_schedule_posts_, gone);
  for (ScheduleItem& item : items) refuse(std::move(item), error, now);
}

// The way of a batch, as in flight.cpp.

void Host::Partition::load_schedules(CommitBatch& batch) {
  batch.schedules.reserve(flying_.schedules.size());
  for (TouchedSchedule& touched : flying_.schedules) {
    touched.open->place = OpenSchedule::nowhere;
    touched.open->flying = true;
    ScheduleWrite& write = batch.schedules.emplace_back(schedules_.write_of(touched));
    if (flying_.groups.shared(touched.group)) write.group = flying_.groups.of(touched.group) + 1;
  }
}

void Host::Partition::landed(TouchedSchedule& touched, ScheduleWrite& write, CommitOutcome outcome,
                             Instant now) {
  if (outcome == CommitOutcome::unknown) outcome = find_out(write);
  OpenSchedule& open = *touched.open;
  schedule::Key key = write.summary.key();
  open.flying = false;
  if (outcome != CommitOutcome::done) return not_committed(touched, outcome, now);
  ++open.version;
  open.since_checkpoint = write.checkpoint ? 0 : open.since_checkpoint + write.events.count;
  counters_.events += write.events.count;
  ports_.feed.schedule_committed(write.summary, write.events);
  ports_.feed.schedule_settled(open.schedule);
  schedules_.settled(open);
  answer(touched.items, open.schedule);
  schedules_.release(key);
}

CommitOutcome Host::Partition::find_out(const ScheduleWrite& write) {
  schedule::Key key = write.summary.key();
  auto loaded = ports_.store.load_schedules(std::span(&key, 1));
  if (!loaded) return CommitOutcome::unknown;
  const StoredSchedule& stored = loaded->front();
  // The state that was written with them stands in the events' place.
  if (write.checkpoint && stored.checkpoint == write.checkpoint) return CommitOutcome::done;
  for (const HistoryChunk& chunk : stored.history)
    if (chunk == write.events) return CommitOutcome::done;
  return CommitOutcome::conflict;
}

void Host::Partition::not_committed(TouchedSchedule& touched, CommitOutcome outcome, Instant now) {
  std::vector<DecidedScheduleItem> items = std::move(touched.items);
  schedule::Key key = items.front().item.command.schedule;
  schedules_.cache().forget(key);
  schedules_.release(key);
  touched.open = nullptr;
  bool conflict = outcome == CommitOutcome::conflict;
  ++(conflict ? counters_.conflicts : counters_.store_failures);
  for (auto decided = items.rbegin(); decided != items.rend(); ++decided) {
    ScheduleItem& item = decided->item;
    if (item.posted) continue;
    if (!conflict) {
      refuse(std::move(item), trouble(outcome), now);
    } else if (++item.tries < conflict_tries_max) {
      schedules_.put_first(std::move(item));
    } else {
      Error error{ErrorCode::store_unavailable, "the schedule is being changed too often", {}};
      refuse(std::move(item), error, now);
    }
  }
}

}  // namespace fermata
