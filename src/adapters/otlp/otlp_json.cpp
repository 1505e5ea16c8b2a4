#include "adapters/otlp/otlp_json.h"

#include <charconv>

#include "base/json.h"

namespace fermata::otlp {
namespace {

constexpr int status_error = 2;

Value attribute_value(const Value& value) {
  if (value.is_bool()) return Value::object({{"boolValue", value}});
  // 64 bits do not fit into every reader's numbers, so they are texts.
  if (value.is_integer()) return Value::object({{"intValue", std::to_string(value.as_integer())}});
  if (value.is_number()) return Value::object({{"doubleValue", value}});
  if (value.is_string()) return Value::object({{"stringValue", value}});
  return Value::object({{"stringValue", to_json(value)}});
}

Value attribute(std::string_view key, const Value& value) {
  return Value::object({{"key", key}, {"value", attribute_value(value)}});
}

Value link(const TraceContext& to) {
  return Value::object({{"traceId", to.trace_id}, {"spanId", to.span_id}});
}

Value span_value(const Span& span) {
  Value out = Value::object({{"traceId", span.context.trace_id},
                             {"spanId", span.context.span_id},
                             {"name", span.name},
                             {"kind", static_cast<int>(span.kind)},
                             {"startTimeUnixNano", std::to_string(span.start_ns)},
                             {"endTimeUnixNano", std::to_string(span.end_ns)},
                             {"flags", span.context.flags}});
  if (!span.parent_id.empty()) out.set("parentSpanId", span.parent_id);
  if (!span.context.state.empty()) out.set("traceState", span.context.state);
  Value attributes = Value::array();
  for (const auto& [key, value] : span.attributes) attributes.push(attribute(key, value));
  out.set("attributes", std::move(attributes));
  if (!span.links.empty()) {
    Value links = Value::array();
    for (const TraceContext& to : span.links) links.push(link(to));
    out.set("links", std::move(links));
  }
  if (span.failed) {
    Value status = Value::object({{"code", status_error}});
    if (!span.failure.empty()) status.set("message", span.failure);
    out.set("status", std::move(status));
  }
  return out;
}

Value list_of(Value only) {
  Value out = Value::array();
  out.push(std::move(only));
  return out;
}

}  // namespace

std::string export_request(const Sender& sender, std::span<const Span> spans) {
  Value told = Value::array();
  for (const Span& span : spans) told.push(span_value(span));
  Value scope =
      Value::object({{"scope", Value::object({{"name", "fermata"}, {"version", sender.version}})},
                     {"spans", std::move(told)}});
  Value resource = Value::array();
  resource.push(attribute("service.name", "fermata"));
  resource.push(attribute("service.version", sender.version));
  resource.push(attribute("service.instance.id", sender.instance_id));
  Value whole = Value::object({{"resource", Value::object({{"attributes", std::move(resource)}})},
                               {"scopeSpans", list_of(std::move(scope))}});
  return to_json(Value::object({{"resourceSpans", list_of(std::move(whole))}}));
}

uint64_t rejected_spans(std::string_view answer) {
  auto parsed = parse_json(answer);
  if (!parsed) return 0;
  const Value& count = parsed->get("partialSuccess").get("rejectedSpans");
  if (count.is_integer() && count.as_integer() > 0)
    return static_cast<uint64_t>(count.as_integer());
  uint64_t number = 0;
  if (count.is_string())
    std::from_chars(count.as_string().data(), count.as_string().data() + count.as_string().size(),
                    number);
  return number;
}

}  // namespace fermata::otlp
