#include "host/touched.h"

#include <algorithm>

#include "base/uuid.h"
#include "core/run/history.h"
#include "host/wait_audit.h"

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
    // A token that joins a run which another message has begun is no start.
    const auto* start = std::get_if<StartRun>(&command.body);
    bool joins = start && start->arrival && touched.open->run.request_hash != start->request_hash;
    if (start && !joins) action = "execution.start";
    if (std::holds_alternative<PauseRun>(command.body)) action = "execution.pause";
    if (std::holds_alternative<ResumeRun>(command.body)) action = "execution.resume";
    if (std::holds_alternative<SignalRun>(command.body)) action = "execution.signal";
    if (std::holds_alternative<MigrateRun>(command.body)) action = "execution.migrate";
    std::string subject = command.run.text();
    if (const auto* cancel = std::get_if<CancelRun>(&command.body)) {
      action = "execution.cancel";
      reason = cancel->reason;
    }
    if (const auto* answer = std::get_if<AnswerApproval>(&command.body)) {
      action = answer->vote.approve ? "approval.approved" : "approval.rejected";
      reason = answer->vote.comment;
      subject = answer->approval;
    }
    if (const auto* answer = std::get_if<TakeAnswer>(&command.body); answer && answer->complete)
      action = "execution.complete";
    if (std::holds_alternative<CompleteRun>(command.body)) action = "execution.complete";
    if (!action) continue;
    lines.push_back({touched.open->run.account, now, command.actor, action, std::move(subject),
                     std::move(reason), Value()});
  }
  for (AuditLine& line : wait_audit(touched)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

void add_waits(std::vector<WaitRecord>& waits, std::vector<WaitRecord> more) {
  if (waits.empty()) {
    waits = std::move(more);
    return;
  }
  for (WaitRecord& record : more) {
    auto same = [&](const WaitRecord& one) { return one.wait.id == record.wait.id; };
    auto known = std::find_if(waits.begin(), waits.end(), same);
    if (known == waits.end()) {
      waits.push_back(std::move(record));
    } else {
      *known = std::move(record);
    }
  }
}

void add_approvals(std::vector<ApprovalRecord>& approvals, std::vector<ApprovalRecord> more) {
  for (ApprovalRecord& record : more) {
    auto same = [&](const ApprovalRecord& one) { return one.approval.id == record.approval.id; };
    auto known = std::find_if(approvals.begin(), approvals.end(), same);
    if (known == approvals.end()) {
      approvals.push_back(std::move(record));
    } else {
      *known = std::move(record);
    }
  }
}

std::vector<DeadLetterEntry> failed_resumes(const Run& run, const std::vector<Event>& events,
                                            const std::vector<WaitRecord>& waits) {
  std::vector<DeadLetterEntry> entries;
  for (const Event& event : events) {
    const auto* failed = std::get_if<ResumeFailed>(&event.body);
    if (failed == nullptr || failed->retry_at) continue;
    DeadLetterEntry& entry = entries.emplace_back();
    job::DeadLetter& letter = entry.letter;
    letter.id = uuid_v5(failed->wait + "/dead");
    letter.account = run.account;
    letter.run = run.id;
    for (const WaitRecord& record : waits)
      if (record.wait.id == failed->wait) letter.step_id = record.wait.step;
    letter.topic = "wait";
    letter.status = letter.last_state = job::State::failed;
    letter.reason_code = wait_resume_failed;
    letter.reason = "the wait could not be resumed: " + failed->error;
    letter.attempts = failed->attempt;
    letter.error = Value::object({{"wait_id", failed->wait}, {"message", failed->error}});
    letter.created_at = event.at;
  }
  return entries;
}

RunWrite write_of(const Touched& touched) {
  return {touched.open->version, summarize(touched.open->run), encode_history(touched.events),
          audit_lines(touched)};
}

}  // namespace fermata
