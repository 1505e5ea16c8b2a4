#include "front/credential_use.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "front/credential_types.h"

namespace fermata::front {
namespace {

Credential credential(std::string type, std::string_view json) {
  CredentialValues values =
      read_credential_values(*credential_type(type), *parse_json(json), "", 10'000);
  EXPECT_TRUE(values.findings.empty()) << values.findings[0].message;
  return {"c", std::move(type), values.values};
}

std::string header(const Credential& credential) {
  auto asked = asked_header(credential);
  return asked ? asked->first + ": " + asked->second : "none";
}

TEST(CredentialUse, each_type_has_its_header) {  // G-38
  EXPECT_EQ(header(credential("token", R"({"token":"t0"})")), "Authorization: Bearer t0");
  EXPECT_EQ(header(credential("token", R"({"token":"t0","prefix":"Token"})")),
            "Authorization: Token t0");
  EXPECT_EQ(header(credential("token", R"({"token":"t0","prefix":""})")), "Authorization: t0");
  EXPECT_EQ(header(credential("oauth2", R"({"access_token":"a"})")), "Authorization: Bearer a");
  EXPECT_EQ(header(credential("basic_auth", R"({"username":"Aladdin","password":"open sesame"})")),
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(header(credential("header", R"({"name":"X-Mine","value":"v"})")), "X-Mine: v");
  EXPECT_EQ(header(credential("api_key", R"({"value":"v"})")), "X-API-Key: v");
  EXPECT_EQ(header(credential("query", R"({"name":"k","value":"v"})")), "none");
  for (const char* type : {"hmac_sha256", "custom"})
    EXPECT_FALSE(call_secrets_of({"c", type, Value::object({{"secret", "x"}})})) << type;
  auto query = call_secrets_of(credential("query", R"({"name":"k","value":"v"})"));
  EXPECT_EQ(query->query, (std::vector<std::pair<std::string, std::string>>{{"k", "v"}}));
}

TEST(CredentialUse, a_mail_server_is_where_mails_go) {  // G-37
  auto found = call_secrets_of(
      credential("smtp", R"({"host":"h","port":"25","username":"u","password":"pass word"})"));
  ASSERT_TRUE(found && found->mail_server);
  EXPECT_EQ(found->mail_server->host, "h");
  EXPECT_EQ(found->mail_server->port, "25");
  EXPECT_EQ(found->mail_server->username, "u");
  EXPECT_EQ(found->mail_server->password, "pass word");
  EXPECT_FALSE(found->mail_server->plain);
  EXPECT_TRUE(found->headers.empty());
  std::set<std::string> hidden(found->hidden.begin(), found->hidden.end());
  EXPECT_TRUE(hidden.contains("pass word"));
  EXPECT_TRUE(hidden.contains(base64("pass word")));
  EXPECT_TRUE(hidden.contains(base64(std::string("\0u\0pass word", 12))));
  EXPECT_TRUE(call_secrets_of(credential("smtp", R"({"host":"h","security":"plain"})"))
                  ->mail_server->plain);
  EXPECT_FALSE(asked_header(credential("smtp", R"({"host":"h"})")));
}

TEST(CredentialUse, every_form_of_a_secret_is_hidden) {  // A-13
  auto hidden = [](const Credential& of) {
    auto found = call_secrets_of(of)->hidden;
    return std::set<std::string>(found.begin(), found.end());
  };
  EXPECT_EQ(hidden(credential("token", R"({"token":"a/b\"c d"})")),
            (std::set<std::string>{"a/b\"c d", "a%2Fb%22c%20d", "a/b\\\"c d", "a\\/b\\\"c d"}));
  auto login = hidden(credential("basic_auth", R"({"username":"user","password":"password"})"));
  EXPECT_TRUE(login.contains("password"));
  EXPECT_TRUE(login.contains(base64("user:password")));
  EXPECT_FALSE(login.contains("user"));
  EXPECT_TRUE(hidden(credential("basic_auth", R"({"username":"sk_live","password":""})"))
                  .contains("sk_live"));
  EXPECT_TRUE(hidden(credential("header", R"({"name":"Authorization","value":"Bearer s3cret"})"))
                  .contains("s3cret"));
  EXPECT_TRUE(hidden(credential("token", R"({"token":"12345"})")).empty());
  EXPECT_EQ(hidden_bytes_min, 6u);
}

TEST(CredentialUse, a_signature_is_read_in_hexadecimal_and_base64) {  // G-31
  Credential any = credential("hmac_sha256", R"({"secret":"Jefe"})");
  std::string body = "what do ya want for nothing?";
  std::string digits = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  std::string bytes;
  ASSERT_TRUE(unhex(digits, bytes));
  for (const std::string& right :
       {digits, "sha256=" + digits, base64(bytes), "sha256=" + base64(bytes), base64(bytes, true)})
    EXPECT_TRUE(is_signed(any, body, right)) << right;
  std::string upper = digits;
  for (char& c : upper) c = static_cast<char>(toupper(c));
  EXPECT_TRUE(is_signed(any, body, upper));
  for (const std::string& wrong : {std::string(), std::string("sha256="), digits.substr(1),
                                   digits + "00", "sha1=" + digits, std::string(64, '0')})
    EXPECT_FALSE(is_signed(any, body, wrong)) << wrong;
  EXPECT_FALSE(is_signed(any, body + " ", digits));
  Credential hex_only = credential("hmac_sha256", R"({"secret":"Jefe","encoding":"hex"})");
  EXPECT_TRUE(is_signed(hex_only, body, digits));
  EXPECT_FALSE(is_signed(hex_only, body, base64(bytes)));
  Credential base64_only = credential("hmac_sha256", R"({"secret":"Jefe","encoding":"base64"})");
  EXPECT_FALSE(is_signed(base64_only, body, digits));
  EXPECT_TRUE(is_signed(base64_only, body, base64(bytes)));
}

TEST(CredentialUse, what_cannot_be_used_says_why) {  // G-4
  MemoryStore store;
  VirtualClock clock{Instant{5}};
  SealingKeys keys = SealingKeys::fresh();
  Vault vault(store, given_keys(keys));
  AccountId acme("acme");
  auto put = [&](const std::string& id, const std::string& type, const Value& values) {
    CredentialPut put{acme, id, id, type, *vault.seal(acme, id, type, values), {}, {}, {}, {}};
    ASSERT_TRUE(store.put_credential(put, {}));
  };
  put("token", "token", Value::object({{"token", "s3cret"}, {"prefix", "Bearer"}}));
  put("signature", "hmac_sha256", Value::object({{"secret", "s"}}));
  FindSecrets find = secrets_from(vault, clock);
  auto error = [&](const FindSecrets& by, const char* id) {
    auto found = by(acme, Value::object({{"id", id}}));
    return found ? "found" : found.error().error;
  };
  EXPECT_EQ(error(find, "token"), "found");
  EXPECT_EQ(store.credential(acme, "token")->value().last_used_at, Instant{5});
  EXPECT_EQ(error(find, "none"), "credential_missing");
  EXPECT_EQ(error(find, "signature"), "credential_missing");
  Vault other(store, given_keys(SealingKeys::fresh()));
  EXPECT_EQ(error(secrets_from(other, clock), "token"), "credential_unreadable");
  ASSERT_TRUE(store.revoke_credential(acme, "token", Instant{6}, {}));
  EXPECT_EQ(error(find, "token"), "credential_missing");
}

}  // namespace
}  // namespace fermata::front
