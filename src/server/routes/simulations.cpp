#include "core/run/script_definition.h"
#include "core/run/view.h"
#include "front/flow_text.h"
#include "front/simulation_request.h"
#include "server/routes/common.h"
#include "server/routes/simulation_routes.h"

namespace fermata::server::routes {
namespace {

/// A definition that nobody has stored, or the refusal that storing it would meet.
Outcome<front::AnyDefinition> drafted(Api& api, const Call& call, const Value& document) {
  if (front::is_flow(document)) {
    FERMATA_TRY(text, front::read_flow(document));
    auto checked = flow::check_script(text.source);
    if (!checked.errors.empty())
      return fail(ErrorCode::invalid_definition, "The draft has errors.", checked.errors);
    auto script = flow::make_definition(std::move(checked));
    return front::AnyDefinition{make_script_definition(script), script};
  }
  auto checked =
      graph::check_definition(document, {}, definition_limits(api, call), api.zones().get());
  if (!checked.definition)
    return fail(ErrorCode::invalid_definition, "The draft has errors.", checked.errors);
  return front::AnyDefinition{checked.definition, nullptr};
}

/// Names what is tried, by hash, as a document and as it runs.
Outcome<void> define(Api& api, const Call& call, const front::SimulationRequest& request,
                     SimulationOrder& order) {
  front::AnyDefinition definition;
  if (request.definition.is_object()) {
    FERMATA_TRY(draft, drafted(api, call, request.definition));
    definition = std::move(draft);
    order.plan.workflow = WorkflowId("draft");
  } else {
    FERMATA_TRY(found, front::find_version(api.catalog(), call.who.account,
                                           WorkflowId(request.workflow), request.version));
    FERMATA_TRY(stored, api.definitions().load_any(found.hash));
    definition = std::move(stored);
    order.plan.workflow = found.record.id;
    order.plan.version = found.version;
  }
  if (definition.graph->external)
    return fail(ErrorCode::invalid_field,
                "Another engine runs this workflow; there is nothing "
                "here that could be tried.");
  order.document = definition.document();
  order.plan.definition = std::move(definition.graph);
  return {};
}

Outcome<SimulationOrder> order_of(Api& api, const Call& call) {
  FERMATA_TRY(request, front::read_simulation(call.body));
  SimulationOrder order;
  order.plan = std::move(request.plan);
  order.id = api.new_uuid_v7();
  order.account = call.who.account;
  order.actor = call.who.actor;
  order.name = std::move(request.name);
  order.request = call.body;
  order.seeds = request.seeds;
  order.first_seed = request.first_seed;
  trial::Plan& plan = order.plan;
  plan.account = call.who.account;
  plan.start = request.start_at.value_or(api.now());
  FERMATA_TRY_VOID(define(api, call, request, order));
  plan.limits = api.options().run_limits;
  plan.job_limits = api.options().job_limits.request;
  plan.zones = api.zones();
  plan.settings = api.account_book().accounts()->settings_of(call.who.account);
  if (!request.contact_id.empty()) {
    FERMATA_TRY(contact, api.contacts().find_contact({call.who.account, request.contact_id}));
    if (!contact)
      return fail(ErrorCode::contact_not_found,
                  "There is no contact `" + request.contact_id + "`.");
    plan.contact = std::make_shared<const Contact>(*std::move(contact));
  }
  // On the thread of the simulations; both are safe there.
  plan.workflows = [&api, account = call.who.account](
                       const WorkflowId& id, uint32_t version) -> Outcome<trial::FoundWorkflow> {
    std::optional<uint32_t> wanted;
    if (version != 0) wanted = version;
    FERMATA_TRY(found,
                front::resolve_workflow(api.catalog(), api.definitions(), account, id, wanted));
    return trial::FoundWorkflow{std::move(found.definition), found.version};
  };
  return order;
}

void answer(Api& api, const Call& call, int status, const Outcome<Value>& value) {
  if (!value) return api.fail(call, value.error());
  call.send_json(status, *value);
}

Outcome<Value> begun(Api& api, const Call& call) {
  FERMATA_TRY(order, order_of(api, call));
  return api.simulations().begin(std::move(order));
}

Outcome<Value> lived_value(Api& api, const Call& call) {
  FERMATA_TRY(own, own_history(api, call));
  return view::execution(own.run.summary, own.run.history, own.definitions);
}

}  // namespace

void begin_simulation(Api& api, Call call) { answer(api, call, 202, begun(api, call)); }

void list_simulations(Api& api, Call call) {
  call.send_json(200, page_value(api.simulations().list(call.who.account), ""));
}

void get_simulation(Api& api, Call call) {
  answer(api, call, 200, api.simulations().find(call.who.account, call.variable(0)));
}

void stop_simulation(Api& api, Call call) {
  answer(api, call, 200, api.simulations().stop(call.who.account, call.variable(0)));
}

void delete_simulation(Api& api, Call call) {
  auto removed = api.simulations().remove(call.who.account, call.variable(0));
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

/// A seed as `GET /executions/{id}` shows a run.
void simulated_execution(Api& api, Call call) { answer(api, call, 200, lived_value(api, call)); }

}  // namespace fermata::server::routes
