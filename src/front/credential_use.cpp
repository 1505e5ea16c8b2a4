#include "front/credential_use.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"

namespace fermata::front {
namespace {

std::string text_of(const Credential& credential, std::string_view field) {
  const Value& value = credential.values.get(field);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
      continue;
    }
    std::string digits = hex({&c, 1});
    out += '%';
    for (char digit : digits) out += digit >= 'a' ? static_cast<char>(digit - 32) : digit;
  }
  return out;
}

std::string without_quotes(std::string json) { return json.substr(1, json.size() - 2); }

std::string with_escaped_slashes(std::string_view text) {
  std::string out;
  for (char c : text) out.append(c == '/' ? "\\" : "").push_back(c);
  return out;
}

/// Every form in which a server may send a secret back.
void hide(CallSecrets& secrets, const std::string& text) {
  if (text.size() < hidden_bytes_min) return;
  std::string escaped = without_quotes(to_json(Value(text)));
  std::vector<std::string>& hidden = secrets.hidden;
  for (std::string form : {text, percent_encoded(text), escaped, with_escaped_slashes(escaped)})
    if (std::find(hidden.begin(), hidden.end(), form) == hidden.end())
      hidden.push_back(std::move(form));
}

CallSecrets one_header(std::string name, std::string value, const std::string& secret) {
  CallSecrets out;
  out.headers.emplace_back(std::move(name), std::move(value));
  hide(out, secret);
  return out;
}

CallSecrets basic_login(const Credential& credential) {
  std::string user = text_of(credential, "username");
  std::string password = text_of(credential, "password");
  std::string login = base64(user + ":" + password);
  CallSecrets out = one_header("Authorization", "Basic " + login, login);
  // Some services take a key as user name and nothing as password.
  hide(out, password.empty() ? user : password);
  return out;
}

CallSecrets mail_server_of(const Credential& credential) {
  CallSecrets out;
  out.mail_server = MailServer{text_of(credential, "host"), text_of(credential, "port"),
                               text_of(credential, "username"), text_of(credential, "password"),
                               text_of(credential, "security") == "plain"};
  const MailServer& server = *out.mail_server;
  hide(out, server.password);
  // The forms in which a login travels.
  if (!server.password.empty()) {
    hide(out, base64(server.password));
    hide(out, base64(std::string(1, '\0') + server.username + '\0' + server.password));
  }
  return out;
}

}  // namespace

std::optional<CallSecrets> call_secrets_of(const Credential& credential) {
  const std::string& type = credential.type;
  if (type == "smtp") return mail_server_of(credential);
  if (type == "basic_auth") return basic_login(credential);
  if (type == "token" || type == "oauth2") {
    std::string token = text_of(credential, type == "token" ? "token" : "access_token");
    std::string prefix = type == "token" ? text_of(credential, "prefix") : "Bearer";
    return one_header("Authorization", prefix.empty() ? token : prefix + " " + token, token);
  }
  std::string name = text_of(credential, "name");
  std::string value = text_of(credential, "value");
  if (type == "header" || type == "api_key") {
    CallSecrets out = one_header(name, value, value);
    // `Bearer x` written as one header: what follows the scheme is the secret.
    size_t space = value.rfind(' ');
    if (space != std::string::npos) hide(out, value.substr(space + 1));
    return out;
  }
  if (type != "query") return std::nullopt;
  CallSecrets out;
  out.query.emplace_back(name, value);
  hide(out, value);
  return out;
}

FindSecrets secrets_from(Vault& vault, const Clock& clock) {
  return [&vault, &clock](const AccountId& account,
                          const Value& reference) -> Result<CallSecrets, SecretsRefusal> {
    auto found = vault.find(account, reference, clock.now());
    if (!found && found.error().code == ErrorCode::credential_not_found)
      return Failure{SecretsRefusal{"credential_missing", found.error().message}};
    if (!found) return Failure{SecretsRefusal{"credential_unreadable", found.error().message}};
    auto secrets = call_secrets_of(*found);
    if (!secrets)
      return Failure{SecretsRefusal{"credential_missing", "The credential `" + found->id +
                                                              "` is of type " + found->type +
                                                              ", which a node cannot use."}};
    return *std::move(secrets);
  };
}

std::optional<std::pair<std::string, std::string>> asked_header(const Credential& credential) {
  auto secrets = call_secrets_of(credential);
  if (!secrets || secrets->headers.empty()) return std::nullopt;
  return secrets->headers.front();
}

bool is_signed(const Credential& credential, std::string_view body, std::string_view presented) {
  auto digest = hmac_sha256(text_of(credential, "secret"), body);
  std::string_view expected(reinterpret_cast<const char*>(digest.data()), digest.size());
  constexpr std::string_view prefix = "sha256=";
  if (presented.starts_with(prefix)) presented.remove_prefix(prefix.size());
  std::string encoding = text_of(credential, "encoding");
  std::string bytes;
  if (encoding != "base64" && unhex(presented, bytes) && same_secret(bytes, expected)) return true;
  return encoding != "hex" && unbase64(presented, bytes) && same_secret(bytes, expected);
}

}  // namespace fermata::front
