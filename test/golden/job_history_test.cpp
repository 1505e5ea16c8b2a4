#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/json.h"
#include "core/job/history.h"
#include "core/job/view.h"

namespace fermata {
namespace {

Value golden() {
  std::ifstream file("test/golden/job_history.json");
  std::stringstream text;
  text << file.rdbuf();
  auto vectors = parse_json(text.str());
  return vectors ? *vectors : Value();
}

std::string from_hex(std::string_view digits) {
  auto half = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(half(digits[i]) * 16 + half(digits[i + 1]));
  return bytes;
}

// What was written once is read for ever. An event that is added gets a vector here; one that gets
// a field keeps the old vector, in which the field has its default.
TEST(Golden, stored_events_of_jobs_mean_what_they_meant) {
  Value vectors = golden();
  std::set<std::string> types;
  for (const Value& vector : vectors.items()) {
    HistoryChunk chunk{1, 1, from_hex(vector.get("bytes").as_string())};
    const Value& wanted = vector.get("shown");
    auto shown = job::view::history({chunk}, 1, 1);
    ASSERT_TRUE(shown) << to_json(wanted.get("type"));
    EXPECT_EQ(shown->at(0), wanted);
    types.insert(to_json(wanted.get("type")));
  }
  EXPECT_EQ(types.size(), std::variant_size_v<job::EventBody>);
}

}  // namespace
}  // namespace fermata
