#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace fermata {
struct Run;
namespace job {
struct Job;
}
}  // namespace fermata

namespace fermata::server {

/// What is going to happen to runs and jobs besides waits and schedules, which have rows of their
/// own (U-37): pauses before a next attempt, deadlines, questions to people that expire. The
/// server's memory of what the engine has committed; read from the store once after a start. Safe
/// from any thread.
class Agenda {
 public:
  enum class Kind : uint8_t { retry, deadline, approval };
  static constexpr size_t entries_max = 200'000;
  static constexpr size_t entries_of_one_max = 200;  ///< of a run: the first of them

  /// As the latest commit left it.
  void settled(const Run& run);
  void settled(const job::Job& job);

  /// From `begin_reading` to `end_reading` what `read` brings is older than what commits tell.
  void begin_reading();
  void read(const Run& run);
  void read(const job::Job& job);
  /// `all`: the store had no more.
  void end_reading(bool all);

  struct Due {
    Instant at;
    Kind kind = Kind::retry;
    auto operator<=>(const Due&) const = default;
  };
  struct Seen {
    std::vector<Due> dues;  ///< at or after `from` and before `to`, the earliest first
    bool all = true;        ///< nothing is left out
  };
  Seen between(const AccountId& account, Instant from, Instant to) const;

 private:
  struct Thing {
    AccountId account;
    std::vector<Due> dues;
  };
  void put(const std::string& key, const AccountId& account, std::vector<Due> dues);
  void put_read(const std::string& key, const AccountId& account, std::vector<Due> dues);
  void put_locked(const std::string& key, const AccountId& account, std::vector<Due> dues);

  mutable std::mutex mutex_;
  std::map<std::string, Thing> things_;  ///< those that have any
  std::map<AccountId, std::multiset<Due>> by_account_;
  size_t entries_ = 0;
  bool whole_ = true;
  bool reading_ = false;
  std::set<std::string> told_;  ///< by commits, while the store is being read
};

std::string_view name_of(Agenda::Kind kind);

}  // namespace fermata::server
