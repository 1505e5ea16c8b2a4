#pragma once
#include "server/routes/common.h"

namespace fermata::server::routes {

/// The credential of the path's first variable, if the caller's account has it.
Outcome<CredentialRecord> own_credential(Api& api, const Call& call);
/// With its ETag; never its values.
http::Response credential_response(int status, const CredentialRecord& record);
AuditLine credential_audit(Api& api, const Call& call, std::string action,
                           const CredentialPut& put);

}  // namespace fermata::server::routes
