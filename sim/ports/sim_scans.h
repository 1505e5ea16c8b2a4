#pragma once
#include <map>

#include "adapters/scan/examiner.h"
#include "sim/chaos.h"
#include "sim/ports/sim_clock.h"
#include "sim/ports/sim_store.h"

namespace fermata::sim {

/// Scans under way in one process: the real scanner, whose answers come late, twice or not at all,
/// and which fails now and then.
class SimScans final : public Scans, private ScanFiles {
 public:
  SimScans(Chaos& chaos, const SimClock& clock, const SimStore& store)
      : chaos_(chaos), clock_(clock), store_(store) {}

  void submit(ScanWork work) override;
  std::vector<ScanAnswer> harvest() override;
  bool holds(const ScanTicket& ticket) const override { return under_way_.contains(ticket); }
  size_t in_flight() const override { return under_way_.size(); }
  Value cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                const Value& error) override {
    return examiner_.cleaned(policy, facts, error);
  }

  /// When the next answer comes, in true time.
  std::optional<Instant> next() const;

 private:
  Outcome<BlobRef> put_blob(const AccountId&, std::string_view, Instant) override;
  Outcome<std::optional<std::string>> blob(const AccountId&, const std::string&) override;
  Outcome<std::optional<std::string>> held_output(const JobId& job) override;

  Chaos& chaos_;
  const SimClock& clock_;
  const SimStore& store_;
  scan::Examiner examiner_{*this, [this] { return clock_.now(); }};
  std::multimap<Instant, ScanAnswer> coming_;  ///< by true time
  std::map<ScanTicket, uint32_t> under_way_;   ///< answers still to come per ticket
};

}  // namespace fermata::sim
