#include "front/external_request.h"

#include "core/callback/open_request.h"
#include "front/fields.h"
#include "front/start_request.h"

namespace fermata::front {
namespace {

constexpr size_t secret_bytes_min = 16;
constexpr size_t secret_bytes_max = 200;

/// Takes the secret out of the callback, so that it is stored nowhere but sealed.
std::string take_secret(Value& callback, Fields& fields) {
  const Value* given = callback.is_object() ? callback.find("secret") : nullptr;
  if (!given) return "";
  std::string secret = given->is_string() ? std::string(given->as_string()) : std::string();
  if (secret.size() < secret_bytes_min || !is_plain_text(secret, secret_bytes_max))
    fields.add({{"invalid_callback",
                 "/callback/secret",
                 "A text of " + std::to_string(secret_bytes_min) + " to " +
                     std::to_string(secret_bytes_max) + " bytes is expected.",
                 {}}});
  Value rest = Value::object();
  for (const Value::Member& member : callback.members())
    if (member.key.as_string() != "secret") rest.set(member.key.as_string(), member.value);
  callback = std::move(rest);
  return secret;
}

}  // namespace

Outcome<ExternalRequest> read_external(const Value& document) {
  Fields fields(document);
  ExternalRequest out;
  fields.any("language");
  Value callback = fields.object("callback");
  out.secret = take_secret(callback, fields);
  // With a secret alone, each wait or execution names its own address.
  if (callback.is_object() && callback.size() == 0) callback = Value();
  fields.add(callback::check_callback(callback, "/callback"));
  auto on_deactivate = fields.text("on_deactivate");
  if (on_deactivate && *on_deactivate != "cancel" && *on_deactivate != "hold" &&
      *on_deactivate != "keep")
    fields.wrong("on_deactivate", "cancel, hold or keep is expected.");
  FERMATA_TRY_VOID(fields.finish());
  out.canonical = Value::object({{"language", "external"}});
  if (on_deactivate) out.canonical.set("on_deactivate", *on_deactivate);
  if (!callback.is_null()) out.canonical.set("callback", std::move(callback));
  return out;
}

Outcome<Registration> read_registration(const Value& body) {
  Fields fields(body);
  Registration out;
  out.contact_id = fields.id("contact_id").value_or("");
  out.labels = fields.object("labels");
  fields.add(check_labels(out.labels));
  out.callback = fields.object("callback");
  fields.add(callback::check_callback(out.callback, "/callback"));
  out.metadata = fields.object("metadata");
  fields.add(callback::check_metadata(out.metadata));
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

std::string Registration::hash() const {
  return request_hash("external execution", Value::object({{"contact_id", contact_id},
                                                           {"labels", labels},
                                                           {"callback", callback},
                                                           {"metadata", metadata}}));
}

Value Registration::trigger() const {
  return Value::object({{"callback", callback}, {"metadata", metadata}});
}

}  // namespace fermata::front
