#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/model/signal.h"
#include "core/model/wait.h"

namespace fermata {

/// Which waits listen to what: found by account and type, then contact, run or the account alone,
/// never by a scan. Memory of the host: made from the rows of waits at start and from the waits
/// that decisions change. It decides nothing: the run judges every offer, so an entry too many does
/// no harm. A machine has a million of them, so each keeps what matching needs and no more. Used by
/// one thread.
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
  size_t size() const { return waits_.size(); }

 private:
  /// A wait that listens.
  struct Known {
    std::string wait;
    AccountId account;
    RunId run;
    std::string contact_id;
    Instant since;
    std::optional<Instant> due;
    std::vector<Listener> listeners;  ///< the active ones, without what they heard
    bool durable = false;
  };
  struct Earlier {
    bool operator()(const Known* one, const Known* other) const {
      return std::tie(one->since, one->wait) < std::tie(other->since, other->wait);
    }
  };
  using Ordered = std::set<const Known*, Earlier>;
  /// Most contacts and runs have one wait that listens to a type.
  struct Bucket {
    const Known* one = nullptr;
    std::unique_ptr<Ordered> many;
  };
  /// What leads to it, as a number: two names may share one, which costs a look at a wait too many.
  using Name = uint64_t;

  static std::vector<Name> names_of(const Known& known);
  void add(const WaitRecord& record, bool durable);
  void remove(std::string_view wait);
  void put(Name name, const Known& known);
  void take(Name name, const Known& known);
  void collect(Name name, const Signal& signal, Ordered& found) const;

  std::unordered_map<std::string_view, std::unique_ptr<Known>> waits_;  ///< by their own ids
  std::unordered_map<Name, Bucket> buckets_;
};

}  // namespace fermata
