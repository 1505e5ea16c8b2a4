#include "front/cap/pointer.h"

#include "base/hash.h"
#include "base/json.h"

namespace fermata::front::cap {
namespace {

constexpr std::string_view path_lead = "/api/v1/wire/jobs/";

bool unescape(std::string_view text, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    std::string byte;
    if (i + 2 >= text.size() || !unhex(text.substr(i + 1, 2), byte)) return false;
    out += byte;
    i += 2;
  }
  return true;
}

/// Characters that mean something in a path or a query.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += '%' + hex(std::string_view(&c, 1));
    }
  }
  return out;
}

/// The text up to `mark`, taken off with it; everything when there is none.
std::string_view take_until(std::string_view& rest, std::string_view mark) {
  size_t end = rest.find(mark);
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + mark.size());
  return part;
}

}  // namespace

Outcome<std::optional<Value>> inline_value(std::string_view pointer, int nesting_max) {
  constexpr std::string_view lead = "data:";
  if (!pointer.starts_with(lead)) return std::optional<Value>{};
  pointer.remove_prefix(lead.size());
  size_t comma = pointer.find(',');
  if (comma == std::string_view::npos)
    return fail(ErrorCode::bad_request, "A data: URI has a comma before its bytes.");
  bool coded = pointer.substr(0, comma).ends_with(";base64");
  std::string text;
  std::string_view body = pointer.substr(comma + 1);
  if (!(coded ? unbase64(body, text) : unescape(body, text)))
    return fail(ErrorCode::bad_request, "The bytes of the data: URI cannot be read.");
  FERMATA_TRY(value, parse_json(text, {.nesting_max = nesting_max}));
  return std::optional<Value>(std::move(value));
}

Value pointed_input(const std::string& pointer, const std::string& sha256) {
  Value input = Value::object({{"context_ptr", pointer}});
  if (!sha256.empty()) input.set("context_sha256", hex(sha256));
  return input;
}

std::string pointer_of(const Value& input) {
  if (!input.is_object()) return {};
  const Value& pointer = input.get("context_ptr");
  size_t members = input.get("context_sha256").is_string() ? 2 : 1;
  bool alone = pointer.is_string() && input.size() == members;
  return alone ? std::string(pointer.as_string()) : std::string();
}

std::string context_pointer(const std::string& base_url, const std::string& job,
                            const std::string& token) {
  return base_url + std::string(path_lead) + escaped(job) + "/context?token=" + token;
}

std::string output_pointer(const std::string& base_url, const std::string& job,
                           const std::string& token) {
  return base_url + std::string(path_lead) + escaped(job) + "/output?token=" + token;
}

std::string blob_pointer(const std::string& base_url, const OwnPointer& of) {
  return base_url + std::string(path_lead) + escaped(of.job) + "/blobs/" + of.sha256 +
         "?token=" + of.token;
}

std::optional<OwnPointer> read_blob_pointer(std::string_view pointer) {
  bool ours = pointer.starts_with("http://") || pointer.starts_with("https://") ||
              pointer.starts_with(path_lead);
  if (!ours) return std::nullopt;
  size_t begin = pointer.find(path_lead);
  if (begin == std::string_view::npos) return std::nullopt;
  pointer.remove_prefix(begin + path_lead.size());
  OwnPointer own;
  if (!unescape(take_until(pointer, "/blobs/"), own.job)) return std::nullopt;
  own.sha256 = take_until(pointer, "?token=");
  own.token = pointer;
  std::string bytes;
  bool whole = !own.job.empty() && unhex(own.sha256, bytes) && bytes.size() == 32;
  return whole ? std::optional(std::move(own)) : std::nullopt;
}

}  // namespace fermata::front::cap
