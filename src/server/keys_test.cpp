#include "server/keys.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"

namespace fermata::server {
namespace {

struct Ring {
  MemoryStore store;
  KeyRing keys{store};
  NewKey made = make_key();
  KeyRecord record;

  Ring() {
    record.id = made.id;
    record.account = AccountId("a");
    record.role = Role::editor;
    record.secret_hash = made.secret_hash;
    record.expires_at = Instant{1'000'000};
    put();
  }
  void put() { check(static_cast<bool>(store.put_key(record, {}))); }
};

TEST(Keys, the_stored_hash_is_salted_and_matches_its_key_only) {
  NewKey one = make_key();
  NewKey two = make_key();
  EXPECT_TRUE(key_matches(one.secret, one.secret_hash));
  EXPECT_FALSE(key_matches(two.secret, one.secret_hash));
  EXPECT_FALSE(key_matches(one.secret, "1:salt:"));
  EXPECT_FALSE(key_matches(one.secret, "nonsense"));
  EXPECT_EQ(key_id_of(one.secret), one.id);
  EXPECT_EQ(one.secret_hash.find(one.secret), std::string::npos);
  EXPECT_EQ(key_id_of(one.secret + "x"), "");
  EXPECT_EQ(key_id_of(one.id), "");
}

TEST(Keys, a_verified_key_gives_its_account_and_role) {
  Ring ring;
  auto who = ring.keys.verify(ring.made.secret, Instant{0});
  ASSERT_TRUE(who);
  EXPECT_EQ(who->account, AccountId("a"));
  EXPECT_EQ(who->role, Role::editor);
  EXPECT_EQ(who->actor, ring.made.id);
}

TEST(Keys, expiry_holds_even_for_a_remembered_key) {
  Ring ring;
  EXPECT_TRUE(ring.keys.verify(ring.made.secret, Instant{999'999}));
  auto late = ring.keys.verify(ring.made.secret, Instant{1'000'000});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::unauthorized);
}

TEST(Keys, a_revocation_elsewhere_counts_after_a_while_and_here_at_once) {
  Ring ring;
  EXPECT_TRUE(ring.keys.verify(ring.made.secret, Instant{0}));
  ASSERT_TRUE(ring.store.revoke_key(ring.made.id, Instant{1}, {}));
  EXPECT_TRUE(ring.keys.verify(ring.made.secret, Instant{2}));
  EXPECT_FALSE(ring.keys.verify(ring.made.secret, Instant{60'000}));
  Ring other;
  EXPECT_TRUE(other.keys.verify(other.made.secret, Instant{0}));
  ASSERT_TRUE(other.store.revoke_key(other.made.id, Instant{1}, {}));
  other.keys.forget(other.made.id);
  EXPECT_FALSE(other.keys.verify(other.made.secret, Instant{2}));
}

}  // namespace
}  // namespace fermata::server
