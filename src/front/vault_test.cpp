#include "front/vault.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"
#include "base/json.h"
#include "front/credential_request.h"

namespace fermata::front {
namespace {

const AccountId acme("acme");

struct World {
  explicit World(KeySource source = given_keys(SealingKeys::fresh()))
      : vault(store, std::move(source)) {}

  CredentialRecord put(const std::string& id, std::string_view body,
                       const AccountId& account = acme) {
    auto request = read_credential_request(*parse_json(body));
    check(static_cast<bool>(request));
    auto put = credential_put(vault, *request, {account, id, known(id), Instant{1}, 1000});
    EXPECT_TRUE(put) << put.error().message;
    return *store.put_credential(*put, {});
  }
  std::optional<CredentialRecord> known(const std::string& id) {
    return *store.credential(acme, id);
  }
  Outcome<Credential> find(std::string_view reference) {
    return vault.find(acme, *parse_json(reference), Instant{7});
  }

  MemoryStore store;
  Vault vault;
};

constexpr std::string_view token =
    R"({"name":"GitHub","type":"token","values":{"token":"s3cret"}})";

TEST(Vault, finds_by_id_or_name_and_remembers_the_use) {  // G-4
  World world;
  world.put("github", token);
  for (const char* reference : {R"({"id":"github"})", R"({"name":"GitHub"})"}) {
    auto found = world.find(reference);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->id, "github");
    EXPECT_EQ(found->type, "token");
    EXPECT_EQ(found->values.get("token"), Value("s3cret"));
  }
  EXPECT_EQ(world.known("github")->last_used_at, Instant{7});
  EXPECT_EQ(world.known("github")->sealed.find("s3cret"), std::string::npos);
}

TEST(Vault, what_is_missing_revoked_or_anothers_is_not_found) {  // G-4, A-10
  World world;
  world.put("github", token);
  world.put("foreign", token, AccountId("other"));
  for (const char* reference :
       {R"({"id":"GitHub"})", R"({"name":"github"})", "{}", R"({"id":"foreign"})"})
    EXPECT_EQ(world.find(reference).error().code, ErrorCode::credential_not_found) << reference;
  ASSERT_TRUE(world.store.revoke_credential(acme, "github", Instant{9}, {}));
  auto revoked = world.find(R"({"id":"github"})");
  EXPECT_EQ(revoked.error().code, ErrorCode::credential_not_found);
  EXPECT_NE(revoked.error().message.find("revoked"), std::string::npos);
}

TEST(Vault, values_open_only_where_they_belong) {  // A-13
  World world;
  CredentialRecord record = world.put("github", token);
  EXPECT_TRUE(world.vault.open(record));
  for (int i = 0; i < 3; ++i) {
    CredentialRecord moved = record;
    (i == 0 ? moved.id : i == 1 ? moved.type : moved.name) = "header";
    if (i == 2) moved.account = AccountId("other");
    auto opened = world.vault.open(moved);
    ASSERT_FALSE(opened) << i;
    EXPECT_EQ(opened.error().code, ErrorCode::credential_unreadable);
  }
}

TEST(Vault, a_wrong_key_is_told_by_its_name_and_loses_nothing) {  // A-13
  SealingKeys right = SealingKeys::fresh();
  World world(given_keys(right));
  world.put("github", token);
  Vault other(world.store, given_keys(SealingKeys::fresh()));
  auto found = other.find(acme, *parse_json(R"({"id":"github"})"), Instant{7});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::credential_unreadable);
  EXPECT_NE(found.error().message.find(right.first_id()), std::string::npos);
  EXPECT_EQ(*other.unreadable(), std::vector<std::string>{"github"});
  EXPECT_TRUE(world.vault.unreadable()->empty());
  EXPECT_TRUE(world.find(R"({"id":"github"})"));
}

/// A source that begins without a key and counts how often one is made.
struct LateKeys {
  std::optional<SealingKeys> kept;
  int made = 0;
  KeySource source() {
    return {[this]() -> Outcome<std::optional<SealingKeys>> { return kept; },
            [this]() -> Outcome<SealingKeys> {
              ++made;
              kept = SealingKeys::fresh();
              return *kept;
            },
            "there"};
  }
};

TEST(Vault, the_first_key_is_made_when_the_first_value_is_sealed) {  // A-13
  LateKeys late;
  World world(late.source());
  EXPECT_EQ(world.find(R"({"id":"x"})").error().code, ErrorCode::credential_not_found);
  EXPECT_EQ(late.made, 0);
  world.put("github", token);
  world.put("another", R"({"type":"token","values":{"token":"t"}})");
  EXPECT_EQ(late.made, 1);
  EXPECT_TRUE(world.find(R"({"id":"github"})"));
}

TEST(Vault, a_lost_key_is_not_replaced_behind_the_back_of_what_it_sealed) {  // A-13
  LateKeys late;
  World world(late.source());
  world.put("github", token);
  late.kept.reset();
  Vault later(world.store, late.source());
  auto found = later.find(acme, *parse_json(R"({"id":"github"})"), Instant{7});
  EXPECT_EQ(found.error().code, ErrorCode::credential_unreadable);
  EXPECT_NE(found.error().message.find("there"), std::string::npos);
  EXPECT_EQ(later.seal(acme, "x", "token", Value::object()).error().code,
            ErrorCode::credential_unreadable);
  EXPECT_EQ(late.made, 1);
  ASSERT_TRUE(world.store.remove_credential(acme, "github", {}));
  EXPECT_TRUE(later.seal(acme, "x", "token", Value::object()));
  EXPECT_EQ(late.made, 2);
}

TEST(Vault, resealing_moves_everything_under_the_first_key) {  // A-13
  SealingKeys old = SealingKeys::fresh();
  SealingKeys next = SealingKeys::fresh();
  World world(given_keys(old));
  world.put("a", token);
  world.put("b", R"({"type":"token","values":{"token":"t"}})");
  world.put("c", token, AccountId("other"));
  ASSERT_TRUE(world.store.revoke_credential(acme, "b", Instant{9}, {}));
  Vault both(world.store,
             given_keys(*SealingKeys::read(next.first_text() + "," + old.first_text())));
  auto done = both.reseal(Instant{10}, "ann");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->resealed, 2u);
  EXPECT_EQ(done->kept, 0u);
  EXPECT_TRUE(done->unreadable.empty());
  EXPECT_EQ(both.reseal(Instant{10}, "ann")->kept, 2u);
  Vault after(world.store, given_keys(next));
  EXPECT_EQ(after.find(acme, *parse_json(R"({"id":"a"})"), Instant{11})->values.get("token"),
            Value("s3cret"));
  EXPECT_EQ(world.known("a")->revision, 1u);
  auto left = world.vault.reseal(Instant{12}, "ann");
  EXPECT_EQ(left->unreadable.size(), 2u);
}

TEST(Vault, a_credential_is_changed_without_its_values_being_sent_again) {
  World world;
  world.put("github", token);
  CredentialRecord renamed = world.put("github", R"({"name":"renamed"})");
  EXPECT_EQ(renamed.name, "renamed");
  EXPECT_EQ(world.find(R"({"name":"renamed"})")->values.get("token"), Value("s3cret"));
  auto refusal = [&](std::string_view body) {
    auto request = read_credential_request(*parse_json(body));
    if (!request) return request.error().findings[0].path;
    auto put = credential_put(world.vault, *request,
                              {acme, "github", world.known("github"), Instant{1}, 1000});
    return put ? std::string("accepted") : put.error().findings[0].path;
  };
  EXPECT_EQ(refusal(R"({"type":"header"})"), "/values");
  EXPECT_EQ(refusal(R"({"type":"nonsense"})"), "/type");
  EXPECT_EQ(refusal(R"({"values":{"tokn":"s3cret"}})"), "/values/tokn");
  EXPECT_EQ(refusal(R"({"id":"a b"})"), "/id");
  EXPECT_EQ(refusal(R"({"secret":"x"})"), "/secret");
  EXPECT_EQ(refusal("{}"), "accepted");
  ASSERT_TRUE(world.store.revoke_credential(acme, "github", Instant{9}, {}));
  EXPECT_EQ(refusal(R"({"name":"x"})"), "/values");
}

}  // namespace
}  // namespace fermata::front
