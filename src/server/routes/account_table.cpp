#include "server/routes/account_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view settings_schema =
    R"({"type":"object","properties":{"timezone":{"type":["string","null"]},
      "business_days":{"type":"array","items":{"type":"string"}},
      "holidays":{"type":"array"},"gap_policy":{"enum":["gap_end","shift"]},
      "limits":{"type":"object"},"signals":{"type":"object"},"waits":{"type":"object"},
      "callbacks":{"type":"object"},"alerts":{"type":"object"},"audit":{"type":"object"},
      "retention_days":{"type":"integer","minimum":90}}})";
constexpr std::string_view contact_request_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "timezone":{"type":["string","null"]},"phone":{"type":["string","null"]},
      "email":{"type":["string","null"]},"fields":{"type":["object","null"]},
      "labels":{"type":["object","null"]}}})";
constexpr std::string_view contact_schema =
    R"({"type":"object","required":["contact_id","opted_out","pending_waits","warnings"],
      "properties":{"contact_id":{"type":"string"},"opted_out":{"type":"boolean"},
      "pending_waits":{"type":"integer"},"next":{"type":["object","null"]},
      "warnings":{"type":"array","items":{"type":"string"}}}})";
constexpr std::string_view opt_request_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "workflow_id":{"type":"string"},"reason":{"type":"string"}}})";
constexpr std::string_view opted_schema =
    R"({"type":"object","required":["opted_out","waits_cancelled","executions_cancelled"],
      "properties":{"opted_out":{"type":"boolean"},"waits_cancelled":{"type":"integer"},
      "executions_cancelled":{"type":"integer"}}})";
constexpr std::string_view ended_schema =
    R"({"type":"object","required":["success","waits_cancelled","executions_cancelled"],
      "properties":{"success":{"type":"boolean"},"waits_cancelled":{"type":"integer"},
      "executions_cancelled":{"type":"integer"}}})";

constexpr std::string_view goals_schema =
    R"({"type":"object","additionalProperties":false,"required":["goals"],"properties":{
      "mode":{"enum":["any","all"]},"goals":{"type":"array","maxItems":3,"items":{
      "type":"object","required":["id","event_type"],"properties":{"id":{"type":"string"},
      "event_type":{"type":"string"},"criteria":{"type":"object"}}}}}})";
constexpr std::string_view triggers_schema =
    R"({"type":"array","maxItems":20,"items":{"type":"object","required":["event_type"],
      "properties":{"event_type":{"type":"string"},"criteria":{"type":"object"},
      "enrolment":{"enum":["single","multiple"]}}}})";

// clang-format off
const Route account_table[] = {
    {.method = Method::get, .path = "/api/v1/workflows/{workflow_id}/goals",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_goals,
     .summary = "Events that complete the executions of the workflow.",
     .response_schema = goals_schema},
    {.method = Method::put, .path = "/api/v1/workflows/{workflow_id}/goals",
     .access = Access::editor, .work = Work::blocking, .handler = routes::put_goals,
     .summary = "Say which events complete the executions of the workflow.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = goals_schema, .response_schema = goals_schema},
    {.method = Method::get, .path = "/api/v1/workflows/{workflow_id}/triggers",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_triggers,
     .summary = "Events that start the workflow.", .response_schema = triggers_schema},
    {.method = Method::put, .path = "/api/v1/workflows/{workflow_id}/triggers",
     .access = Access::editor, .work = Work::blocking, .handler = routes::put_triggers,
     .summary = "Say which events start the workflow.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = triggers_schema, .response_schema = triggers_schema},
    {.method = Method::get, .path = "/api/v1/settings", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_settings,
     .summary = "The settings of the account.", .response_schema = settings_schema},
    {.method = Method::put, .path = "/api/v1/settings", .access = Access::admin,
     .work = Work::blocking, .handler = routes::put_settings,
     .summary = "Replace the settings of the account.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = settings_schema, .response_schema = settings_schema},
    {.method = Method::patch, .path = "/api/v1/settings", .access = Access::admin,
     .work = Work::blocking, .handler = routes::patch_settings,
     .summary = "Change some settings of the account.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = settings_schema, .response_schema = settings_schema},
    {.method = Method::get, .path = "/api/v1/accounts/{account_id}/settings",
     .access = Access::root, .work = Work::blocking, .handler = routes::get_settings,
     .summary = "The settings of an account.", .response_schema = settings_schema},
    {.method = Method::put, .path = "/api/v1/accounts/{account_id}/settings",
     .access = Access::root, .work = Work::blocking, .handler = routes::put_settings,
     .summary = "Make an account, or replace its settings.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = settings_schema, .response_schema = settings_schema},
    {.method = Method::patch, .path = "/api/v1/accounts/{account_id}/settings",
     .access = Access::root, .work = Work::blocking, .handler = routes::patch_settings,
     .summary = "Change some settings of an account.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = settings_schema, .response_schema = settings_schema},
    {.method = Method::get, .path = "/api/v1/contacts", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_contacts, .summary = "List contacts by id.",
     .query = "phone email q opted_out limit cursor", .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/contacts/{contact_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_contact,
     .summary = "A contact and what it waits for.", .response_schema = contact_schema},
    {.method = Method::put, .path = "/api/v1/contacts/{contact_id}", .access = Access::editor,
     .work = Work::blocking, .handler = routes::put_contact,
     .summary = "Make a contact or replace what is known of it.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = contact_request_schema, .response_schema = contact_schema},
    {.method = Method::patch, .path = "/api/v1/contacts/{contact_id}", .access = Access::editor,
     .work = Work::blocking, .handler = routes::patch_contact,
     .summary = "Change some of what is known of a contact.", .body = Body::json,
     .version_conflict = 409,
     .request_schema = contact_request_schema, .response_schema = contact_schema},
    {.method = Method::delete_, .path = "/api/v1/contacts/{contact_id}", .access = Access::editor,
     .work = Work::command, .handler = routes::delete_contact,
     .summary = "Erase a contact; its executions end.", .query = "reason",
     .response_schema = ended_schema},
    {.method = Method::post, .path = "/api/v1/contacts/{contact_id}/opt-out",
     .access = Access::operator_, .work = Work::command, .handler = routes::opt_out_contact,
     .summary = "End the contact's executions and start no others for it.",
     .body = Body::json_optional, .request_schema = opt_request_schema,
     .response_schema = opted_schema,
     .remembers = true},
    {.method = Method::post, .path = "/api/v1/contacts/{contact_id}/opt-in",
     .access = Access::operator_, .work = Work::command, .handler = routes::opt_in_contact,
     .summary = "Let executions be started for the contact again.",
     .body = Body::json_optional, .request_schema = opt_request_schema,
     .response_schema = opted_schema,
     .remembers = true},
    {.method = Method::delete_, .path = "/api/v1/workflows/{workflow_id}/contacts/{contact_id}",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::remove_contact,
     .summary = "End the contact's executions of a workflow.", .query = "reason",
     .response_schema = ended_schema},
};
// clang-format on

}  // namespace

std::span<const Route> account_routes() { return account_table; }

}  // namespace fermata::server
