#include "server/routes/approval_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view approval_schema =
    R"({"type":"object","required":["id","kind","status","title","hash","approvers","asked_at"],
      "properties":{"id":{"type":"string"},"kind":{"enum":["run","job"]},
      "status":{"enum":["pending","approved","rejected","expired","withdrawn"]},
      "title":{"type":"string"},"message":{"type":["string","null"]},"payload":{},
      "hash":{"type":"string"},"approvers":{"type":"array","items":{"type":"string"}},
      "workflow_id":{"type":"string"},"execution_id":{"type":"string"},
      "contact_id":{"type":["string","null"]},"step_id":{"type":"string"},
      "source":{"enum":["graph","flow"]},"started_by":{"type":["string","null"]},"unblocks":{},
      "asked_at":{"type":"string"},"expires_at":{"type":["string","null"]},
      "time_left_ms":{"type":["integer","null"]},"on_timeout":{"type":["string","null"]},
      "ended_at":{"type":["string","null"]},"by":{"type":["string","null"]},
      "comment":{"type":["string","null"]},"ended_reason":{"type":["string","null"]},
      "updated_at":{"type":"string"},"job_id":{"type":"string"},"topic":{"type":"string"},
      "count":{"type":"integer"},"votes":{"type":"array"},"submitter":{"type":"string"},
      "rule_id":{"type":"string"},"constraints":{},"compensation":{"type":"object"}}})";
constexpr std::string_view approve_schema =
    R"({"type":"object","required":["hash"],"additionalProperties":false,"properties":{
      "hash":{"type":"string"},"reason":{"type":"string"},"note":{"type":"string"}}})";
constexpr std::string_view reject_schema =
    R"({"type":"object","required":["hash","reason"],"additionalProperties":false,"properties":{
      "hash":{"type":"string"},"reason":{"type":"string"},"note":{"type":"string"}}})";
constexpr std::string_view bulk_approvals_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "action":{"enum":["reject"]},"filter":{"type":"object"},
      "ids":{"type":"array","items":{"type":"string"}},"all":{"type":"boolean"},
      "reason":{"type":"string"},"per_second":{"type":"integer"},
      "per_minute":{"type":"integer"},"dry_run":{"type":"boolean"},
      "token":{"type":"string"}}})";

// clang-format off
const Route table[] = {
    {.method = Method::get, .path = "/api/v1/approvals", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_approvals,
     .summary = "Questions to people, newest first.",
     .query = "status kind workflow_id execution_id q limit cursor",
     .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/approvals/bulk", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::bulk_approvals,
     .summary = "Reject a selection of approvals, or show what would happen.", .body = Body::json,
     .success = 202, .request_schema = bulk_approvals_schema,
     .response_schema = bulk_begun_schema},
    {.method = Method::get, .path = "/api/v1/approvals/{approval_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_approval, .summary = "An approval.",
     .response_schema = approval_schema},
    {.method = Method::post, .path = "/api/v1/approvals/{approval_id}/approve",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::approve_approval,
     .summary = "Say yes to exactly what the hash stands for.", .body = Body::json,
     .request_schema = approve_schema, .response_schema = approval_schema},
    {.method = Method::post, .path = "/api/v1/approvals/{approval_id}/reject",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::reject_approval,
     .summary = "Say no, and why.", .body = Body::json,
     .request_schema = reject_schema, .response_schema = approval_schema},
};
// clang-format on

}  // namespace

std::span<const Route> approval_routes() { return table; }

}  // namespace fermata::server
