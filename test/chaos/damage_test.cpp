#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "base/random.h"
#include "test/chaos/load.h"

namespace fermata::test {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

std::string workflow() {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"s","type":"wait_for_signal","parameters":{"name":"go"}}],
   "edges":[{"id":"1","src":"t","dst":"s"}]})";
}

/// Runs that wait for a signal and runs that have ended, and how each looked before the damage.
class Damage : public testing::Test {
 protected:
  static constexpr int runs = 24;

  void make(bool killed) {
    ServerProcess server(directory_.path() / "whole");
    ASSERT_TRUE(server.start()) << server.log();
    ASSERT_EQ(request(server.port(), "PUT", "/api/v1/workflows/w", workflow()).status, 201);
    for (int i = 0; i < runs; ++i) {
      // Some are larger than a page of the database.
      std::string text(i % 5 == 0 ? 9'000 : 100, 'x');
      HttpReply started = request(server.port(), "POST", "/api/v1/workflows/w/executions",
                                  R"({"input":{"text":")" + text + "\"}}");
      ASSERT_EQ(started.status, 201) << to_json(started.body);
      std::string id(started.body.get("id").as_string());
      if (i % 2 == 0) {
        std::string signal = "/api/v1/executions/" + id + "/signals/go";
        ASSERT_EQ(request(server.port(), "POST", signal, "{}").status, 200);
      }
      expected_[id] = show(server.port(), id);
    }
    if (killed) {
      server.kill_hard();
    } else {
      ASSERT_EQ(server.stop_softly(), 0);
    }
  }
  static std::string show(int port, const std::string& id) {
    HttpReply run = request(port, "GET", "/api/v1/executions/" + id);
    HttpReply history = request(port, "GET", "/api/v1/executions/" + id + "/history");
    return std::to_string(run.status) + to_json(run.body) + to_json(history.body);
  }

  /// A fresh copy of the directory, whose files a test may spoil.
  std::filesystem::path copy() {
    std::filesystem::path to = directory_.path() / "copy";
    std::filesystem::remove_all(to);
    std::filesystem::copy(directory_.path() / "whole", to);
    return to;
  }
  /// Refused with exit code 5 and a message that names the file; nothing was changed.
  void expect_refused(const std::filesystem::path& data, const std::string& file) {
    std::map<std::string, std::string> before = files(data);
    Ran refused = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data", data.string()});
    EXPECT_EQ(refused.code, 5) << refused.output;
    EXPECT_NE(refused.output.find(file), std::string::npos) << refused.output;
    EXPECT_EQ(files(data), before);
  }
  static std::map<std::string, std::string> files(const std::filesystem::path& data) {
    std::map<std::string, std::string> out;
    for (const char* name : {"fermata.db", "fermata.db-wal"}) out[name] = bytes_of(data / name);
    return out;
  }

  TemporaryDirectory directory_;
  std::map<std::string, std::string> expected_;  ///< by id
};

TEST_F(Damage, database_cut_off_anywhere_is_refused_and_left_alone) {
  make(false);
  size_t whole = std::filesystem::file_size(directory_.path() / "whole/fermata.db");
  for (size_t size : {size_t{0}, size_t{50}, size_t{4096}, whole / 2, whole - 4096, whole - 1}) {
    std::filesystem::path data = copy();
    std::filesystem::resize_file(data / "fermata.db", size);
    expect_refused(data, "fermata.db");
  }
}

TEST_F(Damage, log_cut_off_or_gone_is_refused_and_left_alone) {
  make(true);
  size_t whole = std::filesystem::file_size(directory_.path() / "whole/fermata.db-wal");
  ASSERT_GT(whole, 100'000u);
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    std::filesystem::path data = copy();
    std::filesystem::resize_file(data / "fermata.db-wal", random.below(whole));
    expect_refused(data, "fermata.db-wal");
  }
  std::filesystem::path data = copy();
  std::filesystem::remove(data / "fermata.db-wal");
  expect_refused(data, "fermata.db-wal");
}

TEST_F(Damage, flipped_bit_in_the_log_is_refused_and_left_alone) {
  make(true);
  std::string whole = bytes_of(directory_.path() / "whole/fermata.db-wal");
  Random random(11);
  for (int round = 0; round < 24; ++round) {
    std::filesystem::path data = copy();
    std::string flipped = whole;
    char& byte = flipped[random.below(flipped.size())];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    write_bytes(data / "fermata.db-wal", flipped);
    expect_refused(data, "fermata.db-wal");
  }
}

/// What one flipped bit did.
enum class Effect { none, refused, told };

/// The page or the record that is damaged.
void expect_named(const std::string& text) {
  bool named = text.find(" fails its checksum") != std::string::npos ||
               text.find(" is damaged: ") != std::string::npos ||
               text.find("database is damaged") != std::string::npos;
  EXPECT_TRUE(named) << text;
}

TEST_F(Damage, flipped_bits_in_the_database_are_harmless_or_told) {
  make(false);
  std::string whole = bytes_of(directory_.path() / "whole/fermata.db");
  Random random(13);
  std::map<Effect, int> seen;
  for (int round = 0; round < 100; ++round) {
    std::filesystem::path data = copy();
    std::string flipped = whole;
    size_t at = random.below(flipped.size());
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.below(8)));
    write_bytes(data / "fermata.db", flipped);
    SCOPED_TRACE("byte " + std::to_string(at) + " of page " + std::to_string(at / 4096 + 1));
    Ran verified = run_fermata({"verify", "--data", data.string()});
    ServerProcess server(data);
    if (!server.start()) {
      ++seen[Effect::refused];
      // Refused at the start, or without a lookup of any run and therefore not ready.
      std::string told = server.log();
      HttpReply ready = request(server.port(), "GET", "/readyz");
      if (ready.status != 0) told = to_json(ready.body);
      expect_named(told);
      EXPECT_NE(told.find("fermata verify"), std::string::npos) << told;
      EXPECT_NE(verified.code, 0) << verified.output;
      server.kill_hard();
      std::filesystem::remove(data.string() + ".log");
      continue;
    }
    Effect effect = Effect::none;
    for (const auto& [id, expected] : expected_) {
      std::string shown = show(server.port(), id);
      if (shown == expected) continue;
      effect = Effect::told;
      EXPECT_NE(shown.find("data_damaged"), std::string::npos) << shown;
      expect_named(shown);
      EXPECT_NE(verified.code, 0) << verified.output;
    }
    ++seen[effect];
    // Whatever it met, it still serves, and the list says what it leaves out.
    HttpReply list = request(server.port(), "GET", "/api/v1/executions?limit=1000");
    if (list.status == 200) {
      size_t left_out = expected_.size() - list.body.get("items").items().size();
      if (left_out > 0) EXPECT_TRUE(list.body.get("damaged").is_array()) << to_json(list.body);
    } else {
      EXPECT_EQ(list.body.get("code"), Value("data_damaged")) << to_json(list.body);
    }
    EXPECT_EQ(request(server.port(), "GET", "/healthz").status, 200) << server.log();
    server.kill_hard();
  }
  EXPECT_GT(seen[Effect::told], 10);
  EXPECT_GT(seen[Effect::refused], 0);
}

}  // namespace
}  // namespace fermata::test
