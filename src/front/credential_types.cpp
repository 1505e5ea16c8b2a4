#include "front/credential_types.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::front {
namespace {

bool is_one_of(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    size_t end = std::min(list.find('|'), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

const CredentialField* field_for(const CredentialType& type, std::string_view name) {
  for (const CredentialField& field : type.fields)
    if (field.name == name || is_one_of(field.also, name)) return &field;
  return nullptr;
}

bool is_header_name(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

/// What a field cannot be, or empty. Never says what it is.
std::string complaint_about(const CredentialType& type, std::string_view field,
                            std::string_view text) {
  // The secret of a signature is bytes to compute with; everything else travels in a header, an
  // address or a line of a protocol.
  if (field != "secret" && has_control_character(text))
    return "The text holds a line break or another control character.";
  bool names_header = (field == "name" && type.name != "query") || field == "header";
  if (names_header && !is_header_name(text))
    return "A header's name of at most 100 characters is expected.";
  if (type.name == "basic_auth" && field == "username" && text.find(':') != std::string_view::npos)
    return "A user name cannot hold a colon.";
  if (field == "encoding" && text != "any" && text != "hex" && text != "base64")
    return "One of any, hex, base64 is expected.";
  if (field == "security" && text != "auto" && text != "plain")
    return "One of auto, plain is expected.";
  if (field == "port" && (text.size() > 5 || text.empty() ||
                          text.find_first_not_of("0123456789") != std::string_view::npos ||
                          std::stoul(std::string(text)) > 65535))
    return "A port from 0 to 65535 is expected.";
  return "";
}

/// Reads the members of one object against one type.
class ValuesReader {
 public:
  ValuesReader(const CredentialType& type, const std::string& path, CredentialValues& out)
      : type_(type), path_(path), out_(out) {}

  void take(std::string_view name, const Value& value) {
    const CredentialField* field = field_for(type_, name);
    if (field == nullptr) {
      if (type_.takes_more) return out_.values.set(name, value);
      return wrong(name,
                   "A credential of type `" + std::string(type_.name) + "` has " + known() + ".");
    }
    if (value.is_null()) return;
    if (!value.is_string() && !value.is_integer()) return wrong(name, "A text is expected.");
    std::string text = to_text(value);
    if (text.empty() && field->required && field->name != "password")
      return wrong(name, "The text is empty.");
    if (out_.values.find(field->name) != nullptr)
      return wrong(name, "This is given twice, as `" + std::string(field->name) + "` too.");
    std::string complaint = complaint_about(type_, field->name, text);
    if (!complaint.empty()) return wrong(name, complaint);
    out_.values.set(field->name, text);
  }

  void finish() {
    for (const CredentialField& field : type_.fields) {
      if (out_.values.find(field.name) != nullptr) continue;
      if (!field.standard.empty()) {
        out_.values.set(field.name, field.standard);
      } else if (field.required && out_.findings.empty()) {
        wrong(field.name, "This value is required for type `" + std::string(type_.name) + "`.");
      }
    }
  }

 private:
  void wrong(std::string_view name, std::string message) {
    out_.findings.push_back(
        {"invalid_field", path_ + "/" + escape_pointer(name), std::move(message), {}});
  }
  std::string known() const {
    std::string list;
    for (const CredentialField& field : type_.fields)
      list.append(list.empty() ? "`" : ", `").append(field.name).append("`");
    return list;
  }

  const CredentialType& type_;
  const std::string& path_;
  CredentialValues& out_;
};

}  // namespace

const std::vector<CredentialType>& credential_types() {
  static const std::vector<CredentialType> types = {
      {"token",
       "`Authorization: Bearer` with a token",
       {{"token"}, {"prefix", false, false, "Bearer"}}},
      {"basic_auth",
       "`Authorization: Basic` with user name and password",
       {{"username", true, false}, {"password"}}},
      {"header",
       "a header of any name",
       {{"name", true, false, "", "field|header_name"}, {"value"}}},
      {"api_key",
       "a key in a header, `X-API-Key` unless named",
       {{"name", true, false, "X-API-Key", "field|header_name"},
        {"value", true, true, "", "key|api_key"}}},
      {"oauth2",
       "`Authorization: Bearer` with an access token that was obtained elsewhere",
       {{"access_token"}},
       true},
      {"query", "a parameter of the address", {{"name", true, false}, {"value"}}},
      {"hmac_sha256",
       "checks the signature of what a webhook receives",
       {{"secret"}, {"header", true, false, "X-Signature"}, {"encoding", true, false, "any"}}},
      {"callback",
       "signs what callbacks send; `previous` signs too while receivers learn the new one",
       {{"secret"}, {"previous", false}}},
      {"smtp",
       "a mail server; `security` is `auto` or `plain`, for one that is never spoken to encrypted",
       {{"host", true, false},
        {"port", true, false, "587"},
        {"username", false, false},
        {"password", false},
        {"security", true, false, "auto"}}},
      {"custom", "any values, for programs that know them", {}, true},
  };
  return types;
}

const CredentialType* credential_type(std::string_view name) {
  for (const CredentialType& type : credential_types())
    if (type.name == name) return &type;
  return nullptr;
}

std::string credential_type_names() {
  std::string list;
  for (const CredentialType& type : credential_types())
    list.append(list.empty() ? "" : ", ").append(type.name);
  return list;
}

CredentialValues read_credential_values(const CredentialType& type, const Value& written,
                                        const std::string& path, size_t bytes_max) {
  CredentialValues out{Value::object(), {}};
  if (!written.is_object() || written.size() == 0) {
    out.findings.push_back({"invalid_field", path, "An object with the values is expected.", {}});
    return out;
  }
  ValuesReader reader(type, path, out);
  for (const Value::Member& member : written.members())
    reader.take(member.key.as_string(), member.value);
  reader.finish();
  if (out.findings.empty() && to_canonical_json(out.values).size() > bytes_max)
    out.findings.push_back({"invalid_field",
                            path,
                            "The values have more than " + std::to_string(bytes_max) +
                                " bytes (credential_bytes_max).",
                            {}});
  return out;
}

const CredentialType& guessed_type(const Value& values) {
  for (const CredentialType& type : credential_types()) {
    if (type.fields.empty() || !values.is_object()) continue;
    auto members = values.members();
    bool knows_all = type.takes_more ||
                     std::all_of(members.begin(), members.end(), [&](const Value::Member& member) {
                       return field_for(type, member.key.as_string());
                     });
    bool has_all =
        std::all_of(type.fields.begin(), type.fields.end(), [&](const CredentialField& field) {
          if (!field.required || !field.standard.empty()) return true;
          return std::any_of(members.begin(), members.end(), [&](const Value::Member& member) {
            return field_for(type, member.key.as_string()) == &field;
          });
        });
    if (knows_all && has_all) return type;
  }
  return *credential_type("custom");
}

}  // namespace fermata::front
