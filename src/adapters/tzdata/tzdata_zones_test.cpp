#include "adapters/tzdata/tzdata_zones.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/tzdata/bundle.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;

/// A directory of zones of our own, gone after the test.
class TzdataZonesTest : public ::testing::Test {
 protected:
  TzdataZonesTest() {
    char name[] = "/tmp/fermata-zones-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TzdataZonesTest() override { fs::remove_all(path_); }

  void write(const std::string& name, std::string_view bytes) const {
    fs::create_directories(fs::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }
  /// A zone of one offset.
  static std::string zone_bytes(int hours) {
    std::string seconds;
    for (int shift = 24; shift >= 0; shift -= 8)
      seconds += static_cast<char>(hours * 3600 >> shift & 0xff);
    std::string counts(24, '\0');
    counts[19] = 1;
    counts[23] = 4;
    return "TZif" + std::string(16, '\0') + counts + seconds + std::string("\0\0XXX\0", 6);
  }
  void write_release(const std::string& version, int berlin_hours) const {
    write("tzdata.zi", "# version " + version + "\n# more\n");
    write("Europe/Berlin", zone_bytes(berlin_hours));
  }
  std::unique_ptr<TzdataZones> opened(TzdataOptions options) {
    options.on_problem = [this](const std::string& problem) { problems_.push_back(problem); };
    auto zones = TzdataZones::open(std::move(options));
    EXPECT_TRUE(zones) << zones.error().message;
    return zones ? *std::move(zones) : nullptr;
  }
  static int hours(const ZoneTable& table, std::string_view name) {
    auto zone = table.find(name);
    return zone ? zone->offset_at({0}).seconds / 3600 : -99;
  }

  std::string path_;
  std::vector<std::string> problems_;
};

}  // namespace

// W-48
TEST_F(TzdataZonesTest, newer_release_of_bundle_and_system_is_used) {
  write_release("2099a", 5);
  auto newer = opened({.directory = "", .system_directory = path_});
  EXPECT_EQ(newer->zones({0})->version(), "2099a");
  EXPECT_EQ(newer->origin(), path_);
  EXPECT_EQ(hours(*newer->zones({0}), "Europe/Berlin"), 5);
  write_release("2001a", 5);
  auto older = opened({.directory = "", .system_directory = path_});
  EXPECT_EQ(older->zones({0})->version(), bundle_version(bundled_zone_bytes()));
  EXPECT_EQ(older->origin(), "bundled");
  EXPECT_EQ(hours(*older->zones({0}), "Europe/Berlin"), 1);
}

// W-48
TEST_F(TzdataZonesTest, directory_of_the_setting_is_used_whatever_its_release) {
  write_release("2001a", 5);
  auto zones = opened({.directory = path_});
  EXPECT_EQ(zones->zones({0})->version(), "2001a");
  EXPECT_EQ(zones->origin(), path_);
  fs::remove(path_ + "/tzdata.zi");
  EXPECT_EQ(opened({.directory = path_})->zones({0})->version(), "unknown");
}

TEST_F(TzdataZonesTest, directory_of_the_setting_that_holds_no_zones_is_refused) {
  write("readme", "nothing here");
  for (const std::string& path : {path_, path_ + "/not/there"}) {
    auto zones = TzdataZones::open({.directory = path});
    ASSERT_FALSE(zones);
    EXPECT_EQ(zones.error().code, ErrorCode::invalid_setting);
    EXPECT_NE(zones.error().message.find(path), std::string::npos) << zones.error().message;
  }
}

TEST_F(TzdataZonesTest, machine_without_zone_data_is_served_by_the_bundle) {
  auto zones = opened({.directory = "", .system_directory = path_ + "/not/there"});
  EXPECT_EQ(zones->origin(), "bundled");
  EXPECT_EQ(problems_, std::vector<std::string>{});
}

// W-48
TEST_F(TzdataZonesTest, new_data_is_noticed_once_a_minute) {
  write_release("2099a", 5);
  auto zones = opened({.directory = "", .system_directory = path_});
  Instant start{1'000'000};
  auto before = zones->zones(start);
  write_release("2099b", 7);
  EXPECT_EQ(zones->zones(start + Duration{59'999}), before);
  auto after = zones->zones(start + Duration{60'000});
  EXPECT_EQ(after->version(), "2099b");
  EXPECT_EQ(hours(*after, "Europe/Berlin"), 7);
  EXPECT_EQ(hours(*before, "Europe/Berlin"), 5);
  EXPECT_EQ(zones->zones(start + Duration{120'000}), after);
}

TEST_F(TzdataZonesTest, data_that_went_bad_leaves_the_old_in_force_and_is_told_once) {
  write_release("2099a", 5);
  auto zones = opened({.directory = "", .system_directory = path_});
  Instant now{1'000'000};
  auto before = zones->zones(now);
  write("Europe/Berlin", "TZif of nobody");
  for (int i = 0; i < 3; ++i) {
    now = now + Duration{60'000};
    EXPECT_EQ(zones->zones(now), before);
  }
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("holds no compiled zones"), std::string::npos);
}

TEST_F(TzdataZonesTest, one_bad_file_is_left_out_and_told) {
  write_release("2099a", 5);
  write("Europe/Paris", "TZif of nobody");
  auto zones = opened({.directory = "", .system_directory = path_});
  EXPECT_EQ(hours(*zones->zones({0}), "Europe/Berlin"), 5);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("Europe/Paris is left out: "), std::string::npos);
}

TEST_F(TzdataZonesTest, old_names_that_the_machine_lacks_follow_its_data) {
  write_release("2099a", 5);
  write("America/New_York", zone_bytes(-3));
  auto zones = opened({.directory = "", .system_directory = path_});
  auto table = zones->zones({0});
  EXPECT_EQ(hours(*table, "US/Eastern"), -3);
  EXPECT_EQ(hours(*table, "Asia/Tokyo"), 9);
}

TEST_F(TzdataZonesTest, what_belongs_to_the_machine_is_left_out) {
  write_release("2099a", 5);
  for (const char* name : {"localtime", "posixrules", "right/Europe/Berlin", "a.b", "posix/UTC"})
    write(name, zone_bytes(1));
  auto table = opened({.directory = "", .system_directory = path_})->zones({0});
  for (const char* name : {"localtime", "posixrules", "right/Europe/Berlin", "a.b", "posix/UTC"})
    EXPECT_EQ(table->find(name), nullptr) << name;
}

TEST(Bundle, is_read_and_damage_is_found) {
  std::string bytes(bundled_zone_bytes());
  auto table = read_bundle(bytes);
  ASSERT_TRUE(table) << table.error();
  EXPECT_GT((*table)->zones().size(), 400u);
  EXPECT_EQ((*table)->find("US/Eastern"), (*table)->find("America/New_York"));
  for (size_t size : {size_t{0}, size_t{3}, size_t{20}, size_t{5'000}, bytes.size() - 1})
    EXPECT_FALSE(read_bundle(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(read_bundle("FZONES1\n2026f\n1 2\nA 0\n1\n1\n"));
  EXPECT_FALSE(read_bundle("FZONES1\n2026f\n1 1\nA 1\n1\n"));
  EXPECT_FALSE(read_bundle("FZONES1\n2026f\n99999999999999999999 1\n"));
}

}  // namespace fermata
