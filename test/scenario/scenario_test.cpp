#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/json.h"
#include "test/scenario/player.h"

/// Every test/scenario/*.scenario is a test case, played in several manners that must agree.
namespace fermata::scenario {
namespace {

constexpr const char* folder = "test/scenario";

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".scenario") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool says(const Section& section, std::string_view word) {
  return std::any_of(section.lines.begin(), section.lines.end(),
                     [&](const Line& line) { return line.text == word; });
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::string difference(const RunEnd& expected, const RunEnd& got) {
  if (expected.status != got.status)
    return "status " + std::string(fermata::name_of(expected.status)) + " became " +
           std::string(fermata::name_of(got.status));
  if (expected.output != got.output)
    return "output " + to_json(expected.output) + " became " + to_json(got.output);
  if (expected.nodes != got.nodes)
    return "nodes " + to_json(expected.nodes) + " became " + to_json(got.nodes);
  return "";
}

std::string history_difference(const RunEnd& expected, const RunEnd& got) {
  size_t most = std::max(expected.history.size(), got.history.size());
  for (size_t i = 0; i < most; ++i) {
    std::string a = i < expected.history.size() ? expected.history[i] : "nothing";
    std::string b = i < got.history.size() ? got.history[i] : "nothing";
    if (a != b) return "event " + std::to_string(i + 1) + "\n  was:    " + a + "\n  became: " + b;
  }
  return "";
}

class Scenario : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::ifstream file(GetParam());
    std::stringstream text;
    text << file.rdbuf();
    try {
      sections_ = read_sections(text.str());
    } catch (const Mistake& mistake) {
      FAIL() << GetParam() << ":" << mistake.line << ": " << mistake.message;
    }
  }
  Played played(const Section& section, Manner manner, FaultPlan plan = {}) {
    return Player(section, GetParam(), manner, plan).play();
  }
  /// As written, without faults. Every manner is held against it, so it is played once.
  const Played& smooth(const Section& section) {
    static std::map<std::pair<std::string, int>, Played> known;
    auto [entry, fresh] = known.try_emplace({GetParam(), section.number});
    if (fresh) entry->second = played(section, {});
    return entry->second;
  }
  /// Plays a section again and again, the fault one port call later each time.
  void strike_everywhere(const Section& section, Fault fault, Manner manner) {
    manner.heals = true;
    const Played& expected = smooth(section);
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(section.title + ": " + name_of(fault) + " at " + std::to_string(nth) +
                   (manner.repeats ? " with duplicates" : "") + (manner.slow ? " slowly" : ""));
      Played rough = played(section, manner, FaultPlan(fault, nth));
      if (!expect_smooth(rough)) return;
      ASSERT_EQ(expected.runs.size(), rough.runs.size());
      for (size_t i = 0; i < expected.runs.size(); ++i)
        ASSERT_EQ(difference(expected.runs[i], rough.runs[i]), "");
      if (!rough.struck) return;
    }
  }
  static bool expect_smooth(const Played& played) {
    for (const std::string& failure : played.failures) ADD_FAILURE() << failure;
    return played.failures.empty();
  }

  std::vector<Section> sections_;
};

TEST_P(Scenario, is_as_written) {
  for (const Section& section : sections_) expect_smooth(smooth(section));
}

/// The fold of the history is the state: a host that opens its runs anew for every turn decides the
/// same, byte for byte.
TEST_P(Scenario, is_the_same_from_history_alone) {
  for (const Section& section : sections_) {
    const Played& kept = smooth(section);
    Played forgotten = played(section, {.forgetful = true});
    expect_smooth(forgotten);
    ASSERT_EQ(kept.runs.size(), forgotten.runs.size());
    for (size_t i = 0; i < kept.runs.size(); ++i) {
      EXPECT_EQ(history_difference(kept.runs[i], forgotten.runs[i]), "") << section.title;
      EXPECT_EQ(kept.runs[i].chunks, forgotten.runs[i].chunks) << section.title;
    }
  }
}

/// A checkpoint stands for the history before it: a host that opens its runs from one, whenever
/// there is one, decides the same, byte for byte.
TEST_P(Scenario, is_the_same_from_checkpoints) {
  for (const Section& section : sections_) {
    const Played& kept = smooth(section);
    Played restored = played(section, {.forgetful = true, .checkpoints = true});
    expect_smooth(restored);
    ASSERT_EQ(kept.runs.size(), restored.runs.size());
    for (size_t i = 0; i < kept.runs.size(); ++i) {
      EXPECT_EQ(history_difference(kept.runs[i], restored.runs[i]), "") << section.title;
      EXPECT_EQ(kept.runs[i].chunks, restored.runs[i].chunks) << section.title;
    }
  }
}

/// Row 36: all commands and timers repeated, in between those of another run.
TEST_P(Scenario, is_the_same_when_everything_is_repeated) {
  for (const Section& section : sections_) {
    if (says(section, "once")) continue;
    const Played& once = smooth(section);
    Played often = played(section, {.repeats = true});
    expect_smooth(often);
    ASSERT_EQ(once.runs.size(), often.runs.size());
    for (size_t i = 0; i < once.runs.size(); ++i)
      EXPECT_EQ(history_difference(once.runs[i], often.runs[i]), "") << section.title;
  }
}

/// Turns are taken while a commit is under way: what comes for its runs waits for them.
TEST_P(Scenario, is_the_same_when_commits_take_their_time) {
  for (const Section& section : sections_) {
    const Played& quick = smooth(section);
    Played slow = played(section, {.slow = true});
    expect_smooth(slow);
    ASSERT_EQ(quick.runs.size(), slow.runs.size());
    for (size_t i = 0; i < quick.runs.size(); ++i)
      EXPECT_EQ(history_difference(quick.runs[i], slow.runs[i]), "") << section.title;
  }
}

/// The n-th port call fails, for every n until nothing fails any more.
TEST_P(Scenario, survives_a_fault_at_every_port_call) {
  for (const Section& section : sections_) {
    if (!says(section, "faults")) continue;
    for (Fault fault : all_faults())
      for (Manner manner : {Manner{}, Manner{.repeats = true}, Manner{.slow = true}})
        if (!manner.repeats || !says(section, "once")) strike_everywhere(section, fault, manner);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Scenario, testing::ValuesIn(scenario_files()), test_name);

}  // namespace
}  // namespace fermata::scenario
