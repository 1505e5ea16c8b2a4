#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "test/chaos/load.h"
#include "test/chaos/small_disk.h"

namespace fermata::test {
namespace {

constexpr uid_t nobody = 65534;

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string empty_workflow() {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true}],"edges":[]})";
}

/// A data directory with one run in it, owned by a user who is not root.
class ReadOnly : public testing::Test {
 protected:
  ReadOnly() {
    ServerProcess server(data());
    EXPECT_TRUE(server.start()) << server.log();
    EXPECT_EQ(request(server.port(), "PUT", "/api/v1/workflows/w", empty_workflow()).status, 201);
    EXPECT_EQ(request(server.port(), "POST", "/api/v1/workflows/w/executions", "{}").status, 201);
    EXPECT_EQ(server.stop_softly(), 0);
    chmod(directory_.path().c_str(), 0755);
    if (geteuid() != 0) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data()))
      EXPECT_EQ(chown(entry.path().c_str(), nobody, nobody), 0);
    EXPECT_EQ(chown(data().c_str(), nobody, nobody), 0);
  }
  std::filesystem::path data() const { return directory_.path() / "data"; }
  std::filesystem::path file() const { return data() / "fermata.db"; }

  /// Refused with exit code 5 and a message that has both texts; no byte has changed.
  void expect_refused(const std::string& place, const std::string& reason) {
    std::string before = bytes_of(file());
    Ran refused = run_as_nobody({"serve", "--listen", "127.0.0.1:0", "--data", data().string()});
    EXPECT_EQ(refused.code, 5) << refused.output;
    EXPECT_NE(refused.output.find(place), std::string::npos) << refused.output;
    EXPECT_NE(refused.output.find(reason), std::string::npos) << refused.output;
    EXPECT_EQ(bytes_of(file()), before);
  }
  /// As good as before, once it may be written again.
  ~ReadOnly() override {
    chmod(data().c_str(), 0755);
    chmod(file().c_str(), 0644);
    chmod((data() / "lock").c_str(), 0644);
    Ran verified = run_fermata({"verify", "--data", data().string()});
    EXPECT_EQ(verified.code, 0) << verified.output;
    EXPECT_NE(verified.output.find("1 run"), std::string::npos) << verified.output;
    ServerProcess server(data());
    EXPECT_TRUE(server.start()) << server.log();
    EXPECT_EQ(request(server.port(), "POST", "/api/v1/workflows/w/executions", "{}").status, 201);
  }
  TemporaryDirectory directory_;
};

TEST_F(ReadOnly, directory_is_refused) {
  chmod(data().c_str(), 0555);
  expect_refused("fermata.db", "its directory cannot be written");
}

TEST_F(ReadOnly, file_is_refused) {
  chmod(file().c_str(), 0444);
  expect_refused("fermata.db", "it is read-only");
}

TEST_F(ReadOnly, lock_is_refused) {
  chmod((data() / "lock").c_str(), 0444);
  expect_refused("lock", "Permission denied");
}

TEST_F(ReadOnly, file_that_cannot_be_read_is_refused) {
  chmod(file().c_str(), 0000);
  expect_refused("fermata.db", "Permission denied");
}

TEST_F(ReadOnly, file_system_is_refused_but_verified_and_backed_up) {
  // Any disk gives this process mounts of its own.
  SmallDisk disk(SmallDisk::Kind::tmpfs, 4);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ASSERT_EQ(mount(data().c_str(), data().c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(mount(nullptr, data().c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr), 0);
  expect_refused("lock", "Read-only file system");
  EXPECT_EQ(run_fermata({"verify", "--data", data().string()}).code, 0);
  std::string backup = (directory_.path() / "backup").string();
  EXPECT_EQ(run_fermata({"backup", backup, "--data", data().string()}).code, 0);
  EXPECT_EQ(umount(data().c_str()), 0);
}

// A kernel that finds an error in a file system makes it read-only under the running server.
TEST(DiskBreaksDown, writes_are_refused_reads_served_and_nothing_answered_lost) {
  SmallDisk disk(SmallDisk::Kind::ext4, 24);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ServerProcess server(disk.path() / "data", {}, disk.outside() / "log");
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_EQ(request(server.port(), "PUT", "/api/v1/workflows/chaos", empty_workflow()).status, 201);
  std::vector<std::string> answered;
  {
    Load load(server.port(), R"({"input":{"text":"some words"}})");
    ASSERT_TRUE(await(30, [&] { return load.answered().size() > 50; })) << server.log();
    if (!disk.break_down()) GTEST_SKIP() << "this kernel cannot be asked for an error of ext4";
    ASSERT_TRUE(await(30, [&] { return load.refused().size() > 50; })) << server.log();
    load.stop();
    answered = load.answered();
    for (const auto& [key, code] : load.refused())
      EXPECT_TRUE(code == "store_unavailable" || code == "outcome_unknown") << key << ": " << code;
  }
  HttpReply reply = request(server.port(), "POST", "/api/v1/workflows/chaos/executions", "{}");
  EXPECT_EQ(reply.status, 503) << to_json(reply.body);
  for (const std::string& id : answered)
    ASSERT_EQ(request(server.port(), "GET", "/api/v1/executions/" + id).status, 200) << id;
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  ASSERT_TRUE(disk.repair());
  ASSERT_TRUE(server.start()) << server.log();
  for (const std::string& id : answered) ASSERT_EQ(await_completed(server.port(), id), "");
  EXPECT_EQ(request(server.port(), "POST", "/api/v1/workflows/chaos/executions", "{}").status, 201);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  Ran verified = run_fermata({"verify", "--data", server.data().string()});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

}  // namespace
}  // namespace fermata::test
