#include "core/trial/trial.h"

#include <algorithm>

#include "core/run/history.h"

namespace fermata::trial {

namespace {

/// Counts the node that an event speaks of, where it speaks of one.
struct CountReached {
  std::vector<uint32_t>& reached;
  template <class Body>
  void operator()(const Body& body) {
    if constexpr (requires { body.activation.node; })
      if (body.activation.node < reached.size()) ++reached[body.activation.node];
  }
};

}  // namespace

std::string_view name_of(End end) {
  static constexpr std::string_view names[] = {"ended", "open", "stuck", "cut"};
  return names[static_cast<size_t>(end)];
}

std::string_view name_of(Cause cause) {
  static constexpr std::string_view names[] = {"timer",  "call",     "job",
                                               "signal", "approval", "child"};
  return names[static_cast<size_t>(cause)];
}

const Manner* manner_of(const std::vector<Rule>& rules,
                        std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    for (const Rule& rule : rules)
      if (rule.name == name) return &rule.manner;
  for (const Rule& rule : rules)
    if (rule.name == "*") return &rule.manner;
  return nullptr;
}

Trial::Trial(const Plan& plan, uint64_t seed)
    : plan_(plan),
      until_(plan.start + plan.horizon),
      dice_(seed),
      now_(plan.start),
      main_("seed-" + std::to_string(seed)),
      reached_(plan.definition->nodes.size()) {}

Outcome<void> Trial::live() {
  StartRun start;
  start.account = plan_.account;
  start.workflow = plan_.workflow;
  start.workflow_version = plan_.version;
  start.definition = plan_.definition;
  start.input = plan_.input;
  start.trigger = plan_.input;
  start.labels = plan_.labels;
  if (plan_.contact) start.contact_id = plan_.contact->id;
  lives_[main_].run.id = main_;
  FERMATA_TRY_VOID(tell({main_, std::move(start)}));
  while (step()) {
  }
  return {};
}

/// The next thing that happens; false when the trial is over.
bool Trial::step() {
  if (run().finished()) {
    end_ = End::ended;
    return false;
  }
  if (commands_ >= plan_.commands_max) return false;
  Life* first = nullptr;
  for (auto& [id, life] : lives_)
    if (life.wake_at && (!first || *life.wake_at < *first->wake_at)) first = &life;
  bool wakes = first && agenda_.empty();
  if (first && !agenda_.empty()) {
    Instant other = agenda_.begin()->first.first;
    // Of two things at one instant either may come first.
    wakes = *first->wake_at < other || (*first->wake_at == other && dice_.chance(0.5));
  }
  if (!wakes && agenda_.empty()) {
    end_ = End::stuck;
    return false;
  }
  Instant next = wakes ? *first->wake_at : agenda_.begin()->first.first;
  if (next > until_) {
    end_ = End::open;
    return false;
  }
  now_ = std::max(now_, next);
  if (wakes) {
    first->due.reset();
    first->wake_at.reset();
    // A refusal is quiet: what was due is gone.
    (void)tell({first->run.id, WakeRun{}, Cause::timer});
    return true;
  }
  Move move = std::move(agenda_.begin()->second);
  agenda_.erase(agenda_.begin());
  auto told = tell(move);
  if (move.sender) answer_sender(*move.sender, told ? nullptr : &told.error());
  return true;
}

Outcome<void> Trial::tell(const Move& move) {
  ++commands_;
  auto found = lives_.find(move.run);
  if (found == lives_.end())
    return fail(ErrorCode::execution_not_found, "there is no execution " + move.run.text());
  Life& life = found->second;
  Given given;
  given.now = now_;
  given.entropy = dice_.next();
  given.limits = plan_.limits;
  given.zones = plan_.zones;
  given.account = plan_.settings;
  if (life.run.contact_id == (plan_.contact ? plan_.contact->id : "") || !life.run.exists())
    given.contact = plan_.contact;
  auto decision = decide(life.run, {move.run, move.body, "simulation"}, given);
  if (!decision) {
    arm(life);
    return Failure{decision.error()};
  }
  if (!decision->events.empty()) {
    life.history.push_back(encode_history(decision->events));
    note(life, *decision, move.cause);
  }
  arm(life);
  for (const Effect& effect : decision->effects)
    if (const auto* call = std::get_if<PlaceCall>(&effect)) place(life, *call);
  for (const WaitRecord& record : decision->waits) hear(record);
  for (const ApprovalRecord& record : decision->approvals) ask(record);
  for (Post& one : decision->posts) post(move.run, std::move(one));
  return {};
}

void Trial::note(const Life& life, const Decision& decision, std::optional<Cause> cause) {
  if (cause) ++fired_[now_.ms / day_ms][static_cast<size_t>(*cause)];
  if (life.run.id != main_) return;
  for (const Event& event : decision.events) std::visit(CountReached{reached_}, event.body);
}

/// Looks at the run when it wants it, or a little later.
void Trial::arm(Life& life) {
  std::optional<Instant> due = summarize(life.run).next_due;
  if (due == life.due && life.wake_at) return;
  life.due = due;
  life.wake_at = due;
  if (!due) return;
  bool to_come = *due > now_;
  if (to_come && plan_.faults.late_ms_max > 0) {
    auto late =
        static_cast<int64_t>(dice_.below(static_cast<uint64_t>(plan_.faults.late_ms_max) + 1));
    life.wake_at = *due + Duration{late};
  }
}

Trial::Agenda::iterator Trial::put(Instant at, Move move) {
  return agenda_.emplace(std::pair{at, ++order_}, std::move(move)).first;
}

/// An answer from outside, which may come again.
void Trial::put_answer(Instant at, Move move) {
  if (plan_.faults.twice > 0 && dice_.chance(plan_.faults.twice))
    put(at + Duration{static_cast<int64_t>(dice_.below(60'000))}, move);
  put(at, std::move(move));
}

Instant Trial::after(const Manner& manner) {
  int64_t wide = std::max<int64_t>(0, manner.latency_max_ms - manner.latency_min_ms);
  auto more = static_cast<int64_t>(dice_.below(static_cast<uint64_t>(wide) + 1));
  return now_ + Duration{manner.latency_min_ms + more};
}

}  // namespace fermata::trial
