#include "host/touched.h"

#include "core/run/history.h"

namespace fermata {

void HeldItems::hold(Item item) {
  ++size_;
  std::vector<Item>& items = by_run_[item.command.run];
  items.push_back(std::move(item));
}

std::vector<Item> HeldItems::release(const RunId& run) {
  auto found = by_run_.find(run);
  if (found == by_run_.end()) return {};
  std::vector<Item> items = std::move(found->second);
  by_run_.erase(found);
  size_ -= items.size();
  return items;
}

namespace {

/// The lines that name those who asked for it.
std::vector<AuditLine> audit_lines(const Touched& touched) {
  std::vector<AuditLine> lines;
  Instant now = touched.events.back().at;
  for (const DecidedItem& decided : touched.items) {
    if (decided.refusal) continue;
    const Command& command = decided.item.command;
    if (command.actor == "engine") continue;
    const char* action = nullptr;
    std::string reason;
    if (std::holds_alternative<StartRun>(command.body)) action = "execution.start";
    if (std::holds_alternative<PauseRun>(command.body)) action = "execution.pause";
    if (std::holds_alternative<ResumeRun>(command.body)) action = "execution.resume";
    if (std::holds_alternative<SignalRun>(command.body)) action = "execution.signal";
    if (std::holds_alternative<MigrateRun>(command.body)) action = "execution.migrate";
    if (const auto* cancel = std::get_if<CancelRun>(&command.body)) {
      action = "execution.cancel";
      reason = cancel->reason;
    }
    if (!action) continue;
    lines.push_back({touched.open->run.account, now, command.actor, action, command.run.text(),
                     std::move(reason), Value()});
  }
  return lines;
}

}  // namespace

RunWrite write_of(const Touched& touched) {
  return {touched.open->version, summarize(touched.open->run), encode_history(touched.events),
          audit_lines(touched)};
}

}  // namespace fermata
