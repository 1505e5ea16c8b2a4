#include "server/routes/table.h"
#include "server/routes/wire_routes.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view kept_schema =
    R"({"type":"object","required":["result_ptr","sha256","size"],"properties":{
      "result_ptr":{"type":"string"},"sha256":{"type":"string"},"size":{"type":"integer"}}})";

// Whoever has the token of an attempt may read and write what belongs to it; there is no key.
// clang-format off
const Route wire_table[] = {
    {.method = Method::get, .path = "/api/v1/wire/jobs/{job_id}/context", .access = Access::open,
     .work = Work::blocking, .handler = routes::get_wire_context,
     .summary = "The input of a job, for the worker it was dispatched to.", .query = "token"},
    {.method = Method::get, .path = "/api/v1/wire/jobs/{job_id}/output", .access = Access::open,
     .work = Work::blocking, .handler = routes::get_wire_output,
     .summary = "The output of a job that has succeeded, for those who were told of it.",
     .query = "token"},
    {.method = Method::put, .path = "/api/v1/wire/jobs/{job_id}/output", .access = Access::open,
     .work = Work::blocking, .handler = routes::put_wire_output,
     .summary = "Put an output before the result that names it.", .query = "token",
     .body = Body::raw, .success = 201, .response_schema = kept_schema},
};
// clang-format on

}  // namespace

std::span<const Route> wire_routes() { return wire_table; }

}  // namespace fermata::server
