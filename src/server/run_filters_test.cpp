#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"
#include "server/whereabouts.h"

/// Lists of executions by what no row tells (U-22).
namespace fermata::server {
namespace {

const char* const breaking =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"stop","name":"Stop","type":"fail","parameters":{"message":"no"}}],
       "edges":[{"id":"1","src":"t","dst":"stop"}]})";
const char* const pausing =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"rest","name":"Rest","type":"wait","parameters":{"amount":1,"unit":"hours"}}],
       "edges":[{"id":"1","src":"t","dst":"rest"}]})";

/// One of each: at a signal, at a timer (version 1 and 2), and failed.
struct World {
  World() {
    world.put_workflows();
    world.ask("PUT", "/api/v1/workflows/breaks", breaking);
    world.ask("PUT", "/api/v1/workflows/pauses", pausing);
    signal = start("waiting");
    first = start("pauses");
    std::string changed(pausing);
    changed.replace(changed.find("hours"), 5, "days");
    world.ask("PUT", "/api/v1/workflows/pauses", changed);
    second = start("pauses");
    failed = start("breaks");
    EXPECT_TRUE(world.wait_for(failed, "failed"));
  }
  /// Each a second after the one before: lists are by time.
  std::string start(const std::string& workflow) {
    world.advance(Duration{1'000});
    return world.start(workflow);
  }
  std::vector<std::string> ids(const std::string& query) {
    auto answer = world.ask("GET", "/api/v1/executions?" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<std::string> out;
    for (const Value& item : answer.body.get("items").items())
      out.emplace_back(item.get("id").as_string());
    return out;
  }
  using Ids = std::vector<std::string>;
  TestWorld world;
  std::string signal, first, second, failed;
};

TEST(RunFilters, select_by_version_node_kind_of_wait_and_error) {
  World w;
  EXPECT_EQ(w.ids("workflow_id=pauses&version=1"), World::Ids{w.first});
  EXPECT_EQ(w.ids("version=2"), World::Ids{w.second});
  EXPECT_EQ(w.ids("node=rest"), (World::Ids{w.second, w.first}));
  EXPECT_EQ(w.ids("node=rest&version=1"), World::Ids{w.first});
  EXPECT_EQ(w.ids("wait_kind=signal"), World::Ids{w.signal});
  EXPECT_EQ(w.ids("wait_kind=timer&status=waiting"), (World::Ids{w.second, w.first}));
  EXPECT_EQ(w.ids("node=stop"), World::Ids{w.failed});
  auto run = w.world.ask("GET", "/api/v1/executions/" + w.failed).body;
  std::string code(run.get("error").get("code").as_string());
  EXPECT_EQ(w.ids("error_code=" + code), World::Ids{w.failed});
  EXPECT_TRUE(w.ids("error_code=nothing").empty());
  EXPECT_TRUE(w.ids("retrying=true").empty());
  w.world.ask("POST", "/api/v1/executions/" + w.signal + "/signals/go");
  ASSERT_TRUE(w.world.wait_for(w.signal, "completed"));
  EXPECT_TRUE(w.ids("wait_kind=signal").empty()) << "it has gone on";
}

TEST(RunFilters, lists_tell_where_each_stands) {
  World w;
  auto list = w.world.ask("GET", "/api/v1/executions?node=rest&limit=1").body.get("items");
  const Value& at = list.items()[0].get("at").items()[0];
  EXPECT_EQ(at.get("node"), Value("rest"));
  EXPECT_EQ(at.get("kind"), Value("timer"));
  EXPECT_TRUE(at.get("until").is_string());
  auto load = w.world.ask("GET", "/api/v1/workflows/pauses/load").body;
  EXPECT_EQ(load.get("at").get("rest").get("timer"), Value(2)) << to_json(load);
}

TEST(RunFilters, what_needs_attention_failed_lately) {
  World w;
  EXPECT_EQ(w.ids("attention=true"), World::Ids{w.failed});
  EXPECT_EQ(w.ids("attention=true&workflow_id=pauses"), World::Ids{});
}

TEST(RunFilters, go_on_by_cursor) {
  World w;
  auto one = w.world.ask("GET", "/api/v1/executions?node=rest&limit=1");
  ASSERT_EQ(one.body.get("items").size(), 1u);
  std::string cursor(one.body.get("next_cursor").as_string());
  EXPECT_EQ(w.ids("node=rest&limit=1&cursor=" + cursor), World::Ids{w.first});
  EXPECT_EQ(w.world.ask("GET", "/api/v1/executions?node=rest&cursor=x").status, 422);
  one = w.world.ask("GET", "/api/v1/executions?version=1&limit=1");
  World::Ids seen;
  for (int i = 0; i < 9 && one.status == 200; ++i) {
    for (const Value& item : one.body.get("items").items())
      seen.emplace_back(item.get("id").as_string());
    if (one.body.get("next_cursor").is_null()) break;
    cursor = one.body.get("next_cursor").as_string();
    one = w.world.ask("GET", "/api/v1/executions?version=1&limit=1&cursor=" + cursor);
  }
  EXPECT_EQ(seen, (World::Ids{w.failed, w.first, w.signal}));
}

// U-2: sorted by what stands in the address, whatever is filtered.
TEST(RunOrders, list_the_oldest_or_the_newest_first) {
  World w;
  World::Ids oldest{w.signal, w.first, w.second, w.failed};
  World::Ids newest(oldest.rbegin(), oldest.rend());
  EXPECT_EQ(w.ids("sort=-started_at"), newest);
  EXPECT_EQ(w.ids("sort=started_at"), oldest);
  EXPECT_EQ(w.ids("sort=started_at&limit=2&offset=1"), (World::Ids{w.first, w.second}));
  EXPECT_EQ(w.ids("sort=started_at&status=waiting"), (World::Ids{w.signal, w.first, w.second}));
  EXPECT_EQ(w.ids("sort=started_at&workflow_id=pauses"), (World::Ids{w.first, w.second}));
  EXPECT_EQ(w.ids("sort=started_at&node=rest"), (World::Ids{w.first, w.second}));
  EXPECT_EQ(w.ids("sort=started_at&version=1"), (World::Ids{w.signal, w.first, w.failed}));
}

TEST(RunOrders, go_on_by_cursors_of_their_own) {
  World w;
  for (const char* filter : {"", "&version=1", "&node=rest"}) {
    std::string query = std::string("sort=started_at&limit=1") + filter;
    World::Ids seen;
    std::string cursor;
    for (int i = 0; i < 9; ++i) {
      auto page =
          w.world.ask("GET", "/api/v1/executions?" + query + (i == 0 ? "" : "&cursor=" + cursor));
      ASSERT_EQ(page.status, 200) << page.text;
      for (const Value& item : page.body.get("items").items())
        seen.emplace_back(item.get("id").as_string());
      if (page.body.get("next_cursor").is_null()) break;
      cursor = page.body.get("next_cursor").as_string();
      auto other = w.world.ask("GET", "/api/v1/executions?cursor=" + cursor + filter);
      EXPECT_EQ(other.status, 422) << other.text;
    }
    EXPECT_EQ(seen, w.ids(std::string("sort=started_at") + filter));
  }
}

TEST(RunOrders, refuse_what_no_index_gives) {
  World w;
  for (const char* sort : {"duration", "started", "", "-completed_at", "STARTED_AT"}) {
    auto answer = w.world.ask("GET", std::string("/api/v1/executions?sort=") + sort);
    EXPECT_EQ(answer.status, 422) << sort;
    EXPECT_EQ(answer.code(), "invalid_query");
    EXPECT_NE(answer.text.find("`started_at` lists the oldest first"), std::string::npos)
        << answer.text;
  }
}

// U-20: told by the engine, shown until it can be read again.
TEST(RunFilters, find_what_nobody_can_resume) {
  World w;
  EXPECT_TRUE(w.ids("wait_kind=unreadable").empty());
  w.world.api().hub().run_unreadable(RunId(w.signal), w.world.api().now());
  w.world.api().hub().run_unreadable(RunId(w.failed), w.world.api().now());
  w.world.api().hub().run_unreadable(RunId("nobody"), w.world.api().now());
  EXPECT_EQ(w.ids("wait_kind=unreadable"), World::Ids{w.signal}) << "the others need no resuming";
  EXPECT_EQ(w.ids("attention=true"), (World::Ids{w.failed, w.signal}));
  auto list = w.world.ask("GET", "/api/v1/executions?wait_kind=unreadable").body.get("items");
  const Value& at = list.items()[0].get("at").items()[0];
  EXPECT_EQ(at.get("kind"), Value("unreadable"));
  EXPECT_TRUE(at.get("at").is_string()) << "since when";
  auto others =
      w.world.ask("GET", "/api/v1/executions?wait_kind=unreadable", "", "X-Account-Id: b\r\n");
  EXPECT_EQ(others.body.get("items").size(), 0u);
  w.world.ask("POST", "/api/v1/executions/" + w.signal + "/signals/go");
  ASSERT_TRUE(w.world.wait_for(w.signal, "completed"));
  EXPECT_TRUE(w.ids("wait_kind=unreadable").empty()) << "it was read after all";
}

TEST(RunFilters, name_rows_that_cannot_be_read_and_keep_to_a_limit) {
  World w;
  Whereabouts& whereabouts = w.world.api().hub().whereabouts();
  for (size_t i = 0; i < Whereabouts::damages_max + 5; ++i)
    whereabouts.damaged({ErrorCode::data_damaged, "run row " + std::to_string(i), {}});
  auto page = w.world.ask("GET", "/api/v1/executions?wait_kind=unreadable").body;
  EXPECT_EQ(page.get("damaged").size(), Whereabouts::damages_max) << to_json(page);
  for (size_t i = 0; i < Whereabouts::doubts_max + 5; ++i)
    whereabouts.doubt(RunId("r" + std::to_string(i)), Instant{0});
  EXPECT_EQ(whereabouts.doubts().size(), Whereabouts::doubts_max);
}

TEST(RunFilters, refuse_what_they_do_not_understand) {
  World w;
  for (const char* query : {"version=x", "wait_kind=tea", "retrying=0", "attention=maybe",
                            "node=", "node=rest&offset=1"})
    EXPECT_EQ(w.world.ask("GET", std::string("/api/v1/executions?") + query).status, 422) << query;
}

TEST(RunFilters, hold_for_groups_and_for_bulk_operations) {
  World w;
  auto stats = w.world.ask("GET", "/api/v1/executions/stats?group_by=version&node=rest");
  EXPECT_EQ(stats.body.get("counted"), Value(2)) << stats.text;
  EXPECT_EQ(stats.body.get("groups").size(), 2u);
  auto dry = w.world.ask("POST", "/api/v1/executions/bulk",
                         R"({"action":"cancel","filter":{"node":"rest","version":1},
                             "dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(1));
  EXPECT_EQ(dry.body.get("sample").items()[0], Value(w.first));
  dry = w.world.ask("POST", "/api/v1/executions/bulk",
                    R"({"action":"cancel","filter":{"tea":"x"},"dry_run":true})");
  EXPECT_EQ(dry.status, 422);
}

}  // namespace
}  // namespace fermata::server
