#pragma once
#include "ports/counters.h"

namespace fermata {

/// A breaker as people see it.
struct BreakerView {
  std::string name;
  breaker::State state = breaker::State::closed;
  int64_t failures = 0;  ///< in a row
  int64_t episode = 0;
  int64_t probes_used = 0;  ///< tickets of this episode
  std::optional<Instant> changes_at{};
  uint64_t probes_sent = 0;  ///< by this process
  size_t under_way = 0;
  size_t waiting = 0;
  std::optional<std::string> snapshot{};  ///< newest that the kernel behind it has named
};

/// A circuit breaker over shared counters (core/breaker). It remembers nothing itself: a second one
/// with the same prefix, here or in another process, is the same breaker.
class Breaker {
 public:
  /// `prefix` stands before the names of all its counters: `cb:safety:`.
  Breaker(Counters& counters, std::string prefix)
      : counters_(counters), prefix_(std::move(prefix)) {}

  /// Nothing: the circuit is open, or all tickets of this episode are taken. Ask before every
  /// request, and tell its outcome if it has one.
  std::optional<breaker::Pass> admit();
  /// True when this has closed it.
  bool succeeded(const breaker::Pass& pass);
  void failed(const breaker::Pass& pass);
  /// By people: closed, whatever was counted. True when it was not.
  bool reset();
  /// Opens it again when those who probed it have fallen silent.
  breaker::Counts look();
  breaker::State state() { return state_of(look()); }

 private:
  breaker::Counts read();
  int64_t make(const breaker::Bump& bump);
  void open(const breaker::Counts& counts);

  Counters& counters_;
  const std::string prefix_;
};

}  // namespace fermata
