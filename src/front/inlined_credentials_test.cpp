#include "front/inlined_credentials.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"
#include "base/json.h"

namespace fermata::front {
namespace {

const AccountId acme("acme");

struct World {
  MemoryStore store;
  Vault vault{store, given_keys(SealingKeys::fresh())};

  Inlining take(const std::vector<std::string>& credentials) {
    Value nodes = Value::array();
    for (const std::string& one : credentials)
      nodes.push(Value::object({{"id", "n"}, {"credentials", *parse_json(one)}}));
    auto made = inline_credentials(vault, store, Value::object({{"nodes", nodes}}),
                                   {acme, Instant{1}, 1000});
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : Inlining{};
  }
  void store_all(const Inlining& inlining) {
    for (const CredentialPut& put : inlining.puts) ASSERT_TRUE(store.put_credential(put, {}));
  }
};

std::string error_of(const Inlining& inlining) {
  if (inlining.errors.empty()) return "none";
  return inlining.errors[0].code + " " + inlining.errors[0].path;
}

TEST(InlinedCredentials, become_new_ones_under_their_id) {  // G-4
  World world;
  Inlining made = world.take(
      {R"({"id":"only a reference"})", R"({"id":"k","name":"Mine","values":{"token":"s3cret"}})",
       R"({"id":"k","values":{"token":"s3cret"}})",
       R"({"id":"h","type":"header","values":{"field":"X-A","value":"v"}})"});
  ASSERT_EQ(error_of(made), "none");
  ASSERT_EQ(made.puts.size(), 2u);
  EXPECT_EQ(made.puts[0].id, "k");
  EXPECT_EQ(made.puts[0].name, "Mine");
  EXPECT_EQ(made.puts[0].type, "token");
  EXPECT_TRUE(made.puts[0].is_new);
  EXPECT_EQ(made.puts[1].name, "h");
  world.store_all(made);
  auto found = world.vault.find(acme, *parse_json(R"({"id":"h"})"), Instant{2});
  EXPECT_EQ(to_canonical_json(found->values), R"({"name":"X-A","value":"v"})");
}

TEST(InlinedCredentials, the_same_values_again_change_nothing) {  // G-4
  World world;
  world.store_all(world.take({R"({"id":"k","type":"api_key","values":{"key":"s3cret"}})"}));
  for (const char* again : {R"({"id":"k","type":"api_key","values":{"key":"s3cret"}})",
                            R"({"id":"k","values":{"value":"s3cret","name":"X-API-Key"}})"}) {
    Inlining made = world.take({again});
    EXPECT_EQ(error_of(made), "none");
    EXPECT_TRUE(made.puts.empty());
  }
}

TEST(InlinedCredentials, other_values_under_an_id_are_a_conflict) {  // G-4
  World world;
  world.store_all(world.take({R"({"id":"k","values":{"token":"s3cret"}})"}));
  std::string path = " /nodes/0/credentials/values";
  for (const char* other :
       {R"({"id":"k","values":{"token":"other"}})", R"({"id":"k","values":{"secret":"s3cret"}})",
        R"({"id":"k","type":"custom","values":{"token":"s3cret","prefix":"Bearer"}})"}) {
    Inlining made = world.take({other});
    EXPECT_EQ(error_of(made), "credential_conflict" + path) << other;
    EXPECT_EQ(made.errors[0].message.find("s3cret"), std::string::npos);
  }
  ASSERT_TRUE(world.store.revoke_credential(acme, "k", Instant{2}, {}));
  EXPECT_EQ(error_of(world.take({R"({"id":"k","values":{"token":"s3cret"}})"})),
            "credential_conflict" + path);
  EXPECT_EQ(error_of(world.take({R"({"id":"n","type":"token","values":{"token":"x"}})",
                                 R"({"id":"n","type":"custom","values":{"token":"x"}})"})),
            "credential_conflict /nodes/1/credentials/values");
}

TEST(InlinedCredentials, values_that_do_not_fit_their_type_are_errors) {
  World world;
  EXPECT_EQ(error_of(world.take({R"({"id":"k","type":"token","values":{"secret":"x"}})"})),
            "invalid_field /nodes/0/credentials/values/secret");
  EXPECT_EQ(error_of(world.take({R"({"id":"k","type":"nonsense","values":{"a":"x"}})"})),
            "invalid_field /nodes/0/credentials/values");
  EXPECT_EQ(error_of(world.take({R"({"id":"a b","values":{"token":"x"}})"})),
            "invalid_field /nodes/0/credentials/values");
}

TEST(InlinedCredentials, a_name_that_is_taken_gives_way_to_the_id) {
  World world;
  world.store_all(world.take({R"({"id":"a","name":"Mine","values":{"token":"x"}})",
                              R"({"id":"b","name":"Mine","values":{"token":"x"}})"}));
  EXPECT_EQ(world.store.credential(acme, "a")->value().name, "Mine");
  EXPECT_EQ(world.store.credential(acme, "b")->value().name, "b");
  EXPECT_EQ(world.take({R"({"id":"c","name":"Mine","values":{"token":"x"}})"}).puts.at(0).name,
            "c");
}

TEST(InlinedCredentials, what_cannot_be_opened_cannot_be_compared) {
  World world;
  world.store_all(world.take({R"({"id":"k","values":{"token":"s3cret"}})"}));
  Vault other(world.store, given_keys(SealingKeys::fresh()));
  Value document = *parse_json(R"({"nodes":[{"credentials":{"id":"k","values":{"token":"x"}}}]})");
  auto made = inline_credentials(other, world.store, document, {acme, Instant{1}, 1000});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::credential_unreadable);
}

}  // namespace
}  // namespace fermata::front
