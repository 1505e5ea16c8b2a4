#include "front/run_query.h"
#include "front/start_request.h"
#include "server/routes/bulk_execution.h"
#include "server/routes/bulk_request.h"
#include "server/routes/routes.h"
#include "server/routes/run_sieve.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view executions_kind = "executions";

/// What is selected, as it was at one moment.
struct Selection {
  std::vector<std::string> ids;
  std::vector<RunStatus> statuses;   ///< of each
  std::vector<std::string> missing;  ///< ids that are no execution of this account
};

Outcome<Selection> select_by_filter(Api& api, const RunFilter& filter, const RunSieve& sieve) {
  Selection out;
  std::string cursor;
  do {
    FERMATA_TRY(found, list_runs(api, filter, sieve, front::page_limit_max, cursor));
    const RunPage& page = found.page;
    for (const RunSummary& summary : page.items) {
      out.ids.push_back(summary.id.text());
      out.statuses.push_back(summary.status);
    }
    cursor = page.next_cursor;
    if (out.ids.size() > api.options().bulk_items_max) return too_many(api, "executions");
  } while (!cursor.empty());
  return out;
}

Outcome<Selection> select_by_ids(Api& api, const AccountId& account,
                                 const std::vector<std::string>& ids) {
  Selection out;
  for (const std::string& id : ids) {
    FERMATA_TRY(summary, api.reader().summary(RunId(id)));
    if (!summary || summary->account != account) {
      out.missing.push_back(id);
      continue;
    }
    out.ids.push_back(id);
    out.statuses.push_back(summary->status);
  }
  return out;
}

Outcome<Selection> select(Api& api, const Call& call, const BulkRequest& request) {
  if (request.ids) return select_by_ids(api, call.who.account, *request.ids);
  Value filter = request.filter.is_null() ? Value::object() : request.filter;
  FERMATA_TRY(sieve, take_run_sieve(filter));
  FERMATA_TRY(runs, front::read_run_filter(filter, call.who.account));
  return select_by_filter(api, runs, sieve);
}

Value forecast(const ExecutionAction& action, const Selection& selection) {
  BulkForecast forecast;
  for (size_t i = 0; i < selection.ids.size(); ++i)
    forecast.add(name_of(selection.statuses[i]), selection.ids[i],
                 forbidden(action.name, selection.statuses[i]));
  forecast.add_missing(ErrorCode::execution_not_found, selection.missing.size());
  return forecast.value();
}

Outcome<BulkRequest> read_request(const Call& call, ExecutionAction& action) {
  front::Fields fields(call.body);
  BulkRequest request = read_bulk_request(fields);
  // A token stands for everything that its dry run was asked; it may be said again.
  if (request.token.empty() || call.body.find("action")) action = read_execution_action(fields);
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY_VOID(check_bulk_request(request));
  if (!request.filter.is_null()) {
    Value filter = request.filter;
    FERMATA_TRY_VOID(take_run_sieve(filter));
    FERMATA_TRY_VOID(front::read_run_filter(filter, call.who.account));
  }
  return request;
}

Outcome<void> serve(Api& api, const Call& call) {
  ExecutionAction action;
  FERMATA_TRY(request, read_request(call, action));
  BulkPreview preview{call.who.account,
                      std::string(executions_kind),
                      bulk_request_hash(call.body),
                      action.name,
                      action.parameters,
                      {}};
  if (request.dry_run) {
    FERMATA_TRY(selection, select(api, call, request));
    Value told = forecast(action, selection);
    if (action.name == "migrate")
      FERMATA_TRY_VOID(tell_fits(api, call.who.account, action, selection.ids, told));
    preview.items = std::move(selection.ids);
    answer_preview(api, call, std::move(preview), std::move(told));
    return {};
  }
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  FERMATA_TRY(selection, select(api, call, request));
  preview.items = std::move(selection.ids);
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

}  // namespace

void bulk_executions(Api& api, Call call) {
  if (auto served = serve(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
