#include "host/tracing.h"

#include "host/run_spans.h"

namespace fermata {
namespace {

constexpr size_t span_bytes = 1'000;  ///< about
constexpr std::string_view mail_name = "send mail";

/// The host of a URL. Its path and query may hold secrets and are not told.
std::string host_of(std::string_view url) {
  size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  url.remove_prefix(begin + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (size_t at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  return std::string(url);
}

Span span_of(const CallTicket& ticket, const CallRequest& request, Instant now) {
  Span span;
  span.context = request.trace->context;
  span.parent_id = request.trace->parent_id;
  span.name = request.mail ? std::string(mail_name) : request.method;
  span.kind = SpanKind::client;
  span.start_ns = nanoseconds(now);
  // The server of a mail is its credential's business.
  if (!request.mail)
    span.attributes = {{"http.request.method", request.method},
                       {"server.address", host_of(request.url)}};
  span.attributes.emplace_back("fermata.execution_id", ticket.run.text());
  span.attributes.emplace_back("fermata.node_id", request.trace->node_id);
  span.attributes.emplace_back("fermata.attempt", ticket.attempt);
  return span;
}

}  // namespace

void TracingFeed::committed(const RunSummary& summary, const HistoryChunk& events) {
  latest_ = events;
  inner_.committed(summary, events);
}

void TracingFeed::settled(const Run& state) {
  inner_.settled(state);
  if (!state.trace.recorded) return;
  size_t bytes = 500 + latest_.bytes.size();
  telemetry_.record(
      [run = recorded(state), events = std::move(latest_)] { return spans_of(run, events); },
      bytes);
}

void TracingCalls::submit(const CallTicket& ticket, CallRequest request) {
  if (request.trace) under_way_.emplace(ticket, span_of(ticket, request, clock_.now()));
  inner_->submit(ticket, std::move(request));
}

void TracingCalls::abandon(const CallTicket& ticket) {
  under_way_.erase(ticket);
  inner_->abandon(ticket);
}

std::vector<CallAnswer> TracingCalls::harvest() {
  std::vector<CallAnswer> answers = inner_->harvest();
  for (const CallAnswer& answer : answers) {
    auto found = under_way_.find(answer.ticket);
    if (found == under_way_.end()) continue;
    Span span = std::move(found->second);
    under_way_.erase(found);
    // What the call itself took: it may have stood in a queue before, and its answer after.
    int64_t took_ns = answer.duration_ms * 1'000'000;
    span.end_ns = std::max(nanoseconds(clock_.now()), span.start_ns);
    span.start_ns = std::max(span.start_ns, span.end_ns - took_ns);
    span.failed = !answer.error.empty() || answer.status >= 400;
    if (answer.status > 0)
      span.attributes.emplace_back(
          span.name == mail_name ? "smtp.reply_code" : "http.response.status_code", answer.status);
    if (!answer.error.empty()) span.failure = answer.error;
    if (span.failed)
      span.attributes.emplace_back(
          "error.type", answer.error.empty() ? std::to_string(answer.status) : answer.error);
    telemetry_.record([told = std::move(span)] { return std::vector<Span>{told}; }, span_bytes);
  }
  return answers;
}

}  // namespace fermata
