#include "front/fields.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::front {

Fields::Fields(const Value& body, std::string path)
    : body_(body.is_null() ? Value::object() : body), path_(std::move(path)) {
  if (!body_.is_object())
    findings_.push_back({"invalid_field", path_, "An object is expected here.", {}});
}

const Value* Fields::take(std::string_view name) {
  known_.push_back(name);
  const Value* found = body_.find(name);
  return found && !found->is_null() ? found : nullptr;
}

void Fields::wrong(std::string_view name, std::string message) {
  findings_.push_back(
      {"invalid_field", path_ + "/" + escape_pointer(name), std::move(message), {}});
}

void Fields::add(std::vector<Finding> findings) {
  for (Finding& finding : findings) findings_.push_back(std::move(finding));
}

void Fields::require(std::string_view name) {
  const Value* found = body_.find(name);
  if (body_.is_object() && (!found || found->is_null())) wrong(name, "This field is required.");
}

std::optional<std::string> Fields::text(std::string_view name, size_t bytes_max) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string() && is_plain_text(value->as_string(), bytes_max))
    return std::string(value->as_string());
  wrong(name, "A text of at most " + std::to_string(bytes_max) +
                  " bytes without control characters is expected.");
  return std::nullopt;
}

std::optional<std::string> Fields::id(std::string_view name) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string() && is_valid_id(value->as_string())) return std::string(value->as_string());
  findings_.push_back({"invalid_id",
                       path_ + "/" + escape_pointer(name),
                       "1 to 100 printable ASCII characters without space / ? # % are expected.",
                       {}});
  return std::nullopt;
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t least, int64_t most) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_integer() && value->as_integer() >= least && value->as_integer() <= most)
    return value->as_integer();
  wrong(name, "A whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                  " is expected.");
  return std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view name) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_bool()) return value->as_bool();
  wrong(name, "true or false is expected.");
  return std::nullopt;
}

std::optional<Instant> Fields::instant(std::string_view name) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string())
    if (auto at = parse_rfc3339(value->as_string())) return at;
  wrong(name, "A timestamp such as 2026-03-01T10:00:00Z is expected (RFC 3339).");
  return std::nullopt;
}

Value Fields::object(std::string_view name) {
  const Value* value = take(name);
  if (!value) return {};
  if (value->is_object()) return *value;
  wrong(name, "An object is expected.");
  return {};
}

const Value* Fields::any(std::string_view name) {
  known_.push_back(name);
  return body_.find(name);
}

Outcome<void> Fields::finish() {
  if (body_.is_object()) {
    for (const Value::Member& member : body_.members()) {
      std::string_view name = member.key.as_string();
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      std::string list;
      for (std::string_view known : known_) list.append(list.empty() ? "" : ", ").append(known);
      findings_.push_back({"unknown_field",
                           path_ + "/" + escape_pointer(name),
                           list.empty() ? "No field is known here." : "Known fields: " + list + ".",
                           {}});
    }
  }
  if (findings_.empty()) return {};
  return refuse(std::move(findings_));
}

Failure<Error> refuse(std::vector<Finding> findings) {
  // The path of the body itself is empty.
  std::string message = findings[0].path + (findings[0].path.empty() ? "" : ": ");
  message += findings[0].message;
  if (findings.size() > 1) message += " (and " + std::to_string(findings.size() - 1) + " more)";
  const std::string& first = findings[0].code;
  bool shared = std::all_of(findings.begin(), findings.end(),
                            [&](const Finding& finding) { return finding.code == first; });
  ErrorCode code = ErrorCode::invalid_field;
  if (shared) code = error_code_of(first).value_or(code);
  return fail(code, std::move(message), std::move(findings));
}

bool is_valid_id(std::string_view text) {
  if (text.empty() || text.size() > 100) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '/' && c != '?' && c != '#' && c != '%';
  });
}

bool is_plain_text(std::string_view text, size_t bytes_max) {
  return text.size() <= bytes_max && std::none_of(text.begin(), text.end(), [](char c) {
           auto byte = static_cast<unsigned char>(c);
           return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
         });
}

Value to_value(const Finding& finding) {
  Value out =
      Value::object({{"code", finding.code}, {"path", finding.path}, {"message", finding.message}});
  Value related = Value::array();
  for (const std::string& one : finding.related) related.push(one);
  out.set("related", std::move(related));
  if (finding.line > 0) {
    out.set("line", finding.line);
    out.set("column", finding.column);
  }
  return out;
}

Value to_value(const std::vector<Finding>& findings) {
  Value out = Value::array();
  for (const Finding& finding : findings) out.push(to_value(finding));
  return out;
}

}  // namespace fermata::front
