#include "core/job/view.h"
#include "front/job_request.h"
#include "server/problem.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t batch_jobs_max = 1'000;

front::JobSubmitter submitter(const Call& call) {
  return {call.who.account, call.who.actor, {call.who.actor, job::ActorType::service}};
}

job::Command command_of(Api& api, const Call& call, front::JobSubmission read) {
  JobId id = read.id.empty() ? JobId(api.new_uuid_v7()) : std::move(read.id);
  return {std::move(id), std::move(read.submit), call.who.actor};
}

/// What became of each job of a batch, as they are stored.
struct Batch {
  std::mutex mutex;
  std::vector<Value> items;
  size_t left = 0;
  Call call;

  explicit Batch(Call asked) : call(std::move(asked)) {}
  void set(size_t index, Value item) {
    std::unique_lock lock(mutex);
    items[index] = std::move(item);
    if (--left > 0) return;
    Value list = Value::array();
    for (Value& one : items) list.push(std::move(one));
    lock.unlock();
    call.send_json(200, Value::object({{"items", std::move(list)}}));
  }
};

Value error_item(const Error& error) {
  Value findings = Value::array();
  for (const Finding& finding : error.findings)
    findings.push(Value::object(
        {{"code", finding.code}, {"path", finding.path}, {"message", finding.message}}));
  return Value::object({{"error", Value::object({{"code", name_of(error.code)},
                                                 {"status", http_status_of(error.code)},
                                                 {"message", error.message},
                                                 {"errors", std::move(findings)}})}});
}

}  // namespace

void submit_job(Api& api, Call call) {
  std::string key(call.request.header("idempotency-key"));
  auto read = front::read_job(call.body, submitter(call), key, api.options().job_limits.request);
  if (!read) return api.fail(call, read.error());
  job::Command command = command_of(api, call, *std::move(read));
  send_job(api, std::move(call), std::move(command),
           [](Api&, const Call& asked, const JobTold& told) {
             http::Response response = json_response(201, job::view::receipt(told.summary));
             response.headers.emplace_back("Location", "/api/v1/jobs/" + told.summary.id.text());
             asked.send(std::move(response));
           });
}

void submit_jobs(Api& api, Call call) {
  const Value* jobs = call.body.find("jobs");
  bool fits = jobs && jobs->is_array() && jobs->size() > 0 && jobs->size() <= batch_jobs_max &&
              call.body.size() == 1;
  if (!fits) {
    std::string message = "An object with `jobs`, an array of 1 to " +
                          std::to_string(batch_jobs_max) + " jobs, is expected.";
    return api.fail(call,
                    {ErrorCode::invalid_field, message, {{"invalid_field", "/jobs", message, {}}}});
  }
  auto batch = std::make_shared<Batch>(call);
  batch->items.resize(jobs->size());
  batch->left = jobs->size();
  size_t index = 0;
  for (const Value& body : jobs->items()) {
    size_t at = index++;
    auto read = front::read_job(body, submitter(call), "", api.options().job_limits.request,
                                "/jobs/" + std::to_string(at));
    if (!read) {
      batch->set(at, error_item(read.error()));
      continue;
    }
    bool taken = api.jobs().submit_job(
        command_of(api, call, *std::move(read)), [batch, at](Outcome<JobTold> told) {
          batch->set(at, told ? job::view::receipt(told->summary) : error_item(told.error()));
        });
    if (!taken)
      batch->set(at, error_item({ErrorCode::queue_full, "The engine's queue is full.", {}}));
  }
}

}  // namespace fermata::server::routes
