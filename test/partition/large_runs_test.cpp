#include "test/partition/waiting_store.h"

/// What large splits cost: counted in bytes, so that no machine is too slow for it. Their time is
/// measured in bench/timers.cpp.
namespace fermata {
namespace {

constexpr const char* instant_items =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
                 {"id":"a","type":"noop"},{"id":"b","type":"noop"},
                 {"id":"c","type":"code","parameters":{"source":"return $item"}},
                 {"id":"g","type":"aggregator"}],
        "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"a"},
                 {"id":"3","src":"a","dst":"b"},{"id":"4","src":"b","dst":"c"},
                 {"id":"5","src":"c","dst":"g"}]})";

/// Each item waits as long as it says.
constexpr const char* waiting_items =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
                 {"id":"w","type":"wait","parameters":{"amount":"$item"}},
                 {"id":"g","type":"aggregator","parameters":{"result":"$item"}}],
        "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"w"},
                 {"id":"3","src":"w","dst":"g"}]})";

/// As many ways into one merge, of which all but the last have arrived when the run waits.
std::string many_ways(size_t ways) {
  std::string nodes = R"({"id":"t","type":"manual","trigger":true},{"id":"m","type":"merge"})";
  std::string edges;
  for (size_t i = 0; i < ways; ++i) {
    std::string id = "n" + std::to_string(i);
    const char* type =
        i + 2 < ways ? R"("noop")" : R"("wait_for_signal","parameters":{"name":"go"})";
    nodes += R"(,{"id":")" + id + R"(","type":)" + type + "}";
    edges += std::string(edges.empty() ? "" : ",") + R"({"id":"a)" + id + R"(","src":"t","dst":")" +
             id + R"("},{"id":"b)" + id + R"(","src":")" + id + R"(","dst":"m"})";
  }
  return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
}

class LargeRuns : public HostTest {
 protected:
  void define(const std::string& graph) {
    graph::DefinitionLimits limits;
    limits.nodes_max = limits.edges_max = 100'000;
    auto checked = graph::check_definition(*parse_json(graph), graph, limits);
    ASSERT_TRUE(checked.definition) << (checked.errors.empty() ? "" : checked.errors[0].message);
    definitions.only = checked.definition;
  }
  StartRun start_with(Value input) {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definitions.only;
    body.trigger = input;
    body.input = std::move(input);
    return body;
  }
  /// Starts a run of the defined graph over these items and lets it go as far as it can.
  void start_items(const std::string& run, Value items) {
    send(run, start_with(Value::object({{"items", std::move(items)}})));
    settle();
  }
  /// Of its history and of the states stored beside it.
  uint64_t bytes_of(const std::string& run) {
    StoredRun found = stored(run);
    uint64_t bytes = found.checkpoint ? found.checkpoint->bytes.size() : 0;
    for (const HistoryChunk& chunk : found.history) bytes += chunk.bytes.size();
    return bytes;
  }
  uint64_t bytes_of_latest_commit(const std::string& run) {
    return stored(run).history.back().bytes.size();
  }
};

// G-112
TEST_F(LargeRuns, a_split_is_linear_in_bytes) {
  define(instant_items);
  settings.checkpoint_events = 0;
  uint64_t bytes[2] = {}, values[2] = {};
  for (int i = 0; i < 2; ++i) {
    Value items = Value::array();
    for (int n = 0; n < 5'000 * (i + 1); ++n)
      items.push(Value::object({{"id", n}, {"name", "order"}}));
    std::string run = "run " + std::to_string(i);
    // The input, and what the aggregator gives: the items again.
    values[i] = 2 * to_json(items).size();
    start_items(run, std::move(items));
    StoredRun ended = stored(run);
    ASSERT_EQ(ended.summary.status, RunStatus::completed);
    bytes[i] = bytes_of(run);
  }
  EXPECT_LE(static_cast<double>(bytes[1]), 2.3 * static_cast<double>(bytes[0]));
  constexpr uint64_t activations = 4 * 10'000 + 3;
  EXPECT_LE(bytes[1], 3 * values[1] + 400 * activations);
}

// G-113
TEST_F(LargeRuns, an_arrival_in_a_scope_writes_the_same_however_many_are_awaited) {
  define(waiting_items);
  settings.checkpoint_events = 0;
  uint64_t first[2] = {};
  for (int i = 0; i < 2; ++i) {
    Value items = Value::array({1});
    for (int n = 1; n < (i == 0 ? 10 : 9'000); ++n) items.push(3'600);
    std::string run = "run " + std::to_string(i);
    start_items(run, std::move(items));
    ASSERT_EQ(stored(run).version, 1u);
    clock.set(clock.now() + Duration{1'000});
    settle();
    ASSERT_EQ(stored(run).version, 2u);
    first[i] = bytes_of_latest_commit(run);
  }
  // Numbers take a byte or two more where they are larger.
  EXPECT_LE(first[1], first[0] + 16);
}

// G-113
TEST_F(LargeRuns, an_arrival_at_a_merge_writes_the_same_however_many_have_come) {
  settings.checkpoint_events = 0;
  uint64_t second_last[2] = {};
  for (int i = 0; i < 2; ++i) {
    define(many_ways(i == 0 ? 4 : 1'000));
    std::string run = "run " + std::to_string(i);
    send(run, start_with(Value::object({})));
    settle();
    send(run, SignalRun{"go", Value(), ""});
    settle();
    ASSERT_EQ(stored(run).summary.status, RunStatus::waiting);
    second_last[i] = bytes_of_latest_commit(run);
  }
  EXPECT_LE(second_last[1], second_last[0] + 16);
}

}  // namespace
}  // namespace fermata
