#include "core/graph/orders.h"
#include "core/graph/parameters.h"

/// Nodes whose work is done by a worker or by another execution.
namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr double ms_max = 3'153'600'000'000;  // a hundred years

// `input` has no fixed default: without it the job gets the token's payload.
constexpr Parameter job_parameters[] = {
    {.name = "topic", .kind = Kind::text, .required = true},
    {.name = "input"},
    {.name = "pool", .kind = Kind::text},
    {.name = "priority", .kind = Kind::choice, .choices = "critical|interactive|batch"},
    {.name = "labels", .kind = Kind::object},
    {.name = "capability", .kind = Kind::text},
    {.name = "risk_tags", .kind = Kind::array},
    {.name = "requires", .kind = Kind::array},
    {.name = "env", .kind = Kind::object},
    {.name = "budget", .kind = Kind::object},
    {.name = "deadline_ms", .kind = Kind::whole, .least = 1, .most = ms_max},
    {.name = "start_timeout_ms", .kind = Kind::whole, .least = 0, .most = ms_max},
    {.name = "queue_timeout_ms", .kind = Kind::whole, .least = 0, .most = ms_max},
    {.name = "concurrency", .kind = Kind::object},
    {.name = "scheduling", .kind = Kind::object},
    {.name = "compensation", .raw = true},
    {.name = "on_parent_end",
     .kind = Kind::choice,
     .standard = "\"cancel\"",
     .choices = "cancel|keep"},
};

constexpr Parameter subworkflow_parameters[] = {
    {.name = "workflow_id", .kind = Kind::text, .required = true},
    {.name = "version", .kind = Kind::whole, .least = 1},
    {.name = "input"},
    {.name = "wait", .kind = Kind::boolean, .standard = "true"},
    {.name = "on_parent_end",
     .kind = Kind::choice,
     .standard = "\"cancel\"",
     .choices = "cancel|keep"},
};

constexpr Parameter sent_signal_parameters[] = {
    {.name = "execution_id", .kind = Kind::text},
    {.name = "label", .kind = Kind::text},
    {.name = "name", .kind = Kind::text, .required = true},
    {.name = "payload"},
};

/// To whom it goes: one execution, or those that have a label.
void check_signal_target(const NodeParameters& node, Findings& findings) {
  const Value* label = node.literal("label");
  bool by_id = node.values.find("execution_id") != nullptr;
  bool by_label = node.values.find("label") != nullptr;
  if (!by_id && !by_label)
    findings.error("parameter_missing", node.written_at("/execution_id"),
                   "A signal needs \"execution_id\" or \"label\".");
  if (by_id && by_label)
    findings.error("parameter_invalid", node.written_at("/label"),
                   "A signal goes to \"execution_id\" or to a \"label\"; remove one of the two.");
  if (label && label->is_string() && !label_in(label->as_string()))
    findings.error("parameter_invalid", node.written_at("/label"),
                   "A label is written as key=value.");
}

/// What is needed to submit it is known before any run exists; only its data may be computed.
void check_compensation(const NodeParameters& node, Findings& findings) {
  const Value* undo = node.values.find("compensation");
  if (undo == nullptr || undo->is_null()) return;
  auto wrong = [&](const std::string& pointer, std::string message) {
    findings.error("parameter_invalid", node.written_at("/compensation" + pointer),
                   std::move(message));
  };
  if (!undo->is_object()) return wrong("", "The compensation is an object.");
  constexpr std::string_view known =
      "topic|input|labels|env|budget|capability|risk_tags|requires|retry|idempotency_key|when";
  for (const auto& [key, value] : undo->members()) {
    std::string name(key.as_string());
    if (!is_one_of(name, known))
      wrong("/" + name,
            "A compensation has no field " + quoted(name) + "; it takes " + listed(known) + ".");
    bool computed = name == "input" || name == "labels" || name == "env";
    if (!computed && holds_expression(value))
      wrong("/" + name, "Only input, labels and env of a compensation may be computed.");
  }
  const Value& topic = undo->get("topic");
  if (!topic.is_string() || topic.as_string().empty())
    wrong("/topic", "A compensation needs a topic.");
  const Value* when = undo->find("when");
  if (when && *when != Value("succeeded") && *when != Value("dispatched"))
    wrong("/when", "`succeeded` or `dispatched` is expected.");
}

}  // namespace

NodeSchema work_schema(NodeType type) {
  switch (type) {
    case NodeType::job: return {job_parameters, check_compensation};
    case NodeType::subworkflow: return {subworkflow_parameters};
    default: return {sent_signal_parameters, check_signal_target};
  }
}

}  // namespace fermata::graph
