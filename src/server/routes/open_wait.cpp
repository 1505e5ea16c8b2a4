#include "base/hash.h"
#include "base/json.h"
#include "core/callback/open_request.h"
#include "core/graph/wait_plan.h"
#include "core/run/wait_view.h"
#include "core/wait/for_event.h"
#include "front/external_request.h"
#include "front/fields.h"
#include "server/problem.h"
#include "server/routes/callback_routes.h"
#include "server/routes/store_definition.h"

namespace fermata::server::routes {
namespace {

/// What is known of the request before the run is asked.
struct Asked {
  callback::OpenRequest request;
  std::optional<WorkflowRecord> workflow;
  std::optional<RunSummary> run;
  std::string new_secret{};
};

Failure<Error> no_such_run(const std::string& id) {
  return fail(ErrorCode::execution_not_found, "There is no execution `" + id + "`.");
}

/// `key:body` of a request that may come again, or empty.
std::string mark_for(const Call& call) {
  std::string_view key = call.request.header("idempotency-key");
  if (key.empty()) return "";
  return sha256_hex(key).substr(0, 32) + ":" + sha256_hex(to_canonical_json(call.body));
}

/// What can be told to be refused already is refused before anything is registered for it.
Outcome<void> refuse_early(Api& api, const Call& call, const OpenWait& open) {
  const AccountId& account = call.who.account;
  FERMATA_TRY(contact, api.contacts().find_contact({account, open.contact_id}));
  if (contact && contact->is_out_of(WorkflowId(call.variable(0))))
    return fail(ErrorCode::contact_opted_out,
                "The contact `" + open.contact_id + "` has opted out.");
  std::vector<Finding> findings;
  auto chosen = api.account_book().accounts()->settings_of(account);
  if (open.type == "for_event") {
    auto read = waits::read_for_event(open.config, waits::for_event_rules(chosen.get()));
    if (!read) findings = std::move(read).error();
  } else {
    const AccountSettings usual;
    auto plan = graph::plan_typed_wait(
        open.type, open.config,
        {api.now(), *api.zones(), "", chosen ? *chosen : usual, contact ? &*contact : nullptr});
    if (!plan) {
      findings = std::move(plan).error();
    } else if (auto refusal = graph::refusal_of(*plan, api.now())) {
      findings = {*std::move(refusal)};
    }
  }
  if (findings.empty()) return {};
  for (Finding& finding : findings) finding.path = "/config" + finding.path;
  auto code = error_code_of(findings.front().code).value_or(ErrorCode::invalid_config);
  std::string message = findings.front().message;
  return fail(code, std::move(message), std::move(findings));
}

Outcome<Asked> look_around(Api& api, const Call& call) {
  FERMATA_TRY(request, callback::read_open_request(call.body));
  request.open.request = mark_for(call);
  Asked asked{std::move(request), {}, {}};
  FERMATA_TRY(workflow, api.catalog().workflow(call.who.account, WorkflowId(call.variable(0))));
  bool registers = asked.request.registers;
  if (!workflow && !registers)
    return fail(ErrorCode::workflow_not_found, "There is no workflow `" + call.variable(0) + "`.");
  FERMATA_TRY(run, api.reader().summary(RunId(call.variable(1))));
  bool foreign =
      run && (run->account != call.who.account || run->workflow.text() != call.variable(0));
  if (foreign || (!run && !registers)) return no_such_run(call.variable(1));
  if (workflow && !workflow->active)
    return fail(ErrorCode::workflow_inactive,
                "The workflow `" + call.variable(0) + "` has been deactivated.");
  asked.workflow = std::move(workflow);
  asked.run = std::move(run);
  return asked;
}

/// Makes the workflow where there is none (W-71).
Outcome<void> make_workflow(Api& api, const Call& call, Asked& asked) {
  if (asked.workflow) return {};
  if (!role_allows(call.who.role, Role::editor))
    return fail(ErrorCode::forbidden, "A new workflow needs the role editor.");
  const std::string& id = call.variable(0);
  if (!front::is_valid_id(id) || id == "bulk" || id == "executions")
    return fail(ErrorCode::invalid_id, "`" + id + "` cannot name a workflow.");
  WorkflowPut put;
  put.account = call.who.account;
  put.id = WorkflowId(id);
  put.at = api.now();
  put.actor = call.who.actor;
  FERMATA_TRY(made,
              store_external(api, call, std::move(put), Value::object({{"language", "external"}})));
  asked.workflow = std::move(made.stored.record);
  asked.new_secret = std::move(made.new_secret);
  return {};
}

/// The wait that the request has opened, or had opened before.
Outcome<std::optional<WaitRecord>> opened(Api& api, const RunId& run, const OpenWait& open) {
  FERMATA_TRY(waits, api.reader().waits_of(run, open.request.empty() ? open.step : ""));
  std::optional<WaitRecord> found;
  for (WaitRecord& record : waits) {
    std::string_view key = std::string_view(open.request).substr(0, 33);
    bool same = open.request.empty() ? record.wait.source == WaitSource::api
                                     : record.wait.request.starts_with(key);
    if (same) found = std::move(record);
  }
  return found;
}

void answer(Api& api, const Call& call, const WaitRecord& record, const std::string& new_secret,
            bool repeated) {
  Value body = view::wait(record, api.now());
  if (!new_secret.empty()) body.set("callback_secret", new_secret);
  http::Response response = json_response(201, body);
  response.headers.emplace_back("Location", "/api/v1/waits/" + record.wait.id);
  if (repeated) response.headers.emplace_back("Idempotent-Replay", "true");
  call.send(std::move(response));
}

void open_in_run(Api& api, const Call& call, const OpenWait& open, std::string new_secret) {
  Command command{RunId(call.variable(1)), open, {}};
  submit(api, call, std::move(command),
         [open, new_secret](Api& told, const Call& asked, const RunSummary& summary) {
           told.pool().submit_owed([&told, asked, open, new_secret, id = summary.id] {
             auto found = opened(told, id, open);
             if (!found) return told.fail(asked, found.error());
             if (!*found)
               return told.fail(asked, {ErrorCode::wait_not_found, "The wait is gone.", {}});
             answer(told, asked, **found, new_secret, false);
           });
         });
}

/// Registers the execution first; the wait follows when that is durable.
void register_and_open(Api& api, const Call& call, const Asked& asked) {
  auto workflow = front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                          asked.workflow->id, std::nullopt);
  if (!workflow) return api.fail(call, workflow.error());
  if (!workflow->definition->external)
    return api.fail(
        call,
        {ErrorCode::not_external, "The workflow `" + call.variable(0) + "` has a program.", {}});
  front::Registration registration;
  registration.contact_id = asked.request.open.contact_id;
  StartRun start = external_start(call.who.account, *workflow);
  start.trigger = registration.trigger();
  start.contact_id = registration.contact_id;
  start.request_hash = registration.hash();
  Command command{RunId(call.variable(1)), std::move(start), {}};
  submit(api, call, std::move(command),
         [open = asked.request.open, secret = asked.new_secret](Api& told, const Call& again,
                                                                const RunSummary&) {
           open_in_run(told, again, open, secret);
         });
}

}  // namespace

void open_wait(Api& api, Call call) {
  auto asked = look_around(api, call);
  if (!asked) return api.fail(call, asked.error());
  const OpenWait& open = asked->request.open;
  if (asked->run && !open.request.empty()) {
    auto before = opened(api, asked->run->id, open);
    if (!before) return api.fail(call, before.error());
    if (*before && (*before)->wait.request == open.request)
      return answer(api, call, **before, "", true);
    if (*before)
      return api.fail(call, {ErrorCode::idempotency_key_reused,
                             "This Idempotency-Key came with another request before.",
                             {}});
  }
  if (asked->run) return open_in_run(api, call, open, "");
  if (!front::is_valid_id(call.variable(1)))
    return api.fail(
        call, {ErrorCode::invalid_id, "`" + call.variable(1) + "` cannot name an execution.", {}});
  if (auto early = refuse_early(api, call, open); !early) return api.fail(call, early.error());
  if (auto made = make_workflow(api, call, *asked); !made) return api.fail(call, made.error());
  register_and_open(api, call, *asked);
}

}  // namespace fermata::server::routes
