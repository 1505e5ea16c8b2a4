#pragma once
#include <list>

#include "sim/workloads/workload.h"

namespace fermata::sim {

/// Sends signals until they are accepted, and now and then once more.
class Teller {
 public:
  /// To be sent at some instant within the next `most`.
  void add(World& world, Signal signal, Duration most);
  void watch(World& world);
  std::optional<Instant> next() const;
  bool accepted() const;
  /// All of them are written, and nothing is to follow from any.
  void expect_kept(const SimStore& store) const;

 private:
  struct Telling {
    Signal signal;
    Instant at;  ///< when it is sent (again), in true time
    bool accepted = false;
  };
  static void submit(World& world, Telling& telling);

  std::list<Telling> tellings_;
};

/// True when nothing is to follow from any signal.
bool all_closed(const SimStore& store);

/// Lets waits go on that are held or cancelled, so that every run ends; `may` says which.
class Liberator {
 public:
  void watch(World& world, const std::function<bool(const Wait&)>& may);

 private:
  std::set<std::string> freeing_;
};

}  // namespace fermata::sim
