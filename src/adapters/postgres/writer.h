#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// Everything that changes the store: batches over a connection of their own, what is written
/// beside them over another, a transaction at a time. Both write only while we lead.
class Writer {
 public:
  /// Told why a write failed and when one succeeds again. Each may be empty.
  struct Reports {
    std::function<void(const Error&)> failure;
    std::function<void()> recovery;
  };
  Writer(const Server& server, Duration settle_for, Reports reports)
      : committing_(server),
        writing_(server),
        settle_for_(settle_for),
        reports_(std::move(reports)) {}

  /// Of the lead; 0 for none.
  void lead_is(uint64_t epoch) { epoch_.store(epoch); }
  uint64_t epoch() const { return epoch_.load(); }

  /// Safe from several threads.
  std::vector<CommitOutcome> commit(const CommitBatch& batch);
  /// Finds out what became of a commit whose outcome is unknown; fails while it cannot.
  Outcome<void> settle();
  bool settled() const { return !unsettled_; }
  std::string trouble() const;
  /// Commits whose answer was lost: those that were found to hold, and those that were not.
  struct Doubts {
    uint64_t held = 0;
    uint64_t gone = 0;
  };
  Doubts doubts() const { return {doubts_held_.load(), doubts_gone_.load()}; }

  using Body = std::function<Outcome<void>(Connection&)>;
  /// Runs `body` and writes the audit line, if there is one, in one transaction; nothing stays when
  /// either fails. The body may run again when the database asks for that.
  Outcome<void> transact(const AuditLine* line, const Body& body);

 private:
  struct Sent {
    std::vector<CommitOutcome> outcomes;
    bool divisible = false;  ///< one of them cannot be taken: smaller parts may be
  };
  void commit_units(const std::vector<Write>& all, const std::vector<std::vector<size_t>>& units,
                    std::vector<CommitOutcome>& outcomes);
  Sent commit_together(const std::vector<Write>& writes);
  Sent answer(Rows rows, size_t writes);
  std::optional<Reply> resolve(const std::string& id);
  std::optional<Reply> resolve_once(const std::string& id);
  Outcome<void> settle_locked();
  Outcome<void> transact_once(const AuditLine* line, const Body& body, bool& again);
  Outcome<void> begin_and_write(const AuditLine* line, const Body& body, uint64_t epoch);
  void report(const Error& error);
  void recovered();
  static std::string new_mark();

  std::mutex commit_mutex_;
  Connection committing_;
  std::mutex write_mutex_;
  Connection writing_;
  const Duration settle_for_;
  const Reports reports_;
  std::atomic<uint64_t> epoch_ = 0;
  std::atomic<bool> unsettled_ = false;
  std::string unknown_;  ///< the mark of the commit that is unsettled
  std::atomic<uint64_t> doubts_held_ = 0, doubts_gone_ = 0;
  std::atomic<bool> failing_ = false;
  mutable std::mutex trouble_mutex_;
  std::string trouble_;
};

/// Runs `body` in a transaction of the writer and gives what it answers.
template <class Answer, class Make>
Outcome<Answer> transacted(Writer& writer, const AuditLine* line, Make body) {
  Answer answer{};
  FERMATA_TRY_VOID(writer.transact(line, [&](Connection& connection) -> Outcome<void> {
    FERMATA_TRY(made, body(connection));
    answer = std::move(made);
    return {};
  }));
  return answer;
}

}  // namespace fermata::postgres
