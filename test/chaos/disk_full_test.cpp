#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "test/chaos/load.h"
#include "test/chaos/small_disk.h"

namespace fermata::test {
namespace {

constexpr const char* start_path = "/api/v1/workflows/chaos/executions";

/// Waits a little, so that timers fall due while the disk is full.
std::string waiting_workflow() {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"w","type":"wait","parameters":{"amount":0.5}}],
   "edges":[{"id":"1","src":"t","dst":"w"}]})";
}

/// Too large for what a refused write has left free in the database's log.
std::string large_workflow() {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"l","type":"log","parameters":{"message":")" +
         std::string(200'000, 'x') + R"("}}],"edges":[{"id":"1","src":"t","dst":"l"}]})";
}

/// A start that brings `bytes` of input along.
std::string start_of(size_t bytes) {
  return R"({"input":{"text":")" + std::string(bytes, 'x') + "\"}}";
}

std::set<std::string> listed(int port) {
  std::set<std::string> ids;
  std::string cursor;
  do {
    HttpReply page = request(port, "GET", "/api/v1/executions?limit=1000" + cursor);
    EXPECT_EQ(page.status, 200);
    if (page.status != 200) break;
    for (const Value& item : page.body.get("items").items())
      ids.emplace(item.get("id").as_string());
    const Value& next = page.body.get("next_cursor");
    cursor = next.is_null() ? "" : "&cursor=" + std::string(next.as_string());
  } while (!cursor.empty());
  return ids;
}

/// A refusal that says what is wrong and when to come back.
void expect_refused(const HttpReply& reply) {
  ASSERT_EQ(reply.status, 503) << to_json(reply.body);
  EXPECT_EQ(reply.body.get("code"), Value("store_unavailable"));
  EXPECT_NE(reply.body.get("detail").as_string().find("the disk is full"), std::string::npos)
      << to_json(reply.body);
  EXPECT_NE(reply.head.find("Retry-After: "), std::string::npos) << reply.head;
}

class DiskFull : public testing::TestWithParam<SmallDisk::Kind> {
 protected:
  void put_workflow(int port) {
    ASSERT_LT(request(port, "PUT", "/api/v1/workflows/chaos", waiting_workflow()).status, 300);
  }
  /// Everything that was answered completes, once; nothing that was refused exists.
  void expect_kept(int port, const std::vector<std::string>& answered) {
    for (const std::string& id : answered) {
      ASSERT_EQ(await_completed(port, id), "");
      ASSERT_EQ(terminal_events(port, id), 1u) << id;
    }
    EXPECT_EQ(listed(port), std::set<std::string>(answered.begin(), answered.end()));
  }
  void expect_sound(const ServerProcess& server) {
    Ran verified = run_fermata({"verify", "--data", server.data().string()});
    EXPECT_EQ(verified.code, 0) << verified.output;
  }
};

// Writes are refused with a reason, reading goes on, and when there is room again the server goes
// on by itself.
TEST_P(DiskFull, refuses_writes_serves_reads_and_goes_on_by_itself) {
  SmallDisk disk(GetParam(), 12);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ServerProcess server(disk.path() / "data", {}, disk.outside() / "log");
  ASSERT_TRUE(server.start()) << server.log();
  put_workflow(server.port());
  Load load(server.port(), start_of(3'000));
  ASSERT_TRUE(await(30, [&] { return load.answered().size() > 50; })) << server.log();
  disk.fill();
  ASSERT_TRUE(await(30, [&] { return load.refused().size() > 50; })) << server.log();

  std::string known = load.answered().front();
  expect_refused(request(server.port(), "POST", start_path, start_of(100'000)));
  expect_refused(request(server.port(), "PUT", "/api/v1/workflows/other", large_workflow()));
  EXPECT_EQ(request(server.port(), "GET", "/api/v1/executions/" + known).status, 200);
  EXPECT_EQ(request(server.port(), "GET", "/api/v1/executions/" + known + "/history").status, 200);
  EXPECT_EQ(request(server.port(), "GET", "/api/v1/workflows/chaos").status, 200);
  EXPECT_EQ(request(server.port(), "GET", "/readyz").status, 200);
  for (const std::string& id : load.answered())
    ASSERT_EQ(request(server.port(), "GET", "/api/v1/executions/" + id).status, 200) << id;

  disk.give_back();
  size_t before = load.answered().size();
  ASSERT_TRUE(await(30, [&] { return load.answered().size() > before + 20; })) << server.log();
  load.stop();
  EXPECT_EQ(load.unclear(), 0u);
  for (const auto& [key, code] : load.refused()) EXPECT_EQ(code, "store_unavailable") << key;
  // A refused start is not there, so the same key starts it now, once.
  std::vector<std::string> answered = load.answered();
  std::string refused_key = load.refused().begin()->first;
  for (int i = 0; i < 2; ++i) {
    HttpReply again = request(server.port(), "POST", start_path, start_of(3'000),
                              {{"Idempotency-Key", refused_key}});
    ASSERT_EQ(again.status, 201) << to_json(again.body);
    if (i == 0) answered.emplace_back(again.body.get("id").as_string());
  }
  expect_kept(server.port(), answered);
  std::string log = server.log();
  EXPECT_NE(log.find("The store cannot be written"), std::string::npos) << log;
  EXPECT_NE(log.find("The store can be written again"), std::string::npos) << log;
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 40) << "one trouble floods the log: " << log;
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  expect_sound(server);
}

// Killed while the disk is full, and started while it still is: it serves what it has, or says why
// it cannot.
TEST_P(DiskFull, kill_and_start_on_a_full_disk_lose_nothing) {
  SmallDisk disk(GetParam(), 12);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ServerProcess server(disk.path() / "data", {}, disk.outside() / "log");
  ASSERT_TRUE(server.start()) << server.log();
  put_workflow(server.port());
  std::vector<std::string> answered;
  {
    Load load(server.port(), start_of(3'000));
    ASSERT_TRUE(await(30, [&] { return load.answered().size() > 50; })) << server.log();
    disk.fill();
    ASSERT_TRUE(await(30, [&] { return load.refused().size() > 50; })) << server.log();
    load.stop();
    answered = load.answered();
  }
  server.kill_hard();
  disk.fill();
  if (server.start()) {
    EXPECT_EQ(listed(server.port()), std::set<std::string>(answered.begin(), answered.end()));
    expect_refused(request(server.port(), "POST", start_path, start_of(100'000)));
    EXPECT_EQ(server.stop_softly(), 0) << server.log();
  } else {
    EXPECT_NE(server.log().find("the disk is full"), std::string::npos) << server.log();
    EXPECT_TRUE(server.log().ends_with("exit code 5")) << server.log();
  }
  disk.give_back();
  ASSERT_TRUE(server.start()) << server.log();
  expect_kept(server.port(), answered);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  expect_sound(server);
}

// The log of the database has grown to where it is moved into the file, and the disk is full then.
TEST_P(DiskFull, met_while_the_log_is_moved_into_the_file_loses_nothing) {
  SmallDisk disk(GetParam(), 96);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ServerProcess server(disk.path() / "data", {}, disk.outside() / "log");
  ASSERT_TRUE(server.start()) << server.log();
  put_workflow(server.port());
  // A checkpoint begins at 32 MiB of log; 40 MiB hold no file of the same size beside it.
  disk.take(disk.bytes_free() - (size_t{40} << 20));
  std::vector<std::string> answered;
  {
    Load load(server.port(), start_of(200'000), 2);
    ASSERT_TRUE(await(60, [&] { return load.refused().size() > 20; })) << server.log();
    EXPECT_GT(std::filesystem::file_size(server.data() / "fermata.db-wal"), size_t{24} << 20);
    EXPECT_GT(std::filesystem::file_size(server.data() / "fermata.db"), size_t{1} << 20)
        << "no checkpoint has begun";
    disk.give_back();
    size_t before = load.answered().size();
    ASSERT_TRUE(await(60, [&] { return load.answered().size() > before + 10; })) << server.log();
    load.stop();
    answered = load.answered();
  }
  expect_kept(server.port(), answered);
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  expect_kept(server.port(), answered);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  expect_sound(server);
}

TEST_P(DiskFull, new_directory_is_refused_with_the_reason_and_made_later) {
  SmallDisk disk(GetParam(), 12);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  std::string data = (disk.path() / "data").string();
  std::filesystem::create_directory(data);
  disk.fill();
  Ran refused = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data", data});
  EXPECT_EQ(refused.code, 5) << refused.output;
  bool told = refused.output.find("No space left on device") != std::string::npos ||
              refused.output.find("the disk is full") != std::string::npos;
  EXPECT_TRUE(told) << refused.output;
  EXPECT_FALSE(std::filesystem::exists(data + "/fermata.db"));
  disk.give_back();
  ServerProcess server(data, {}, disk.outside() / "log");
  EXPECT_TRUE(server.start()) << server.log();
}

INSTANTIATE_TEST_SUITE_P(on, DiskFull,
                         testing::Values(SmallDisk::Kind::tmpfs, SmallDisk::Kind::ext4),
                         [](const auto& info) {
                           return info.param == SmallDisk::Kind::tmpfs ? "tmpfs" : "ext4";
                         });

}  // namespace
}  // namespace fermata::test
