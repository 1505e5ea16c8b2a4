#include "core/trial/tally.h"

namespace fermata::trial {

namespace {

/// What a condition may speak of: $status, $end, $output, $error, $input, $length_ms, $reached.
class TrialRoots final : public flow::Roots {
 public:
  TrialRoots(const Plan& plan, const Trial& trial) : plan_(plan), trial_(trial) {}
  std::optional<Value> root(std::string_view name) const override {
    const Run& run = trial_.run();
    if (name == "status") return Value(name_of(shown_status(run)));
    if (name == "end") return Value(name_of(trial_.end()));
    if (name == "output") return run.output;
    if (name == "error") return run.error;
    if (name == "input") return plan_.input;
    if (name == "length_ms")
      return Value((run.completed_at ? run.completed_at->ms : run.last_at.ms) - run.started_at.ms);
    if (name != "reached") return std::nullopt;
    Value reached = Value::object();
    for (size_t i = 0; i < trial_.reached().size(); ++i)
      reached.set(plan_.definition->nodes[i].name, trial_.reached()[i] > 0);
    return reached;
  }

 private:
  const Plan& plan_;
  const Trial& trial_;
};

}  // namespace

Outcome<void> holds(const Promise& promise, const Plan& plan, const Trial& trial) {
  const Run& run = trial.run();
  bool kept = true;
  std::string why = "the condition does not hold";
  if (promise.kind == Promise::Kind::ends) {
    kept = trial.end() == End::ended;
    why = trial.end() == End::open    ? "it still waits when the horizon is reached"
          : trial.end() == End::stuck ? "it waits for something that never comes"
                                      : "it does not come to an end within the commands allowed";
  } else if (promise.kind == Promise::Kind::completes) {
    kept = !run.finished() || run.status == RunStatus::completed;
    why = "it ends as " + std::string(name_of(run.status));
    if (run.error.is_object() && run.error.get("code").is_string())
      why += ": " + std::string(run.error.get("code").as_string());
  } else {
    flow::EvalGiven given;
    given.now = run.last_at;
    given.zones = plan.zones.get();
    auto held = flow::holds(promise.condition, TrialRoots(plan, trial), given);
    kept = held && *held;
    if (!held) why = held.error().message;
  }
  if (kept) return {};
  return fail(ErrorCode::wrong_state, why);
}

}  // namespace fermata::trial
