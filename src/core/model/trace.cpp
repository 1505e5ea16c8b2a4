#include "core/model/trace.h"

namespace fermata {

std::string run_span(const RunId& run) { return span_id_of("run\n" + run.text()); }

std::string activation_span(const RunId& run, uint64_t token) {
  return span_id_of("activation\n" + run.text() + "\n" + std::to_string(token));
}

std::string call_span(const RunId& run, uint64_t token, uint32_t attempt) {
  return span_id_of("call\n" + run.text() + "\n" + std::to_string(token) + "\n" +
                    std::to_string(attempt));
}

std::optional<TraceContext> passed_on(const RunTrace& trace, std::string span) {
  auto context = parse_trace(trace.parent, trace.state);
  if (context && trace.recorded) context->span_id = std::move(span);
  return context;
}

}  // namespace fermata
