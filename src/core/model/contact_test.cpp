#include "core/model/contact.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

// W-52
TEST(Contact, phones_that_mean_the_same_have_one_key) {
  EXPECT_EQ(phone_key("+1 212 555 0100"), "+12125550100");
  EXPECT_EQ(phone_key("0012125550100"), "+12125550100");
  EXPECT_EQ(phone_key("00 1 (212) 555-0100"), "+12125550100");
  EXPECT_EQ(phone_key("212.555.0100"), "2125550100");
  EXPECT_EQ(phone_key("1+2"), "12") << "a plus counts only before the first digit";
  EXPECT_EQ(phone_key("call me"), "");
  EXPECT_EQ(phone_key("00"), "");
  EXPECT_EQ(phone_key(""), "");
}

// W-52
TEST(Contact, addresses_of_mail_are_folded_in_ascii) {
  EXPECT_EQ(email_key("  Ada@Example.COM\n"), "ada@example.com");
  EXPECT_EQ(email_key("\xc3\x84@example.com"), "\xc3\x84@example.com");
  EXPECT_EQ(email_key(" \t"), "");
}

// W-26
TEST(Contact, opting_out_is_of_everything_or_of_one_workflow) {
  Contact contact;
  EXPECT_FALSE(contact.is_out_of(WorkflowId("a")));
  contact.opted_out_of = {"a"};
  EXPECT_TRUE(contact.is_out_of(WorkflowId("a")));
  EXPECT_FALSE(contact.is_out_of(WorkflowId("b")));
  contact.opted_out_at = Instant{1};
  EXPECT_TRUE(contact.is_out_of(WorkflowId("b")));
}

}  // namespace
}  // namespace fermata
