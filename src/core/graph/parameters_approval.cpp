#include "core/approval/vote.h"
#include "core/graph/parameters.h"

/// The node that asks people (G-49).
namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr double approval_ms_max = 3'153'600'000'000;  // a hundred years

// `payload` has no fixed default: without it people see the token's payload.
constexpr Parameter approval_parameters[] = {
    {.name = "title", .kind = Kind::text, .required = true},
    {.name = "message", .kind = Kind::text},
    {.name = "payload"},
    {.name = "approvers", .standard = "\"operator\""},
    {.name = "approve_edge_id", .kind = Kind::edge},
    {.name = "reject_edge_id", .kind = Kind::edge},
    {.name = "timeout_ms",
     .kind = Kind::whole,
     .standard = "0",
     .least = 0,
     .most = approval_ms_max},
    {.name = "on_timeout",
     .kind = Kind::choice,
     .standard = "\"fail\"",
     .choices = "fail|reject|approve",
     .literal = true},
};

void check_approval(const NodeParameters& node, Findings& findings) {
  const Value* approvers = node.literal("approvers");
  if (approvers == nullptr) return;
  auto read = approval::read_approvers(*approvers);
  if (!read)
    findings.error("parameter_invalid", node.written_at("/approvers"), "The " + read.error() + ".");
}

}  // namespace

NodeSchema approval_schema() { return {approval_parameters, check_approval}; }

}  // namespace fermata::graph
