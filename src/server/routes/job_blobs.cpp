#include <algorithm>
#include <charconv>

#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

Value blob_value(const BlobRef& blob) {
  return Value::object({{"sha256", blob.sha256}, {"size", blob.bytes}});
}

void keep_bytes(Api& api, const Call& call) {
  auto kept = api.job_files().put_blob(call.who.account, call.request.body, api.now());
  if (!kept) return api.fail(call, kept.error());
  call.send_json(201, blob_value(*kept));
}

void answer_blob(Api& api, const Call& call, const std::string& sha256) {
  auto bytes = api.job_files().blob(call.who.account, sha256);
  if (!bytes) return api.fail(call, bytes.error());
  if (!*bytes)
    return api.fail(call, {ErrorCode::value_not_found, "There are no bytes `" + sha256 + "`.", {}});
  send_bytes(call, **std::move(bytes));
}

/// True when the job refers to these bytes.
bool refers_to(const job::Job& job, const std::string& sha256) {
  auto is_it = [&](const job::Payload& payload) {
    return payload.in_blob && payload.sha256 == sha256;
  };
  const auto& undo = job.request.compensation;
  return is_it(job.request.input) || is_it(job.output) ||
         (undo && undo->input && is_it(*undo->input)) ||
         std::any_of(job.artifacts.begin(), job.artifacts.end(),
                     [&](const job::Artifact& artifact) { return artifact.sha256 == sha256; });
}

/// The fence of `?fence=`, 0 when that is none.
uint64_t fence_of(const Call& call) {
  const std::string* text = front::find_value(call.query, "fence");
  uint64_t fence = 0;
  if (!text) return 0;
  const char* last = text->data() + text->size();
  auto [end, code] = std::from_chars(text->data(), last, fence);
  return code == std::errc() && end == last ? fence : 0;
}

}  // namespace

void put_blob(Api& api, Call call) { keep_bytes(api, call); }

void get_blob(Api& api, Call call) { answer_blob(api, call, call.variable(0)); }

/// For whoever holds the job's lease only; the result then names the bytes.
void put_artifact(Api& api, Call call) {
  fleet::LeaseKey key{JobId(call.variable(0)), fence_of(call)};
  if (key.fence == 0) {
    auto bad = front::bad_query("fence", "The fence of the attempt is needed.");
    return api.fail(call, bad.value);
  }
  if (call.variable(1).size() > job::artifact_name_bytes_max)
    return api.fail(call, {ErrorCode::invalid_field,
                           "The name of an artifact has at most " +
                               std::to_string(job::artifact_name_bytes_max) + " bytes.",
                           {}});
  visit_workers(api, std::move(call), [&api, key](Workers& workers, const Call& asked) {
    const fleet::Lease* lease = workers.fleet().find_lease(key);
    if (!lease || lease->revoked || lease->account != asked.who.account)
      return api.fail(asked, {ErrorCode::wrong_state,
                              "No worker of this account holds the job under this fence.",
                              {}});
    api.pool().submit_owed([&api, asked] { keep_bytes(api, asked); });
  });
}

void get_job_artifact(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  for (const job::Artifact& artifact : job->artifacts)
    if (artifact.name == call.variable(1)) return answer_blob(api, call, artifact.sha256);
  api.fail(call,
           {ErrorCode::value_not_found, "The job has no artifact `" + call.variable(1) + "`.", {}});
}

void get_job_blob(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  if (!refers_to(*job, call.variable(1)))
    return api.fail(
        call, {ErrorCode::value_not_found, "The job has no bytes `" + call.variable(1) + "`.", {}});
  answer_blob(api, call, call.variable(1));
}

}  // namespace fermata::server::routes
