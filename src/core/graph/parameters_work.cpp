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

}  // namespace

NodeSchema work_schema(NodeType type) {
  switch (type) {
    case NodeType::job:
      return {job_parameters};
    case NodeType::subworkflow:
      return {subworkflow_parameters};
    default:
      return {sent_signal_parameters, check_signal_target};
  }
}

}  // namespace fermata::graph
