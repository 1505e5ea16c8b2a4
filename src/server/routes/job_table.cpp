#include "server/routes/bulk_job.h"
#include "server/routes/dead_letter_retry.h"
#include "server/routes/job_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view job_schema =
    R"({"type":"object","required":["topic"],"additionalProperties":false,"properties":{
      "id":{"type":"string"},"topic":{"type":"string"},"input":{},"env":{"type":"object"},
      "adapter_id":{"type":"string"},"memory_id":{"type":"string"},
      "priority":{"enum":["critical","interactive","batch"]},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "capability":{"type":"string"},"risk_tags":{"type":"array","items":{"type":"string"}},
      "requires":{"type":"array","items":{"type":"string"}},"pack_id":{"type":"string"},
      "actor":{"type":"object"},"principal_id":{"type":"string"},"budget":{"type":"object"},
      "run_timeout_ms":{"type":"integer"},"start_timeout_ms":{"type":"integer"},
      "queue_timeout_ms":{"type":"integer"},"retry":{"type":"object"},
      "scheduling":{"type":"object"},"concurrency":{"type":"object"},
      "idempotency_key":{"type":"string"},"compensation":{"type":"object"},
      "parent_job_id":{"type":"string"},"saga_id":{"type":"string"},
      "traceparent":{"type":"string"}}})";
constexpr std::string_view receipt_schema =
    R"({"type":"object","required":["id","state","request_hash"],"properties":{
      "id":{"type":"string"},"state":{"type":"string"},"phase":{"type":"string"},
      "reason_code":{"type":"string"},"request_hash":{"type":"string"}}})";
constexpr std::string_view batch_schema =
    R"({"type":"object","required":["jobs"],"additionalProperties":false,
      "properties":{"jobs":{"type":"array","minItems":1,"maxItems":1000}}})";
constexpr std::string_view amend_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"labels":{"type":"object"},
      "input":{},"topic":{"type":"string"},"budget":{"type":"object"}}})";
constexpr std::string_view note_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"note":{"type":"string"}}})";
constexpr std::string_view register_schema =
    R"({"type":"object","required":["worker_id","topics"],"properties":{
      "worker_id":{"type":"string"},"pool":{"type":"string"},
      "topics":{"type":"array","items":{"type":"string"}},"max_parallel":{"type":"integer"},
      "capabilities":{"type":"array"},"labels":{"type":"object"},"region":{"type":"string"},
      "type":{"type":"string"},"sdk":{"type":"string"},"resume":{"type":"array"}}})";
constexpr std::string_view pool_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "capabilities":{"type":"array","items":{"type":"string"}},"requires":{"type":"array"},
      "max_concurrent":{"type":"integer"},"rate":{"type":"object"},
      "status":{"enum":["active","draining","inactive"]},"drain_until":{"type":"string"},
      "lease_ms":{"type":"integer"},"run_timeout_ms":{"type":"integer"},
      "start_timeout_ms":{"type":"integer"},"queue_timeout_ms":{"type":"integer"}}})";
constexpr std::string_view limits_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "accounts":{"type":"object"},"topics":{"type":"object"},"keys":{"type":"object"}}})";
constexpr std::string_view drain_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "timeout_ms":{"type":"integer","minimum":0}}})";
constexpr std::string_view revision_schema =
    R"({"type":"object","required":["revision"],"properties":{"revision":{"type":"integer"}}})";
constexpr std::string_view claim_schema =
    R"({"type":"object","required":["registration_id","seq"],"properties":{
      "registration_id":{"type":"string"},"seq":{"type":"integer"},
      "slots":{"type":"integer","minimum":1,"maximum":256},
      "wait_ms":{"type":"integer","minimum":0,"maximum":60000}}})";
constexpr std::string_view purge_schema =
    R"({"type":"object","required":["filter"],"additionalProperties":false,"properties":{
      "filter":{},"dry_run":{"type":"boolean"}}})";
constexpr std::string_view registered_body_schema =
    R"({"type":"object","required":["registration_id"],"properties":{
      "registration_id":{"type":"string"}}})";

constexpr std::string_view bulk_jobs_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "action":{"enum":["cancel"]},"filter":{"type":"object"},
      "ids":{"type":"array","items":{"type":"string"}},"all":{"type":"boolean"},
      "reason":{"type":"string"},"per_second":{"type":"integer"},
      "per_minute":{"type":"integer"},"dry_run":{"type":"boolean"},
      "token":{"type":"string"}}})";

constexpr std::string_view bulk_letters_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "action":{"enum":["retry","drop"]},"filter":{"type":"object"},
      "ids":{"type":"array","items":{"type":"string"}},"all":{"type":"boolean"},
      "reason":{"type":"string"},"rate_per_second":{"type":"integer"},
      "per_second":{"type":"integer"},"per_minute":{"type":"integer"},
      "dry_run":{"type":"boolean"},"token":{"type":"string"}}})";
constexpr std::string_view remediate_schema =
    R"({"type":"object","required":["remediation_id"],"additionalProperties":false,
      "properties":{"remediation_id":{"type":"string"}}})";

constexpr std::string_view letter_retry_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"changes":{"type":"object",
      "additionalProperties":false,"properties":{"topic":{"type":"string"},"input":{},
      "labels":{"type":"object"},"priority":{"enum":["critical","interactive","batch"]},
      "budget":{"type":"object"}}}}})";

// clang-format off
const Route table[] = {
    // Jobs.
    {.method = Method::post, .path = "/api/v1/jobs", .access = Access::operator_,
     .work = Work::command, .handler = routes::submit_job, .summary = "Submit a job.",
     .query = "wait", .body = Body::json, .success = 201, .request_schema = job_schema,
     .response_schema = receipt_schema},
    {.method = Method::post, .path = "/api/v1/jobs/batch", .access = Access::operator_,
     .work = Work::command, .handler = routes::submit_jobs,
     .summary = "Submit up to 1000 jobs; each is answered for itself.", .body = Body::json,
     .request_schema = batch_schema},
    {.method = Method::get, .path = "/api/v1/jobs", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_jobs, .summary = "List jobs, newest first.",
     .query = "state topic label run_id workflow_id worker_id pool reason_code from to q limit "
              "cursor",
     .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/jobs/bulk", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::bulk_jobs,
     .summary = "Cancel a selection of jobs, or show what would happen.", .body = Body::json,
     .success = 202, .request_schema = bulk_jobs_schema, .response_schema = bulk_begun_schema},
    {.method = Method::get, .path = "/api/v1/jobs/stats", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::job_stats, .summary = "How many jobs by state."},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_job,
     .summary = "A job with what was asked and what became of it."},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/history", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_job_history,
     .summary = "The events of a job in order.", .query = "limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/attempts", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_job_attempts,
     .summary = "Who tried the job and how that ended.", .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/result", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_job_result,
     .summary = "Output or error of a job that has ended."},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/logs", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_job_log,
     .summary = "What the attempts of a job have said, oldest first.", .query = "limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/stream", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::stream_job,
     .summary = "The events of a job as they happen.", .query = "last_event_id",
     .media_type = "text/event-stream"},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/artifacts/{name}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_job_artifact,
     .summary = "An artifact of a job.", .media_type = "application/octet-stream"},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/blobs/{sha256}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_job_blob,
     .summary = "A large input or output of a job.", .media_type = "application/octet-stream"},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/cancel", .access = Access::operator_,
     .work = Work::command, .handler = routes::cancel_job,
     .summary = "End a job; its worker is told to stop.", .body = Body::json_optional,
     .request_schema = reason_schema, .response_schema = receipt_schema},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/amend", .access = Access::operator_,
     .work = Work::command, .handler = routes::amend_job,
     .summary = "Change a job that was never dispatched.", .body = Body::json,
     .request_schema = amend_schema, .response_schema = receipt_schema},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/remediate",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::remediate_job,
     .summary = "Submit a job that policy denied the way its rule proposes; one job per proposal.",
     .body = Body::json, .success = 201, .request_schema = remediate_schema,
     .response_schema = receipt_schema},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/output", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::get_held_output,
     .summary = "An output that is held back; each reading is audited."},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/output/release",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::release_output,
     .summary = "Let a quarantined output be used; nothing is executed again.",
     .body = Body::json_optional, .request_schema = note_schema,
     .response_schema = receipt_schema},
    {.method = Method::post, .path = "/api/v1/jobs/{job_id}/output/discard",
     .access = Access::operator_, .work = Work::command, .handler = routes::discard_output,
     .summary = "Destroy a quarantined output.", .body = Body::json_optional,
     .request_schema = reason_schema, .response_schema = receipt_schema},
    // Dead letters.
    {.method = Method::get, .path = "/api/v1/dlq", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_dead_letters,
     .summary = "Jobs that ended badly, newest first; open entries unless `state` says otherwise.",
     .query = "state reason_code topic status job_id run_id from to limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/dlq/stats", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::dead_letter_stats,
     .summary = "How many entries are open, by reason."},
    {.method = Method::get, .path = "/api/v1/dlq/{entry_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_dead_letter, .summary = "One entry."},
    {.method = Method::delete_, .path = "/api/v1/dlq/{entry_id}", .access = Access::admin,
     .work = Work::blocking, .handler = routes::discard_dead_letter,
     .summary = "Nobody will see to it: the entry is resolved as discarded.",
     .query = "reason"},
    {.method = Method::post, .path = "/api/v1/dlq/{entry_id}/retry", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::retry_dead_letter,
     .summary = "Submit what failed once more, judged anew; however often, it is one job.",
     .body = Body::json_optional, .success = 201, .request_schema = letter_retry_schema,
     .response_schema = receipt_schema},
    {.method = Method::post, .path = "/api/v1/dlq/bulk", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::bulk_dead_letters,
     .summary = "Retry or drop a selection of entries, or show what would happen.",
     .body = Body::json, .success = 202, .request_schema = bulk_letters_schema,
     .response_schema = bulk_begun_schema},
    {.method = Method::post, .path = "/api/v1/dlq/purge", .access = Access::admin,
     .work = Work::blocking, .handler = routes::purge_dead_letters,
     .summary = "The same for up to 1000 open entries at once.", .body = Body::json,
     .request_schema = purge_schema},
    // Workers, seen by people.
    {.method = Method::get, .path = "/api/v1/queues", .access = Access::viewer,
     .work = Work::command, .handler = routes::list_queues,
     .summary = "What waits for workers, by topic and priority."},
    {.method = Method::get, .path = "/api/v1/jobs/{job_id}/placement", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_placement,
     .summary = "Workers that could take the job with their scores, or what keeps it from one."},
    {.method = Method::get, .path = "/api/v1/pools", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_pools,
     .summary = "Pools, their terms and who works there.", .response_schema = page_schema},
    {.method = Method::put, .path = "/api/v1/pools/{pool}", .access = Access::root,
     .work = Work::blocking, .handler = routes::put_pool, .summary = "Make or replace a pool.",
     .body = Body::json, .request_schema = pool_schema, .response_schema = revision_schema},
    {.method = Method::delete_, .path = "/api/v1/pools/{pool}", .access = Access::root,
     .work = Work::blocking, .handler = routes::delete_pool, .summary = "Remove a pool.",
     .success = 204},
    {.method = Method::put, .path = "/api/v1/pools/{pool}/topics/{topic}", .access = Access::root,
     .work = Work::blocking, .handler = routes::put_pool_topic,
     .summary = "Let jobs of the topic, or pattern of topics, go to the pool.",
     .response_schema = revision_schema},
    {.method = Method::delete_, .path = "/api/v1/pools/{pool}/topics/{topic}",
     .access = Access::root, .work = Work::blocking, .handler = routes::delete_pool_topic,
     .summary = "Let them go there no longer.", .success = 204},
    {.method = Method::post, .path = "/api/v1/pools/{pool}/drain", .access = Access::root,
     .work = Work::blocking, .handler = routes::drain_pool,
     .summary = "No new jobs for the pool; what it holds after timeout_ms goes elsewhere.",
     .body = Body::json_optional, .request_schema = drain_schema,
     .response_schema = revision_schema},
    {.method = Method::post, .path = "/api/v1/pools/{pool}/activate", .access = Access::root,
     .work = Work::blocking, .handler = routes::activate_pool,
     .summary = "Give the pool jobs again.", .response_schema = revision_schema},
    {.method = Method::get, .path = "/api/v1/limits", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_limits,
     .summary = "Limits that hold for the account, and what is used of them."},
    {.method = Method::put, .path = "/api/v1/limits", .access = Access::root,
     .work = Work::blocking, .handler = routes::put_limits,
     .summary = "Replace the limits of accounts, topics and keys.", .body = Body::json,
     .request_schema = limits_schema, .response_schema = revision_schema},
    {.method = Method::get, .path = "/api/v1/workers", .access = Access::viewer,
     .work = Work::command, .handler = routes::list_workers, .summary = "Workers that are known.",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/workers/{worker_id}", .access = Access::viewer,
     .work = Work::command, .handler = routes::get_worker,
     .summary = "A worker, its load and what it holds."},
    {.method = Method::get, .path = "/api/v1/workers/{worker_id}/jobs", .access = Access::viewer,
     .work = Work::command, .handler = routes::list_jobs_of_worker,
     .summary = "Jobs whose last attempt the worker was given, newest first.",
     .query = "state topic label run_id workflow_id pool reason_code from to q limit cursor",
     .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/workers/{worker_id}/drain",
     .access = Access::operator_, .work = Work::command, .handler = routes::drain_worker,
     .summary = "Give the worker no more jobs; what it holds after timeout_ms goes elsewhere.",
     .body = Body::json_optional, .request_schema = drain_schema},
    {.method = Method::post, .path = "/api/v1/workers/{worker_id}/undrain",
     .access = Access::operator_, .work = Work::command, .handler = routes::undrain_worker,
     .summary = "Give the worker jobs again."},
    {.method = Method::post, .path = "/api/v1/workers/{worker_id}/revoke",
     .access = Access::operator_, .work = Work::command, .handler = routes::revoke_worker,
     .summary = "Send the worker away; its jobs go back at once.", .body = Body::json_optional,
     .request_schema = reason_schema},
    // The workers' own calls.
    {.method = Method::post, .path = "/api/v1/worker/register", .access = Access::worker,
     .work = Work::command, .handler = routes::register_worker,
     .summary = "Begin to work; jobs still held are named in `resume`.", .body = Body::json,
     .request_schema = register_schema},
    {.method = Method::delete_, .path = "/api/v1/worker/registrations/{registration_id}",
     .access = Access::worker, .work = Work::command, .handler = routes::leave_worker,
     .summary = "End the work; leases are handed back at once.", .success = 204},
    {.method = Method::post, .path = "/api/v1/worker/claim", .access = Access::worker,
     .work = Work::command, .handler = routes::claim_jobs,
     .summary = "Wait for jobs; the same `seq` gives the same answer.", .body = Body::json,
     .request_schema = claim_schema},
    {.method = Method::post, .path = "/api/v1/worker/heartbeat", .access = Access::worker,
     .work = Work::command, .handler = routes::heartbeat,
     .summary = "A sign of life with the leases held.", .body = Body::json,
     .request_schema = registered_body_schema},
    {.method = Method::post, .path = "/api/v1/worker/results", .access = Access::worker,
     .work = Work::command, .handler = routes::report_results,
     .summary = "How attempts ended; each is judged by its fence.", .body = Body::json,
     .request_schema = registered_body_schema},
    {.method = Method::post, .path = "/api/v1/worker/jobs/{job_id}/renew",
     .access = Access::worker, .work = Work::command, .handler = routes::renew_lease,
     .summary = "Keep the lease of one job.", .body = Body::json,
     .request_schema = registered_body_schema},
    {.method = Method::post, .path = "/api/v1/worker/jobs/{job_id}/progress",
     .access = Access::worker, .work = Work::command, .handler = routes::renew_lease,
     .summary = "The same, telling how far the work has come.", .body = Body::json,
     .request_schema = registered_body_schema},
    {.method = Method::get, .path = "/api/v1/worker/stream", .access = Access::worker,
     .work = Work::command, .handler = routes::stream_worker,
     .summary = "Jobs, cancels and drains as they come, instead of claims.",
     .query = "registration_id", .media_type = "text/event-stream"},
    {.method = Method::post, .path = "/api/v1/worker/jobs/{job_id}/logs",
     .access = Access::worker, .work = Work::command, .handler = routes::append_job_log,
     .summary = "Lines for the log of the attempt.", .body = Body::json,
     .request_schema = registered_body_schema},
    {.method = Method::put, .path = "/api/v1/worker/jobs/{job_id}/artifacts/{name}",
     .access = Access::worker, .work = Work::command, .handler = routes::put_artifact,
     .summary = "Bytes that the result will name.", .query = "fence", .body = Body::upload,
     .success = 201},
    {.method = Method::put, .path = "/api/v1/worker/blobs", .access = Access::worker,
     .work = Work::blocking, .handler = routes::put_blob,
     .summary = "Bytes under their hash, for an output or an artifact.", .body = Body::upload,
     .success = 201},
    {.method = Method::get, .path = "/api/v1/worker/blobs/{sha256}", .access = Access::worker,
     .work = Work::blocking, .handler = routes::get_blob,
     .summary = "The bytes of a large input.", .media_type = "application/octet-stream"},
    {.method = Method::post, .path = "/api/v1/worker/jobs/{job_id}/decline",
     .access = Access::worker, .work = Work::command, .handler = routes::decline_job,
     .summary = "Give a job back; no try is counted.", .body = Body::json,
     .request_schema = registered_body_schema},
};
// clang-format on

}  // namespace

std::span<const Route> job_routes() { return table; }

}  // namespace fermata::server
