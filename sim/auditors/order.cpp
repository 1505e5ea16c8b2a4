#include "sim/auditors/auditor.h"

namespace fermata::sim {

void violate(const Run& run, const std::string& reason) {
  throw Violation{"run " + run.id.text() + " after sequence " + std::to_string(run.last_sequence) +
                  ": " + reason};
}

std::string place(const Run& run, NodeIndex node, Lineage lineage, uint32_t visit) {
  std::string name = run.definition && node < run.definition->nodes.size()
                         ? run.definition->nodes[node].id
                         : std::to_string(node);
  return name + "@" + std::to_string(lineage.scope) + "." + std::to_string(lineage.item) + "#" +
         std::to_string(visit);
}

namespace {

class OrderAuditor final : public Auditor {
 public:
  void event(const Run& before, const Event& event) override {
    if (event.sequence != before.last_sequence + 1)
      violate(before, "the next event has sequence " + std::to_string(event.sequence));
    if (event.at < before.last_at) violate(before, "time goes back");
    bool starts = start_in(event.body) != nullptr;
    if (starts != (event.sequence == 1)) violate(before, "RunStarted is not the first event");
    // An output may be refused after its run has made use of it.
    if (before.finished() && !std::holds_alternative<JobOutputWithdrawn>(event.body))
      violate(before, std::string(type_name(event.body)) + " after the end of the run");
  }
};

}  // namespace

std::unique_ptr<Auditor> order_auditor() { return std::make_unique<OrderAuditor>(); }

}  // namespace fermata::sim
