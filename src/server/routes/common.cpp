#include "server/routes/common.h"

#include <algorithm>
#include <charconv>

#include "base/uuid.h"
#include "core/run/checkpoint.h"
#include "core/run/view.h"
#include "front/run_query.h"
#include "front/start_request.h"
#include "server/problem.h"

namespace fermata::server::routes {
namespace {

Failure<Error> no_such_run(const std::string& id) {
  return fail(ErrorCode::execution_not_found, "There is no execution `" + id + "`.");
}

}  // namespace

Outcome<RunSummary> own_run(Api& api, const Call& call) {
  FERMATA_TRY(summary, api.reader().summary(RunId(call.variable(0))));
  if (!summary || summary->account != call.who.account) return no_such_run(call.variable(0));
  return *std::move(summary);
}

Outcome<KnownDefinitions> definitions_of(Api& api, const RunSummary& summary) {
  FERMATA_TRY(latest, api.definitions().load(summary.definition));
  return KnownDefinitions(latest, [&api](const DefinitionHash& hash) -> graph::DefinitionRef {
    auto found = api.definitions().load(hash);
    return found ? *found : nullptr;
  });
}

namespace {

/// A seed of a simulation is shown as a run is.
Outcome<OwnRun> lived_seed(Api& api, const Call& call) {
  const std::string& text = call.variable(1);
  uint64_t seed = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::value_not_found, "A seed is a number; `" + text + "` is none.");
  FERMATA_TRY(lived, api.simulations().live(call.who.account, call.variable(0), seed));
  return OwnRun{lived->run, KnownDefinitions(lived->definition)};
}

}  // namespace

Outcome<OwnRun> own_history(Api& api, const Call& call) {
  if (call.route.path.starts_with("/api/v1/simulations/")) return lived_seed(api, call);
  FERMATA_TRY(run, api.reader().find(RunId(call.variable(0))));
  if (run.version == 0 || run.summary.account != call.who.account)
    return no_such_run(call.variable(0));
  FERMATA_TRY(definitions, definitions_of(api, run.summary));
  return OwnRun{std::move(run), std::move(definitions)};
}

namespace {

/// The state that a stored run means; a checkpoint that cannot be read is passed over.
Outcome<Run> state_of(Api& api, const StoredRun& stored) {
  const RunId& id = stored.summary.id;
  FERMATA_TRY(definitions, definitions_of(api, stored.summary));
  DefinitionLookup lookup = definitions.lookup();
  if (!stored.checkpoint) return fold(id, stored.history, lookup);
  auto run = restore_checkpoint(id, stored.checkpoint->bytes, lookup);
  if (run && run->last_sequence == stored.checkpoint->sequence) {
    auto folded = fold_on(*std::move(run), stored.history, lookup);
    if (folded) return folded;
  }
  FERMATA_TRY(whole, api.reader().find(id));
  return fold(id, whole.history, lookup);
}

}  // namespace

Outcome<OwnState> own_state(Api& api, const AccountId& account, const RunId& id) {
  FERMATA_TRY(stored, api.reader().latest(id));
  if (stored.version == 0 || stored.summary.account != account) return no_such_run(id.text());
  FERMATA_TRY(run, state_of(api, stored));
  return OwnState{std::move(stored.summary), std::move(run)};
}

Outcome<Value> execution_value(Api& api, const AccountId& account, const RunId& id) {
  FERMATA_TRY(own, own_state(api, account, id));
  Value shown = view::execution(own.summary, own.run);
  tell_of_jobs(api, account, shown);
  return shown;
}

Outcome<std::optional<uint64_t>> wanted_revision(const http::Request& request) {
  if (request.header("if-none-match") == "*") return std::optional<uint64_t>(0);
  std::string_view tag = request.header("if-match");
  if (tag.empty() || tag == "*") return std::optional<uint64_t>{};
  if (tag.starts_with('"') && tag.ends_with('"') && tag.size() > 2) {
    std::string_view revision = tag.substr(1, tag.size() - 2);
    // What nobody has written yet is shown too, as revision 0.
    if (revision == "0") return std::optional<uint64_t>(0);
    if (auto number = version_number(revision)) return std::optional<uint64_t>(*number);
  }
  return fail(ErrorCode::version_conflict, "If-Match is not an ETag this server gave.");
}

std::string etag_of(uint64_t revision) { return "\"" + std::to_string(revision) + "\""; }

graph::DefinitionLimits definition_limits(Api& api, const Call& call) {
  graph::DefinitionLimits limits = api.options().definition_limits;
  auto chosen = api.account_book().accounts()->settings_of(call.who.account);
  if (chosen) limits.event_types = chosen->signals.event_types;
  return limits;
}

Outcome<WorkflowRecord> own_workflow(Api& api, const Call& call) {
  FERMATA_TRY(record, api.catalog().workflow(call.who.account, WorkflowId(call.variable(0))));
  if (!record)
    return fail(ErrorCode::workflow_not_found, "There is no workflow `" + call.variable(0) + "`.");
  return *std::move(record);
}

Value workflow_value(const WorkflowRecord& record) {
  Value out = Value::object({{"id", record.id.text()},
                             {"active", record.active},
                             {"version", record.current_version},
                             {"latest_version", record.latest_version},
                             {"hash", record.current_hash.text()},
                             {"created_at", to_rfc3339(record.created_at)},
                             {"updated_at", to_rfc3339(record.updated_at)}});
  if (!record.webhook_guid.empty()) {
    out.set("webhook_guid", record.webhook_guid);
    out.set("webhook_path", "/webhook/" + record.webhook_guid);
  }
  return out;
}

http::Response workflow_response(int status, const WorkflowRecord& record, const Value& body) {
  http::Response response = json_response(status, body);
  response.headers.emplace_back("ETag", etag_of(record.revision));
  return response;
}

bool names_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

void submit(Api& api, Call call, Command command, Done done) {
  command.actor = call.who.actor;
  Call spare = call;
  bool taken = api.intake().submit(
      std::move(command),
      [&api, call = std::move(call), done = std::move(done)](Outcome<RunSummary> outcome) {
        if (!outcome) return api.fail(call, outcome.error());
        done(api, call, *outcome);
      });
  if (taken) return;
  bool stopping = api.stopping();
  api.fail(spare, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                   stopping ? "The server is stopping." : "The engine's queue is full.",
                   {}});
}

void submit_and_answer(Api& api, Call call, CommandBody body) {
  auto run = own_run(api, call);
  if (!run) return api.fail(call, run.error());
  Command command{run->id, std::move(body), {}};
  submit(api, std::move(call), std::move(command),
         [](Api&, const Call& asked, const RunSummary& summary) {
           asked.send_json(200, Value::object({{"id", summary.id.text()},
                                               {"status", name_of(summary.status)}}));
         });
}

http::Response created_run(const RunSummary& summary) {
  http::Response response =
      json_response(201, Value::object({{"id", summary.id.text()},
                                        {"status", name_of(summary.status)},
                                        {"workflow_id", summary.workflow.text()},
                                        {"version", summary.workflow_version}}));
  response.headers.emplace_back("Location", "/api/v1/executions/" + summary.id.text());
  return response;
}

RunId derived_run_id(const AccountId& account, std::string_view key) {
  // Account ids hold no line feed, so no two pairs read the same.
  return RunId(uuid_v5(account.text() + "\n" + std::string(key)));
}

NewRun new_run(Api& api, const Call& call) {
  std::string_view key = call.request.header("idempotency-key");
  if (key.empty()) return {RunId(api.new_uuid_v7()), {}};
  std::string target = std::string(call.request.method_text) + " " + std::string(call.request.path);
  return {derived_run_id(call.who.account, key), front::request_hash(target, call.body)};
}

Outcome<MigrationTarget> migration_target(Api& api, const RunSummary& run, uint32_t version,
                                          Value map) {
  FERMATA_TRY(workflow, front::resolve_workflow(api.catalog(), api.definitions(), run.account,
                                                run.workflow, version));
  return MigrationTarget{workflow.version, std::move(workflow.definition), std::move(map)};
}

Value page_value(Value items, const std::string& next_cursor) {
  return Value::object({{"items", std::move(items)},
                        {"next_cursor", next_cursor.empty() ? Value() : Value(next_cursor)}});
}

std::optional<uint32_t> version_number(std::string_view text) {
  uint32_t number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

Outcome<std::optional<Duration>> wait_wanted(const Api& api, const Call& call) {
  const std::string* text = front::find_value(call.query, "wait");
  if (!text) return std::optional<Duration>{};
  auto wait = parse_duration(*text);
  int64_t most = api.options().wait_ms_max;
  if (!wait || wait->ms < 0 || wait->ms > most)
    return front::bad_query("wait", "A duration such as 10s, at most " + std::to_string(most) +
                                        "ms (http_wait_ms_max), is expected.");
  return wait;
}

}  // namespace fermata::server::routes
