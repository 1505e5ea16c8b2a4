#pragma once
#include "ports/catalog.h"
#include "server/api.h"

/// What storing a graph and storing a script have in common.
namespace fermata::server::routes {

/// A put of the path's workflow with its conditions (If-Match, `?current=`) filled in; what it
/// stores is still missing.
Outcome<WorkflowPut> begin_put(Api& api, const Call& call);
/// Stores it with its audit line.
Outcome<WorkflowStored> finish_put(Api& api, const Call& call, const WorkflowPut& put);
/// 201 or 200 {…workflow, version, hash, created_version, warnings}.
/// After the schedule of its trigger follows.
void answer_put(Api& api, const Call& call, const WorkflowStored& stored,
                const DefinitionHash& hash, std::string_view language, Value warnings);
/// 422 with every finding.
void refuse_definition(Api& api, const Call& call, const std::vector<Finding>& errors,
                       Value shown_errors, Value shown_warnings);

/// A script: `{"language": "flow", "source"}` or text/x-flow.
bool asks_for_flow(const Call& call);
void put_flow(Api& api, const Call& call);
void check_flow(Api& api, const Call& call);

}  // namespace fermata::server::routes
