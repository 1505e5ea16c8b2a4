#include "server/request_tracing.h"

namespace fermata::server {
namespace {

/// About what one span takes.
constexpr size_t span_bytes = 1'000;

/// The values of a header that may come in pieces. Empty, too, when it may come once and came
/// twice.
std::string joined(const http::Request& request, std::string_view name, bool once) {
  std::string text;
  size_t count = 0;
  for (const http::HeaderField& field : request.headers) {
    if (!http::equal_ignoring_case(field.name, name)) continue;
    if (count++ > 0) text += ',';
    text += field.value;
  }
  return once && count > 1 ? std::string() : text;
}

}  // namespace

void RequestTracing::begin(http::Request& request, const Route* route) {
  auto sender =
      parse_trace(joined(request, "traceparent", true), joined(request, "tracestate", false));
  if (sender) request.trace = *sender;
  // Health checks and scrapes come all day long and tell nothing.
  bool tells = route && (route->access != Access::open || route->work != Work::quick);
  if (!telemetry_ || !tells) return;
  if (!sender) {
    request.trace.trace_id = trace_id_of(random_(), random_());
    request.trace.flags =
        is_chosen(request.trace.trace_id, share_) ? TraceContext::sampled_flag : uint8_t{0};
    request.trace.span_id = span_id_of(random_());
  }
  if (!request.trace.sampled()) return;
  request.trace_recorded = true;
  if (!sender) return;
  request.trace_parent = std::move(request.trace.span_id);
  request.trace.span_id = span_id_of(random_());
}

void RequestTracing::end(const http::Request& request, int status, std::chrono::nanoseconds took,
                         Instant now) {
  if (!request.trace_recorded || !telemetry_) return;
  const auto& route = *static_cast<const Route*>(request.route);
  Span span;
  span.context = request.trace;
  span.parent_id = request.trace_parent;
  span.name = std::string(request.method_text) + " " + std::string(route.path);
  span.kind = SpanKind::server;
  span.end_ns = now.ms * 1'000'000;
  span.start_ns = span.end_ns - took.count();
  // What the client did wrong is no failure of the server.
  span.failed = status >= 500;
  span.attributes = {{"http.request.method", request.method_text},
                     {"http.route", route.path},
                     {"http.response.status_code", status}};
  if (span.failed) span.attributes.emplace_back("error.type", std::to_string(status));
  telemetry_->record([told = std::move(span)] { return std::vector<Span>{told}; }, span_bytes);
}

RunTrace trace_of(const http::Request& request) {
  if (!request.trace.exists()) return {};
  return {traceparent_of(request.trace), request.trace.state, request.trace_recorded};
}

}  // namespace fermata::server
