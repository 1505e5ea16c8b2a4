#include "core/flow/evaluate/evaluation.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"
#include "core/flow/compile_script.h"
#include "core/flow/durable/execution_bytes.h"

namespace fermata::flow {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr std::string_view run_id = "eval";

Value context_of(const EvaluationCase& given) {
  return Value::object({{"execution_id", run_id},
                        {"executionId", run_id},
                        {"workflow_id", given.name},
                        {"version", 1},
                        {"started_at", to_rfc3339(given.now)},
                        {"labels", Value::object()},
                        {"parent", Value()},
                        {"contact_id", Value()},
                        {"schedule", Value()}});
}

}  // namespace

EvaluationAnswer evaluate_flow(const EvaluationCase& given) { return Evaluation(given).run(); }

Evaluation::Evaluation(const EvaluationCase& given) : given_(given), now_(given.now) {}

bool Evaluation::compile_source() {
  ScriptOptions options;
  options.rhythm = given_.rhythm;
  CompiledScript compiled = compile_script(given_.source, options);
  if (!compiled.checked.name.empty()) given_.name = compiled.checked.name;
  for (const Finding& warning : compiled.checked.warnings) {
    warnings_.push(Value::object({{"rule", warning.code},
                                  {"line", warning.line},
                                  {"column", warning.column},
                                  {"message", warning.message}}));
  }
  script_ = compiled.script;
  if (script_) return true;
  refused_ = Value::array();
  for (const Finding& error : compiled.checked.errors) {
    refused_.push(Value::object({{"path", error.path},
                                 {"message", error.message},
                                 {"line", error.line},
                                 {"column", error.column},
                                 {"rule", error.code},
                                 {"severity", "error"}}));
  }
  return false;
}

EvaluationAnswer Evaluation::run() {
  bool compiled = compile_source();
  execution_ = begin_flow(std::string(run_id), given_.inputs, context_of(given_));
  if (compiled) play();
  Value value = state();
  if (given_.states) {
    // Nothing happens to a script that was refused; indices match all the same.
    for (size_t i = 0; !compiled && i <= given_.resume.size() + given_.steps.size(); ++i)
      states_.push(value);
    value.set("states", states_);
  }
  if (misfit_) {
    value.set("step_error", Value::object({{"step", step_}, {"message", *misfit_}}));
    return {std::move(value), 2};
  }
  bool failed = !compiled || damaged_ || execution_.end == FlowEnd::failed;
  return {std::move(value), failed ? 1 : 0};
}

void Evaluation::play() {
  settle();
  if (given_.states) states_.push(state());
  for (const Value& value : given_.resume) play_step(Value::object({{"resume", value}}));
  for (const Value& step : given_.steps) play_step(step);
}

void Evaluation::play_step(const Value& step) {
  if (misfit_) return;
  ++step_;
  if (!execution_.ended() && !damaged_) {
    apply(step);
    if (misfit_) return;
    if (given_.crash) crash();
  }
  if (given_.states) states_.push(state());
}

FlowGiven Evaluation::given_now() {
  // Every activation draws from a stream of its own.
  Random stream(given_.seed + execution_.activations * 0x9e3779b97f4a7c15ULL);
  zones_.emplace(given_.zones);
  return {now_, stream.next(), given_.limits, &*zones_};
}

/// Lets the machine run until it has nothing left to do.
void Evaluation::settle() {
  while (!damaged_ && wants_activation(execution_)) {
    auto activated =
        activate(execution_, script_, given_now(), out_, given_.resident ? &resident_ : nullptr);
    if (!activated) damaged_ = FlowError{activated.error().code, activated.error().message, {}, {}};
    if (!execution_.open && !execution_.ended()) parked_bytes_ = execution_.snapshot.size();
    if (given_.crash) crash();
  }
  collect();
}

/// What is left of a process that ended: the records and the snapshot, as bytes.
void Evaluation::crash() {
  resident_.drop();
  ByteWriter out;
  encode_execution(execution_, out);
  std::string bytes = out.take();
  ByteReader in(bytes);
  execution_ = {};
  decode_execution(in, execution_);
  check(in.done());
}

void Evaluation::collect() {
  std::vector<Outgoing> out = std::exchange(out_, {});
  for (const Outgoing& outgoing : out) note(outgoing);
  refresh();
}

void Evaluation::note(const Outgoing& outgoing) {
  auto timer = [&](uint32_t number) { return std::ranges::find(timers_, number, &Timer::number); };
  auto set_timer = [&](uint32_t number, std::string_view state) {
    auto found = timer(number);
    if (found != timers_.end() && found->state == "armed") found->state = state;
  };
  std::visit(
      Overloaded{
          [&](const SubmitTask& task) {
            tasks_.push_back(
                {task.number, AwaitableKind::task, task.name, task.input, task.options});
          },
          [&](const ArmTimer& armed) {
            if (armed.number == 0) return;
            auto found = timer(armed.number);
            double seconds = static_cast<double>((armed.due - now_).ms) / 1000;
            if (found == timers_.end()) {
              timers_.push_back({armed.number, armed.due, seconds});
            } else {
              found->state = "armed";
            }
          },
          [&](const DisarmTimer& disarmed) { set_timer(disarmed.number, "cancelled"); },
          [&](const TimerFired& fired) { set_timer(fired.number, "fired"); },
          [&](const StartChild& child) {
            children_.push_back({child.number, AwaitableKind::child, child.workflow, child.input,
                                 child.options, child.detached ? "started" : "pending"});
          },
          [&](const OpenApproval& approval) {
            approvals_.push_back({approval.number,
                                  AwaitableKind::approval,
                                  std::string(approval.request.get("title").as_string()),
                                  {},
                                  approval.request});
          },
          [&](const CancelWork& cancelled) {
            for (auto* list : {&tasks_, &children_, &approvals_}) {
              auto found = std::ranges::find(*list, cancelled.number, &Asked::number);
              if (found != list->end() && found->status == "pending") found->status = "cancelled";
            }
          },
          [&](const Logged& line) {
            Value out = Value::object({{"level", line.level}, {"message", line.message}});
            if (line.data) out.set("data", *line.data);
            logs_.push(std::move(out));
          },
          [&](const Warned& warning) {
            warnings_.push(Value::object({{"rule", warning.rule},
                                          {"line", outgoing.place.line},
                                          {"column", outgoing.place.column},
                                          {"message", warning.message}}));
          },
          [&](const auto&) {},
      },
      outgoing.what);
}

/// Records of what has settled may be gone; the lists remember.
void Evaluation::refresh() {
  for (auto* list : {&tasks_, &children_, &approvals_}) {
    for (Asked& one : *list) {
      auto found = execution_.awaitables.find(one.number);
      if (one.status == "pending" && found != execution_.awaitables.end()) {
        one.status = status_name(found->second.status);
      }
    }
  }
}

}  // namespace fermata::flow
