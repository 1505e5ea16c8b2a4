#include "front/credential_request.h"

#include "front/credential_types.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

constexpr size_t name_bytes_max = 200;

Failure<Error> wrong(const std::string& path, const std::string& message) {
  return fail(ErrorCode::invalid_field, path + ": " + message,
              {{"invalid_field", path, message, {}}});
}

Failure<Error> wrong(std::vector<Finding> findings) {
  std::string message = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(message), std::move(findings));
}

}  // namespace

Outcome<CredentialRequest> read_credential_request(const Value& body) {
  Fields fields(body);
  CredentialRequest request;
  request.id = fields.text("id", 100).value_or("");
  if (!request.id.empty() && !is_valid_id(request.id))
    fields.wrong("id", "1 to 100 printable ASCII characters without space / ? # % are expected.");
  request.name = fields.text("name", name_bytes_max).value_or("");
  if (request.name.find_first_of("\n\t") != std::string::npos)
    fields.wrong("name", "A name stands in one line.");
  request.type = fields.text("type", 100).value_or("");
  if (!request.type.empty() && credential_type(request.type) == nullptr)
    fields.wrong("type", "One of " + credential_type_names() + " is expected.");
  request.values = fields.object("values");
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

Outcome<CredentialPut> credential_put(Vault& vault, const CredentialRequest& request,
                                      const CredentialTarget& target) {
  const std::optional<CredentialRecord>& known = target.known;
  CredentialPut put;
  put.account = target.account;
  put.id = target.id;
  put.at = target.at;
  put.type = request.type.empty() && known ? known->type : request.type;
  if (put.type.empty()) return wrong("/type", "This field is required.");
  put.name = !request.name.empty() ? request.name : known ? known->name : target.id;
  if (request.values.is_null()) {
    if (!known || known->type != put.type || known->revoked_at)
      return wrong("/values", "This field is required.");
    put.sealed = known->sealed;
    // What is kept must be what was read.
    put.if_revision = known->revision;
    return put;
  }
  CredentialValues values = read_credential_values(*credential_type(put.type), request.values,
                                                   "/values", target.bytes_max);
  if (!values.findings.empty()) return wrong(std::move(values.findings));
  FERMATA_TRY(sealed, vault.seal(put.account, put.id, put.type, values.values));
  put.sealed = std::move(sealed);
  return put;
}

Value to_value(const CredentialRecord& record) {
  auto time = [](const std::optional<Instant>& at) {
    return at ? Value(to_rfc3339(*at)) : Value();
  };
  return Value::object({{"id", record.id},
                        {"name", record.name},
                        {"type", record.type},
                        {"revision", record.revision},
                        {"created_at", to_rfc3339(record.created_at)},
                        {"updated_at", to_rfc3339(record.updated_at)},
                        {"last_used_at", time(record.last_used_at)},
                        {"revoked_at", time(record.revoked_at)}});
}

Value to_value(const Resealed& resealed) {
  Value unreadable = Value::array();
  for (const std::string& id : resealed.unreadable) unreadable.push(id);
  return Value::object({{"resealed", resealed.resealed},
                        {"kept", resealed.kept},
                        {"unreadable", std::move(unreadable)}});
}

}  // namespace fermata::front
