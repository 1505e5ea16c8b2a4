#include "server/job_metrics.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

void set_gauges(Api& api) {
  Metrics& metrics = api.metrics();
  FeedHub::Counts counts = api.hub().counts();
  metrics.commits = counts.commits;
  metrics.events = counts.events;
  metrics.runs_started = counts.started;
  metrics.runs_completed = counts.ended[0];
  metrics.runs_failed = counts.ended[1];
  metrics.runs_cancelled = counts.ended[2];
  metrics.runs_timed_out = counts.ended[3];
  metrics.work_queue_depth = api.pool().queued();
  if (api.options().queue_depth) metrics.queue_depth = api.options().queue_depth();
  if (api.options().checkpoints_unreadable)
    metrics.checkpoints_unreadable = api.options().checkpoints_unreadable();
  metrics.policy_load_failed = api.policy().loads_failed();
  if (api.options().store_failures) metrics.store_failures = api.options().store_failures();
  if (api.options().runs_removed) metrics.runs_removed = api.options().runs_removed();
  if (api.options().audit_lines_removed)
    metrics.audit_lines_removed = api.options().audit_lines_removed();
  if (api.options().connections_open) metrics.connections_open = api.options().connections_open();
  if (Telemetry* telemetry = api.options().telemetry) {
    Telemetry::Counts spans = telemetry->counts();
    metrics.spans_exported = spans.exported;
    metrics.spans_dropped = spans.dropped;
    metrics.span_failures = spans.failures;
  }
  auto up = std::chrono::steady_clock::now() - api.started_at();
  metrics.uptime_seconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(up).count());
}

/// A number that cannot be read is shown as none.
WaitMetrics::Gauges wait_gauges(Api& api) {
  WaitMetrics::Gauges gauges;
  gauges.now = api.now();
  if (auto tally = api.reader().wait_tally(AccountId(), WorkflowId(), gauges.now))
    gauges.tally = *std::move(tally);
  WaitMetrics& metrics = api.hub().wait_metrics();
  if (metrics.names_accounts())
    if (auto accounts = api.reader().wait_accounts())
      for (AccountId& account : metrics.named(*std::move(accounts)))
        if (auto tally = api.reader().wait_tally(account, WorkflowId(), gauges.now))
          gauges.accounts.emplace_back(std::move(account), *std::move(tally));
  if (auto overdue = api.overdue_alerts().look()) gauges.overdue = *std::move(overdue);
  gauges.alerts = api.overdue_alerts().alerting();
  gauges.registered_types = SignalCounting::registered_types(api.account_book());
  gauges.tzdata = api.zones()->version();
  if (api.options().callbacks_pending) gauges.callbacks_pending = api.options().callbacks_pending();
  if (api.options().resumes_delayed) gauges.resumes_delayed = api.options().resumes_delayed();
  return gauges;
}

/// Rollbacks that an earlier life of the server began are looked for once.
void find_rollbacks(Api& api) {
  SagaMetrics& sagas = api.hub().saga_metrics();
  if (sagas.knows_all()) return;
  RunFilter filter;
  filter.statuses = {RunStatus::running, RunStatus::waiting};
  filter.sagas = {SagaStatus::rolling_back, SagaStatus::parked};
  constexpr size_t rollbacks_max = 1'000;
  if (auto page = api.reader().list(filter, rollbacks_max, "")) sagas.recovered(page->items);
}

/// The same of approvals that jobs await.
void find_approvals(Api& api) {
  JobMetrics& jobs = api.hub().job_metrics();
  if (jobs.knows_all()) return;
  JobFilter filter;
  filter.states = {job::State::approval_required};
  constexpr size_t approvals_max = 10'000;
  if (auto page = api.reader().list_jobs(filter, approvals_max, "")) jobs.recovered(page->items);
}

/// Of topics that say nothing of their own.
std::string fail_mode(Api& api) {
  std::optional<policy::FailMode> mode = api.options().output.fail_mode;
  const policy::PolicyPtr current = api.policy().current();
  const policy::OutputPolicy* output = current ? current->common().output() : nullptr;
  if (!mode && output) mode = output->fail_mode;
  if (!mode && output && output->release == policy::Release::optimistic)
    mode = policy::FailMode::open;
  return mode == policy::FailMode::open ? "open" : "closed";
}

void answer_metrics(Api& api, const Call& call, JobMetrics::Gauges gauges) {
  // One number that cannot be read keeps nobody from the others.
  if (auto open = api.dead_letters().count_dead_letters(AccountId()))
    for (const auto& [reason, count] : *open)
      gauges.dead_letters_open["reason_code=\"" + reason + "\""] = count;
  if (auto held = api.job_files().count_held()) gauges.outputs_held = *held;
  gauges.output_fail_mode = fail_mode(api);
  set_gauges(api);
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = api.metrics().text();
  find_approvals(api);
  api.hub().job_metrics().append(response.body, gauges);
  api.hub().wait_metrics().append(response.body, wait_gauges(api));
  find_rollbacks(api);
  api.hub().saga_metrics().append(response.body);
  if (api.options().append_metrics) api.options().append_metrics(response.body);
  call.send(std::move(response));
}

}  // namespace

/// Who works is the engine's to tell, what failed the store's; neither is waited for on the
/// server's thread.
void metrics(Api& api, Call call) {
  bool taken = api.jobs().with_workers([&api, call](Workers& workers) {
    auto gauges = JobMetrics::gauges_of(workers, api.now());
    api.pool().submit_owed([&api, call, gauges] { answer_metrics(api, call, gauges); });
  });
  if (!taken) api.pool().submit_owed([&api, call] { answer_metrics(api, call, {}); });
}

}  // namespace fermata::server::routes
