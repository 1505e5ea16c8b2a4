#include "core/job/view.h"
#include "front/job_query.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> jobs_page(Api& api, const Call& call, const WorkerId& worker = {}) {
  FERMATA_TRY(filter, front::read_job_filter(call.query, call.who.account));
  if (!worker.empty()) filter.worker = worker;
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_jobs(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const job::Summary& summary : page.items) items.push(job::view::list_item(summary));
  return page_value(std::move(items), page.next_cursor);
}

}  // namespace

void list_jobs(Api& api, Call call) {
  auto page = jobs_page(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

void list_jobs_of_worker(Api& api, Call call) {
  visit_workers(api, std::move(call), [&api](Workers& workers, const Call& asked) {
    if (!knows_worker(workers, asked)) return no_such_worker(api, asked);
    api.pool().submit_owed([&api, asked] {
      auto page = jobs_page(api, asked, WorkerId(asked.variable(0)));
      if (!page) return api.fail(asked, page.error());
      asked.send_json(200, *page);
    });
  });
}

void job_stats(Api& api, Call call) {
  auto counts = api.reader().count_jobs(call.who.account);
  if (!counts) return api.fail(call, counts.error());
  Value states = Value::object();
  for (const auto& [state, count] : *counts) states.set(name_of(state), count);
  call.send_json(200, Value::object({{"states", std::move(states)}}));
}

}  // namespace fermata::server::routes
