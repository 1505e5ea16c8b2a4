#include "core/mail/address.h"

#include <gtest/gtest.h>

namespace fermata::mail {
namespace {

std::string read(std::string_view text) {
  auto addresses = read_addresses(text);
  if (!addresses) return "! " + addresses.error();
  std::string out;
  for (const Address& one : *addresses)
    out += (out.empty() ? "" : " | ") + one.name + "<" + one.address + ">";
  return out;
}

TEST(MailAddress, lists_are_read_with_and_without_names) {  // G-37
  EXPECT_EQ(read("a@b.test"), "<a@b.test>");
  EXPECT_EQ(read(" a@b.test , Ada L. <ada+x@b.test>;c@d "),
            "<a@b.test> | Ada L.<ada+x@b.test> | <c@d>");
  EXPECT_EQ(read(R"("Lovelace, \"Ada\"" <a@b>, "x y"@b)"), R"(Lovelace, "Ada"<a@b> | <"x y"@b>)");
  EXPECT_EQ(read("Ärzte <a@b>,, ,<c@[192.0.2.1]>"), "Ärzte<a@b> | <c@[192.0.2.1]>");
  EXPECT_EQ(read(" , "), "");
  EXPECT_EQ((Address{"", "a@b.test"}.domain()), "b.test");
}

TEST(MailAddress, what_is_none_is_told) {  // G-37
  EXPECT_EQ(read("ada"), "! \"ada\" is no mail address: it has no @.");
  EXPECT_EQ(read("a b@c"), "! \"a b@c\" is no mail address.");
  for (const char* text : {"@b", "a@", "a@b..c", "a@b c", ".a@b", "a@b>", "a@b@", "a@[b;c]"})
    EXPECT_TRUE(read(text).starts_with("! ")) << text;
  EXPECT_TRUE(read("Ada <a@b").starts_with("! ")) << read("Ada <a@b");
  EXPECT_TRUE(read("\"Ada <a@b>").ends_with("has a quote that does not end."));
  EXPECT_TRUE(read("a@bücher.test").ends_with("xn-- form."));
  EXPECT_TRUE(read(std::string(65, 'a') + "@b").starts_with("! "));
}

TEST(MailAddress, nothing_can_end_its_line) {  // G-37
  for (const char* text : {"a@b\r\nBcc: c@d", "Ada\nX: <a@b>", "\"A\rB\" <a@b>", "a@b\t"})
    EXPECT_TRUE(read(text).starts_with("! A mail address holds a line break")) << text;
}

}  // namespace
}  // namespace fermata::mail
