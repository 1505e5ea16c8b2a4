#include "core/approval/vote.h"

#include <gtest/gtest.h>

namespace fermata::approval {
namespace {

std::string refused(const std::vector<std::string>& approvers, const Vote& vote,
                    const std::string& actor = "anna") {
  auto outcome = may_vote({"h", approvers, {"starter"}}, vote, actor);
  return outcome ? "" : std::string(name_of(outcome.error().code));
}

// J-42
TEST(Vote, role_stands_for_itself_and_those_above_it) {
  for (std::string_view role : {"admin", "root"})
    EXPECT_EQ(refused({"admin"}, {true, "h", "", std::string(role), false}), "") << role;
  for (std::string_view role : {"viewer", "operator", "editor", "worker", ""})
    EXPECT_EQ(refused({"admin"}, {true, "h", "", std::string(role), false}), "forbidden") << role;
}

TEST(Vote, key_is_one_key) {
  EXPECT_EQ(refused({"key:anna"}, {true, "h", "", "operator", false}), "");
  EXPECT_EQ(refused({"key:anna"}, {true, "h", "", "root", false}, "bert"), "forbidden");
  EXPECT_EQ(refused({"key:anna", "root"}, {true, "h", "", "root", false}, "bert"), "");
}

// J-41, J-42
TEST(Vote, never_by_who_asked_nor_for_something_else) {
  Vote vote{true, "h", "", "root", false};
  EXPECT_EQ(refused({"operator"}, vote, "starter"), "approval_by_submitter");
  vote.may_be_own = true;
  EXPECT_EQ(refused({"operator"}, vote, "starter"), "");
  vote.hash = "other";
  EXPECT_EQ(refused({"operator"}, vote), "approval_stale_request");
  EXPECT_TRUE(may_vote({"h", {"operator"}, {""}}, {false, "h", "", "operator", false}, ""));
}

// J-41
TEST(Vote, second_yes_is_none_but_who_said_yes_may_still_say_no) {
  std::vector<std::string> approvers{"operator"};
  Terms terms{"h", approvers, {}, {"anna"}};
  Vote vote{true, "h", "", "operator", false};
  EXPECT_EQ(may_vote(terms, vote, "anna").error().code, ErrorCode::approval_already_voted);
  EXPECT_TRUE(may_vote(terms, vote, "bert"));
  vote.approve = false;
  EXPECT_TRUE(may_vote(terms, vote, "anna"));
}

TEST(Vote, approvers_are_read_in_every_form) {
  using List = std::vector<std::string>;
  EXPECT_EQ(*read_approvers({}), List{"operator"});
  EXPECT_EQ(*read_approvers("admin"), List{"admin"});
  EXPECT_EQ(*read_approvers(Value::array({"root", "key:x", "root"})), (List{"root", "key:x"}));
  std::vector<Value> many(33, Value("root"));
  for (const Value& wrong : {Value("boss"), Value(""), Value("key:"), Value(3), Value::array(),
                             Value::array({"admin", 1}), Value::array(many), Value("viewer")})
    EXPECT_FALSE(read_approvers(wrong));
}

TEST(Vote, hash_is_of_the_kind_and_the_canonical_form) {
  Value a = Value::object({{"x", 1}, {"y", 2}}), b = Value::object({{"y", 2}, {"x", 1}});
  EXPECT_EQ(hash_of("approval", a), hash_of("approval", b));
  EXPECT_NE(hash_of("approval", a), hash_of("job", a));
  EXPECT_EQ(hash_of("approval", a).size(), 64u);
}

}  // namespace
}  // namespace fermata::approval
