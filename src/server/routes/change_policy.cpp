#include "front/fields.h"
#include "front/policy_request.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/policy_routes.h"

/// Changes of policy: checked whole, stored, then in force.
namespace fermata::server::routes {

namespace {

using policy::DocumentKind;

front::PolicyActor changer(const Call& call) {
  const Value& reason = call.body.get("reason");
  return {call.who.account, call.who.actor,
          reason.is_string() ? std::string(reason.as_string()) : std::string()};
}

/// `{document, reason?}`, or the document itself.
Outcome<Value> document_of(Api& api, const Call& call, DocumentKind kind) {
  const Value* given = call.body.find("document");
  return front::read_policy_document(given ? *given : call.body, kind, api.policy().reader());
}

http::Response document_response(Api& api, const Call& call, const PolicyDocument& document) {
  Value body = Value::object({{"snapshot", api.policy().current()->of(call.who.account).snapshot},
                              {"revision", document.revision},
                              {"document", document.document}});
  if (!document.id.empty()) body.set("id", document.id);
  http::Response response = json_response(200, body);
  response.headers.emplace_back("ETag", etag_of(document.revision));
  return response;
}

void put_document(Api& api, const Call& call, DocumentKind kind, const std::string& id) {
  auto wanted = wanted_revision(call.request);
  if (!wanted) return api.fail(call, wanted.error());
  auto document = document_of(api, call, kind);
  if (!document) return api.fail(call, document.error());
  auto put = api.policy().put(kind, id, *std::move(document), *wanted, changer(call));
  if (!put) return api.fail(call, put.error());
  call.send(document_response(api, call, *put));
}

void remove_document(Api& api, const Call& call, DocumentKind kind, const std::string& id) {
  auto wanted = wanted_revision(call.request);
  if (!wanted) return api.fail(call, wanted.error());
  auto removed = api.policy().remove(kind, id, *wanted, changer(call));
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

void answer_change(Api& api, const Call& call, const Outcome<void>& changed) {
  if (!changed) return api.fail(call, changed.error());
  call.send_json(200, policy_status(api, call.who.account));
}

Outcome<void> publish(Api& api, const Call& call) {
  const Value* given = call.body.get("candidate").find("bundles");
  if (!given)
    return fail(ErrorCode::invalid_field, "/candidate/bundles: a list of bundles is expected.",
                {{"invalid_field", "/candidate/bundles", "A list of bundles is expected.", {}}});
  FERMATA_TRY(bundles, front::read_bundles(*given, api.policy().reader(), "/candidate/bundles"));
  return api.policy().publish(std::move(bundles), changer(call));
}

}  // namespace

void put_bundle(Api& api, Call call) {
  put_document(api, call, DocumentKind::bundle, call.variable(0));
}

void delete_bundle(Api& api, Call call) {
  remove_document(api, call, DocumentKind::bundle, call.variable(0));
}

void put_base_policy(Api& api, Call call) { put_document(api, call, DocumentKind::base, ""); }

void put_invariants(Api& api, Call call) { put_document(api, call, DocumentKind::invariants, ""); }

void delete_invariants(Api& api, Call call) {
  remove_document(api, call, DocumentKind::invariants, "");
}

void publish_policy(Api& api, Call call) { answer_change(api, call, publish(api, call)); }

void rollback_policy(Api& api, Call call) {
  const Value& snapshot = call.body.get("snapshot");
  if (!snapshot.is_string())
    return api.fail(call, {ErrorCode::invalid_field,
                           "/snapshot: A text is expected.",
                           {{"invalid_field", "/snapshot", "A text is expected.", {}}}});
  answer_change(api, call,
                api.policy().roll_back(std::string(snapshot.as_string()),
                                       call.who.role == Role::root, changer(call)));
}

void reload_policy(Api& api, Call call) {
  answer_change(api, call, api.policy().reload(changer(call)));
}

}  // namespace fermata::server::routes
