#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/model/command.h"
#include "core/model/run.h"
#include "core/run/history.h"
#include "core/run/migration.h"
#include "ports/reader.h"
#include "server/api.h"

/// What several endpoints share.
namespace fermata::server::routes {

/// The run of the path's first variable, if it is the caller's: another account's runs do not
/// exist.
Outcome<RunSummary> own_run(Api& api, const Call& call);
/// The same with its whole history and definition; also of a seed of a simulation, where the path
/// names one.
struct OwnRun {
  StoredRun run;
  KnownDefinitions definitions;
};
/// The definition a run has now; those it had before a migration are found when asked for.
Outcome<KnownDefinitions> definitions_of(Api& api, const RunSummary& summary);
Outcome<OwnRun> own_history(Api& api, const Call& call);
/// The state of a run of this account, from its newest checkpoint on.
struct OwnState {
  RunSummary summary;
  Run run;
};
Outcome<OwnState> own_state(Api& api, const AccountId& account, const RunId& id);
/// `GET /executions/{id}` of a run of this account.
Outcome<Value> execution_value(Api& api, const AccountId& account, const RunId& id);

/// Says in `waiting` how the jobs stand that steps of the execution wait for (F-28).
void tell_of_jobs(Api& api, const AccountId& account, Value& execution);

/// If-Match: "7" or If-None-Match: *; nothing when the write is unconditional.
Outcome<std::optional<uint64_t>> wanted_revision(const http::Request& request);
std::string etag_of(uint64_t revision);

Outcome<WorkflowRecord> own_workflow(Api& api, const Call& call);
/// Those of the server, with the types of events that the account has registered.
graph::DefinitionLimits definition_limits(Api& api, const Call& call);
Value workflow_value(const WorkflowRecord& record);
http::Response workflow_response(int status, const WorkflowRecord& record, const Value& body);

/// True when a list of entity tags (If-None-Match) holds `tag` or is `*`; weak ones count too.
bool names_tag(std::string_view list, std::string_view tag);

/// Puts a command into the engine's queue; `done` is called after its commit, on the partition's
/// thread. Refusals are answered here.
using Done = std::function<void(Api&, const Call&, const RunSummary&)>;
void submit(Api& api, Call call, Command command, Done done);
/// The same, answered with {id, status}.
void submit_and_answer(Api& api, Call call, CommandBody body);
/// 201 {id, status, workflow_id, version} and Location.
http::Response created_run(const RunSummary& summary);

/// The id of a run to be made: fresh, or derived from the Idempotency-Key so that the run itself is
/// the mark that the request was already served.
struct NewRun {
  RunId id;
  std::string request_hash;
};
NewRun new_run(Api& api, const Call& call);
RunId derived_run_id(const AccountId& account, std::string_view key);

/// Another version of a run's workflow, for a migration or a retry.
Outcome<MigrationTarget> migration_target(Api& api, const RunSummary& run, uint32_t version,
                                          Value map);

/// {items, next_cursor}: null on the last page.
Value page_value(Value items, const std::string& next_cursor);

/// The path's version number, or nothing when it is none.
std::optional<uint32_t> version_number(std::string_view text);

/// `?wait=10s`; nothing when absent.
Outcome<std::optional<Duration>> wait_wanted(const Api& api, const Call& call);

}  // namespace fermata::server::routes
