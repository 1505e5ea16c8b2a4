#include <algorithm>

#include "base/json.h"
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

void hand_over(Api& api, Call call, const std::shared_ptr<front::ResultsRequest>& request) {
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

bool names_bytes(const front::ResultItem& item) {
  return item.report.output.in_blob || !item.report.artifacts.empty();
}

void refuse_item(front::ResultItem& item, std::string path, std::string message) {
  item.findings.push_back({"invalid_field", std::move(path), std::move(message), {}});
}

/// An output that was put beforehand is taken from there; one that is too large is left for the job
/// to judge (J-65).
Outcome<void> take_output(Api& api, const Call& call, front::ResultItem& item) {
  job::Payload& output = item.report.output;
  const AccountId& account = call.who.account;
  FERMATA_TRY(bytes, api.job_files().blob_bytes(account, output.sha256));
  if (!bytes) {
    refuse_item(item, "/output_blob/sha256", "No such bytes were put.");
    return {};
  }
  output.bytes = *bytes;
  if (*bytes > api.options().job_limits.report.output_bytes_max) return {};
  FERMATA_TRY(text, api.job_files().blob(account, output.sha256));
  auto value =
      parse_json(text.value_or(""), {.nesting_max = api.options().job_limits.report.nesting_max});
  if (value) {
    item.report.uploaded = output.sha256;
    output = job::Payload::of(*std::move(value));
  } else {
    refuse_item(item, "/output_blob", "The bytes are no JSON: " + value.error().message);
  }
  return {};
}

Outcome<void> take_bytes(Api& api, const Call& call, front::ResultItem& item) {
  if (!item.findings.empty()) return {};
  if (item.report.output.in_blob) FERMATA_TRY_VOID(take_output(api, call, item));
  for (size_t i = 0; i < item.report.artifacts.size(); ++i) {
    const job::Artifact& artifact = item.report.artifacts[i];
    FERMATA_TRY(bytes, api.job_files().blob_bytes(call.who.account, artifact.sha256));
    if (!bytes || *bytes != artifact.bytes)
      refuse_item(item, "/artifacts/" + std::to_string(i), "No such bytes were put.");
  }
  return {};
}

}  // namespace

void report_results(Api& api, Call call) {
  auto read = front::read_results(call.body, api.options().job_limits.report);
  if (!read) return api.fail(call, read.error());
  auto request = std::make_shared<front::ResultsRequest>(*std::move(read));
  if (!std::any_of(request->results.begin(), request->results.end(), names_bytes))
    return hand_over(api, std::move(call), request);
  api.pool().submit_owed([&api, call = std::move(call), request] {
    for (front::ResultItem& item : request->results)
      if (auto taken = take_bytes(api, call, item); !taken) return api.fail(call, taken.error());
    hand_over(api, call, request);
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
