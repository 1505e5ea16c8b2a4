#include "sim/auditors/schedule_ledger.h"

#include "core/schedule/history.h"

namespace fermata::sim {

namespace {

[[noreturn]] void violate_schedule(const schedule::Schedule& schedule, const std::string& what) {
  throw Violation{"schedule " + schedule.id.text() + ": " + what};
}

schedule::Rule rule_of(const schedule::Schedule& schedule) {
  auto rule = schedule::Rule::of(schedule.spec, schedule.created_at, *utc_table());
  if (!rule) violate_schedule(schedule, "its rule is wrong");
  return *std::move(rule);
}

}  // namespace

void ScheduleLedger::written(const StoredSchedule& stored, const ScheduleWrite& write) {
  Watched& watched = all_[write.summary.key()];
  schedule::Schedule& state = watched.state;
  state.id = write.summary.id;
  auto events = schedule::decode_history(write.events);
  if (!events) throw Violation{"a stored chunk cannot be read: " + events.error().message};
  for (const schedule::Event& event : *events) {
    if (trace_.on()) trace_.line("  ", state.id.text(), " ", schedule::type_name(event.body));
    if (event.sequence != state.last_sequence + 1) violate_schedule(state, "its history has a gap");
    if (event.at < state.last_at) violate_schedule(state, "its history goes back in time");
    bool same_rule = true;
    if (const auto* updated = std::get_if<schedule::ScheduleUpdated>(&event.body))
      same_rule = state.spec.same_rule(updated->spec);
    evolve(state, event);
    if (!same_rule) watched.begins = true;
    look_at(watched, event);
  }
  if (!(stored.summary == summarize(state))) violate_schedule(state, "its row tells another state");
}

void ScheduleLedger::look_at(Watched& watched, const schedule::Event& event) {
  const schedule::Schedule& state = watched.state;
  bool begins = std::holds_alternative<schedule::ScheduleCreated>(event.body) ||
                std::holds_alternative<schedule::ScheduleResumed>(event.body);
  if (begins) watched.begins = true;
  if (const auto* started = std::get_if<schedule::OccurrenceStarted>(&event.body)) {
    if (!watched.started.emplace(started->run, false).second)
      violate_schedule(state, "run " + started->run.text() + " is started twice");
    if (started->cause == schedule::Cause::rule && !started->queued)
      watched.decided.push_back(started->occurrence);
  }
  if (const auto* queued = std::get_if<schedule::OccurrenceQueued>(&event.body)) {
    ++watched.queued;
    if (queued->cause == schedule::Cause::rule) watched.decided.push_back(queued->occurrence);
  }
  if (const auto* skipped = std::get_if<schedule::OccurrencesSkipped>(&event.body)) {
    schedule::Rule rule = rule_of(state);
    uint64_t count = 0;
    auto one = rule.next(skipped->first - Duration{1});
    for (; one && *one <= skipped->last; one = rule.next(*one), ++count)
      watched.decided.push_back(*one);
    if (count != skipped->count) violate_schedule(state, "it counts what it skips wrongly");
    watched.skipped[skipped->reason] += count;
  }
  if (std::holds_alternative<schedule::PreviousCancelled>(event.body)) ++watched.cancelled;
  if (const auto* ended = std::get_if<schedule::ScheduledRunEnded>(&event.body)) {
    auto run = watched.started.find(ended->run);
    if (run == watched.started.end() || run->second)
      violate_schedule(state, "it hears twice of run " + ended->run.text());
    run->second = true;
  }
  if (const auto* armed = std::get_if<schedule::ScheduleArmed>(&event.body)) count(watched, *armed);
}

/// Everything that the rule names up to here was decided once, in order.
void ScheduleLedger::count(Watched& watched, const schedule::ScheduleArmed& armed) {
  std::vector<Instant> expected;
  if (!std::exchange(watched.begins, false)) {
    schedule::Rule rule = rule_of(watched.state);
    auto one = rule.next(watched.counted_to);
    for (; one && *one <= armed.counted_to; one = rule.next(*one)) expected.push_back(*one);
  }
  if (watched.decided != expected)
    violate_schedule(watched.state, "of " + std::to_string(expected.size()) +
                                        " occurrences since " + to_rfc3339(watched.counted_to) +
                                        " it decided " + std::to_string(watched.decided.size()));
  watched.decided.clear();
  watched.counted_to = armed.counted_to;
}

void ScheduleLedger::compare(const schedule::Schedule& live) const {
  auto found = all_.find(live.key());
  if (found == all_.end()) throw Violation{"schedule " + live.id.text() + " lives in memory alone"};
  if (!(found->second.state == live))
    violate_schedule(live, "the state in memory is not the fold of the history");
}

}  // namespace fermata::sim
