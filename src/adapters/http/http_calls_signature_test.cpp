#include <gtest/gtest.h>

#include "adapters/http/http_calls_fixture.h"
#include "base/hash.h"

namespace fermata {
namespace {

std::string digest(const std::string& secret, const std::string& text) {
  auto bytes = hmac_sha256(secret, text);
  return hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

CallRequest callback_to(std::string url) {
  CallRequest request = TestCaller::get(std::move(url));
  request.method = "POST";
  request.body = R"({"type":"wait.resumed"})";
  request.credentials = Value::object({{"workflow", "nurture"}});
  request.signed_at = 1'769'423'400;
  request.follow_redirects = 0;
  return request;
}

HttpCallsOptions signing(std::vector<std::string> secrets, const char* networks) {
  HttpCallsOptions options = TestCaller::policy(networks);
  options.find_secrets = [secrets](const AccountId&,
                                   const Value&) -> Result<CallSecrets, SecretsRefusal> {
    CallSecrets out;
    out.signing = secrets;
    return out;
  };
  return options;
}

// W-73
TEST(HttpCallsSignature, callback_is_signed_once_for_every_secret) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  TestCaller caller(signing({"new secret", "old secret"}, "allow"));
  EXPECT_EQ(caller.call(callback_to(server.url("/hook"))).status, 200);
  std::string text = R"(1769423400.{"type":"wait.resumed"})";
  EXPECT_EQ(server.requests()[0].header("fermata-signature"),
            "t=1769423400,v1=" + digest("new secret", text) + ",v1=" + digest("old secret", text));
}

// W-73
TEST(HttpCallsSignature, without_a_secret_there_is_none) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  TestCaller caller(signing({}, "allow"));
  EXPECT_EQ(caller.call(callback_to(server.url("/hook"))).status, 200);
  EXPECT_EQ(server.requests()[0].header("fermata-signature"), "");
}

// W-75
TEST(HttpCallsSignature, private_targets_are_refused_unless_they_are_named) {
  HttpTestServer server([](const TestRequest&) { return TestReply(); });
  TestCaller denied(signing({"s"}, "deny"));
  EXPECT_EQ(denied.call(callback_to(server.url("/"))).error, "address_forbidden");
  TestCaller local(signing({"s"}, "127.0.0.0/8,::1/128"));
  EXPECT_EQ(local.call(callback_to(server.url("/"))).status, 200);
  TestCaller other(signing({"s"}, "10.0.0.0/8"));
  EXPECT_EQ(other.call(callback_to(server.url("/"))).error, "address_forbidden");
}

}  // namespace
}  // namespace fermata
