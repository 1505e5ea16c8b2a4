#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void healthz(Api&, Call call) {
  static const http::Response ok = json_response(200, Value::object({{"status", "ok"}}));
  call.send(ok);
}

/// Ready when the store answers, the engine has recovered and nobody has asked it to stop.
void readyz(Api& api, Call call) {
  if (api.stopping())
    return api.fail(call, {ErrorCode::shutting_down, "The server is stopping.", {}});
  if (api.options().ready && !api.options().ready())
    return api.fail(call, {ErrorCode::store_unavailable, "The engine is still recovering.", {}});
  auto reached = api.reader().summary(RunId("ready"));
  if (!reached) return api.fail(call, reached.error());
  call.send_json(200, Value::object({{"status", "ready"}}));
}

void version(Api& api, Call call) {
  call.send_json(200, Value::object({{"name", "fermata"},
                                     {"version", api.options().version},
                                     {"tzdata", api.zones()->version()}}));
}

void openapi(Api& api, Call call) {
  http::Response response;
  response.body = api.openapi();
  call.send(std::move(response));
}

void metrics(Api& api, Call call) {
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
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.text();
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
