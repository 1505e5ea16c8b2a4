#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/fields.h"
#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/history.h"

namespace fermata {
namespace {

Value run_vectors() {
  std::ifstream file("test/golden/run_history.json");
  std::stringstream text;
  text << file.rdbuf();
  auto vectors = parse_json(text.str());
  return vectors ? *vectors : Value();
}

std::string bytes_of(const Value& hex) {
  std::string_view digits = hex.as_string();
  auto half = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(half(digits[i]) * 16 + half(digits[i + 1]));
  return bytes;
}

std::string hex_of(std::string_view bytes) {
  std::string digits;
  for (unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

/// Gives every field something of its own that is not its default.
class Filler {
 public:
  template <class T>
  void operator()(const char*, T& field) {
    fill(field);
  }

 private:
  int64_t next() { return ++last_; }
  void fill(bool& field) { field = true; }
  void fill(uint32_t& field) { field = static_cast<uint32_t>(next()); }
  void fill(uint64_t& field) { field = static_cast<uint64_t>(next()); }
  void fill(int64_t& field) { field = -next(); }
  void fill(double& field) { field = static_cast<double>(next()) + 0.5; }
  void fill(Instant& field) { field = Instant{1'700'000'000'000 + next()}; }
  void fill(std::string& field) { field = "text" + std::to_string(next()); }
  void fill(Value& field) { field = Value::object({{"n", Value(next())}}); }
  template <class Tag>
  void fill(Id<Tag>& field) {
    field = Id<Tag>("id" + std::to_string(next()));
  }
  template <class E>
    requires std::is_enum_v<E>
  void fill(E& field) {
    field = static_cast<E>(1);
  }
  template <class T>
  void fill(std::optional<T>& field) {
    fill(field.emplace());
  }
  template <class T>
  void fill(std::vector<T>& field) {
    field.resize(2);
    for (T& value : field) fill(value);
  }
  template <ListsFields<Filler> T>
  void fill(T& part) {
    part.each(*this);
  }
  int64_t last_ = 0;
};

/// What this program writes for one event of each kind.
template <size_t... I>
std::vector<HistoryChunk> one_of_each(std::index_sequence<I...>) {
  auto one = []<size_t N>(std::integral_constant<size_t, N>) {
    Event event{1, Instant{1'700'000'000'000}, {}};
    Filler filler;
    fields_of(event.body.emplace<N>()).each(filler);
    return encode_history({event});
  };
  return {one(std::integral_constant<size_t, I>())...};
}

// What was written once is read for ever. Bodies carry no length, so an event that is here never
// gets a field and keeps its place; a new one is added at the end, with the line that this prints.
TEST(Golden, stored_events_of_runs_keep_their_form) {
  Value vectors = run_vectors().get("events");
  constexpr size_t kinds = std::variant_size_v<EventBody>;
  std::vector<HistoryChunk> written = one_of_each(std::make_index_sequence<kinds>());
  ASSERT_LE(vectors.size(), kinds);
  for (size_t tag = 0; tag < kinds; ++tag) {
    auto fresh = decode_history(written[tag]);
    ASSERT_TRUE(fresh) << tag;
    std::string type(type_name(fresh->at(0).body));
    std::string line =
        R"({"type": ")" + type + R"(", "bytes": ")" + hex_of(written[tag].bytes) + R"("})";
    if (tag >= vectors.size()) {
      ADD_FAILURE() << "run_history.json lacks " << line;
      continue;
    }
    const Value& vector = vectors.items()[tag];
    std::string stored = bytes_of(vector.get("bytes"));
    EXPECT_EQ(vector.get("type"), Value(type)) << tag;
    EXPECT_EQ(hex_of(stored), hex_of(written[tag].bytes)) << type;
    auto read = decode_history({1, 1, stored});
    ASSERT_TRUE(read) << type << " of an older program cannot be read";
    EXPECT_EQ(hex_of(encode_history(*read).bytes), hex_of(stored)) << type;
  }
}

// Written before tokens of other programs could begin a run: a split and a barrier by themselves,
// and one that a broker's message has started in the middle.
TEST(Golden, histories_of_runs_of_an_older_program_fold) {
  Value vectors = run_vectors().get("histories");
  EXPECT_EQ(vectors.size(), 2u);
  for (const Value& vector : vectors.items()) {
    auto checked = graph::check_definition(vector.get("definition"));
    ASSERT_TRUE(checked.definition);
    std::vector<HistoryChunk> chunks;
    for (const Value& chunk : vector.get("chunks").items())
      chunks.push_back({static_cast<uint64_t>(chunk.get("first").as_integer()),
                        static_cast<uint32_t>(chunk.get("count").as_integer()),
                        bytes_of(chunk.get("bytes"))});
    auto run = fold(RunId("r1"), chunks, [&](const DefinitionHash& hash) {
      return hash == checked.definition->hash ? checked.definition : nullptr;
    });
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(name_of(run->status), vector.get("status").as_string());
    EXPECT_EQ(to_json(run->output), to_json(vector.get("output")));
    EXPECT_FALSE(run->fed);
  }
}

}  // namespace
}  // namespace fermata
