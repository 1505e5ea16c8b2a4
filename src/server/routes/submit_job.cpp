#include "core/job/view.h"
#include "front/job_request.h"
#include "server/end_wait.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

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

void answer_receipt(const Call& call, const job::Summary& summary) {
  http::Response response = json_response(201, job::view::receipt(summary));
  response.headers.emplace_back("Location", "/api/v1/jobs/" + summary.id.text());
  call.send(std::move(response));
}

/// The receipt of a job that has ended in time, with its result.
void answer_end(Api& api, const Call& call, const job::Summary& summary) {
  api.pool().submit_owed([&api, call, id = summary.id] {
    auto result = ended_job(api, call.who.account, id);
    if (!result) return api.fail(call, result.error());
    http::Response response = json_response(201, *result);
    response.headers.emplace_back("Location", "/api/v1/jobs/" + id.text());
    call.send(std::move(response));
  });
}

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
  auto wait = wait_wanted(api, call);
  if (!wait) return api.fail(call, wait.error());
  job::Command command = command_of(api, call, *std::move(read));
  std::shared_ptr<EndWait> end;
  if (*wait) end = EndWait::begin(api.hub(), api.deadlines(), command.job);
  send_job(api, std::move(call), std::move(command),
           [end, wait = *wait](Api& served_by, const Call& asked, const JobTold& told) {
             if (!end) return answer_receipt(asked, told.summary);
             if (is_terminal(told.summary.state)) return answer_end(served_by, asked, told.summary);
             end->finish(std::chrono::milliseconds(wait->ms),
                         [&served_by, asked, summary = told.summary](bool ended) {
                           if (ended) return answer_end(served_by, asked, summary);
                           answer_receipt(asked, summary);
                         });
           });
}

void submit_jobs(Api& api, Call call) {
  const Value* jobs = call.body.find("jobs");
  size_t most = api.options().job_batch_max;
  bool fits =
      jobs && jobs->is_array() && jobs->size() > 0 && jobs->size() <= most && call.body.size() == 1;
  if (!fits) {
    std::string message = "An object with `jobs`, an array of 1 to " + std::to_string(most) +
                          " jobs (jobs_batch_max), is expected.";
    return api.fail(call,
                    {ErrorCode::invalid_field, message, {{"invalid_field", "/jobs", message, {}}}});
  }
  auto batch = std::make_shared<Batch>(call);
  batch->items.resize(jobs->size());
  batch->left = jobs->size();
  std::vector<job::Command> commands;
  std::vector<size_t> places;  // of each command in the batch
  size_t index = 0;
  for (const Value& body : jobs->items()) {
    size_t at = index++;
    auto read = front::read_job(body, submitter(call), "", api.options().job_limits.request,
                                "/jobs/" + std::to_string(at));
    if (!read) {
      batch->set(at, error_item(read.error()));
      continue;
    }
    commands.push_back(command_of(api, call, *std::move(read)));
    places.push_back(at);
  }
  if (commands.empty()) return;
  bool taken = api.jobs().submit_jobs(
      std::move(commands), [batch, places](size_t place, const Outcome<JobTold>& told) {
        batch->set(places[place],
                   told ? job::view::receipt(told->summary) : error_item(told.error()));
      });
  if (taken) return;
  for (size_t at : places)
    batch->set(at, error_item({ErrorCode::queue_full, "The engine's queue is full.", {}}));
}

}  // namespace fermata::server::routes
