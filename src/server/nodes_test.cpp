#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

/// Ten items: 3 fails, 5 waits for a signal, the rest pass.
const char* const items_workflow =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"s","name":"Each","type":"split","parameters":{"input_array":"$input.items"}},
        {"id":"c","name":"Check","type":"code","parameters":{
          "source":"if ($item == 3) throw 'three'\n return {n: $item * 10}"}},
        {"id":"i","name":"If","type":"conditional","parameters":{"expression":"$item == 5",
          "true_edge_id":"5","false_edge_id":"6"}},
        {"id":"w","name":"Wait","type":"wait_for_signal","parameters":{"name":"go"}},
        {"id":"a","name":"All","type":"aggregator"}],
       "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"c"},
        {"id":"4","src":"c","dst":"i"},{"id":"5","src":"i","dst":"w"},
        {"id":"6","src":"i","dst":"a"},{"id":"7","src":"w","dst":"a"}]})";

class Nodes : public testing::Test {
 protected:
  Nodes() {
    check(world.ask("PUT", "/api/v1/workflows/items", items_workflow).status == 201);
    id = world.start("items", R"({"input":{"items":[0,1,2,3,4,5,6,7,8,9]}})");
    check(world.wait_for(id, "waiting"));
  }
  TestWorld::Answer nodes(const std::string& rest = "") {
    return world.ask("GET", "/api/v1/executions/" + id + "/nodes" + rest);
  }
  static const Value& node(const TestWorld::Answer& answer, std::string_view id) {
    for (const Value& node : answer.body.get("nodes").items())
      if (node.get("node_id") == Value(id)) return node;
    static const Value none;
    return none;
  }

  TestWorld world;
  std::string id;
};

TEST_F(Nodes, have_statuses_and_counts) {  // G-102
  auto all = nodes();
  ASSERT_EQ(all.status, 200) << all.text;
  EXPECT_EQ(node(all, "c").get("counts").get("success"), Value(9));
  EXPECT_EQ(node(all, "c").get("counts").get("failed"), Value(1));
  EXPECT_EQ(node(all, "c").get("status"), Value("failed"));
  EXPECT_EQ(node(all, "w").get("status"), Value("waiting"));
  EXPECT_EQ(node(all, "s").get("status"), Value("success"));
  EXPECT_EQ(all.body.get("edges").items()[1].get("count"), Value(10));
  // Before anything came to it a node has no status.
  auto early = nodes("?at=2");
  EXPECT_TRUE(node(early, "c").get("status").is_null()) << early.text;
  EXPECT_EQ(node(early, "t").get("status"), Value("success"));
  for (const char* wrong : {"?at=0", "?at=9999", "?at=x", "?at=-1"})
    EXPECT_EQ(nodes(wrong).code(), "invalid_query") << wrong;
}

TEST_F(Nodes, one_of_them_has_its_own_edges_and_what_became_of_it) {  // G-102
  auto one = nodes("/c");
  ASSERT_EQ(one.status, 200) << one.text;
  EXPECT_EQ(one.body.get("edges").size(), 2u);
  EXPECT_EQ(one.body.get("edges").items()[0].get("edge_id"), Value("2"));
  EXPECT_EQ(one.body.get("edges").items()[1].get("count"), Value(9));
  EXPECT_EQ(one.body.get("last").get("item"), Value("s@0.9"));
  auto item = nodes("/c?item=7");
  EXPECT_EQ(item.body.get("last").get("input"), Value(7)) << item.text;
  EXPECT_EQ(item.body.get("last").get("output").get("$json").get("n"), Value(70));
  EXPECT_EQ(nodes("/c?item=s%400.7").body.get("last").get("input"), Value(7));
  auto failed = nodes("/c?item=3").body.get("last");
  EXPECT_EQ(failed.get("status"), Value("failed"));
  EXPECT_EQ(failed.get("error").get("code"), Value("code_failed"));
  EXPECT_EQ(nodes("/c?item=99").code(), "node_not_found");
  EXPECT_EQ(nodes("/none").code(), "node_not_found");
}

TEST_F(Nodes, list_what_became_of_each_item) {  // G-102
  auto all = nodes("/c/items");
  ASSERT_EQ(all.status, 200) << all.text;
  EXPECT_EQ(all.body.get("counts").get("success"), Value(9));
  EXPECT_EQ(all.body.get("edges").size(), 2u);
  ASSERT_EQ(all.body.get("items").size(), 10u);
  EXPECT_EQ(all.body.get("items").items()[2].get("item_index"), Value(2));
  auto failed = nodes("/c/items?status=failed").body.get("items");
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed.items()[0].get("item"), Value("s@0.3"));
  EXPECT_EQ(failed.items()[0].get("error").get("code"), Value("code_failed"));
  auto waiting = nodes("/w/items").body.get("items");
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting.items()[0].get("status"), Value("waiting"));
  EXPECT_EQ(waiting.items()[0].get("item_index"), Value(5));
  EXPECT_EQ(waiting.items()[0].get("details").get("signal_name"), Value("go"));
  auto gathered = nodes("/a/items").body.get("items");
  ASSERT_EQ(gathered.size(), 1u);
  EXPECT_EQ(gathered.items()[0].get("details").get("processed"), Value(9));
  EXPECT_EQ(gathered.items()[0].get("details").get("total"), Value(10));
  EXPECT_EQ(nodes("/c/items?at=2").body.get("items").size(), 0u);
  EXPECT_EQ(nodes("/c/items?status=odd").code(), "invalid_query");
  EXPECT_EQ(nodes("/none/items").code(), "node_not_found");
}

TEST_F(Nodes, items_are_paged_and_a_cursor_stays_where_it_is) {
  auto first = nodes("/c/items?limit=4&status=success");
  EXPECT_EQ(first.body.get("items").size(), 4u);
  std::string cursor(first.body.get("next_cursor").as_string());
  auto second = nodes("/c/items?limit=4&status=success&cursor=" + cursor);
  EXPECT_EQ(second.body.get("items").items()[0].get("item_index"), Value(5));
  cursor = second.body.get("next_cursor").as_string();
  auto last = nodes("/c/items?limit=4&status=success&cursor=" + cursor);
  EXPECT_EQ(last.body.get("items").size(), 1u);
  EXPECT_TRUE(last.body.get("next_cursor").is_null());
}

TEST_F(Nodes, agree_with_their_counts_to_the_end) {  // G-100, G-102
  for (bool cancelled : {false, true}) {
    std::string path = "/api/v1/executions/" + id;
    if (cancelled) {
      id = world.start("items", R"({"input":{"items":[0,1,2,3,4,5,6,7,8,9]}})");
      ASSERT_TRUE(world.wait_for(id, "waiting"));
      world.ask("POST", "/api/v1/executions/" + id + "/cancel");
    } else {
      world.ask("POST", path + "/signals/go");
      ASSERT_TRUE(world.wait_for(id, "completed"));
    }
    for (const char* name : {"t", "s", "c", "i", "w", "a"}) {
      auto listed = nodes("/" + std::string(name) + "/items?limit=1000");
      std::map<std::string, int64_t> by_status;
      for (const Value& item : listed.body.get("items").items())
        ++by_status[std::string(item.get("status").as_string())];
      const Value& counts = listed.body.get("counts");
      EXPECT_EQ(counts.size(), by_status.size()) << listed.text;
      for (const auto& [status, count] : by_status)
        EXPECT_EQ(counts.get(status), Value(count)) << name << " " << status;
    }
  }
}

TEST_F(Nodes, of_another_account_do_not_exist) {  // A-10
  for (const char* rest : {"", "/c", "/c/items"})
    EXPECT_EQ(
        world.ask("GET", "/api/v1/executions/" + id + "/nodes" + rest, "", "X-Account-Id: b\r\n")
            .code(),
        "execution_not_found");
}

}  // namespace
}  // namespace fermata::server
