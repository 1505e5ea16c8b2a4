#include "core/callback/open_request.h"

#include <algorithm>
#include <array>

#include "base/json.h"

namespace fermata::callback {
namespace {

constexpr std::array<std::string_view, 4> wait_types{"fixed_time", "until_date", "until_time",
                                                     "for_event"};

bool is_id(std::string_view text) {
  constexpr size_t bytes_max = 100;
  return !text.empty() && text.size() <= bytes_max &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < 0x7f && c != '/' && c != '?' && c != '#' && c != '%';
         });
}

/// Why an address cannot be called back, or empty.
std::string complaint_about(std::string_view url) {
  size_t scheme = url.find("://");
  std::string_view name = url.substr(0, std::min(scheme, url.size()));
  if (scheme == std::string_view::npos || (name != "http" && name != "https"))
    return "An absolute http or https address is expected.";
  if (url.size() > url_bytes_max)
    return "The address has more than " + std::to_string(url_bytes_max) + " bytes.";
  bool plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain) return "The address has characters that must be percent-encoded.";
  std::string_view rest = url.substr(scheme + 3);
  std::string_view authority = rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
  if (authority.empty()) return "The address names no host.";
  if (authority.find('@') != std::string_view::npos)
    return "A user or password in the address is not allowed; callbacks are signed instead.";
  if (rest.find('#') != std::string_view::npos) return "A fragment is never sent.";
  return "";
}

/// Reads the members of the body one by one.
class Reader {
 public:
  explicit Reader(const Value& body) : body_(body) {}

  Outcome<OpenRequest> read() {
    if (!body_.is_object())
      return fail(ErrorCode::invalid_field, "An object is expected.",
                  {{"invalid_field", "", "An object is expected.", {}}});
    for (const Value::Member& member : body_.members())
      if (std::find(known_.begin(), known_.end(), member.key.as_string()) == known_.end())
        add("unknown_field", member.key.as_string(), "This field is not known here.");
    OpenWait& open = out_.open;
    open.step = id("step_id", true);
    open.type = type();
    open.config = object("config");
    if (open.config.is_null()) open.config = Value::object();
    take(check_config_size(open.config));
    open.contact_id = id("contact_id", false);
    open.callback = body_.get("callback");
    open.metadata = body_.get("metadata");
    take(check_callback(open.callback, "/callback"));
    take(check_metadata(open.metadata));
    const Value& registers = body_.get("register");
    if (!registers.is_null() && registers.kind() != Value::Kind::boolean)
      add("invalid_field", "register", "true or false is expected.");
    out_.registers = registers == Value(true);
    if (findings_.empty()) return std::move(out_);
    auto code = error_code_of(findings_.front().code).value_or(ErrorCode::invalid_field);
    std::string message = findings_.front().message;
    return fail(code, std::move(message), std::move(findings_));
  }

 private:
  void add(std::string code, std::string_view name, std::string message) {
    findings_.push_back({std::move(code), "/" + escape_pointer(name), std::move(message), {}});
  }
  void take(std::vector<Finding> findings) {
    for (Finding& finding : findings) findings_.push_back(std::move(finding));
  }
  std::string id(std::string_view name, bool required) {
    const Value& value = body_.get(name);
    if (value.is_null()) {
      if (required) add("invalid_field", name, "This field is required.");
      return "";
    }
    if (value.is_string() && is_id(value.as_string())) return std::string(value.as_string());
    add("invalid_id", name,
        "1 to 100 printable ASCII characters without space / ? # % are expected.");
    return "";
  }
  std::string type() {
    const Value& value = body_.get("wait_type");
    bool known = value.is_string() && std::find(wait_types.begin(), wait_types.end(),
                                                value.as_string()) != wait_types.end();
    if (known) return std::string(value.as_string());
    add("invalid_field", "wait_type",
        "fixed_time, until_date, until_time or for_event is expected.");
    return "";
  }
  Value object(std::string_view name) {
    const Value& value = body_.get(name);
    if (!value.is_null() && !value.is_object())
      add("invalid_field", name, "An object is expected.");
    return value.is_object() ? value : Value();
  }

  static constexpr std::array<std::string_view, 7> known_{
      "step_id", "wait_type", "config", "contact_id", "callback", "metadata", "register"};
  const Value& body_;
  OpenRequest out_;
  std::vector<Finding> findings_;
};

std::string member_text(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

}  // namespace

std::vector<Finding> check_callback(const Value& callback, const std::string& path) {
  std::vector<Finding> findings;
  if (callback.is_null()) return findings;
  if (!callback.is_object())
    return {{"invalid_callback", path, "An object with `url` is expected.", {}}};
  for (const Value::Member& member : callback.members()) {
    std::string_view name = member.key.as_string();
    if (name != "url" && name != "credentials")
      findings.push_back({"unknown_field",
                          path + "/" + escape_pointer(name),
                          "This field is not known here.",
                          {}});
  }
  const Value& url = callback.get("url");
  std::string complaint =
      url.is_string() ? complaint_about(url.as_string()) : "The address is required.";
  if (!complaint.empty())
    findings.push_back({"invalid_callback", path + "/url", std::move(complaint), {}});
  const Value& credentials = callback.get("credentials");
  bool named = credentials.is_object() &&
               (credentials.get("id").is_string() || credentials.get("name").is_string());
  if (!credentials.is_null() && !named)
    findings.push_back({"invalid_callback",
                        path + "/credentials",
                        "{\"id\"} or {\"name\"} of a credential is expected.",
                        {}});
  return findings;
}

std::vector<Finding> check_config_size(const Value& config) {
  if (to_json(config).size() <= config_bytes_max) return {};
  return {{"invalid_config",
           "/config",
           "A configuration has at most " + std::to_string(config_bytes_max) + " bytes.",
           {}}};
}

std::vector<Finding> check_metadata(const Value& metadata) {
  if (metadata.is_null()) return {};
  if (!metadata.is_object()) return {{"invalid_field", "/metadata", "An object is expected.", {}}};
  if (to_json(metadata).size() <= metadata_bytes_max) return {};
  return {{"invalid_field",
           "/metadata",
           "At most " + std::to_string(metadata_bytes_max) + " bytes are kept.",
           {}}};
}

Outcome<OpenRequest> read_open_request(const Value& body) { return Reader(body).read(); }

std::optional<TakeAnswer> read_answer(const std::string& step, std::string_view body) {
  auto answer = parse_json(body);
  if (!answer || !answer->is_object()) return std::nullopt;
  TakeAnswer out;
  out.step = step;
  const Value& complete = answer->get("complete");
  if (complete.is_object()) {
    out.complete = CompleteRun{complete.get("output")};
    return out;
  }
  const Value& next = answer->get("next");
  if (next.is_null()) return std::nullopt;
  auto request = read_open_request(next);
  if (request) {
    out.next = std::move(request->open);
    return out;
  }
  out.refusal = std::move(request).error();
  // What can be told of it is told: where it was to be, and what it was to be.
  if (std::string named = member_text(next, "step_id"); is_id(named)) out.step = named;
  return out;
}

}  // namespace fermata::callback
