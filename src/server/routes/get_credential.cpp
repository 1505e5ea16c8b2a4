#include "front/credential_request.h"
#include "server/problem.h"
#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

Outcome<CredentialRecord> own_credential(Api& api, const Call& call) {
  FERMATA_TRY(record, api.catalog().credential(call.who.account, call.variable(0)));
  if (!record) return no_credential(call.variable(0));
  return *std::move(record);
}

http::Response credential_response(int status, const CredentialRecord& record) {
  http::Response response = json_response(status, front::to_value(record));
  response.headers.emplace_back("ETag", etag_of(record.revision));
  return response;
}

AuditLine credential_audit(Api& api, const Call& call, std::string action,
                           const CredentialPut& put) {
  AuditLine line = api.audit(call, std::move(action), put.id);
  line.details = Value::object({{"name", put.name}, {"type", put.type}});
  return line;
}

void get_credential(Api& api, Call call) {
  auto record = own_credential(api, call);
  if (!record) return api.fail(call, record.error());
  http::Response response = credential_response(200, *record);
  if (call.request.header("if-none-match") == etag_of(record->revision)) {
    response.status = 304;
    response.body.clear();
  }
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
