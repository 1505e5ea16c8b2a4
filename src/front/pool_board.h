#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/fleet/pools.h"
#include "core/policy/text.h"
#include "ports/clock.h"
#include "ports/pool_store.h"

namespace fermata::front {

/// Keeps the pools in force: reads their file, takes changes, stores them and has the table swapped
/// whole. A document with a mistake changes nothing. What the file names cannot be changed by
/// requests; what they made beside it stays. Safe from several threads.
class PoolBoard {
 public:
  struct Options {
    std::string file{};          ///< empty: none
    bool file_required = false;  ///< somebody has named it, so it must be there
    /// Its text; nothing when there is no such file.
    std::function<Outcome<std::optional<std::string>>(const std::string&)> read_file{};
    policy::TextReader read_text{};
    /// Puts a table into force; returns when it is, unless the engine does not run yet.
    std::function<void(const fleet::PoolTablePtr&)> activate{};
    std::function<void(const Error&)> on_failed{};
    std::function<void(uint64_t revision, const std::string& origin)> on_loaded{};
  };
  /// Who changes pools.
  struct Actor {
    AccountId account;
    std::string actor;
  };
  PoolBoard(PoolStore& store, const Clock& clock, Options options);

  /// At start: what is stored, and the file if it has changed since. A broken file leaves the last
  /// good one in force; without one this fails, naming file, line and column.
  Outcome<void> start();
  /// The file may have changed: loads it if it has.
  void look();

  // pool_changes.cpp: by requests. `if_revision`: of all that is stored, as it was read.
  Outcome<void> put_pool(const std::string& name, const Value& pool,
                         std::optional<uint64_t> if_revision, const Actor& who);
  Outcome<void> remove_pool(const std::string& name, std::optional<uint64_t> if_revision,
                            const Actor& who);
  /// Lets jobs of the topic go to the pool, or no longer.
  Outcome<void> map_topic(const std::string& pool, const std::string& topic, bool on,
                          const Actor& who);
  /// `until`: of draining.
  Outcome<void> set_status(const std::string& name, fleet::PoolStatus status,
                           std::optional<Instant> until, const Actor& who);
  Outcome<void> put_limits(const Value& limits, std::optional<uint64_t> if_revision,
                           const Actor& who);

  fleet::PoolTablePtr current() const;
  StoredPools stored() const;
  struct Status {
    std::string file;
    bool file_present = false;
    std::optional<Error> failure{};  ///< of the last look at the file
  };
  Status status() const;
  uint64_t loads_failed() const { return loads_failed_; }

 private:
  struct FileText {
    std::string text;
    std::string sha256;
  };
  using Edit = std::function<Outcome<void>(Value&)>;
  Outcome<std::optional<FileText>> read_file();
  Outcome<void> load(const FileText& file, const std::string& why);
  Outcome<void> start_from_file();
  void failed(const Error& error);
  bool file_names(std::string_view part, const std::string& name) const;
  Outcome<void> not_of_file(std::string_view part, const std::string& name) const;
  Outcome<void> expect(std::optional<uint64_t> if_revision) const;
  /// Changes the document of requests; `within`: where mistakes of the caller's words are.
  Outcome<void> change(const Edit& edit, const std::string& within, const std::string& action,
                       const Actor& who);
  /// Stores what would hold and puts it into force.
  Outcome<void> apply(StoredPools next, const std::string& origin, const AuditLine& line);

  PoolStore& store_;
  const Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  StoredPools stored_;
  fleet::PoolTablePtr current_;
  Status status_;
  std::atomic<uint64_t> loads_failed_{0};
  std::string seen_sha256_;  ///< of the file as it was last looked at, good or bad
};

}  // namespace fermata::front
