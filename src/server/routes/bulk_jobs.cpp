#include "front/fields.h"
#include "front/job_query.h"
#include "server/routes/bulk_job.h"
#include "server/routes/bulk_request.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view job_kind = "jobs";

struct SelectedJobs {
  std::vector<std::string> ids;
  std::vector<job::Summary> jobs;
  std::vector<std::string> missing;  ///< ids that are no job of this account
};

Outcome<SelectedJobs> jobs_by_filter(Api& api, const JobFilter& filter) {
  SelectedJobs out;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list_jobs(filter, front::page_limit_max, cursor));
    for (job::Summary& summary : page.items) {
      // One that has ended could only refuse; who names no state means those that can be ended.
      if (filter.states.empty() && is_terminal(summary.state)) continue;
      out.ids.push_back(summary.id.text());
      out.jobs.push_back(std::move(summary));
    }
    if (out.ids.size() > api.options().bulk_items_max) return too_many(api, "jobs");
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return out;
}

Outcome<SelectedJobs> select_jobs(Api& api, const Call& call, const BulkRequest& request) {
  if (!request.ids) {
    FERMATA_TRY(filter, front::read_job_filter(request.filter, call.who.account));
    return jobs_by_filter(api, filter);
  }
  SelectedJobs out;
  for (const std::string& id : *request.ids) {
    FERMATA_TRY(found, api.reader().find_job(JobId(id)));
    if (found.version == 0 || found.summary.account != call.who.account) {
      out.missing.push_back(id);
      continue;
    }
    out.ids.push_back(id);
    out.jobs.push_back(std::move(found.summary));
  }
  return out;
}

Value job_forecast(const SelectedJobs& selection) {
  BulkForecast forecast;
  for (const job::Summary& summary : selection.jobs)
    forecast.add(name_of(summary.state), summary.id.text(),
                 is_terminal(summary.state) ? std::optional(ErrorCode::wrong_state) : std::nullopt);
  forecast.add_missing(ErrorCode::job_not_found, selection.missing.size());
  return forecast.value();
}

Outcome<void> serve_jobs(Api& api, const Call& call) {
  front::Fields fields(call.body);
  std::string action;
  BulkRequest request = read_bulk_request(fields);
  // A token stands for everything that its dry run was asked; it may be said again.
  if (request.token.empty() || call.body.find("action")) {
    action = fields.text("action").value_or("");
    fields.require("action");
    if (!action.empty() && action != "cancel") fields.wrong("action", "cancel is expected.");
  }
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY_VOID(check_bulk_request(request));
  BulkPreview preview{
      call.who.account, std::string(job_kind), bulk_request_hash(call.body), action, {}, {}};
  preview.parameters = Value::object();
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  if (request.filter.is_null()) request.filter = Value::object();
  FERMATA_TRY(selection, select_jobs(api, call, request));
  Value told = job_forecast(selection);
  preview.items = std::move(selection.ids);
  if (request.dry_run) {
    answer_preview(api, call, std::move(preview), std::move(told));
    return {};
  }
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

}  // namespace

void bulk_jobs(Api& api, Call call) {
  if (auto served = serve_jobs(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
