#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"
#include "ports/reader.h"

namespace fermata {
struct Run;
}

namespace fermata::server {

/// Where live runs stand and what they wait for there, and where runs failed lately: what lists of
/// runs are filtered by that no row tells (U-22). The server's memory of what the engine has
/// committed; read from the store once after a start. Safe from any thread.
class Whereabouts {
 public:
  static constexpr size_t runs_max = 200'000;
  static constexpr size_t failed_max = 20'000;    ///< of them, those that failed: the newest
  static constexpr size_t places_max = 64;        ///< of a run
  static constexpr size_t looked_at_max = 2'000;  ///< tokens of a run
  static constexpr size_t doubts_max = 1'000;     ///< runs that the engine could not read
  static constexpr size_t damages_max = 100;      ///< rows of runs that cannot be read

  /// A node, or a function and line of a script; `kind` as in `waiting` of an execution, or
  /// `failed`, `undo_stopped` or `unreadable`.
  struct Place {
    std::string node;
    std::string_view kind;
    uint32_t attempt = 0;  ///< that failed last; 0: none has
    /// When it goes on by itself; of a failure, when that was; of what is unreadable, when it was
    /// first found so.
    std::optional<Instant> at{};
    auto operator<=>(const Place&) const = default;
  };
  /// What a place has to be; empty fields do not filter.
  struct Wanted {
    std::string node{};
    std::string kind{};
    uint32_t attempts = 0;  ///< it is being tried again, after so many at least
    /// What somebody should look at: failed within a day, tried three times and more, late, an undo
    /// that has stopped, or what cannot be read.
    bool attention = false;
    bool none() const { return node.empty() && kind.empty() && attempts == 0 && !attention; }
  };

  /// As the latest commit left it.
  void settled(const Run& run);
  /// From `begin_reading` to `end_reading` what `read` brings is older than what commits tell.
  void begin_reading();
  void read(const Run& run);
  /// `all`: the store had no more.
  void end_reading(bool all);

  /// A live run that nobody can resume, because what is stored of it cannot be read (U-20). It
  /// stands so until a commit of it tells that it can.
  void unreadable(const RunSummary& run, Instant since);
  /// The engine could not read this one; whose it is, its row may tell.
  void doubt(const RunId& run, Instant at);
  std::vector<std::pair<RunId, Instant>> doubts() const;
  void settle_doubt(const RunId& run);
  /// A row of a live run that cannot be read: nobody can tell whose it is.
  void damaged(const Error& damage);
  std::vector<Error> damages() const;

  /// The place of a run in the order of lists.
  struct Key {
    Instant started;
    std::string run;
    auto operator<=>(const Key&) const = default;
  };
  struct Found {
    std::vector<Key> runs;  ///< in the order that was asked for
    bool more = false;
    bool all = true;  ///< nothing is left out
  };
  /// Those of the account that stand at such a place, behind `last` in the order, at most `limit`.
  Found find(const AccountId& account, const Wanted& wanted, const std::optional<Key>& last,
             Instant now, size_t limit, RunOrder order = RunOrder::newest_first) const;
  /// Where a run stands; empty when it does not, or nobody knows.
  std::vector<Place> places(const AccountId& account, const Key& key) const;
  /// How many live runs of a workflow stand at each node, by what they wait for there (U-32).
  using ByNode = std::map<std::string, std::map<std::string, uint64_t>>;
  ByNode by_node(const AccountId& account, const WorkflowId& workflow) const;

 private:
  using Places = std::vector<Place>;
  struct Stand {
    WorkflowId workflow;
    Places places;
  };
  void put(const AccountId& account, Key key, const WorkflowId& workflow, Places places);

  mutable std::mutex mutex_;
  std::map<AccountId, std::map<Key, Stand>> accounts_;
  std::deque<std::pair<AccountId, Key>> failed_;  ///< oldest first
  size_t runs_ = 0;
  bool whole_ = true;
  bool reading_ = false;
  std::set<std::string> told_;  ///< by commits, while the store is being read
  std::map<RunId, Instant> doubts_;
  std::vector<Error> damages_;
};

}  // namespace fermata::server
