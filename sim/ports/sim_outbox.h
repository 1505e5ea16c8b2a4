#pragma once
#include <set>

#include "ports/outbox.h"
#include "ports/store.h"
#include "sim/chaos.h"

namespace fermata::sim {

/// Which messages were taken, as durable writes say. Nobody is told anything here, so there are no
/// rows.
class SimOutbox final : public Outbox {
 public:
  explicit SimOutbox(Chaos& chaos) : chaos_(chaos) {}
  void written(const RunId& run, const RunWrite& write) {
    for (const MessageMark& mark : write.marks)
      if (!marks_.emplace(run, mark.id).second)
        throw Violation{"message " + mark.id + " was taken twice by " + run.text()};
  }
  Outcome<bool> is_marked(const RunId& run, const std::string& mark) override {
    if (chaos_.strikes(Fault::load_unavailable))
      return fail(ErrorCode::store_unavailable, "the store is away");
    return marks_.contains({run, mark});
  }
  Outcome<std::vector<Entry>> outbox(const std::string&, uint64_t, size_t) override {
    return std::vector<Entry>{};
  }
  Outcome<void> remove_from_outbox(std::span<const uint64_t>) override { return {}; }
  Outcome<uint64_t> outbox_rows(const std::string&) override { return 0; }
  Outcome<void> forget_marks(Instant) override { return {}; }
  Outcome<void> bury(const DeadLetterEntry&) override { return {}; }

 private:
  Chaos& chaos_;
  std::set<std::pair<RunId, std::string>> marks_;
};

}  // namespace fermata::sim
