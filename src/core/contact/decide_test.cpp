#include "core/contact/decide.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::contact {
namespace {

struct Told {
  std::string tell(Body body) {
    now = now + Duration{1'000};
    auto decided = decide(contact, {{AccountId("acme"), "c-17"}, std::move(body), "tester"}, now);
    if (!decided) return std::string(name_of(decided.error().code));
    decision = *std::move(decided);
    return "";
  }
  Contact contact;
  Decision decision;
  Instant now{1'700'000'000'000};
};

PutContact put(const char* fields) {
  PutContact body;
  body.fields = *parse_json(fields);
  return body;
}

// W-25
TEST(ContactDecide, put_replaces_and_patch_changes_what_it_names) {
  Told told;
  PutContact first = put(R"({"a":1,"b":2})");
  first.timezone = "UTC";
  EXPECT_EQ(told.tell(first), "");
  EXPECT_TRUE(told.decision.created);
  EXPECT_EQ(told.contact.version, 1u);
  EXPECT_EQ(told.tell(first), "");
  EXPECT_FALSE(told.decision.changed) << "it was so already";
  PutContact patch = put(R"({"b":null,"c":3})");
  patch.replaces = false;
  EXPECT_EQ(told.tell(patch), "");
  EXPECT_TRUE(told.decision.followed);
  EXPECT_EQ(told.contact.fields, *parse_json(R"({"a":1,"c":3})"));
  EXPECT_EQ(told.contact.timezone, "UTC");
  EXPECT_EQ(told.tell(put(R"({"a":1,"c":3})")), "");
  EXPECT_EQ(told.contact.timezone, "") << "what is not named is gone";
  EXPECT_FALSE(told.decision.followed);
  PutContact pinned;
  pinned.if_version = 1;
  EXPECT_EQ(told.tell(pinned), "version_conflict");
  PutContact fresh;
  fresh.if_version = 0;
  EXPECT_EQ(told.tell(fresh), "version_conflict");
  PutContact other;
  other.replaces = false;
  EXPECT_EQ(Told().tell(other), "contact_not_found");
}

// W-26
TEST(ContactDecide, opting_out_ends_runs_and_opting_in_lets_them_be_started) {
  Told told;
  EXPECT_EQ(told.tell(OptOut{{}, "STOP"}), "contact_not_found");
  told.tell(Mention{});
  EXPECT_EQ(told.tell(OptOut{WorkflowId("nurture"), "no"}), "");
  EXPECT_EQ(told.decision.ends->workflow, WorkflowId("nurture"));
  EXPECT_TRUE(told.contact.is_out_of(WorkflowId("nurture")));
  EXPECT_EQ(told.tell(OptOut{{}, "STOP"}), "");
  EXPECT_EQ(told.decision.ends->exit_reason, "contact_opted_out");
  EXPECT_EQ(told.decision.audit.front().action, "contact.opted_out");
  EXPECT_EQ(told.decision.audit.front().reason, "STOP");
  EXPECT_EQ(told.tell(OptOut{{}, "STOP"}), "");
  EXPECT_FALSE(told.decision.changed);
  EXPECT_TRUE(told.decision.ends) << "what is left of its runs ends";
  EXPECT_EQ(told.tell(OptIn{}), "");
  EXPECT_FALSE(told.contact.is_out_of(WorkflowId("nurture")));
}

// W-27
TEST(ContactDecide, deletion_leaves_the_id_alone) {
  Told told;
  PutContact body = put(R"({"secret":"x"})");
  body.phone = "123";
  body.email = "a@b";
  told.tell(body);
  told.tell(OptOut{{}, "STOP"});
  EXPECT_EQ(told.tell(DeleteContact{"asked"}), "");
  EXPECT_EQ(told.decision.ends->exit_reason, "contact_deleted");
  Contact bare;
  bare.account = AccountId("acme");
  bare.id = "c-17";
  bare.version = 3;
  bare.created_at = told.contact.created_at;
  bare.updated_at = told.now;
  bare.deleted_at = told.now;
  EXPECT_EQ(told.contact, bare);
  EXPECT_EQ(told.tell(DeleteContact{}), "contact_not_found");
  EXPECT_EQ(told.tell(Mention{}), "");
  EXPECT_TRUE(told.contact.exists());
  EXPECT_EQ(told.contact.version, 4u) << "versions go on, so that old ones are never taken";
}

// W-28
TEST(ContactDecide, removal_from_a_workflow_ends_its_runs_there) {
  Told told;
  told.tell(Mention{});
  EXPECT_EQ(told.tell(RemoveFromWorkflow{WorkflowId("nurture"), "why"}), "");
  EXPECT_EQ(told.decision.ends->workflow, WorkflowId("nurture"));
  EXPECT_EQ(told.decision.ends->exit_reason, "manual_removal");
  EXPECT_FALSE(told.contact.is_out_of(WorkflowId("nurture"))) << "it may come again";
}

}  // namespace
}  // namespace fermata::contact
