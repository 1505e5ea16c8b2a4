#include "front/pool_board.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "base/json.h"

namespace fermata::front {
namespace {

constexpr const char* mail =
    R"({"version":1,"pools":{"mail":{"lease_ms":9000}},"topics":{"mail.*":"mail"}})";
constexpr const char* broken = R"({"version":1,"topics":{"mail.*":"post"}})";

/// A board over a store that lasts, and a file that tests write.
struct Desk {
  VirtualClock clock{Instant{1'700'000'000'000}};
  fleet::PoolTablePtr in_force{};
  std::vector<std::string> failures{};
  PoolBoard board;

  Desk(MemoryStore& store, std::optional<std::string>& file, bool required = false)
      : board(store, clock, options(file, required)) {}

  PoolBoard::Options options(std::optional<std::string>& file, bool required) {
    PoolBoard::Options options;
    options.file = "pools.yaml";
    options.file_required = required;
    options.read_file = [&file](const std::string&) -> Outcome<std::optional<std::string>> {
      return file;
    };
    options.read_text = [](std::string_view text) -> Outcome<policy::ReadText> {
      auto value = parse_json(text);
      if (!value) return fail(ErrorCode::policy_invalid, "bad", value.error().findings);
      return policy::ReadText{*std::move(value), {{"/topics/mail.*", {4, 11, 0}}}};
    };
    options.activate = [this](const fleet::PoolTablePtr& table) { in_force = table; };
    options.on_failed = [this](const Error& error) { failures.push_back(error.message); };
    return options;
  }
};

class PoolLoading : public testing::Test {
 protected:
  MemoryStore store;
  std::optional<std::string> file;
  const PoolBoard::Actor root{AccountId("acme"), "root-key"};
};

TEST_F(PoolLoading, without_a_file_no_topic_is_mapped) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  EXPECT_FALSE(desk.in_force->maps_topics());
  Desk named(store, file, true);
  auto refused = named.board.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "pools.yaml: there is no such file of pools");
}

// J-52: loaded as J-23.
TEST_F(PoolLoading, a_broken_file_leaves_the_last_good_pools_also_over_a_restart) {
  file = mail;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  EXPECT_EQ(desk.in_force->pool("mail").lease_ms, 9'000);
  file = broken;
  desk.board.look();
  ASSERT_EQ(desk.failures.size(), 1u);
  EXPECT_EQ(desk.failures[0], "pools.yaml:4:11: /topics/mail.*: There is no pool `post`.");
  EXPECT_TRUE(desk.in_force->pools_of("job.mail.send"));
  EXPECT_EQ(desk.board.loads_failed(), 1u);
  desk.board.look();
  EXPECT_EQ(desk.failures.size(), 1u) << "the same text is told once";
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.failures.size(), 1u);
  EXPECT_EQ(again.in_force->pool("mail").lease_ms, 9'000);
  file.reset();
  again.board.look();
  EXPECT_EQ(again.failures.size(), 2u);
  EXPECT_TRUE(again.in_force->maps_topics());
}

TEST_F(PoolLoading, a_broken_file_without_a_good_one_before_keeps_the_server_from_starting) {
  file = broken;
  Desk desk(store, file);
  auto refused = desk.board.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "pools.yaml:4:11: /topics/mail.*: There is no pool `post`.");
}

TEST_F(PoolLoading, what_the_file_names_is_the_files_and_the_rest_is_made_beside_it) {
  file = mail;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  auto code = [](const Outcome<void>& changed) {
    return changed ? ErrorCode::internal : changed.error().code;
  };
  PoolBoard& board = desk.board;
  EXPECT_EQ(code(board.put_pool("mail", Value::object(), {}, root)), ErrorCode::managed_by_file);
  EXPECT_EQ(code(board.map_topic("mail", "mail.*", false, root)), ErrorCode::managed_by_file);
  EXPECT_EQ(code(board.set_status("mail", fleet::PoolStatus::draining, {}, root)),
            ErrorCode::managed_by_file);
  EXPECT_EQ(code(board.set_status("pay", fleet::PoolStatus::draining, {}, root)),
            ErrorCode::value_not_found);
  EXPECT_EQ(code(board.map_topic("pay", "pay.*", true, root)), ErrorCode::value_not_found);
  ASSERT_TRUE(board.put_pool("pay", *parse_json(R"({"max_concurrent":3})"), {}, root));
  ASSERT_TRUE(board.map_topic("pay", "pay.*", true, root));
  ASSERT_TRUE(board.map_topic("mail", "letter", true, root));
  EXPECT_EQ(*desk.in_force->pools_of("job.pay.eu"), std::vector<std::string>{"pay"});
  EXPECT_EQ(*desk.in_force->pools_of("job.letter"), std::vector<std::string>{"mail"});
  EXPECT_EQ(code(board.remove_pool("pay", {}, root)), ErrorCode::wrong_state);
  ASSERT_TRUE(board.put_limits(*parse_json(R"({"keys":{"erp":{"max_concurrent":1}}})"), {}, root));
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.in_force->pool("pay").max_concurrent, 3u);
  EXPECT_EQ(again.in_force->keys.at("erp"), 1u);
  ASSERT_TRUE(again.board.map_topic("pay", "pay.*", false, root));
  ASSERT_TRUE(again.board.remove_pool("pay", {}, root));
  EXPECT_FALSE(again.in_force->pools.contains("pay"));
}

TEST_F(PoolLoading, mistakes_of_requests_are_told_by_their_place_and_change_nothing) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  auto refused = desk.board.put_pool("p", *parse_json(R"({"rate":{"per_second":0}})"), {}, root);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().findings.size(), 1u);
  EXPECT_EQ(refused.error().findings[0].path, "/rate/per_second");
  EXPECT_EQ(desk.board.stored().revision, 0u);
  ASSERT_TRUE(desk.board.put_pool("p", Value::object(), 0, root));
  auto late = desk.board.put_pool("p", Value::object(), 0, root);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::version_conflict);
}

TEST_F(PoolLoading, a_drain_has_an_end_that_lasts) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  ASSERT_TRUE(desk.board.put_pool("p", Value::object(), {}, root));
  Instant until{1'700'000'060'000};
  ASSERT_TRUE(desk.board.set_status("p", fleet::PoolStatus::draining, until, root));
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.in_force->pool("p").status, fleet::PoolStatus::draining);
  EXPECT_EQ(again.in_force->pool("p").drain_until, until);
  ASSERT_TRUE(again.board.set_status("p", fleet::PoolStatus::active, {}, root));
  EXPECT_EQ(again.in_force->pool("p").status, fleet::PoolStatus::active);
  EXPECT_FALSE(again.in_force->pool("p").drain_until);
}

}  // namespace
}  // namespace fermata::front
