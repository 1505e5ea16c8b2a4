#include "front/contact_request.h"
#include "front/run_query.h"
#include "server/routes/account_routes.h"
#include "server/routes/common.h"

/// Opt-out, deletion and removal from a workflow: each ends runs of the contact in its own commit,
/// and is answered after it.
namespace fermata::server::routes {
namespace {

contact::Command to_contact(const Call& call, const std::string& id, contact::Body body) {
  return {{call.who.account, id}, std::move(body), call.who.actor};
}

std::string reason_of(const Call& call) {
  const std::string* reason = front::find_value(call.query, "reason");
  return reason ? *reason : std::string();
}

void answer_ended(Api&, const Call& call, const ContactTold& told) {
  call.send_json(200, Value::object({{"success", true},
                                     {"waits_cancelled", told.waits_cancelled},
                                     {"executions_cancelled", told.executions_cancelled}}));
}

void opt(Api& api, const Call& call, bool out) {
  auto request = front::read_opt(call.body);
  if (!request) return api.fail(call, request.error());
  WorkflowId workflow = request->workflow;
  contact::Body body = contact::OptIn{workflow};
  if (out) body = contact::OptOut{workflow, request->reason};
  send_contact(api, call, to_contact(call, call.variable(0), std::move(body)),
               [workflow](Api&, const Call& asked, const ContactTold& told) {
                 bool is_out = workflow.empty() ? told.contact.opted_out_at.has_value()
                                                : told.contact.is_out_of(workflow);
                 asked.send_json(
                     200, Value::object({{"opted_out", is_out},
                                         {"waits_cancelled", told.waits_cancelled},
                                         {"executions_cancelled", told.executions_cancelled}}));
               });
}

}  // namespace

void opt_out_contact(Api& api, Call call) { opt(api, call, true); }
void opt_in_contact(Api& api, Call call) { opt(api, call, false); }

void delete_contact(Api& api, Call call) {
  contact::Command command =
      to_contact(call, call.variable(0), contact::DeleteContact{reason_of(call)});
  send_contact(api, std::move(call), std::move(command), answer_ended);
}

void remove_contact(Api& api, Call call) {
  auto workflow = own_workflow(api, call);
  if (!workflow) return api.fail(call, workflow.error());
  contact::Command command = to_contact(call, call.variable(1),
                                        contact::RemoveFromWorkflow{workflow->id, reason_of(call)});
  send_contact(api, std::move(call), std::move(command), answer_ended);
}

}  // namespace fermata::server::routes
