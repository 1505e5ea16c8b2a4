#include "core/run/wait_events.h"

#include <algorithm>

#include "base/check.h"
#include "base/uuid.h"
#include "core/run/script_events.h"
#include "core/run/script_waits.h"
#include "core/run/tokens.h"

namespace fermata {

namespace {

/// Fixed by the address (W-3), so that a repeat makes no second wait.
std::string wait_id_of(const Run& run, const std::string& step, uint32_t occurrence) {
  const std::string& run_id = run.id.text();
  std::string id = uuid_v5(run_id + "/" + step + "#" + std::to_string(occurrence));
  if (!is_uuid(run_id)) return id;
  // It begins with the time its run's id begins with: what is opened at one time lies together in
  // an index, and few pages of it change in one commit. The rest is still fixed by the address.
  constexpr size_t time_digits = 13, version_at = 14;
  id.replace(0, time_digits, run_id, 0, time_digits);
  id[version_at] = '8';
  return id;
}

/// Keeps what the run counts in step with a change of one of its waits (W-80).
class Recount {
 public:
  Recount(Run& run, const Wait& wait)
      : run_(run), wait_(wait), before_(counts_in_limit(wait) ? 1U : 0U) {}
  ~Recount() { run_.waits_counted += (counts_in_limit(wait_) ? 1U : 0U) - before_; }
  Recount(const Recount&) = delete;
  Recount& operator=(const Recount&) = delete;

 private:
  Run& run_;
  const Wait& wait_;
  const uint32_t before_;
};

void close_listeners(Wait& wait) {
  bool taken = false;
  for (Listener& listener : wait.listeners) {
    if (listener.status != ListenerStatus::active) continue;
    listener.status = ListenerStatus::cancelled;
    if (wait.status == WaitStatus::timeout) listener.status = ListenerStatus::expired;
    // What listens was told of its match by an event of its own.
    bool heard = wait.status == WaitStatus::resumed && wait.resumed_by == "event";
    if (heard && !listener.window_start && !taken) {
      listener.status = ListenerStatus::matched;
      listener.matched_event = wait.signal_id;
      taken = true;
    }
  }
}

/// Ends of waits of the API are counted: others are told of them in this order (W-72).
void count_end(Run& run, Wait& wait) {
  if (wait.source == WaitSource::api && wait.ending == 0) wait.ending = ++run.endings;
}

/// The timer of a wait that parks no token.
void set_timer(Run& run, uint64_t number, std::optional<Instant> due) {
  std::erase_if(run.timers, [&](const RunTimer& timer) {
    return timer.kind == TimerKind::wait && timer.id == number;
  });
  if (due) run.timers.insert({*due, TimerKind::wait, number});
}

/// The wait leaves the run for good; one that was cancelled before keeps how it ended.
void close_wait(Run& run, std::map<WaitKey, Wait>::iterator at, WaitEnd end) {
  Wait wait = std::move(at->second);
  if (at->first.source == WaitSource::api) set_timer(run, at->first.number, std::nullopt);
  run.wait_keys.erase(wait.id);
  run.waits.erase(at);
  if (counts_in_limit(wait)) --run.waits_counted;
  wait.parked = false;
  wait.hold.clear();
  if (is_pending(wait.status)) {
    wait.status = end.status;
    wait.resumed_by = std::move(end.resumed_by);
    wait.ended_reason = std::move(end.reason);
    wait.signal_id = std::move(end.signal_id);
    if (!end.outcome.is_null()) wait.outcome = std::move(end.outcome);
    close_listeners(wait);
    count_end(run, wait);
  }
  run.wait_changes.push_back(std::move(wait));
}

std::map<WaitKey, Wait>::iterator wait_at(Run& run, const std::string& id) {
  auto key = run.wait_keys.find(id);
  return key == run.wait_keys.end() ? run.waits.end() : run.waits.find(key->second);
}

/// The timer of what stands at the wait follows its due time, unless the wait is held or over.
void arm(Run& run, const WaitKey& key, const Wait& wait) {
  // One that has found no room yet resumes when its instant comes first.
  bool armed = is_pending(wait.status) &&
               (wait.hold.empty() || wait.hold == "run_paused" || wait.hold == held_by_limit);
  if (key.source == WaitSource::api)
    return set_timer(run, key.number, armed ? wait.due : std::nullopt);
  if (key.source != WaitSource::graph) return;
  Token& token = run.tokens.at(key.number);
  set_due(run, key.number, token, armed ? wait.due : std::nullopt);
}

Wait& add_wait(Run& run, WaitKey key, Wait wait) {
  wait.occurrence = ++run.waits_opened[wait.step];
  if (wait.id.empty()) wait.id = wait_id_of(run, wait.step, wait.occurrence);
  if (run.paused()) wait.hold = "run_paused";
  auto [entry, added] = run.waits.insert_or_assign(key, std::move(wait));
  check(added);
  run.wait_keys.insert_or_assign(entry->second.id, key);
  if (counts_in_limit(entry->second)) ++run.waits_counted;
  return entry->second;
}

/// What whoever opened the wait by the API is told of how its token went on.
Value told_outcome(const Value& output) {
  Value outcome = Value::object();
  for (const char* name : {"event", "branch"})
    if (!output.get(name).is_null()) outcome.set(name, output.get(name));
  return outcome.size() > 0 ? outcome : Value();
}

/// The window of the next wait at the step begins here (W-56), without what this one used.
void note_end(Run& run, const Wait& wait, Instant at) {
  // Without a program every wait is a step, whatever it waited for.
  if ((!wait.listens() && !run.definition->external) || run.finished()) return;
  StepEnd& end = run.event_ends[wait.step];
  if (end.at < at) end.signals.clear();
  end.at = std::max(end.at, at);
  end.opened = run.waits_opened[wait.step];
  for (const Listener& listener : wait.listeners)
    if (listener.status == ListenerStatus::matched) end.signals.insert(listener.matched_event);
}

Wait signal_wait(const Run& run, NodeIndex node, std::string name) {
  Wait wait;
  wait.step = run.definition->nodes[node].id;
  wait.type = "for_event";
  wait.status = WaitStatus::waiting;
  Listener listener;
  listener.event_type = std::move(name);
  listener.scope = "execution";
  wait.listeners.push_back(std::move(listener));
  return wait;
}

}  // namespace

std::string next_wait_id(const Run& run, const std::string& step) {
  auto opened = run.waits_opened.find(step);
  return wait_id_of(run, step, opened == run.waits_opened.end() ? 1 : opened->second + 1);
}

Value signal_wait_parameters(const WaitOpened& event) {
  Value parameters = Value::object({{"name", event.signal_name}});
  if (const Value* match = event.config.find("match")) parameters.set("match", *match);
  return parameters;
}

void open_wait(Run& run, const WaitOpened& event, Instant at) {
  Wait wait;
  if (event.kind == "signal") {
    wait = signal_wait(run, event.activation.node, event.signal_name);
  } else {
    wait.step = run.definition->nodes[event.activation.node].id;
    wait.type = event.wait_type.empty() ? "fixed_time" : event.wait_type;
  }
  if (event.kind == "event") {
    wait.status = WaitStatus::waiting;
    wait.listeners = event.listeners;
  }
  wait.config = event.config;
  wait.due = event.resume_at;
  wait.intent = event.intent;
  wait.reached_at = at;
  run.wait_changes.push_back(
      add_wait(run, {WaitSource::graph, event.activation.token}, std::move(wait)));
}

void end_wait(Run& run, TokenId token, WaitEnd end) {
  if (run.waits.empty()) return;
  auto found = run.waits.find({WaitSource::graph, token});
  if (found != run.waits.end()) close_wait(run, found, std::move(end));
}

void end_wait(Run& run, const WaitResumed& event, Instant at) {
  TokenId token = event.activation.token;
  WaitEnd end{WaitStatus::resumed, event.resumed_by, "", event.signal_id, Value()};
  if (event.resumed_by == "timeout") end.status = WaitStatus::timeout;
  if (event.resumed_by == "signal") {
    end.resumed_by = "event";
    // What was there before the token came: the wait opens and ends in one.
    if (!run.waits.contains({WaitSource::graph, token})) {
      std::string name;
      for (const KeptSignal& signal : run.signals)
        if (signal.id == event.signal_id) name = signal.name;
      Wait wait = signal_wait(run, event.activation.node, std::move(name));
      wait.reached_at = at;
      add_wait(run, {WaitSource::graph, token}, std::move(wait));
    }
  }
  auto opened = run.waits.find({WaitSource::graph, token});
  if (opened != run.waits.end() && opened->second.source == WaitSource::api)
    end.outcome = told_outcome(event.output);
  end_wait(run, token, std::move(end));
}

void open_script_wait(Run& run, uint64_t number, Wait wait) {
  run.wait_changes.push_back(add_wait(run, {WaitSource::flow, number}, std::move(wait)));
}

void end_script_wait(Run& run, uint64_t number, WaitEnd end) {
  auto found = run.waits.find({WaitSource::flow, number});
  if (found != run.waits.end()) close_wait(run, found, std::move(end));
}

void fail_wait(Run& run, TokenId token) {
  if (run.waits.empty()) return;
  auto found = run.waits.find({WaitSource::graph, token});
  if (found == run.waits.end()) return;
  WaitEnd end{WaitStatus::error, "", "error", "", {}};
  if (found->second.is_for_event()) end = {WaitStatus::timeout, "timeout", "", "", {}};
  close_wait(run, found, std::move(end));
}

void cancel_all_waits(Run& run, const std::string& reason) {
  while (!run.waits.empty())
    close_wait(run, run.waits.begin(), {WaitStatus::cancelled, "cancelled", reason, "", {}});
}

void end_all_waits(Run& run, const std::string& reason) {
  cancel_all_waits(run, reason);
  // Those that went when everything was cancelled, just before, went for the same reason.
  for (Wait& wait : run.wait_changes)
    if (wait.status == WaitStatus::cancelled && wait.ended_reason == run_ends)
      wait.ended_reason = reason;
}

void hold_for_pause(Run& run, bool paused) {
  for (auto& [key, wait] : run.waits) {
    if (!is_pending(wait.status) || wait.hold != (paused ? "" : "run_paused")) continue;
    wait.hold = paused ? "run_paused" : "";
    run.wait_changes.push_back(wait);
  }
}

void take_over_waits(Run& run, Instant at) {
  std::map<WaitKey, Wait> before = std::exchange(run.waits, {});
  run.wait_keys.clear();
  run.waits_counted = 0;
  run.waits_opened.clear();
  run.event_ends.clear();
  run.wait_changes.clear();
  // What the API had opened is the other run's.
  std::erase_if(run.timers, [](const RunTimer& timer) { return timer.kind == TimerKind::wait; });
  run.endings = 0;
  for (auto& [id, token] : run.tokens) {
    if (token.parked != Parked::timer && token.parked != Parked::signal &&
        token.parked != Parked::event)
      continue;
    auto known = before.find({WaitSource::graph, id});
    Wait wait;
    if (known != before.end()) {
      wait = std::move(known->second);
      wait.retries = 0;
      wait.last_error.clear();
    } else if (token.parked == Parked::signal) {
      const Value& name = token.parameters.get("name");
      wait = signal_wait(run, token.node, name.is_string() ? std::string(name.as_string()) : "");
      wait.due = token.due;
    } else {
      wait.step = run.definition->nodes[token.node].id;
      wait.type = "fixed_time";
      wait.due = token.due;
    }
    wait.id.clear();
    wait.reached_at = at;
    run.wait_changes.push_back(add_wait(run, {WaitSource::graph, id}, std::move(wait)));
  }
  follow_script(run, 0, at);
}

void date_changes(Run& run, size_t from, Instant at) {
  for (size_t i = from; i < run.wait_changes.size(); ++i) {
    Wait& wait = run.wait_changes[i];
    wait.updated_at = at;
    if (is_pending(wait.status) || wait.ended_at) continue;
    wait.ended_at = at;
    for (Listener& listener : wait.listeners)
      if (listener.status == ListenerStatus::matched && !listener.matched_at)
        listener.matched_at = at;
    note_end(run, wait, at);
  }
}

void apply(Run& run, const WaitCancelled& event, Instant at) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  // One beside a program parks nothing, so nothing of it stays.
  if (found->first.source == WaitSource::api && !run.definition->external)
    return close_wait(run, found, {WaitStatus::cancelled, "cancelled", event.reason, "", {}});
  Wait& wait = found->second;
  Recount recount(run, wait);
  wait.status = WaitStatus::cancelled;
  wait.resumed_by = "cancelled";
  wait.ended_reason = event.reason;
  wait.ended_at = at;
  wait.hold.clear();
  close_listeners(wait);
  count_end(run, wait);
  note_end(run, wait, at);
  arm(run, found->first, wait);
  run.wait_changes.push_back(wait);
}

void apply(Run& run, const WaitChanged& event, Instant) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  Wait& wait = found->second;
  Recount recount(run, wait);
  wait.due = event.due;
  wait.config = event.config;
  wait.intent = event.intent;
  // What a wait for signals listens to from now on comes along with it.
  if (const Value* listeners = event.intent.find("listeners")) {
    wait.listeners = listeners_of(*listeners);
    Value rest = Value::object();
    for (const Value::Member& member : event.intent.members())
      if (member.key.as_string() != "listeners") rest.set(member.key.as_string(), member.value);
    wait.intent = rest.size() > 0 ? std::move(rest) : Value();
  }
  arm(run, found->first, wait);
  run.wait_changes.push_back(wait);
}

void apply(Run& run, const WaitHeld& event, Instant) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  Recount recount(run, found->second);
  found->second.hold = event.reason;
  arm(run, found->first, found->second);
  run.wait_changes.push_back(found->second);
}

void apply(Run& run, const SignalMatched& event, Instant at) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end() || event.listener >= found->second.listeners.size()) return;
  Listener& listener = found->second.listeners[event.listener];
  listener.status = ListenerStatus::matched;
  listener.matched_at = at;
  listener.matched_event = event.signal_id;
  listener.event = event.signal;
  run.wait_changes.push_back(found->second);
}

void apply(Run& run, const WaitReleased& event, Instant) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  Recount recount(run, found->second);
  found->second.hold = run.paused() ? "run_paused" : "";
  arm(run, found->first, found->second);
  run.wait_changes.push_back(found->second);
}

namespace {

/// Makes room at the place that a cancelled wait has left; a token that stands there waits on.
std::optional<WaitKey> take_place(Run& run, uint64_t number, const Wait& next) {
  auto left = run.waits.find({WaitSource::graph, number});
  bool parked = left != run.waits.end();
  if (!parked) left = run.waits.find({WaitSource::api, number});
  if (left == run.waits.end()) return std::nullopt;
  close_wait(run, left, {});
  if (!parked) return std::nullopt;
  run.tokens.at(number).parked = next.is_for_event() ? Parked::event : Parked::timer;
  return WaitKey{WaitSource::graph, number};
}

}  // namespace

void apply(Run& run, const WaitRegistered& event, Instant at) {
  std::optional<WaitKey> place;
  if (event.takes != 0) place = take_place(run, event.takes, event.wait);
  WaitKey key = place ? *place : WaitKey{WaitSource::api, run.next_token++};
  Wait& wait = add_wait(run, key, event.wait);
  wait.reached_at = at;
  if (!wait.request.empty()) run.signal_ids.insert(taken_request(wait.request));
  if (!is_pending(wait.status)) {
    // It could not be opened.
    count_end(run, wait);
    return close_wait(run, run.waits.find(key), {});
  }
  arm(run, key, wait);
  run.wait_changes.push_back(wait);
}

void apply(Run& run, const WaitEnded& event, Instant) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  close_wait(run, found,
             {event.status, event.resumed_by, event.reason, event.signal_id, event.outcome});
}

void apply(Run& run, const ResumeFailed& event, Instant) {
  auto found = wait_at(run, event.wait);
  if (found == run.waits.end()) return;
  auto& [key, wait] = *found;
  wait.last_error = event.error;
  if (!event.retry_at)
    return close_wait(run, found, {WaitStatus::error, "", wait_resume_failed, "", {}});
  wait.retries = event.attempt;
  // A signal that could not be taken leaves the timeout where it is.
  if (wait.due && *wait.due < *event.retry_at) {
    if (key.source == WaitSource::api) set_timer(run, key.number, event.retry_at);
    if (key.source == WaitSource::flow) delay_script(run, *event.retry_at);
    if (key.source == WaitSource::graph)
      set_due(run, key.number, run.tokens.at(key.number), event.retry_at);
  }
  run.wait_changes.push_back(wait);
}

const std::pair<const WaitKey, Wait>* find_wait(const Run& run, const std::string& id) {
  auto key = run.wait_keys.find(id);
  return key == run.wait_keys.end() ? nullptr : &*run.waits.find(key->second);
}

Failure<Error> wait_has_ended() {
  return fail(ErrorCode::wait_ended, "the wait has already ended");
}

Outcome<WaitKey> standing_wait(const Run& run, const std::string& id) {
  const auto* found = find_wait(run, id);
  if (!found) return wait_has_ended();
  return found->first;
}

std::vector<WaitRecord> take_wait_changes(Run& run) {
  std::vector<WaitRecord> records;
  std::map<std::string_view, size_t> places;
  std::vector<Wait> changes = std::exchange(run.wait_changes, {});
  if (changes.empty()) return records;
  records.reserve(changes.size());
  // Ids stay where they are: of each wait the last change counts.
  for (size_t i = changes.size(); i-- > 0;) {
    if (!places.emplace(changes[i].id, i).second) continue;
    records.push_back({run.account, run.workflow, run.id, run.contact_id, changes[i]});
  }
  std::reverse(records.begin(), records.end());
  return records;
}

}  // namespace fermata
