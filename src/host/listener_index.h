#pragma once
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/model/signal.h"
#include "core/model/wait.h"

namespace fermata {

/// Which waits listen to what: found by account and type, then contact, run or the account alone,
/// never by a scan. Memory of the host: made from the rows of waits at start and from the waits
/// that decisions change. It decides nothing: the run judges every offer, so an entry too many does
/// no harm. Used by one thread.
class ListenerIndex {
 public:
  /// As decided, before it is durable: adds what listens from now on, takes nothing away. True when
  /// it was not listening before.
  bool decided(const WaitRecord& record);
  /// As it is durable.
  void settled(const WaitRecord& record);
  /// The commit that would have opened it failed.
  void failed(const WaitRecord& record);

  /// Where an offer goes.
  struct Target {
    RunId run;
    std::string wait;
    auto operator<=>(const Target&) const = default;
  };
  /// Waits that would hear the signal, oldest first, then by id.
  std::vector<Target> targets(const Signal& signal) const;
  /// A wait that listens, or null.
  const WaitRecord* find(const std::string& wait) const;
  size_t size() const { return waits_.size(); }

 private:
  struct Place {
    Instant since;
    std::string wait;
    auto operator<=>(const Place&) const = default;
  };
  using Bucket = std::set<Place>;
  struct Known {
    WaitRecord record;  ///< without what matching does not need
    bool durable = false;
  };
  void add(const WaitRecord& record, bool durable);
  void remove(const std::string& wait);
  void collect(const std::string& bucket, const Signal& signal, Bucket& found) const;

  std::unordered_map<std::string, Known> waits_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace fermata
