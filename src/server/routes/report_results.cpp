#include "front/worker_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

Value result_item(const front::ResultItem& item, job::Answer answer) {
  Value out = Value::object({{"job_id", item.job.text()},
                             {"fence", item.fence},
                             {"answer", item.findings.empty() ? name_of(answer) : "invalid"}});
  if (item.findings.empty()) return out;
  Value errors = Value::array();
  for (const Finding& finding : item.findings)
    errors.push(Value::object(
        {{"code", finding.code}, {"path", finding.path}, {"message", finding.message}}));
  out.set("errors", std::move(errors));
  return out;
}

}  // namespace

void report_results(Api& api, Call call) {
  auto read = front::read_results(call.body, api.options().job_limits.report);
  if (!read) return api.fail(call, read.error());
  auto request = std::make_shared<front::ResultsRequest>(*std::move(read));
  visit_registration(
      api, std::move(call), request->registration,
      [&api, request](Workers& workers, const Call& asked) {
        std::vector<ReportedResult> results;
        for (front::ResultItem& item : request->results)
          results.push_back(
              {item.job, item.fence, item.attempt, std::move(item.report), item.findings.empty()});
        workers.report(request->registration, std::move(results),
                       [&api, asked, request](Outcome<std::vector<job::Answer>> answers) {
                         if (!answers) return api.fail(asked, answers.error());
                         Value items = Value::array();
                         for (size_t i = 0; i < answers->size(); ++i)
                           items.push(result_item(request->results[i], (*answers)[i]));
                         asked.send_json(200, Value::object({{"results", std::move(items)}}));
                       });
      });
}

void decline_job(Api& api, Call call) {
  auto read = front::read_decline(call.body);
  if (!read) return api.fail(call, read.error());
  RegistrationId id = read->registration;
  visit_registration(
      api, std::move(call), id,
      [&api, request = *std::move(read)](Workers& workers, const Call& asked) {
        fleet::LeaseKey lease{JobId(asked.variable(0)), request.fence};
        workers.decline(request.registration, lease, request.reason, request.retry_after_ms,
                        [&api, asked](Outcome<JobTold> told) {
                          if (!told) return api.fail(asked, told.error());
                          asked.send_json(200, Value::object({{"answer", name_of(told->answer)}}));
                        });
      });
}

}  // namespace fermata::server::routes
