#include "base/bytes.h"
#include "base/hash.h"
#include "base/json.h"
#include "server/api.h"
#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

class StoredScripts : public Jobs {
 protected:
  Answer store(const std::string& name, const std::string& source) {
    return world.ask("PUT", "/api/v1/workflows/" + name, source, "Content-Type: text/x-flow\r\n");
  }
  Value document_of(const Value& hash) {
    auto text = world.api().catalog().definition(DefinitionHash(std::string(hash.as_string())));
    EXPECT_TRUE(text && *text);
    auto document = text && *text ? parse_json(**text) : Outcome<Value>(Value());
    return document ? *document : Value();
  }
};

// F-46, F-54: the code is stored with the source and shown to nobody.
TEST_F(StoredScripts, have_their_code_beside_the_source) {
  Answer stored = store("w", "return 1");
  ASSERT_EQ(stored.status, 201) << stored.text;
  Value document = document_of(stored.body.get("hash"));
  EXPECT_EQ(document.get("source"), Value("return 1"));
  EXPECT_TRUE(document.get("code").is_string());
  Value shown = get("/workflows/w").body;
  EXPECT_EQ(to_json(shown).find("\"code\""), std::string::npos) << to_json(shown);
  std::string run = world.start("w");
  EXPECT_TRUE(world.wait_for(run, "completed"));
}

// F-46
TEST_F(StoredScripts, code_of_a_later_release_is_left_alone) {
  Answer stored = store("w", "return 1");
  ASSERT_EQ(stored.status, 201) << stored.text;
  EXPECT_TRUE(get("/workflows").status == 200);
  EXPECT_FALSE(world.ask("GET", "/readyz").body.find("newer_definitions"));
  // What such a release would have stored of another script.
  std::string source = "return 2";
  std::string code;
  ASSERT_TRUE(unbase64(document_of(stored.body.get("hash")).get("code").as_string(), code));
  code[4] = 99;
  code.resize(code.size() - 4);
  uint32_t sum = crc32c(code);
  for (size_t i = 0; i < 4; ++i) code += static_cast<char>(sum >> (8 * i) & 0xff);
  WorkflowPut put;
  put.account = AccountId("default");
  put.id = WorkflowId("newer");
  put.hash = DefinitionHash(sha256_hex(source));
  put.canonical = to_canonical_json(
      Value::object({{"code", base64(code)}, {"language", "flow"}, {"source", source}}));
  ASSERT_TRUE(world.api().catalog().put_workflow(put, AuditLine{}));
  Answer refused = world.ask("POST", "/api/v1/workflows/newer/executions", "{}");
  EXPECT_EQ(refused.status, 503) << refused.text;
  EXPECT_EQ(refused.code(), "schema_newer");
  Answer ready = world.ask("GET", "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.body.get("newer_definitions"), Value(1));
}

// F-57: a script that is too large for its code is refused, not stored and never run.
TEST_F(StoredScripts, that_have_too_many_parts_are_refused) {
  std::string source = "return [";
  for (int i = 0; i < 80'000; ++i) source += "'s" + std::to_string(i) + "',";
  source += "].length";
  Answer refused = store("w", source);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.body.get("errors").items()[0].get("rule"), Value("too-large"));
  EXPECT_EQ(get("/workflows/w").status, 404);
}

}  // namespace
}  // namespace fermata::server
