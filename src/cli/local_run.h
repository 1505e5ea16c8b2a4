#pragma once
#include <condition_variable>
#include <mutex>

#include "cli/engine.h"
#include "cli/progress.h"
#include "core/run/stream_records.h"

namespace fermata::cli {

/// One run of one definition in this process, on a store that forgets it at the end. Takes the
/// host's turns on the calling thread.
class LocalRun final : public Feed {
 public:
  LocalRun(World& world, const Settings& settings, Progress& progress)
      : world_(world), settings_(settings), progress_(progress) {}

  /// With `fast_forward` the clock is virtual and jumps to the next due time whenever nothing else
  /// is under way. Answers the run as `GET /executions/{id}` shows it. Fails when the run can
  /// never go on because it waits for what only a server could receive.
  Outcome<Value> execute(const GraphFile& file, const std::string& name, const Value& input,
                         bool fast_forward);

  void committed(const RunSummary& summary, const HistoryChunk& events) override;
  void logged(const WriteLog& line) override;

 private:
  Outcome<void> start(Engine& engine, const std::string& name, const Value& input);
  Outcome<void> take_turns(Engine& engine);
  void show_said();
  /// Sleeps until an answer comes, at most until `at`.
  void wait(Engine& engine, std::optional<Instant> at);

  World& world_;
  const Settings& settings_;
  Progress& progress_;
  graph::DefinitionRef definition_;
  RunSummary latest_;
  std::optional<view::StreamRecords> stream_;
  std::optional<Error> refusal_;
  /// Lines of log nodes, shown behind the events they belong to.
  std::vector<std::pair<std::string, std::string>> said_;

  std::mutex mutex_;
  std::condition_variable answered_;
  bool answer_came_ = false;
};

}  // namespace fermata::cli
