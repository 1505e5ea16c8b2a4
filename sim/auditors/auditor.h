#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/run.h"
#include "sim/fault.h"

namespace fermata::sim {

/// Watches every run of a seed and throws a Violation when something happens that must not. What it
/// sees is the truth: events as they become durable, not as the host tells of them.
class Auditor {
 public:
  virtual ~Auditor() = default;
  /// Before the event is folded in.
  virtual void event(const Run& /*before*/, const Event& /*event*/) {}
  /// After all events of one write.
  virtual void written(const Run& /*after*/, const RunSummary& /*summary*/) {}
};

using ProbeHook = std::function<void(Probe)>;

// One file each.
std::unique_ptr<Auditor> order_auditor();         ///< sequences, time, one terminal event, last
std::unique_ptr<Auditor> activation_auditor();    ///< each activation ends once, none in a pause
std::unique_ptr<Auditor> timing_auditor();        ///< nothing due happens early, waits resume once
std::unique_ptr<Auditor> merge_auditor();         ///< an instance opens once, late arrivals ignored
std::unique_ptr<Auditor> expectation_auditor();   ///< no merge waits for what cannot come (G-74)
std::unique_ptr<Auditor> state_auditor();         ///< the parts of a state agree with each other
std::unique_ptr<Auditor> script_state_auditor();  ///< the same for scripts
std::unique_ptr<Auditor> saga_auditor();          ///< undone last first, one by one, once each
std::unique_ptr<Auditor> probe_auditor(ProbeHook hook);

/// Fails with the run and the place in its history.
[[noreturn]] void violate(const Run& run, const std::string& reason);
/// `node@scope.item#visit`, for people.
std::string place(const Run& run, NodeIndex node, Lineage lineage, uint32_t visit);

}  // namespace fermata::sim
