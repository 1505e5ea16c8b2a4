#include "core/fleet/view.h"
#include "core/job/view.h"
#include "front/job_query.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

/// When timeouts that an earlier life of the engine left behind fall due is the engine's affair.
constexpr Instant any_start{0};

Outcome<Value> history_page(Api& api, const Call& call) {
  FERMATA_TRY(job, own_job(api, call));
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(stored, api.reader().find_job(job.id));
  uint64_t from = 1;
  if (!paging.cursor.empty()) {
    auto number = version_number(paging.cursor);
    if (!number) return front::bad_query("cursor", "This is no cursor of this list.");
    from = *number;
  }
  FERMATA_TRY(events, job::view::history(stored.history, from, paging.limit));
  bool more = from + events.size() <= stored.summary.last_sequence;
  std::string next = more ? std::to_string(from + events.size()) : "";
  Value items = Value::array();
  for (Value& event : events) items.push(std::move(event));
  return page_value(std::move(items), next);
}

}  // namespace

/// How far the open attempt has come is known to the engine alone.
void get_job(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  Value shown = job::view::job(*job, any_start);
  const job::Attempt* open = job->open_attempt();
  bool waits = job->state == job::State::scheduled;
  if (!open && !waits) return call.send_json(200, shown);
  fleet::LeaseKey key{job->id, open ? open->fence : 0};
  Instant now = api.now();
  bool taken = api.jobs().with_workers(
      [call, shown, key, now, since = job->waiting_since](Workers& workers) mutable {
        if (const fleet::Lease* lease = workers.fleet().find_lease(key))
          shown.set("progress", fleet::view::progress(lease->progress));
        fleet::view::add_waiting(shown, workers.fleet(), key.job, since, now);
        call.send_json(200, shown);
      });
  if (!taken) call.send_json(200, shown);
}

void get_job_attempts(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  call.send_json(200, page_value(job::view::attempts(*job), ""));
}

void get_job_result(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  if (!job->finished())
    return api.fail(call, {ErrorCode::wrong_state,
                           "The job is " + std::string(name_of(job->state)) + " and has no result.",
                           {}});
  auto output = output_value(api, *job);
  if (!output) return api.fail(call, output.error());
  Value shown = Value::object({{"id", job->id.text()},
                               {"state", name_of(job->state)},
                               {"output", *std::move(output)},
                               {"error", job->error}});
  if (job->withholds()) shown.set("output_withheld", true);
  call.send_json(200, shown);
}

void get_job_history(Api& api, Call call) {
  auto page = history_page(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
