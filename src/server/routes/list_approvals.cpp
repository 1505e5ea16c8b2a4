#include <algorithm>

#include "core/job/view.h"
#include "core/run/approval_view.h"
#include "front/approval_query.h"
#include "server/routes/approval_routes.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

/// Pages of jobs that wait for people carry this mark in their cursor; those of runs follow.
constexpr std::string_view job_cursor = "job.";

bool wants_jobs(const ApprovalFilter& filter) {
  const auto& statuses = filter.statuses;
  return statuses.empty() ||
         std::find(statuses.begin(), statuses.end(), ApprovalStatus::pending) != statuses.end();
}

Outcome<Value> page_of_jobs(Api& api, const ApprovalFilter& wanted, size_t limit,
                            const std::string& cursor) {
  JobFilter filter;
  filter.account = wanted.account;
  filter.states = {job::State::approval_required};
  filter.workflow = wanted.workflow;
  filter.run = wanted.run;
  filter.q = wanted.q;
  FERMATA_TRY(page, api.reader().list_jobs(filter, limit, cursor));
  Value items = Value::array();
  for (const job::Summary& summary : page.items) {
    FERMATA_TRY(job, own_job(api, wanted.account, summary.id));
    Value shown = job::view::approval(job, api.now());
    // It may have been answered since it was listed.
    if (shown.get("status") == Value("pending")) items.push(std::move(shown));
  }
  std::string next = page.next_cursor.empty() ? "" : std::string(job_cursor) + page.next_cursor;
  return page_value(std::move(items), next);
}

Outcome<Value> page_of(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_approval_filter(call.query, call.who.account));
  FERMATA_TRY(paging, front::read_paging(call.query));
  const std::string* kind = front::find_value(call.query, "kind");
  if (kind && *kind != "job" && *kind != "run")
    return front::bad_query("kind", "`job` or `run` is expected.");
  return approval_page(api, filter, kind ? *kind : "", std::move(paging));
}

}  // namespace

Outcome<Value> approval_page(Api& api, const ApprovalFilter& filter, std::string_view kind,
                             front::Paging paging) {
  bool of_jobs = paging.cursor.starts_with(job_cursor);
  if (of_jobs) paging.cursor.erase(0, job_cursor.size());
  bool first = !of_jobs && paging.cursor.empty() && kind != "run";
  Value jobs = page_value(Value::array(), "");
  if (of_jobs || (first && wants_jobs(filter))) {
    FERMATA_TRY(found, page_of_jobs(api, filter, paging.limit, paging.cursor));
    jobs = std::move(found);
    paging.cursor.clear();
  }
  size_t held = jobs.get("items").size();
  bool full = !jobs.get("next_cursor").is_null() || held >= paging.limit;
  if (full || kind == "job") {
    // What comes next are those of runs, from their beginning.
    if (jobs.get("next_cursor").is_null() && kind.empty()) jobs.set("next_cursor", "run.");
    return jobs;
  }
  if (paging.cursor == "run.") paging.cursor.clear();
  paging.limit -= held;
  FERMATA_TRY(page, api.reader().list_approvals(filter, paging.limit, paging.cursor));
  Instant now = api.now();
  Value items = jobs.get("items");
  for (const ApprovalRecord& record : page.items) items.push(view::approval(record, now));
  return page_value(std::move(items), page.next_cursor);
}

Outcome<ApprovalRecord> own_approval(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  FERMATA_TRY(record, api.reader().find_approval(id));
  if (!record || record->account != call.who.account)
    return fail(ErrorCode::approval_not_found, "There is no approval `" + id + "`.");
  return *std::move(record);
}

void list_approvals(Api& api, Call call) {
  auto page = page_of(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

bool is_job_approval(Api& api, const Call& call) {
  auto job = own_job(api, call);
  return job && job->approval;
}

void get_approval(Api& api, Call call) {
  if (auto job = own_job(api, call); job && job->approval)
    return call.send_json(200, job::view::approval(*job, api.now()));
  auto record = own_approval(api, call);
  if (!record) return api.fail(call, record.error());
  call.send_json(200, view::approval(*record, api.now()));
}

}  // namespace fermata::server::routes
