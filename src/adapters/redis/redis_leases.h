#pragma once
#include <map>
#include <mutex>

#include "adapters/redis/redis_index.h"
#include "ports/leases.h"

namespace fermata {

/// Leases as keys whose value is `<fence>:<holder>` and which end by themselves (C-90). A name of
/// ours gets `fermata:` before it, any other `cordum:`. A call waits for Redis for at most the time
/// limit of a command: it is made where that does no harm.
class RedisLeases final : public Leases {
 public:
  /// Away for so long, `instead` is asked (C-93); before, nobody can say.
  static constexpr Duration patience{2'000};

  /// `holder` tells this process from others. `instead` may be absent; it is never a thing of this
  /// process alone where there are several.
  RedisLeases(RedisOptions options, const Clock& clock, std::string holder,
              std::unique_ptr<Leases> instead = nullptr);

  using Leases::give_back;
  using Leases::renew;
  using Leases::take;
  std::vector<LeaseAnswer> take(std::span<const LeaseWanted> wanted) override;
  std::vector<LeaseAnswer> renew(std::span<const LeaseHeld> held) override;
  void give_back(std::span<const LeaseHeld> held) override;

  /// Safe from any thread.
  bool is_away() const { return link_.is_away(); }
  /// Leases that were not ours any more when they were to be renewed, by name; beyond a number of
  /// names under `other`. Safe from any thread.
  std::map<std::string, uint64_t> lost() const;

 private:
  static constexpr size_t lost_names_max = 100;
  std::string key_of(const std::string& name) const;
  std::string value_of(uint64_t fence) const;
  /// The answer to each call, or nothing when Redis did not give all of them.
  std::vector<LeaseAnswer> ask(const RedisScript& script, std::span<const RedisArguments> calls);
  bool is_patience_over();
  void count_lost(const std::string& name);

  RedisLink link_;
  RedisIndex index_;
  const std::string holder_;
  const std::unique_ptr<Leases> instead_;
  std::optional<std::chrono::steady_clock::time_point> away_since_;
  mutable std::mutex mutex_;  ///< of `lost_`
  std::map<std::string, uint64_t> lost_;
};

}  // namespace fermata
