#include "core/approval/vote.h"
#include "core/flow/durable/detached.h"
#include "core/flow/durable/library_options.h"

/// Work for others: tasks, child runs, approvals (F-27, F-36, F-37).
namespace fermata::flow::natives {

namespace {

/// Input of a task or child: anything that is JSON; none is the empty object.
std::optional<Value> input_of(Machine& machine, Call& call, size_t index) {
  if (call.failed()) return std::nullopt;
  if (!call.has(index)) return Value::object();
  return machine.to_json_value(call.any(index));
}

std::string name_of(Machine& machine, Call& call, std::string_view what) {
  std::string name(call.text(0));
  if (!call.failed() && name.empty()) {
    machine.throw_argument(std::string(what) + " needs a name");
  }
  return name;
}

void check_task_options(Options& options) {
  options.rename("queue", "pool");
  for (std::string_view name :
       {"pool", "capability", "idempotency_key", "pack_id", "adapter_id", "memory_id"}) {
    options.text(name);
  }
  options.one_of("priority", {"critical", "interactive", "batch"});
  for (std::string_view name :
       {"timeout_ms", "deadline_ms", "start_timeout_ms", "queue_timeout_ms"}) {
    options.whole(name, 0);
  }
  options.object("labels");
  options.object("env");
  options.object("budget");
  options.object("compensation", {"topic", "input", "labels", "env", "budget", "capability",
                                  "risk_tags", "requires", "retry", "idempotency_key", "when"});
  options.object("scheduling", {"max_attempts"});
  options.object("concurrency", {"key", "limit"});
  options.object("retry", {"max_attempts", "backoff_ms", "multiplier", "max_backoff_ms", "jitter",
                           "retry_on"});
}

/// The input of a compensation may be a function of what the task gave: it is called when that is
/// known (J-70). Gives the options without it.
Datum take_computed(Machine& machine, const Datum& given, std::optional<Value>& computed) {
  if (machine.stopped() || !given.is_object()) return given;
  auto undo = machine.object_find(given, "compensation");
  if (!undo || !undo->is_object()) return given;
  auto input = machine.object_find(*undo, "input");
  if (!input || input->tag != Tag::closure) return given;
  computed = detach(machine, *input);
  if (!computed) return {};
  auto* other = machine.heap().make<MapObject>();
  machine.copy_entries(*other, *undo);
  other->erase("input");
  auto* options = machine.heap().make<MapObject>();
  machine.copy_entries(*options, given);
  machine.put(*options, machine.text("compensation"), Heap::datum(other));
  return Heap::datum(options);
}

Datum start_child(Machine& machine, Arguments arguments, bool detached) {
  Call call(machine, arguments);
  std::string_view called = detached ? "Workflow.start" : "Workflow.run";
  std::string workflow = name_of(machine, call, called);
  auto input = input_of(machine, call, 1);
  Options options(machine, call.any(2), called,
                  {"version", "labels", "timeout_ms", "idempotency_key", "on_parent_end"});
  options.whole("version", 1);
  options.object("labels");
  options.whole("timeout_ms", 0);
  options.text("idempotency_key");
  OnParentEnd on_parent_end = options.on_parent_end();
  if (options.failed()) return {};
  Activation& activation = machine.activation();
  StartChild request{0, workflow, *std::move(input), options.all(), detached};
  if (detached) {
    request.number = activation.ledger().reserve();
    activation.ledger().tell(request, machine.here());
    auto* out = machine.heap().make<MapObject>();
    machine.put(*out, machine.text("id"),
                machine.text(activation.execution().id_of(request.number)));
    return Heap::datum(out);
  }
  Awaitable record;
  record.kind = AwaitableKind::child;
  record.name = workflow;
  record.on_parent_end = on_parent_end;
  Datum out = activation.open(std::move(record));
  if (machine.stopped()) return {};
  request.number = static_cast<AwaitableObject*>(out.heap)->number;
  activation.ledger().tell(std::move(request), machine.here());
  return out;
}

}  // namespace

Datum task_run(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string name = name_of(machine, call, "Task.run");
  auto input = input_of(machine, call, 1);
  std::optional<Value> computed;
  Options options(
      machine, take_computed(machine, call.any(2), computed), "Task.run",
      {"pool",          "queue",       "capability", "priority",         "labels",
       "timeout_ms",    "deadline_ms", "retry",      "idempotency_key",  "compensation",
       "on_parent_end", "env",         "adapter_id", "memory_id",        "risk_tags",
       "requires",      "pack_id",     "budget",     "start_timeout_ms", "queue_timeout_ms",
       "scheduling",    "concurrency"});
  check_task_options(options);
  Awaitable record;
  record.kind = AwaitableKind::task;
  record.name = name;
  record.on_parent_end = options.on_parent_end();
  if (options.failed()) return {};
  Datum out = machine.activation().open(std::move(record));
  if (machine.stopped()) return {};
  uint32_t number = static_cast<AwaitableObject*>(out.heap)->number;
  Value asked = options.all();
  if (computed) {
    Value undo = asked.get("compensation");
    undo.set("computed", *std::move(computed));
    asked.set("compensation", std::move(undo));
  }
  machine.activation().ledger().tell(
      SubmitTask{number, std::move(name), *std::move(input), std::move(asked)}, machine.here());
  return out;
}

Datum workflow_run(Machine& machine, Arguments arguments) {
  return start_child(machine, arguments, false);
}

Datum workflow_start(Machine& machine, Arguments arguments) {
  return start_child(machine, arguments, true);
}

Datum approval_request(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Options options(machine, call.any(0), "Approval.request",
                  {"title", "details", "approvers", "timeout", "otherwise"});
  if (!options.failed() && !options.get("title").is_string()) {
    return machine.throw_argument("Approval.request needs a title");
  }
  if (!options.failed()) {
    auto approvers = approval::read_approvers(options.get("approvers"));
    if (!approvers) return machine.throw_argument("Approval.request: " + approvers.error());
  }
  auto timeout = options.duration("timeout");
  if (options.failed()) return {};
  Activation& activation = machine.activation();
  Awaitable record;
  record.kind = AwaitableKind::approval;
  record.name = options.get("title").as_string();
  if (options.has("otherwise")) record.otherwise = options.get("otherwise");
  if (timeout) record.due = activation.now() + *timeout;
  auto due = record.due;
  Datum out = activation.open(std::move(record));
  if (machine.stopped()) return {};
  uint32_t number = static_cast<AwaitableObject*>(out.heap)->number;
  activation.ledger().tell(OpenApproval{number, options.all()}, machine.here());
  if (due) activation.ledger().tell(ArmTimer{number, *due}, machine.here());
  return out;
}

Datum awaitable_cancel(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string reason = call.has(1) ? std::string(call.text(1)) : std::string();
  if (call.failed()) return {};
  uint32_t number = static_cast<AwaitableObject*>(arguments[0].heap)->number;
  return Datum::of(machine.activation().ledger().cancel(number, reason));
}

}  // namespace fermata::flow::natives
