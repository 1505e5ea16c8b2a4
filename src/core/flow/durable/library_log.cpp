#include "core/flow/durable/library_options.h"

/// What a script tells about itself (F-38).
namespace fermata::flow::natives {

namespace {

Datum log(Machine& machine, Arguments arguments, std::string_view level) {
  std::string message = machine.to_text(arguments[0]);
  std::optional<Value> data;
  if (arguments.size() > 1) {
    data = machine.to_json_value(arguments[1]);
    if (!data) return {};
  }
  if (machine.stopped() || !machine.charge_bytes(message.size())) return {};
  machine.activation().log(level, std::move(message), std::move(data));
  return {};
}

}  // namespace

Datum log_debug(Machine& machine, Arguments arguments) { return log(machine, arguments, "debug"); }
Datum log_info(Machine& machine, Arguments arguments) { return log(machine, arguments, "info"); }
Datum log_warn(Machine& machine, Arguments arguments) { return log(machine, arguments, "warn"); }
Datum log_error(Machine& machine, Arguments arguments) { return log(machine, arguments, "error"); }

Datum run_progress(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double done = call.number(0);
  double planned = call.number(1);
  if (call.failed()) return {};
  if (!(done >= 0 && planned >= 0)) {
    return machine.throw_argument("Run.progress takes two numbers from 0 on");
  }
  machine.activation().ledger().tell(Progressed{done, planned}, machine.here());
  return {};
}

Datum run_label(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Labelled label{std::string(call.text(0)), {}};
  if (call.failed()) return {};
  label.value = machine.to_text(call.any(1));
  if (machine.stopped()) return {};
  if (label.key.empty()) return machine.throw_argument("Run.label needs a key");
  machine.activation().ledger().tell(std::move(label), machine.here());
  return {};
}

}  // namespace fermata::flow::natives
