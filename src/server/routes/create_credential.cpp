#include "base/json.h"
#include "front/credential_request.h"
#include "server/routes/credential_parts.h"
#include "server/routes/idempotency.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Outcome<front::CredentialRequest> read_request(const Call& call) {
  FERMATA_TRY(request, front::read_credential_request(call.body));
  if (request.id.empty() && request.name.empty())
    return fail(ErrorCode::invalid_field, "/name: This field is required.",
                {{"invalid_field", "/name", "This field is required.", {}}});
  return request;
}

/// The mark is written together with the credential, so that a repeat after a crash finds both or
/// neither.
Outcome<CredentialRecord> store(Api& api, const Call& call, const front::CredentialRequest& request,
                                const std::string& whole) {
  std::string id = request.id.empty() ? api.new_uuid_v7() : request.id;
  FERMATA_TRY(put, front::credential_put(api.vault(), request,
                                         {call.who.account, id, std::nullopt, api.now(),
                                          api.options().credential_bytes_max}));
  put.is_new = true;
  FERMATA_TRY(stored, credential_after(put, std::nullopt));
  FERMATA_TRY(print, api.vault().print_of(whole));
  put.mark = mark_of(api, call, print, 201, front::to_value(stored));
  return api.catalog().put_credential(put, credential_audit(api, call, "credential.create", put));
}

Outcome<void> keep_new_credential(Api& api, const Call& call) {
  FERMATA_TRY(request, read_request(call));
  std::string whole =
      "POST " + std::string(call.request.path) + "\n" + to_canonical_json(call.body);
  auto is_same = [&](const std::string& kept) { return api.vault().is_print(kept, whole); };
  FERMATA_TRY(repeated, answer_repeat(api, call, is_same));
  if (repeated) return {};
  auto stored = store(api, call, request, whole);
  if (!stored) {
    // The same request may have come twice at once; the other one has left its mark by now.
    FERMATA_TRY(was_repeat, answer_repeat(api, call, is_same));
    if (was_repeat) return {};
    return Failure{std::move(stored).error()};
  }
  http::Response response = credential_response(201, *stored);
  response.headers.emplace_back("Location", "/api/v1/credentials/" + stored->id);
  call.send(std::move(response));
  return {};
}

}  // namespace

void create_credential(Api& api, Call call) {
  if (auto created = keep_new_credential(api, call); !created) api.fail(call, created.error());
}

}  // namespace fermata::server::routes
