#pragma once
#include <gtest/gtest.h>

#include <map>

#include "base/bytes.h"
#include "base/json.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/restart.h"
#include "core/run/script_definition.h"

namespace fermata::test {

inline graph::DefinitionRef define_script(const std::string& source) {
  flow::CheckedScript checked = flow::check_script(source);
  EXPECT_TRUE(checked.errors.empty()) << source;
  return make_script_definition(flow::make_definition(std::move(checked)));
}

/// Bytes with a checksum that fits again: what an attacker with the store in his hands would write.
inline std::string resealed(std::string bytes) {
  constexpr size_t sum_bytes = 4;
  bytes.resize(bytes.size() - sum_bytes);
  uint32_t sum = crc32c(bytes);
  for (size_t i = 0; i < sum_bytes; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xff);
  return bytes;
}

/// One run of a script, told commands one by one. Its history is kept, and after each command the
/// state must be the one that the history means.
class ScriptRun {
 public:
  explicit ScriptRun(graph::DefinitionRef definition, const std::string& id = "r") {
    run.id = RunId(id);
    given.now = Instant{1'770'000'000'000};
    know(definition);
    definition_ = std::move(definition);
  }

  void start(Value input = {}, std::shared_ptr<const Run> seed = nullptr) {
    StartRun body;
    body.account = AccountId("a");
    body.workflow = WorkflowId("w");
    body.workflow_version = 1;
    body.definition = definition_;
    body.input = std::move(input);
    body.seed = std::move(seed);
    body.key = key;
    tell(std::move(body));
  }

  bool tell(CommandBody body) {
    given.entropy += 7;
    auto decision = decide(run, {run.id, std::move(body), "tester"}, given);
    if (!decision) {
      refusal = decision.error();
      return false;
    }
    posts = std::move(decision->posts);
    if (decision->events.empty()) return true;
    chunks.push_back(encode_history(decision->events));
    for (const Event& event : decision->events) types.emplace_back(type_name(event.body));
    if (!folds) return true;
    auto folded = fold(run.id, chunks, lookup());
    EXPECT_TRUE(folded);
    if (folded && check_fold) EXPECT_EQ(summarize(*folded).status, summarize(run).status);
    return true;
  }

  bool settle(const std::string& job, const std::string& state, Value output = {}) {
    Value error = state == "FAILED" ? Value::object({{"code", "x"}, {"message", "no"}}) : Value();
    return tell(
        SettleJob{JobId(job), state, std::move(output), std::move(error), "hand", 1, false});
  }
  bool wake(int64_t after_ms) {
    given.now = given.now + Duration{after_ms};
    return tell(WakeRun{});
  }

  /// Jobs ordered by the last command: id and idempotency key.
  std::map<std::string, std::string> ordered() const {
    std::map<std::string, std::string> out;
    for (const Post& post : posts)
      if (const auto* job = std::get_if<OrderJob>(&post))
        out[job->job.text()] = job->idempotency_key;
    return out;
  }

  /// Executions ordered by the last command: id and what their keys are made from, where it is not
  /// the id.
  std::map<std::string, std::string> started() const {
    std::map<std::string, std::string> out;
    for (const Post& post : posts)
      if (const auto* child = std::get_if<OrderRun>(&post))
        out[child->run.text()] = child->key.text();
    return out;
  }

  restart::Source source() {
    summary_ = summarize(run);
    return {summary_, chunks, KnownDefinitions(run.definition, lookup())};
  }
  void know(const graph::DefinitionRef& definition) { known_[definition->hash] = definition; }
  DefinitionLookup lookup() const {
    return [known = known_](const DefinitionHash& hash) -> graph::DefinitionRef {
      auto found = known.find(hash);
      return found == known.end() ? nullptr : found->second;
    };
  }
  size_t count(std::string_view type) const {
    return static_cast<size_t>(std::count(types.begin(), types.end(), type));
  }

  Run run;
  Given given;
  std::vector<Post> posts;
  std::vector<HistoryChunk> chunks;
  std::vector<std::string> types;
  RunId key;  ///< of its start
  Error refusal{};
  bool check_fold = true;
  bool folds = true;  ///< a history of thousands of commands is not read after each of them

 private:
  graph::DefinitionRef definition_;
  std::map<DefinitionHash, graph::DefinitionRef> known_;
  RunSummary summary_;
};

}  // namespace fermata::test
