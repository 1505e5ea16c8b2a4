#include "base/url_secret.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

// C-4
TEST(UrlSecret, password_of_an_address_is_not_shown) {
  EXPECT_EQ(without_password("redis://user:s3cret@host:6379/2"), "redis://(hidden)@host:6379/2");
  EXPECT_EQ(without_password("nats://u:p@a:4222, tls://token@b:4222"),
            "nats://(hidden)@a:4222, tls://(hidden)@b:4222");
  EXPECT_EQ(without_password("redis://:s3cret@host"), "redis://(hidden)@host");
  EXPECT_EQ(without_password("redis://:a@b/c:d@host/1"), "redis://(hidden)@host/1");
  EXPECT_EQ(without_password("postgres://u:p@h1:1,h2:2/db?a=b"),
            "postgres://u:(hidden)@h1:1,h2:2/db?a=b");
}

TEST(UrlSecret, address_without_a_password_stays_as_it_is) {
  for (const char* text :
       {"redis://host:6379/2", "postgres://user@host/db", "sqlite", "", "://", "a:b@c"})
    EXPECT_EQ(without_password(text), text);
}

}  // namespace
}  // namespace fermata
