#pragma once
#include <map>
#include <set>
#include <vector>

#include "core/run/event_json.h"
#include "core/run/gathered.h"

namespace fermata::view {

/// Turns a run's history into the records of its live stream (G-102): each is {"event":
/// "node"|"run"|"progress", "id": sequence, "data": {…}}. Reads from sequence 1 on and remembers
/// what later events stand in, so that it says the same whoever resumes where.
class StreamRecords {
 public:
  /// With `detail_all` every status is told, in large splits too.
  StreamRecords(RunId run, const KnownDefinitions& definitions, bool detail_all)
      : run_(std::move(run)), show_(definitions), detail_all_(detail_all) {}

  /// Takes the next chunk; adds the records of its events from sequence `from` on.
  Outcome<void> read(const HistoryChunk& chunk, uint64_t from, std::vector<Value>& out);
  uint64_t last_sequence() const { return last_sequence_; }

  /// True when a large split has moved on since it was last told of.
  bool has_progress() const { return !moved_.empty(); }
  /// Adds where those splits stand now. How often is the caller's affair; that a split has closed
  /// is told by `read` at once.
  void tell_progress(std::vector<Value>& out);

 private:
  struct Progress {
    NodeIndex split = graph::no_node;
    uint32_t visit = 0;
    Lineage outer;
    uint32_t total = 0;
    uint32_t resolved = 0;
    uint32_t failed = 0;
  };
  void follow(const Event& event);
  void follow_seed(const RunStarted& started);
  void follow_migration(const RunMigrated& migrated);
  void open(ScopeId id, const Progress& progress);
  void close(const SplitClosed& closed, bool tell, std::vector<Value>& out);
  /// Forgets the splits opened in the branches from `first` to `last`, and in theirs.
  void drop(Lineage first, Lineage last);
  void forget(ScopeId id);
  void add(const Event& event, const std::optional<Value>& output, std::vector<Value>& out);
  void add_cancelled(const Event& event, const TokensCancelled& cancelled, std::vector<Value>& out);
  bool is_quiet(const EventBody& body) const;
  Value progress_record(const Progress& progress) const;
  Value base(std::string_view status, const Value& sequence, const Value& at) const;
  Value run_data(const Value& shown, std::string_view status) const;
  Value node_data(const Event& event, NodeIndex node, std::string_view status,
                  Lineage lineage) const;
  Value status_data(const Value& shown, std::string_view status) const;

  const RunId run_;
  EventShow show_;
  GatheredOutputs gathered_;
  const bool detail_all_;
  uint64_t last_sequence_ = 0;
  Instant last_at_;
  std::map<ScopeId, Lineage> outer_;                 ///< of every open split
  std::set<std::pair<Lineage, ScopeId>> opened_in_;  ///< the same, by where it was opened
  std::set<ScopeId> quiet_;  ///< scopes in which single successes are not told
  std::map<ScopeId, Progress> large_;
  std::set<ScopeId> moved_;  ///< of the large ones
};

}  // namespace fermata::view
