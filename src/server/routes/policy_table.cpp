#include "server/routes/job_routes.h"
#include "server/routes/policy_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view policy_document_schema =
    R"({"type":"object","description":"A policy document, {document, reason}, or {yaml: text}."})";
constexpr std::string_view facts_schema =
    R"({"type":"object","required":["facts"],"properties":{
      "facts":{"type":"object","required":["topic"]},"candidate":{}}})";
constexpr std::string_view rehearse_schema =
    R"({"type":"object","required":["candidate"],"properties":{"candidate":{},
      "from":{"type":"string"},"to":{"type":"string"},"filter":{"type":"object"},
      "limit":{"type":"integer","minimum":1,"maximum":100000}}})";
constexpr std::string_view publish_schema =
    R"({"type":"object","required":["candidate"],"properties":{
      "candidate":{"type":"object","required":["bundles"]},"reason":{"type":"string"}}})";
constexpr std::string_view policy_rollback_schema =
    R"({"type":"object","required":["snapshot"],"properties":{
      "snapshot":{"type":"string"},"reason":{"type":"string"}}})";

constexpr std::string_view vote_schema =
    R"({"type":"object","required":["hash"],"additionalProperties":false,"properties":{
      "hash":{"type":"string"},"reason":{"type":"string"},"note":{"type":"string"}}})";

// clang-format off
const Route policy_table[] = {
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/approve",
     .access = Access::operator_, .work = Work::command, .handler = routes::approve_job,
     .summary = "One person's yes to a job that awaits approval, by the hash of its request.",
     .body = Body::json, .request_schema = vote_schema},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/reject",
     .access = Access::operator_, .work = Work::command, .handler = routes::reject_job,
     .summary = "One person's no; it ends the job.", .body = Body::json,
     .request_schema = vote_schema},
    {.method = Method::get, .path = "/api/v1/policy", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_policy,
     .summary = "The policy in force, or an earlier one by its snapshot.", .query = "snapshot"},
    {.method = Method::get, .path = "/api/v1/policy/rules", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_policy_rules,
     .summary = "Rules with how often each has decided, never has, or cannot."},
    {.method = Method::get, .path = "/api/v1/policy/versions", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_policy_versions,
     .summary = "Policies that came into force, newest first.", .query = "limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/policy/bundles", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_policy_bundles,
     .summary = "The account's own documents.", .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/policy/decisions", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_decisions,
     .summary = "The decision log, newest first.",
     .query = "job_id topic decision rule_id snapshot from to limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/decisions", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_job_decisions,
     .summary = "What policy has said of a job, newest first.", .query = "limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/policy/velocity", .access = Access::viewer,
     .work = Work::command, .handler = routes::list_velocity,
     .summary = "Windows of velocity rules as they are now."},
    {.method = Method::get, .path = "/api/v1/breakers", .access = Access::viewer,
     .work = Work::command, .handler = routes::list_breakers,
     .summary = "Circuit breakers before the policy kernel, with what changes them next."},
    {.method = Method::post, .path = "/api/v1/breakers/{name}/reset", .access = Access::root,
     .work = Work::command, .handler = routes::reset_breaker,
     .summary = "Close a breaker by hand: who waits is asked about at once."},
    {.method = Method::post, .path = "/api/v1/policy/validate", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::validate_policy,
     .summary = "Every mistake of a document, without storing it.", .body = Body::json,
     .request_schema = policy_document_schema},
    {.method = Method::post, .path = "/api/v1/policy/simulate", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::simulate_policy,
     .summary = "What policy would say of these facts; no window moves.", .body = Body::json,
     .request_schema = facts_schema},
    {.method = Method::post, .path = "/api/v1/policy/explain", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::explain_policy,
     .summary = "The same, with the first field of each rule that does not hold.",
     .body = Body::json, .request_schema = facts_schema},
    {.method = Method::post, .path = "/api/v1/policy/rehearse", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::rehearse_policy,
     .summary = "Judge past decisions by another policy.", .body = Body::json,
     .request_schema = rehearse_schema},
    {.method = Method::put, .path = "/api/v1/policy/bundles/{bundle_id}", .access = Access::admin,
     .work = Work::blocking, .handler = routes::put_bundle,
     .summary = "Make or replace a document of the account.", .body = Body::json,
     .request_schema = policy_document_schema},
    {.method = Method::delete_, .path = "/api/v1/policy/bundles/{bundle_id}",
     .access = Access::admin, .work = Work::blocking, .handler = routes::delete_bundle,
     .summary = "Remove a document of the account.", .success = 204},
    {.method = Method::post, .path = "/api/v1/policy/publish", .access = Access::admin,
     .work = Work::blocking, .handler = routes::publish_policy,
     .summary = "Replace all documents of the account at once.", .body = Body::json,
     .request_schema = publish_schema},
    {.method = Method::post, .path = "/api/v1/policy/rollback", .access = Access::admin,
     .work = Work::blocking, .handler = routes::rollback_policy,
     .summary = "Put an earlier policy into force again.", .body = Body::json,
     .request_schema = policy_rollback_schema},
    {.method = Method::post, .path = "/api/v1/policy/reload", .access = Access::root,
     .work = Work::blocking, .handler = routes::reload_policy,
     .summary = "Load the policy file now."},
    {.method = Method::put, .path = "/api/v1/policy/base", .access = Access::root,
     .work = Work::blocking, .handler = routes::put_base_policy,
     .summary = "Replace the policy for all accounts, where no file gives it.",
     .body = Body::json, .request_schema = policy_document_schema},
    {.method = Method::put, .path = "/api/v1/policy/invariants", .access = Access::root,
     .work = Work::blocking, .handler = routes::put_invariants,
     .summary = "Replace the rules that nothing overrides.", .body = Body::json,
     .request_schema = policy_document_schema},
    {.method = Method::delete_, .path = "/api/v1/policy/invariants", .access = Access::root,
     .work = Work::blocking, .handler = routes::delete_invariants,
     .summary = "Remove them.", .success = 204},
};
// clang-format on

}  // namespace

std::span<const Route> policy_routes() { return policy_table; }

}  // namespace fermata::server
