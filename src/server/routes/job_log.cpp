#include "front/run_query.h"
#include "front/worker_request.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

/// Lines as far as the output rules let them be read (J-50).
void clean_lines(Api& api, const fleet::Lease& lease, std::vector<std::string>& lines) {
  const policy::PolicyPtr current = api.policy().current();
  if (!api.options().clean_text || !current) return;
  policy::OutputFacts facts;
  facts.tenant = lease.account.text();
  facts.topic = lease.topic;
  facts.content_types = {"text/plain"};
  for (std::string& line : lines) {
    Value kept = api.options().clean_text(current->of(lease.account), facts, Value(line));
    line = kept.is_string() ? std::string(kept.as_string()) : std::string();
  }
}

void keep_lines(Api& api, const Call& call, const fleet::Lease& lease, LogChunk chunk) {
  api.pool().submit_owed([&api, call, lease, chunk = std::move(chunk)]() mutable {
    clean_lines(api, lease, chunk.lines);
    auto dropped = api.job_files().append_log(chunk, api.options().job_log_bytes_max);
    if (!dropped) return api.fail(call, dropped.error());
    call.send_json(200, Value::object({{"answer", "ok"}, {"dropped", *dropped}}));
  });
}

Outcome<Value> log_page(Api& api, const Call& call) {
  FERMATA_TRY(job, own_job(api, call));
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.job_files().log(job.id, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const LogChunk& chunk : page.items) {
    Value lines = Value::array();
    for (const std::string& line : chunk.lines) lines.push(line);
    items.push(Value::object(
        {{"attempt", chunk.attempt}, {"at", to_rfc3339(chunk.at)}, {"lines", std::move(lines)}}));
  }
  return page_value(std::move(items), page.next_cursor);
}

}  // namespace

/// Lines are kept only of the attempt that holds the lease.
void append_job_log(Api& api, Call call) {
  auto read = front::read_log(call.body);
  if (!read) return api.fail(call, read.error());
  RegistrationId id = read->registration;
  visit_registration(
      api, std::move(call), id,
      [&api, request = *std::move(read)](Workers& workers, const Call& asked) {
        using Renewal = fleet::Fleet::Renewal;
        fleet::LeaseKey key{JobId(asked.variable(0)), request.fence};
        auto renewed = workers.renew(request.registration, key, {});
        if (!renewed) return api.fail(asked, renewed.error());
        const fleet::Lease* lease = workers.fleet().find_lease(key);
        if (*renewed != Renewal::ok || !lease) {
          const char* word = *renewed == Renewal::cancel ? "cancel" : "lost";
          return asked.send_json(
              200, Value::object({{"answer", word}, {"dropped", request.lines.size()}}));
        }
        keep_lines(api, asked, *lease, {key.job, lease->attempt, api.now(), request.lines});
      });
}

void get_job_log(Api& api, Call call) {
  auto page = log_page(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
