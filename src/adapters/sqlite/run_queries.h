#pragma once
#include <set>

#include <span>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/records.h"
#include "adapters/sqlite/run_tags.h"

namespace fermata::sqlite {

/// A run's row as it was found.
struct FoundRun {
  uint64_t number = 0;
  RunRecord record;
};

/// What is asked of runs and audit lines, over one connection. A record that does not match its
/// checksum or its row gives data_damaged.
class RunQueries {
 public:
  explicit RunQueries(Database& database) : database_(database) {}

  Outcome<std::optional<FoundRun>> by_id(const RunId& id);
  Outcome<std::optional<FoundRun>> by_number(uint64_t number);
  /// The history of a run from the chunk that holds `first_sequence` on; the first chunk always
  /// comes, those after it while they keep within `events_max`.
  Outcome<std::vector<HistoryChunk>> history(const FoundRun& run, uint64_t first_sequence,
                                             size_t events_max);
  Outcome<StoredRun> find(const RunId& id, uint64_t first_sequence, size_t events_max);
  /// As Store::load.
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids, uint64_t checkpoint_before);
  /// The checkpoints of a run before a sequence, newest first. Of those that are damaged only the
  /// sequence is given.
  Outcome<std::vector<Checkpoint>> checkpoints(const FoundRun& run, uint64_t before, size_t most);
  /// Those before a place, or with the oldest first those after it.
  Outcome<RunPage> list(const RunFilter& filter, size_t limit, uint64_t place,
                        RunOrder order = RunOrder::newest_first);
  Outcome<std::vector<std::pair<RunStatus, uint64_t>>> counts(const AccountId& account);
  struct Pending {
    Store::PendingPage page;
    std::vector<Error> damages;  ///< open runs that could not be read and are left out
  };
  Outcome<Pending> pending(uint64_t after, size_t limit);
  Outcome<AuditPage> audit(const AuditFilter& filter, size_t limit, uint64_t before);
  /// The statements that lists are made from: a test holds that each of them seeks.
  std::vector<const char*> list_statements() const;
  /// Sequence 0 when nothing of the account's audit was removed.
  Outcome<AuditRoot> audit_root(const AccountId& account);

  // For retention (ports/retention.h).
  Outcome<Retention::Referred> referred(uint64_t after, size_t limit);
  struct UsedDefinitions {
    std::set<DefinitionHash> hashes;
    uint64_t cursor = 0;
    bool more = false;
  };
  /// Definitions that runs after the number name. A run that cannot be read fails it.
  Outcome<UsedDefinitions> used_definitions(uint64_t after, size_t limit);

 private:
  using Numbers = std::vector<uint64_t>;
  Outcome<Numbers> open_runs(uint64_t after, size_t limit);
  enum class Way { all, by_workflow, by_account, by_status, by_tag };
  /// How far a list has come: numbers of rows that may match, in its order, a batch at a time.
  struct Scan {
    Way way = Way::all;
    bool upwards = false;
    std::vector<WorkflowId> workflows{};
    std::optional<Tag> tag{};  ///< borrows from the filter
    uint64_t place = 0;
    size_t batch = 0;
  };
  struct Link {
    uint64_t number = 0;
    uint64_t prev = 0;
    HistoryChunk chunk;  ///< its bytes are read when they are wanted
  };

  Outcome<std::optional<FoundRun>> take_run(Rows rows);
  Outcome<std::vector<Link>> links(const FoundRun& run, uint64_t first_sequence, bool with_bytes);
  Outcome<void> fill(const FoundRun& run, Link& link, uint64_t checksum, std::string_view bytes);
  Outcome<void> read_bytes(const FoundRun& run, Link& link);
  Outcome<void> choose_checkpoint(const FoundRun& run, uint64_t before, StoredRun& out);
  Outcome<std::vector<WorkflowId>> workflows_of(const AccountId& account);
  /// The tag that leads to the fewest runs, if the filter names one.
  static std::optional<Tag> tag_for(const RunFilter& filter);
  Outcome<Scan> start_scan(const RunFilter& filter, size_t limit, uint64_t place);
  Outcome<Numbers> next_batch(const RunFilter& filter, Scan& scan);
  bool collect(Rows rows, Numbers& out);

  Database& database_;
  Statement by_id_{database_, "SELECT number, id, status, record FROM run WHERE id = ?"};
  Statement by_number_{database_, "SELECT number, id, status, record FROM run WHERE number = ?"};
  Statement link_{database_, "SELECT run, prev, first, count FROM history WHERE number = ?"};
  Statement full_link_{database_,
                       "SELECT run, prev, first, count, checksum, bytes FROM history "
                       "WHERE number = ?"};
  Statement bytes_{database_, "SELECT checksum, bytes FROM history WHERE number = ?"};
  Statement checkpoint_{database_,
                        "SELECT sequence, checksum, bytes FROM checkpoint WHERE run = ? AND "
                        "sequence < ? ORDER BY sequence DESC LIMIT ?"};
  Statement all_{database_, "SELECT number FROM run WHERE number < ? ORDER BY number DESC LIMIT ?"};
  Statement by_workflow_{database_,
                         "SELECT number FROM run WHERE account = ? AND workflow = ? AND "
                         "number < ? ORDER BY number DESC LIMIT ?"};
  Statement by_status_{database_,
                       "SELECT number FROM run WHERE status = ? AND status <> 3 AND number < ? "
                       "ORDER BY number DESC LIMIT ?"};
  Statement by_tag_{database_,
                    "SELECT run FROM tag WHERE account = ? AND kind = ? AND key = ? AND "
                    "value = ? AND run < ? ORDER BY run DESC LIMIT ?"};
  Statement by_workflow_up_{database_,
                            "SELECT number FROM run WHERE account = ? AND workflow = ? AND "
                            "number > ? ORDER BY number LIMIT ?"};
  Statement by_tag_up_{database_,
                       "SELECT run FROM tag WHERE account = ? AND kind = ? AND key = ? AND "
                       "value = ? AND run > ? ORDER BY run LIMIT ?"};
  Statement next_workflow_{database_,
                           "SELECT workflow FROM run WHERE account = ? AND workflow > ? "
                           "ORDER BY workflow LIMIT 1"};
  Statement open_after_{database_,
                        "SELECT number FROM run WHERE status = ? AND status <> 3 AND number > ? "
                        "ORDER BY number LIMIT ?"};
  Statement after_{database_, "SELECT number FROM run WHERE number > ? ORDER BY number LIMIT ?"};
  Statement root_{database_, "SELECT number, record FROM audit_root WHERE account = ?"};
  Statement count_one_{database_,
                       "SELECT status, runs FROM tally WHERE account = ? AND runs > 0 "
                       "ORDER BY status"};
  Statement count_all_{database_,
                       "SELECT status, sum(runs) FROM tally WHERE runs > 0 GROUP BY status "
                       "ORDER BY status"};
  Statement audit_all_{database_,
                       "SELECT number, record FROM audit WHERE number < ? ORDER BY number DESC"};
  Statement audit_of_{database_,
                      "SELECT number, record FROM audit WHERE account = ? AND number < ? "
                      "ORDER BY number DESC"};
};

}  // namespace fermata::sqlite
