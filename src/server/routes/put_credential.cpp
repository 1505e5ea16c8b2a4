#include "front/credential_request.h"
#include "front/fields.h"
#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

struct Replaced {
  CredentialRecord record;
  bool is_new = false;
};

Outcome<Replaced> replace(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  if (!front::is_valid_id(id))
    return fail(ErrorCode::invalid_id, "`" + id + "` cannot name a credential.");
  FERMATA_TRY(request, front::read_credential_request(call.body));
  if (!request.id.empty() && request.id != id)
    return fail(ErrorCode::invalid_field, "/id: The address names another credential.",
                {{"invalid_field", "/id", "The address names another credential.", {}}});
  FERMATA_TRY(wanted, wanted_revision(call.request));
  FERMATA_TRY(known, api.catalog().credential(call.who.account, id));
  FERMATA_TRY(put, front::credential_put(api.vault(), request,
                                         {call.who.account, id, known, api.now(),
                                          api.options().credential_bytes_max}));
  // Values that are kept pin the revision they were read at; it must be the one asked for.
  if (wanted && put.if_revision && *wanted != *put.if_revision)
    return fail(ErrorCode::version_conflict,
                "credential `" + id + "` is at revision " + std::to_string(*put.if_revision));
  if (wanted) put.if_revision = wanted;
  std::string action = known ? "credential.replace" : "credential.create";
  FERMATA_TRY(stored, api.catalog().put_credential(
                          put, credential_audit(api, call, std::move(action), put)));
  return Replaced{std::move(stored), !known.has_value()};
}

}  // namespace

/// Makes the credential or replaces it; what is left out of the body stays as it is.
void put_credential(Api& api, Call call) {
  auto replaced = replace(api, call);
  if (!replaced) return api.fail(call, replaced.error());
  call.send(credential_response(replaced->is_new ? 201 : 200, replaced->record));
}

}  // namespace fermata::server::routes
