#include "front/webhook.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::front {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

void take_text(const Value& parameters, std::string_view name, std::string& out) {
  const Value& value = parameters.get(name);
  if (value.is_string()) out = value.as_string();
}

bool is_secret(std::string_view name) {
  static constexpr std::string_view secrets[] = {"authorization", "proxy-authorization", "cookie",
                                                 "x-api-key"};
  return std::find(std::begin(secrets), std::end(secrets), name) != std::end(secrets);
}

/// A name given once is a text, several times an array.
void add(Value& object, std::string_view name, std::string_view value) {
  const Value* already = object.find(name);
  if (!already) return object.set(name, value);
  Value list = already->is_array() ? *already : Value::array({*already});
  list.push(value);
  object.set(name, std::move(list));
}

}  // namespace

std::optional<WebhookRules> webhook_rules(const graph::Definition& definition) {
  if (definition.entry == graph::no_node) return std::nullopt;
  const graph::Node& entry = definition.nodes[definition.entry];
  if (entry.type != graph::NodeType::webhook) return std::nullopt;
  WebhookRules rules;
  take_text(entry.raw, "method", rules.method);
  take_text(entry.raw, "auth", rules.auth);
  take_text(entry.raw, "dedupe_header", rules.dedupe_header);
  rules.respond_result = entry.raw.get("respond") == Value("result");
  rules.credentials = entry.credentials;
  for (char& c : rules.method)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return rules;
}

Outcome<Value> read_webhook_body(std::string_view content_type, std::string_view body,
                                 const NamedTexts& form, int nesting_max) {
  if (body.empty()) return Value();
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (type.ends_with(' ')) type.pop_back();
  if (type == "application/json" || type.ends_with("+json"))
    return parse_json(body, {.nesting_max = nesting_max});
  if (type == "application/x-www-form-urlencoded") {
    Value out = Value::object();
    for (const auto& [name, value] : form) add(out, name, value);
    return out;
  }
  return Value(body);
}

Value webhook_input(Value body, const NamedTexts& headers, const NamedTexts& query,
                    std::string_view method, std::string_view secret_header) {
  Value header_object = Value::object();
  std::string secret = lower(secret_header);
  for (const auto& [name, value] : headers) {
    std::string key = lower(name);
    if (!is_secret(key) && key != secret) add(header_object, key, value);
  }
  Value query_object = Value::object();
  for (const auto& [name, value] : query) add(query_object, name, value);
  return Value::object({{"body", std::move(body)},
                        {"headers", std::move(header_object)},
                        {"query", std::move(query_object)},
                        {"method", method}});
}

}  // namespace fermata::front
