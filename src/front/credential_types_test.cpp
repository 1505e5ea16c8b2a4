#include "front/credential_types.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

CredentialValues read(std::string_view type, std::string_view json, size_t bytes_max = 1000) {
  return read_credential_values(*credential_type(type), *parse_json(json), "/values", bytes_max);
}

std::string values(std::string_view type, std::string_view json) {
  CredentialValues out = read(type, json);
  return out.findings.empty() ? to_canonical_json(out.values) : out.findings[0].path;
}

TEST(CredentialTypes, values_get_their_own_names_and_defaults) {  // G-38
  EXPECT_EQ(values("token", R"({"token":"t"})"), R"({"prefix":"Bearer","token":"t"})");
  EXPECT_EQ(values("basic_auth", R"({"username":"u","password":""})"),
            R"({"password":"","username":"u"})");
  EXPECT_EQ(values("header", R"({"field":"X-A","value":"v"})"), R"({"name":"X-A","value":"v"})");
  EXPECT_EQ(values("api_key", R"({"key":"k"})"), R"({"name":"X-API-Key","value":"k"})");
  EXPECT_EQ(values("api_key", R"({"api_key":"k","header_name":"X-K"})"),
            R"({"name":"X-K","value":"k"})");
  EXPECT_EQ(values("oauth2", R"({"access_token":"a","expires_in":60})"),
            R"({"access_token":"a","expires_in":60})");
  EXPECT_EQ(values("query", R"({"name":"k","value":"v"})"), R"({"name":"k","value":"v"})");
  EXPECT_EQ(values("hmac_sha256", R"({"secret":"line\nbreak"})"),
            R"({"encoding":"any","header":"X-Signature","secret":"line\nbreak"})");
  EXPECT_EQ(values("smtp", R"({"host":"h","port":25})"),
            R"({"host":"h","port":"25","security":"auto"})");
  EXPECT_EQ(values("smtp", R"({"host":"h","security":"plain"})"),
            R"({"host":"h","port":"587","security":"plain"})");
  EXPECT_EQ(values("custom", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(credential_type("bearer"), nullptr);
}

TEST(CredentialTypes, what_is_missing_or_wrong_is_told_by_its_path) {
  EXPECT_EQ(values("token", R"({"prefix":"x"})"), "/values/token");
  EXPECT_EQ(values("token", R"({"token":""})"), "/values/token");
  EXPECT_EQ(values("token", R"({"token":{"a":1}})"), "/values/token");
  EXPECT_EQ(values("token", R"({"token":"t","other":"x"})"), "/values/other");
  EXPECT_EQ(values("header", R"({"name":"X A","value":"v"})"), "/values/name");
  EXPECT_EQ(values("header", R"({"name":"X-A","field":"X-B","value":"v"})"), "/values/field");
  EXPECT_EQ(values("basic_auth", R"({"username":"a:b","password":"x"})"), "/values/username");
  EXPECT_EQ(values("hmac_sha256", R"({"secret":"s","encoding":"octal"})"), "/values/encoding");
  EXPECT_EQ(values("smtp", R"({"host":"h","port":70000})"), "/values/port");
  EXPECT_EQ(values("smtp", R"({"host":"h","port":"x"})"), "/values/port");
  EXPECT_EQ(values("smtp", R"({"host":"h","security":"none"})"), "/values/security");
  EXPECT_EQ(values("custom", "{}"), "/values");
  EXPECT_EQ(values("custom", "[]"), "/values");
}

TEST(CredentialTypes, findings_never_hold_a_value) {  // A-13
  for (const char* json : {R"({"token":"s3cret\n"})", R"({"token":["s3cret"]})",
                           R"({"token":"s3cret","token2":"s3cret"})"}) {
    CredentialValues out = read("token", json);
    ASSERT_FALSE(out.findings.empty()) << json;
    for (const Finding& finding : out.findings)
      EXPECT_EQ((finding.path + finding.message).find("s3cret"), std::string::npos);
  }
}

TEST(CredentialTypes, values_have_a_limit_of_bytes) {
  std::string json = R"({"x":")" + std::string(100, 'x') + "\"}";
  EXPECT_TRUE(read("custom", json, 108).findings.empty());
  CredentialValues out = read("custom", json, 107);
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_NE(out.findings[0].message.find("credential_bytes_max"), std::string::npos);
}

TEST(CredentialTypes, values_without_a_type_are_guessed) {  // G-4
  auto guess = [](std::string_view json) { return guessed_type(*parse_json(json)).name; };
  EXPECT_EQ(guess(R"({"token":"t"})"), "token");
  EXPECT_EQ(guess(R"({"username":"u","password":"p"})"), "basic_auth");
  EXPECT_EQ(guess(R"({"field":"X-A","value":"v"})"), "header");
  EXPECT_EQ(guess(R"({"api_key":"k"})"), "api_key");
  EXPECT_EQ(guess(R"({"access_token":"a","refresh_token":"r"})"), "oauth2");
  EXPECT_EQ(guess(R"({"secret":"s"})"), "hmac_sha256");
  EXPECT_EQ(guess(R"({"host":"h","username":"u","password":"p"})"), "smtp");
  EXPECT_EQ(guess(R"({"anything":"else"})"), "custom");
  EXPECT_EQ(guess("{}"), "custom");
  EXPECT_EQ(guess("[]"), "custom");
}

}  // namespace
}  // namespace fermata::front
