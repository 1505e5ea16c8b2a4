#include "core/flow/durable/activate.h"

#include "core/flow/durable/given_roots.h"
#include "core/flow/durable/own_copy.h"
#include "core/flow/durable/snapshot.h"

namespace fermata::flow {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Taken taken(bool changed) { return changed ? Taken::done : Taken::ignored; }

Taken end_flow(Execution& execution, const EndFlow& how, const FlowGiven& given, Ledger& ledger) {
  bool again = execution.unwinding != FlowEnd::none;
  if (how.force || !execution.started) {
    ledger.finish(again ? execution.unwinding : how.end);
    return Taken::done;
  }
  if (again) return Taken::ignored;
  ledger.unwind(how, given.now, given.limits.cancel_grace_ms);
  return Taken::done;
}

Taken fire(Execution& execution, const FireTimer& timer, const FlowGiven& given, Ledger& ledger) {
  if (timer.number != 0) return taken(ledger.fire(timer.number, given.now));
  if (!execution.grace_until || *execution.grace_until > given.now) return Taken::ignored;
  ledger.finish(execution.unwinding);
  return Taken::done;
}

}  // namespace

Execution begin_flow(std::string run_id, Value inputs, Value context) {
  Execution out;
  out.run_id = std::move(run_id);
  out.inputs = inputs.is_null() ? Value::object() : own_copy(inputs);
  out.context = std::move(context);
  return out;
}

Taken take(Execution& execution, FlowCommand command, const FlowGiven& given,
           std::vector<Outgoing>& out) {
  if (execution.ended()) return Taken::run_finished;
  bool signal = std::holds_alternative<ReceiveSignal>(command);
  if (signal && execution.signals_kept >= given.limits.signals_kept) return Taken::signals_full;
  const auto* end = std::get_if<EndFlow>(&command);
  bool at_once = (end != nullptr && end->force) || std::holds_alternative<FailFlow>(command);
  if (execution.open && !at_once) {
    execution.deferred.push_back(std::move(command));
    return Taken::done;
  }
  Ledger ledger(execution, out);
  return std::visit(
      Overloaded{
          [&](SettleAwaitable& body) {
            return taken(ledger.settle(body.number, body.status, std::move(body.result)));
          },
          [&](const FireTimer& body) { return fire(execution, body, given, ledger); },
          [&](ReceiveSignal& body) {
            ledger.receive(body.name, std::move(body.payload));
            return Taken::done;
          },
          [&](const CancelAwaitable& body) {
            return taken(ledger.cancel(body.number, body.reason));
          },
          [&](const EndFlow& body) { return end_flow(execution, body, given, ledger); },
          [&](FailFlow& body) {
            execution.error = std::move(body.error);
            ledger.finish(FlowEnd::failed);
            return Taken::done;
          },
      },
      command);
}

bool wants_activation(const Execution& execution) {
  if (execution.ended()) return false;
  return !execution.started || execution.open || !execution.ready.empty();
}

struct Residence {
  Residence(const Expression& of_script, const Execution& execution)
      : script(of_script), roots(execution), machine(script.program(), roots, {}) {}
  Expression script;
  GivenRoots roots;
  Machine machine;

  static std::unique_ptr<Residence>& in(Resident& resident) { return resident.residence_; }
};

Resident::Resident() = default;
Resident::~Resident() = default;
Resident::Resident(Resident&&) noexcept = default;
Resident& Resident::operator=(Resident&&) noexcept = default;
void Resident::drop() { residence_.reset(); }

Result<Activated, SnapshotError> activate(Execution& execution, const Expression& script,
                                          const FlowGiven& given, std::vector<Outgoing>& out,
                                          Resident* resident) {
  check(wants_activation(execution));
  Resident passing;
  std::unique_ptr<Residence>& place = Residence::in(resident == nullptr ? passing : *resident);
  if (!place) {
    auto fresh = std::make_unique<Residence>(script, execution);
    if (execution.started) {
      FERMATA_TRY_VOID(decode_snapshot(execution.snapshot, fresh->machine, execution));
    }
    place = std::move(fresh);
  }
  Activation activation(execution, place->machine, given, out);
  activation.run();
  return Activated{execution.open.has_value(), activation.fuel_used()};
}

}  // namespace fermata::flow
