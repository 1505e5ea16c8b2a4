#include "base/hash.h"
#include "core/run/view.h"
#include "front/credential_use.h"
#include "front/webhook.h"
#include "server/end_wait.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

struct Hook {
  WorkflowRecord workflow;
  graph::DefinitionRef definition;
  front::WebhookRules rules;
};

Outcome<Hook> find_hook(Api& api, const Call& call) {
  auto unknown = [] { return fail(ErrorCode::webhook_not_found, "There is no such webhook."); };
  FERMATA_TRY(record, api.catalog().workflow_by_webhook(call.variable(0)));
  if (!record || !record->active) return unknown();
  FERMATA_TRY(definition, api.definitions().load(record->current_hash));
  auto rules = front::webhook_rules(*definition);
  if (!rules) return unknown();
  return Hook{*std::move(record), std::move(definition), *std::move(rules)};
}

Failure<Error> unverified(Api& api, std::string message) {
  ++api.metrics().webhooks_refused;
  return fail(ErrorCode::webhook_unauthorized, std::move(message));
}

/// The credential a webhook's callers are checked by. Its absence is no fault of the caller, who is
/// not told more than that.
Outcome<front::Credential> hook_credential(Api& api, const Hook& hook) {
  auto found = api.vault().find(hook.workflow.account, hook.rules.credentials, api.now());
  if (found || found.error().code != ErrorCode::credential_not_found) return found;
  ++api.metrics().webhooks_refused;
  return fail(ErrorCode::forbidden, "The credential of this webhook is missing or revoked.");
}

/// Answers the name of the header that carried the secret, empty without authentication.
Outcome<std::string> authenticate_hook(Api& api, const Call& call, const Hook& hook) {
  if (hook.rules.auth == "none") return std::string();
  FERMATA_TRY(credential, hook_credential(api, hook));
  if (hook.rules.auth == "hmac_sha256" && credential.type == "hmac_sha256") {
    std::string name(credential.values.get("header").as_string());
    if (!front::is_signed(credential, call.request.body, call.request.header(name)))
      return unverified(api, "The signature in header " + name + " is missing or wrong.");
    return name;
  }
  auto asked = front::asked_header(credential);
  if (hook.rules.auth != "header" || !asked)
    return fail(ErrorCode::forbidden, "The credential of this webhook is of type " +
                                          credential.type + ", which `" + hook.rules.auth +
                                          "` cannot check by.");
  if (!same_secret(call.request.header(asked->first), asked->second))
    return unverified(api, "The header this webhook asks for is missing or wrong.");
  return asked->first;
}

Outcome<Value> read_input(Api& api, const Call& call, std::string_view secret_header) {
  front::NamedTexts headers;
  for (const auto& field : call.request.headers) headers.emplace_back(field.name, field.value);
  front::NamedTexts form;
  std::string_view type = call.request.header("content-type");
  if (type.starts_with("application/x-www-form-urlencoded") &&
      !http::parse_query(call.request.body, form))
    return fail(ErrorCode::bad_request, "The form holds a broken percent escape.");
  FERMATA_TRY(body, front::read_webhook_body(type, call.request.body, form,
                                             api.options().json_nesting_max));
  return front::webhook_input(std::move(body), headers, call.query, call.request.method_text,
                              secret_header);
}

/// The same value of the dedupe header names the same run, whatever else was sent (G-31).
NewRun run_for(Api& api, const Call& call, const Hook& hook) {
  std::string_view value = call.request.header(hook.rules.dedupe_header);
  if (hook.rules.dedupe_header.empty() || value.empty()) return {RunId(api.new_uuid_v7()), {}};
  std::string key = "webhook\n" + hook.workflow.webhook_guid + "\n" + std::string(value);
  return {derived_run_id(hook.workflow.account, key), "webhook"};
}

void answer_accepted(const Call& call, const RunSummary& summary) {
  call.send_json(202, Value::object({{"id", summary.id.text()}}));
}

/// The output of a run that completed; of another end, what became of it.
void answer_result(Api& api, const Call& call, const RunSummary& summary) {
  api.pool().submit_owed([&api, call, summary] {
    auto value = execution_value(api, summary.account, summary.id);
    if (!value) return api.fail(call, value.error());
    if (value->get("status") == Value("completed"))
      return call.send_json(200, value->get("output"));
    call.send_json(202, Value::object({{"id", summary.id.text()},
                                       {"status", value->get("status")},
                                       {"error", value->get("error")}}));
  });
}

void send_start(Api& api, Call call, const Hook& hook, Value input) {
  NewRun run = run_for(api, call, hook);
  StartRun start;
  start.account = hook.workflow.account;
  start.workflow = hook.workflow.id;
  start.workflow_version = hook.workflow.current_version;
  start.definition = hook.definition;
  start.trigger = input.get("body");
  start.input = std::move(input);
  start.trigger_kind = "webhook";
  start.trace = trace_of(call.request);
  start.request_hash = std::move(run.request_hash);
  std::shared_ptr<EndWait> end;
  if (hook.rules.respond_result) end = EndWait::begin(api.hub(), api.deadlines(), run.id);
  Command command{std::move(run.id), std::move(start), {}};
  submit(api, std::move(call), std::move(command),
         [end](Api& served_by, const Call& asked, const RunSummary& summary) {
           if (!end) return answer_accepted(asked, summary);
           if (is_terminal(summary.status)) return answer_result(served_by, asked, summary);
           std::chrono::milliseconds most(served_by.options().webhook_wait_ms);
           end->finish(most, [&served_by, asked, summary](bool ended) {
             if (ended) return answer_result(served_by, asked, summary);
             answer_accepted(asked, summary);
           });
         });
}

}  // namespace

void receive_webhook(Api& api, Call call) {
  auto hook = find_hook(api, call);
  if (!hook) return api.fail(call, hook.error());
  if (hook->rules.method != call.request.method_text) {
    http::Response response = api.refuse(
        {ErrorCode::method_not_allowed, "This webhook takes " + hook->rules.method + ".", {}});
    response.headers.emplace_back("Allow", hook->rules.method);
    return call.send(std::move(response));
  }
  auto secret_header = authenticate_hook(api, call, *hook);
  if (!secret_header) return api.fail(call, secret_header.error());
  auto input = read_input(api, call, *secret_header);
  if (!input) return api.fail(call, input.error());
  call.who = {hook->workflow.account, Role::operator_, "webhook"};
  send_start(api, std::move(call), *hook, *std::move(input));
}

}  // namespace fermata::server::routes
