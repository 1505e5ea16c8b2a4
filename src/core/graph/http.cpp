#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "core/graph/advance.h"
#include "core/graph/calls.h"

/// The http node (G-33, G-38): what it asks for, and what an answer means.
namespace fermata::graph {

namespace {

std::string url_encoded(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                 (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' ||
                 byte == '~';
    if (plain) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

/// Calls `use(name, text)` for each pair of an object: arrays repeat, null leaves out (G-38).
template <class Use>
void each_pair(const Value& object, Use use) {
  if (!object.is_object()) return;
  for (const Value::Member& member : object.members()) {
    if (member.value.is_null()) continue;
    if (!member.value.is_array()) {
      use(member.key.as_string(), to_text(member.value));
      continue;
    }
    for (const Value& item : member.value.items()) use(member.key.as_string(), to_text(item));
  }
}

std::string form_encoded(const Value& pairs) {
  std::string out;
  each_pair(pairs, [&](std::string_view name, const std::string& text) {
    if (!out.empty()) out += '&';
    out += url_encoded(name) + "=" + url_encoded(text);
  });
  return out;
}

bool same_header(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  return true;
}

void add_header(CallRequest& request, std::string name, std::string value) {
  for (const auto& header : request.headers)
    if (same_header(header.first, name)) return;
  request.headers.emplace_back(std::move(name), std::move(value));
}

std::string url_of(const Value& parameters) {
  std::string url = to_text(parameters.get("url"));
  std::string query = form_encoded(parameters.get("query"));
  if (query.empty()) return url;
  size_t hash = url.find('#');
  std::string fragment = hash == std::string::npos ? "" : url.substr(hash);
  if (hash != std::string::npos) url.resize(hash);
  return url + (url.find('?') == std::string::npos ? "?" : "&") + query + fragment;
}

void set_body(CallRequest& request, const Value& parameters) {
  const Value* body = parameters.find("body");
  if (!body || body->is_null()) return;
  const Value& type = parameters.get("body_type");
  if (type == Value("form")) {
    request.body = form_encoded(*body);
    add_header(request, "Content-Type", "application/x-www-form-urlencoded");
  } else if (type == Value("text")) {
    request.body = to_text(*body);
    add_header(request, "Content-Type", "text/plain; charset=utf-8");
  } else {
    request.body = to_json(*body);
    add_header(request, "Content-Type", "application/json");
  }
}

/// The called are told which trace they are part of: the one the run came with, else one that is
/// the run's own.
void tell_trace(CallRequest& request, const Run& run, TokenId id, const std::string& key) {
  auto context = passed_on(run.trace, call_span(run.id, id, run.tokens.at(id).attempt));
  if (!context) {
    // Its ids come from the activation, so a repeated attempt joins the same trace.
    std::string trace = sha256_hex("trace\n" + run.run_key.text());
    return add_header(request, "traceparent",
                      "00-" + trace.substr(0, 32) + "-" + key.substr(0, 16) + "-01");
  }
  add_header(request, "traceparent", traceparent_of(*context));
  if (!context->state.empty()) add_header(request, "tracestate", context->state);
}

std::string class_of_status(int status) {
  if (status == 429) return "rate_limited";
  if (status >= 500) return "server_error";
  return "http_status";
}

/// True when the status matches a pattern list such as `4xx,503`.
bool status_matches(int status, std::string_view patterns) {
  std::string text = std::to_string(status);
  while (!patterns.empty()) {
    size_t comma = patterns.find(',');
    std::string_view pattern = patterns.substr(0, comma);
    patterns = comma == std::string_view::npos ? "" : patterns.substr(comma + 1);
    while (!pattern.empty() && pattern.front() == ' ') pattern.remove_prefix(1);
    while (!pattern.empty() && pattern.back() == ' ') pattern.remove_suffix(1);
    bool matches = pattern.size() == text.size();
    for (size_t i = 0; matches && i < pattern.size(); ++i)
      matches = pattern[i] == text[i] || (pattern[i] | 0x20) == 'x';
    if (matches) return true;
  }
  return false;
}

std::string_view header_of(const CallAnswer& answer, std::string_view name) {
  for (const auto& header : answer.headers)
    if (header.first == name) return header.second;
  return {};
}

Value body_of(const CallAnswer& answer, const Value& wanted) {
  if (wanted == Value("base64")) return base64(answer.body);
  bool json = wanted == Value("json") ||
              (wanted != Value("text") &&
               header_of(answer, "content-type").find("json") != std::string_view::npos);
  if (json) {
    auto parsed = parse_json(answer.body);
    if (parsed) return *std::move(parsed);
  }
  return is_utf8(answer.body) ? Value(answer.body) : Value(base64(answer.body));
}

Value output_of(const CallAnswer& answer, const Value& parameters, uint32_t attempts) {
  Value headers = Value::object();
  for (const auto& [name, text] : answer.headers)
    if (is_utf8(name) && is_utf8(text)) headers.set(name, text);
  return Value::object({{"status", answer.status},
                        {"status_text", is_utf8(answer.status_text) ? answer.status_text : ""},
                        {"body", body_of(answer, parameters.get("response"))},
                        {"headers", headers},
                        {"duration_ms", answer.duration_ms},
                        {"attempts", attempts}});
}

std::optional<int64_t> retry_after_ms(const CallAnswer& answer) {
  auto seconds = number_of(Value(header_of(answer, "retry-after")));
  if (!seconds || *seconds < 0 || *seconds > 86'400) return std::nullopt;
  return std::llround(*seconds * 1000);
}

}  // namespace

CallRequest http_request(const Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  const Node& node = run.definition->nodes[token.node];
  const Value& parameters = token.parameters;
  CallRequest request;
  if (const Value* method = parameters.find("method")) request.method = to_text(*method);
  request.url = url_of(parameters);
  each_pair(parameters.get("headers"), [&](std::string_view name, const std::string& text) {
    request.headers.emplace_back(std::string(name), text);
  });
  set_body(request, parameters);
  std::string key = idempotency_key_of(run, activation_of(run, id));
  add_header(request, "Idempotency-Key", key);
  tell_trace(request, run, id, key);
  auto seconds = number_of(parameters.get("timeout")).value_or(30);
  request.timeout_ms =
      node.timeout_ms.value_or(std::llround(std::clamp(seconds, 0.001, 86'400.0) * 1000));
  request.follow_redirects =
      static_cast<int>(integer_of(parameters.get("follow_redirects")).value_or(5));
  request.response_bytes_max = step.given.limits.response_bytes_max;
  return request;
}

void take_http_answer(Step& step, const CallAnswer& answer) {
  TokenId id = answer.ticket.token;
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  const Value& parameters = token.parameters;
  if (!answer.error.empty())
    return fail_node(step, id, {answer.error, answer.message, {}}, retry_after_ms(answer));
  NodeError error{class_of_status(answer.status),
                  "the server answered " + std::to_string(answer.status) + " " + answer.status_text,
                  Value::object({{"status", answer.status}})};
  const Value& raised = parameters.get("raise_on_status");
  bool raises = raised.is_string() && status_matches(answer.status, raised.as_string());
  // A status in a group of node-level retry_on is retried even if it would count as success.
  bool group = answer.status == 429 || answer.status >= 500;
  bool retried = node.retry.given && group && token.attempt < node.retry.max_attempts &&
                 std::any_of(
                     node.retry.retry_on.begin(), node.retry.retry_on.end(),
                     [&](const std::string& on) { return on == "any" || on == error.code; });
  if (raises || retried) {
    error.details.set("body", body_of(answer, parameters.get("response")));
    return fail_node(step, id, std::move(error), retry_after_ms(answer));
  }
  finish_node(step, id, {output_of(answer, parameters, token.attempt), {}, Route::all()});
}

}  // namespace fermata::graph
