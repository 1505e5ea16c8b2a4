#include "test/contract/stores.h"

/// Saved views are kept by account and id, in the order they were made (U-13).
namespace fermata {
namespace {

SavedView sample_view(const std::string& id, const std::string& account = "acme") {
  SavedView view;
  view.account = AccountId(account);
  view.id = id;
  view.page = "runs";
  view.name = "Failed today";
  view.query = Value::object({{"status", "failed"}});
  view.owner = "anna";
  view.created_at = view.updated_at = Instant{1'700'000'000'000};
  view.revision = 1;
  return view;
}

class ViewContract : public StoreContract {};

TEST_P(ViewContract, views_are_written_changed_and_removed) {
  SavedView first = sample_view("z"), second = sample_view("a");
  ASSERT_TRUE(views().put_view(first, sample_line("z")));
  ASSERT_TRUE(views().put_view(second, sample_line("a")));
  ASSERT_TRUE(views().put_view(sample_view("z", "rival"), sample_line("z", "rival")));
  first.name = "Renamed";
  first.shared = true;
  first.revision = 2;
  ASSERT_TRUE(views().put_view(first, sample_line("z")));
  reopen();
  auto all = views().views(AccountId("acme"));
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector{first, second})) << "in the order they were made";
  EXPECT_EQ(*views().view(AccountId("acme"), "z"), first);
  EXPECT_FALSE(*views().view(AccountId("acme"), "nobody"));
  ASSERT_TRUE(views().remove_view(AccountId("acme"), "z", sample_line("z")));
  EXPECT_EQ(views().views(AccountId("acme"))->size(), 1u);
  EXPECT_EQ(views().views(AccountId("rival"))->size(), 1u);
  expect_valid_chain(audit_of(reader(), "acme"));
  EXPECT_EQ(audit_of(reader(), "acme").size(), 4u);
}

TEST_P(ViewContract, a_view_that_has_changed_is_not_overwritten) {
  SavedView view = sample_view("v");
  ASSERT_TRUE(views().put_view(view, sample_line("v")));
  auto again = views().put_view(view, sample_line("v"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::version_conflict);
  auto gone = views().remove_view(AccountId("acme"), "w", sample_line("w"));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::value_not_found);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u) << "what fails is not told";
}

INSTANTIATE_TEST_SUITE_P(Stores, ViewContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
