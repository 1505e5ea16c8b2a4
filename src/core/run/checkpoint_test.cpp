#include "core/run/checkpoint.h"

#include <gtest/gtest.h>

#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "core/run/snapshot.h"

namespace fermata {
namespace {

constexpr Instant start_at{1'700'000'000'000};

graph::DefinitionRef define(const char* json) {
  auto checked = graph::check_definition(*parse_json(json));
  EXPECT_TRUE(checked.definition);
  return checked.definition;
}

DefinitionLookup only(const graph::DefinitionRef& definition) {
  return [definition](const DefinitionHash& hash) {
    return hash == definition->hash ? definition : nullptr;
  };
}

/// A run and every chunk of its history.
struct Told {
  Run run;
  std::vector<HistoryChunk> history;

  void tell(CommandBody body, Instant now = start_at) {
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, {now, 7, {}});
    ASSERT_TRUE(decision) << decision.error().message;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
  }
  void start(const graph::DefinitionRef& definition, Value input) {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.workflow_version = 1;
    body.definition = definition;
    body.trigger = input;
    body.input = std::move(input);
    tell(std::move(body));
  }
};

const char* waiting_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"amount":10,"unit":"days"}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";
const char* hearing_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
                 {"id":"h","type":"wait_for_signal","parameters":{"name":"news"}},
                 {"id":"g","type":"aggregator"}],
        "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"h"},
                 {"id":"3","src":"h","dst":"g"}]})";

Value items(int count) {
  Value out = Value::array();
  for (int i = 0; i < count; ++i) out.push(Value::object({{"name", "item"}, {"n", i}}));
  return Value::object({{"items", out}, {"note", std::string(2'000, 'n')}});
}

TEST(Checkpoint, fold_from_any_of_them_is_the_fold_of_the_whole_history) {
  auto definition = define(hearing_graph);
  Told told;
  told.start(definition, items(4));
  std::vector<std::string> checkpoints{encode_checkpoint(told.run)};
  for (int i = 0; i < 4; ++i) {
    told.tell(SignalRun{"news", Value::object({{"n", i}}), std::to_string(i)},
              start_at + Duration{i});
    checkpoints.push_back(encode_checkpoint(told.run));
  }
  ASSERT_EQ(checkpoints.size(), told.history.size());
  auto whole = fold(RunId("r1"), told.history, only(definition));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, RunStatus::completed);
  for (size_t i = 0; i < checkpoints.size(); ++i) {
    auto restored = restore_checkpoint(RunId("r1"), checkpoints[i], only(definition));
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(encode_checkpoint(*restored), checkpoints[i]);
    std::vector<HistoryChunk> rest(told.history.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   told.history.end());
    auto folded = fold_on(*std::move(restored), rest, only(definition));
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(encode_checkpoint(*folded), encode_checkpoint(*whole));
  }
}

TEST(Checkpoint, values_that_branches_share_are_written_once) {
  auto definition = define(hearing_graph);
  Told few, many;
  few.start(definition, items(10));
  many.start(definition, items(1'010));
  // Each branch has a context of its own that knows the input with its long note.
  size_t more = encode_checkpoint(many.run).size() - encode_checkpoint(few.run).size();
  // Half of what a branch takes is its wait.
  EXPECT_LT(more / 1'000, 220u);
  auto restored = restore_checkpoint(RunId("r1"), encode_checkpoint(many.run), only(definition));
  ASSERT_TRUE(restored);
  EXPECT_EQ(encode_checkpoint(*restored), encode_checkpoint(many.run));
}

TEST(Checkpoint, signals_without_an_id_leave_no_trace_when_they_are_consumed) {
  auto definition = define(
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                   {"id":"h","type":"wait_for_signal","max_visits":1000,
                    "parameters":{"name":"news"}},
                   {"id":"n","type":"noop","max_visits":1000}],
          "edges":[{"id":"1","src":"t","dst":"h"},{"id":"2","src":"h","dst":"n"},
                   {"id":"3","src":"n","dst":"h"}]})");
  Told told;
  told.start(definition, Value());
  size_t early = 0;
  for (int i = 0; i < 300; ++i) {
    told.tell(SignalRun{"news", Value(), ""});
    if (i == 100) early = encode_checkpoint(told.run).size();
  }
  EXPECT_LT(encode_checkpoint(told.run).size(), early + 20);
  told.tell(SignalRun{"news", Value(), "named"});
  uint64_t before = told.run.last_sequence;
  told.tell(SignalRun{"news", Value(), "named"});
  EXPECT_EQ(told.run.last_sequence, before);
}

TEST(Checkpoint, what_is_not_one_of_this_run_is_refused) {
  auto definition = define(waiting_graph);
  Told told;
  told.start(definition, Value::object({{"order", 17}}));
  std::string bytes = encode_checkpoint(told.run);
  auto code = [&](const RunId& id, const std::string& given) {
    auto restored = restore_checkpoint(id, given, only(definition));
    return restored ? std::string("restored") : restored.error().message;
  };
  EXPECT_EQ(code(RunId("r1"), bytes), "restored");
  EXPECT_EQ(code(RunId("r2"), bytes), "the checkpoint is of another run");
  std::string newer = bytes;
  newer[0] = '\x09';
  EXPECT_EQ(code(RunId("r1"), newer), "the checkpoint has a form this program does not know");
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(code(RunId("r1"), bytes.substr(0, size)), "restored");
  auto unknown = restore_checkpoint(RunId("r1"), bytes,
                                    [](const DefinitionHash&) { return graph::DefinitionRef{}; });
  EXPECT_FALSE(unknown);
}

// A stored state is read by the program that wrote its form, and by no other.
TEST(Snapshot, form_changes_only_with_its_number) {
  Told told;
  told.start(define(hearing_graph), items(3));
  told.tell(SignalRun{"news", Value::object({{"n", 1}}), "one"});
  std::string bytes = encode_snapshot(told.run);
  EXPECT_EQ(std::to_string(bytes[0]) + " " + sha256_hex(bytes),
            "7 28aec174e2507e615bb404890ee30119a73cdd5ac573999f16339ab29bfef01c")
      << "the form of a state has changed: give it the next number (snapshot_format)";
  // The form before lacks whether others feed the run; those are the bytes it had.
  std::string sixth = "\x06" + bytes.substr(1, bytes.size() - 2);
  EXPECT_EQ(sha256_hex(sixth), "f03564efa208e02b4bd9518be8c8457dd6a604842587fd7e8444d2c99e646b11");
  auto read = decode_snapshot(sixth, told.run.definition);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_snapshot(*read), bytes);
}

// Restarted runs keep the state they began with in their histories.
TEST(Snapshot, form_of_an_older_program_is_read) {
  Told told;
  told.start(define(hearing_graph), items(3));
  told.run.definitions.clear();
  told.run.waits.clear();
  told.run.waits_opened.clear();
  told.run.started_by.clear();
  std::string bytes = encode_snapshot(told.run);
  constexpr size_t third_fields = 4;  // each of them one byte when it is empty
  constexpr size_t fourth_fields = 2, fifth_fields = 8;
  ByteWriter saga;
  FieldWriter(saga).put(Saga());
  size_t sixth_fields = saga.bytes().size() + 1;
  constexpr size_t seventh_fields = 1;
  std::string sixth = "\x06" + bytes.substr(1, bytes.size() - 1 - seventh_fields);
  std::string fifth = "\x05" + sixth.substr(1, sixth.size() - 1 - sixth_fields);
  std::string fourth = "\x04" + fifth.substr(1, fifth.size() - 1 - fifth_fields);
  std::string third = "\x03" + fourth.substr(1, fourth.size() - 1 - fourth_fields);
  std::string older = "\x02" + third.substr(1, third.size() - 1 - third_fields);
  for (const std::string& form : {sixth, fifth, fourth, third, older}) {
    auto read = decode_snapshot(form, told.run.definition);
    ASSERT_TRUE(read);
    EXPECT_EQ(encode_snapshot(*read), bytes);
  }
  EXPECT_FALSE(decode_snapshot("\x03" + older.substr(1), told.run.definition));
  EXPECT_FALSE(decode_snapshot("\x01" + older.substr(1), told.run.definition));
}

}  // namespace
}  // namespace fermata
