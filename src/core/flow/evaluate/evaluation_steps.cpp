#include <algorithm>

#include "core/flow/durable/awaitable_errors.h"
#include "core/flow/durations.h"
#include "core/flow/evaluate/evaluation.h"

/// The steps of a case (F-64).
namespace fermata::flow {

namespace {

std::optional<Duration> duration_of(const Value& given) {
  if (given.is_number() && given.as_number() >= 0) {
    return Duration{static_cast<int64_t>(given.as_number())};
  }
  if (!given.is_string()) return std::nullopt;
  auto read = read_duration(given.as_string());
  return read && read->ms >= 0 ? read : std::nullopt;
}

}  // namespace

void Evaluation::misfit(std::string message) {
  if (!misfit_) misfit_ = std::move(message);
}

void Evaluation::apply(const Value& step) {
  if (!step.is_object()) return misfit("a step is an object");
  for (std::string_view verb : {"complete", "fail", "cancel"}) {
    if (step.find(verb) != nullptr) return apply_end(step, verb);
  }
  if (step.find("signal") != nullptr) return apply_signal(step);
  if (step.find("fire") != nullptr) return apply_fire(step);
  if (step.find("advance") != nullptr) return apply_advance(step);
  if (const Value* value = step.find("resume")) return apply_resume(*value);
  if (step.find("batch") != nullptr) return apply_batch(step);
  if (step.find("crash") != nullptr) return crash();
  misfit("a step is one of complete, fail, cancel, signal, fire, advance, resume, batch, crash");
}

void Evaluation::take_command(FlowCommand command) {
  if (take(execution_, std::move(command), given_now(), out_) != Taken::done) ++ignored_;
  // A record may be gone once the script has gone on.
  collect();
  settle();
}

/// The failure that the target's kind makes of what the step reports.
Value Evaluation::failure_of(uint32_t number, const Value& step) const {
  const Awaitable& record = execution_.awaitables.at(number);
  const Value& reported = step.get("error");
  const Value& attempts = step.get("attempts");
  if (record.kind == AwaitableKind::task) {
    TaskEnd end;
    end.task = record.name;
    end.reported = reported;
    if (attempts.is_integer()) end.attempts = attempts.as_integer();
    return task_error(end);
  }
  if (record.kind == AwaitableKind::child) {
    return child_error(record.name, reported.is_null() ? Value() : reported_error(reported), false);
  }
  return reported_error(reported);
}

void Evaluation::apply_end(const Value& step, std::string_view verb) {
  auto target = target_of(step.get(verb));
  if (!target) return misfit("`" + std::string(verb) + "` names nothing that the script started");
  if (!target->pending) {
    ++ignored_;
    return;
  }
  if (verb == "complete") {
    return take_command(
        SettleAwaitable{target->number, AwaitableStatus::completed, step.get("result")});
  }
  if (verb == "cancel") {
    return take_command(SettleAwaitable{target->number, AwaitableStatus::cancelled,
                                        cancelled_error("it was cancelled")});
  }
  take_command(
      SettleAwaitable{target->number, AwaitableStatus::failed, failure_of(target->number, step)});
}

void Evaluation::apply_signal(const Value& step) {
  const Value& name = step.get("signal");
  if (!name.is_string()) return misfit("`signal` is a name");
  take_command(ReceiveSignal{std::string(name.as_string()), step.get("payload")});
}

Evaluation::Timer* Evaluation::next_timer(std::optional<Instant> until) {
  Timer* best = nullptr;
  for (Timer& timer : timers_) {
    if (timer.state != "armed" || (until && timer.due > *until)) continue;
    bool earlier = best == nullptr || timer.due < best->due ||
                   (timer.due == best->due && timer.number < best->number);
    if (earlier) best = &timer;
  }
  return best;
}

Evaluation::Timer* Evaluation::timer_of(const Value& target) {
  if (target.is_integer()) {
    auto index = static_cast<uint64_t>(target.as_integer());
    return index < timers_.size() ? &timers_[index] : nullptr;
  }
  if (target.is_string() && target.as_string() == "next") return next_timer();
  auto number = number_of(target.is_object() ? target.get("id") : target);
  auto found = number ? std::ranges::find(timers_, *number, &Timer::number) : timers_.end();
  return found == timers_.end() ? nullptr : &*found;
}

void Evaluation::fire(Timer& timer) {
  now_ = std::max(now_, timer.due);
  take_command(FireTimer{timer.number});
}

void Evaluation::apply_fire(const Value& step) {
  Timer* timer = timer_of(step.get("fire"));
  if (timer == nullptr) return misfit("`fire` names no timer");
  if (timer->state != "armed") {
    ++ignored_;
    return;
  }
  fire(*timer);
}

/// The clock stops at every due time on the way, also of timers that are armed meanwhile.
void Evaluation::apply_advance(const Value& step) {
  auto by = duration_of(step.get("advance"));
  if (!by) return misfit("`advance` is a duration or milliseconds");
  Instant until = now_ + *by;
  while (!execution_.ended() && !damaged_) {
    Timer* timer = next_timer(until);
    if (timer == nullptr) break;
    fire(*timer);
  }
  now_ = until;
}

void Evaluation::apply_resume(const Value& value) {
  auto main = execution_.parked.find(main_fiber);
  if (main == execution_.parked.end()) return misfit("the main fiber waits for nothing");
  uint32_t number = main->second.awaiting;
  auto timer = std::ranges::find(timers_, number, &Timer::number);
  if (timer != timers_.end() && timer->state == "armed") timer->state = "fired";
  take_command(SettleAwaitable{number, AwaitableStatus::completed, value});
}

/// Results, signals and answers in the order given, then timers by due time and id (F-30).
void Evaluation::apply_batch(const Value& step) {
  const Value& batch = step.get("batch");
  if (!batch.is_array()) return misfit("`batch` is a list of steps");
  struct Due {
    int64_t due_ms;
    uint32_t number;
    Value step;
  };
  std::vector<Due> fires;
  std::vector<Value> last;
  for (const Value& one : batch.items()) {
    if (one.find("fire") != nullptr) {
      Timer* timer = timer_of(one.get("fire"));
      if (timer == nullptr) return misfit("`fire` names no timer");
      Value by_id = Value::object({{"id", execution_.id_of(timer->number)}});
      fires.push_back({timer->due.ms, timer->number, Value::object({{"fire", by_id}})});
    } else if (one.find("advance") != nullptr) {
      last.push_back(one);
    }
  }
  for (const Value& one : batch.items()) {
    bool timed = one.find("fire") != nullptr || one.find("advance") != nullptr;
    if (!timed && !stopped()) apply(one);
  }
  std::ranges::stable_sort(fires, [](const Due& a, const Due& b) {
    return a.due_ms != b.due_ms ? a.due_ms < b.due_ms : a.number < b.number;
  });
  for (const Due& one : fires) {
    if (!stopped()) apply_fire(one.step);
  }
  for (const Value& one : last) {
    if (!stopped()) apply_advance(one);
  }
}

std::optional<uint32_t> Evaluation::number_of(const Value& id) const {
  if (!id.is_string()) return std::nullopt;
  std::string_view text = id.as_string();
  std::string prefix = execution_.run_id + ".";
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  uint32_t number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || number == 0 || number > execution_.last_number) return std::nullopt;
  return number;
}

std::optional<Evaluation::Target> Evaluation::target_number(uint32_t number) {
  auto found = execution_.awaitables.find(number);
  return Target{number, found != execution_.awaitables.end() && found->second.pending()};
}

std::optional<Evaluation::Target> Evaluation::target_named(std::string_view name) {
  std::optional<Target> best;
  for (const auto* list : {&tasks_, &children_, &approvals_}) {
    for (const Asked& one : *list) {
      if (one.name != name) continue;
      Target target = *target_number(one.number);
      bool better = !best || (target.pending && !best->pending) ||
                    (target.pending == best->pending && target.number < best->number);
      if (better) best = target;
    }
  }
  return best;
}

std::optional<Evaluation::Target> Evaluation::target_of(const Value& target) {
  if (target.is_string()) return target_named(target.as_string());
  auto at = [&](const std::vector<Asked>& list, const Value& index) -> std::optional<Target> {
    if (!index.is_integer() || static_cast<uint64_t>(index.as_integer()) >= list.size()) {
      return std::nullopt;
    }
    return target_number(list[static_cast<size_t>(index.as_integer())].number);
  };
  if (target.is_number()) return at(tasks_, target);
  if (const Value* child = target.find("child")) return at(children_, *child);
  if (const Value* approval = target.find("approval")) return at(approvals_, *approval);
  auto number = number_of(target.get("id"));
  return number ? target_number(*number) : std::nullopt;
}

}  // namespace fermata::flow
