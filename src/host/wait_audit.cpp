#include "host/wait_audit.h"

#include <algorithm>
#include <map>

namespace fermata {
namespace {

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

class WaitAudit {
 public:
  explicit WaitAudit(const Touched& touched)
      : touched_(touched), run_(touched.open->run), now_(touched.events.back().at) {
    for (const WaitRecord& record : touched.waits) by_id_[record.wait.id] = &record.wait;
  }

  std::vector<AuditLine> lines() {
    note_commands();
    for (const Event& event : touched_.events) std::visit(*this, event.body);
    for (const WaitRecord* record : opened()) tell_opened(*record);
    for (AuditLine& line : changes_) lines_.push_back(std::move(line));
    for (const WaitRecord& record : touched_.waits) tell_ended(record.wait);
    return std::move(lines_);
  }

  void operator()(const WaitOpened& event) {
    ++opened_[run_.definition->nodes[event.activation.node].id];
  }
  void operator()(const WaitRegistered& event) {
    ++opened_[event.wait.step];
    openers_[event.wait.step] = event.by;
  }
  void operator()(const WaitHeld& event) {
    bool limited = event.reason == held_by_limit;
    change(event.wait, event.by, limited ? "wait.limited" : "wait.held", event.reason);
  }
  void operator()(const WaitReleased& event) { change(event.wait, event.by, "wait.released", ""); }
  void operator()(const WaitCancelled& event) { enders_[event.wait] = {event.by, event.reason}; }
  void operator()(const WaitEnded& event) {
    if (!event.by.empty()) enders_[event.wait].by = event.by;
  }
  void operator()(const WaitChanged& event) {
    const Value& from = event.intent.get("rescheduled_from");
    // Zone data that leaves the instant where it is changes nothing for anybody.
    if (event.cause == "tzdata" && from.is_null()) return;
    Value details = about(event.wait);
    details.set("cause", event.cause);
    if (event.cause == "tzdata") details.set("from", from);
    details.set("to", event.due ? Value(to_rfc3339(*event.due)) : Value());
    details.set("version", event.intent.get("tzdata_version"));
    changes_.push_back(line(event.by, "wait.rescheduled", event.wait, "", std::move(details)));
  }
  template <class E>
  void operator()(const E&) {}

 private:
  struct Ender {
    std::string by{};
    std::string reason{};
  };

  /// Who asked for what ends a wait: the events of tokens do not say.
  void note_commands() {
    for (const DecidedItem& decided : touched_.items) {
      const Command& command = decided.item.command;
      if (decided.refusal) continue;
      if (const auto* resume = std::get_if<ResumeWait>(&command.body))
        enders_[resume->wait] = {command.actor, resume->reason};
      if (const auto* cancel = std::get_if<CancelRun>(&command.body))
        whole_run_ = {command.actor, cancel->reason};
    }
  }

  AuditLine line(const std::string& by, const char* action, const std::string& wait,
                 std::string reason, Value details) const {
    return {run_.account,      now_, by.empty() ? "engine" : by, action, wait, std::move(reason),
            std::move(details)};
  }
  const Wait* find(const std::string& id) const {
    auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }
  Value about(const std::string& id) const {
    const Wait* wait = find(id);
    Value out =
        Value::object({{"execution_id", run_.id.text()}, {"workflow_id", run_.workflow.text()}});
    if (wait) out.set("step_id", wait->step);
    return out;
  }
  void change(const std::string& id, const std::string& by, const char* action,
              std::string reason) {
    changes_.push_back(line(by, action, id, std::move(reason), about(id)));
  }

  /// At each step the latest are those that this commit has opened.
  std::vector<const WaitRecord*> opened() const {
    std::map<std::string, std::vector<const WaitRecord*>> at_step;
    for (const WaitRecord& record : touched_.waits)
      if (opened_.contains(record.wait.step)) at_step[record.wait.step].push_back(&record);
    std::vector<const WaitRecord*> found;
    for (auto& [step, records] : at_step) {
      std::sort(records.begin(), records.end(), [](const WaitRecord* a, const WaitRecord* b) {
        return a->wait.occurrence > b->wait.occurrence;
      });
      size_t count = std::min(records.size(), opened_.at(step));
      found.insert(found.end(), records.begin(), records.begin() + static_cast<long>(count));
    }
    std::reverse(found.begin(), found.end());
    return found;
  }
  void tell_opened(const WaitRecord& record) {
    const Wait& wait = record.wait;
    if (!is_typed(wait)) return;
    Value details = about(wait.id);
    details.set("wait_type", wait.type);
    details.set("config", wait.config);
    details.set("due_at", wait.due ? Value(to_rfc3339(*wait.due)) : Value());
    if (!record.contact_id.empty()) details.set("contact_id", record.contact_id);
    auto opener = openers_.find(wait.step);
    lines_.push_back(line(opener == openers_.end() ? "" : opener->second, "wait.created", wait.id,
                          "", std::move(details)));
    if (wait.resumed_by != "past_date") return;
    Value warning = about(wait.id);
    warning.set("level", "warning");
    lines_.push_back(
        line("", "wait.past_date", wait.id, "target date is in the past", std::move(warning)));
  }
  void tell_ended(const Wait& wait) {
    auto ender = enders_.find(wait.id);
    bool asked = ender != enders_.end() && ender->second.by != "engine";
    if (is_pending(wait.status) || wait.ended_at != now_ || (!is_typed(wait) && !asked)) {
      // A cancelled wait whose token is let go was told of when it was cancelled.
      bool let_go = asked && wait.status == WaitStatus::cancelled && !wait.parked;
      if (let_go) tell(wait, "wait.resumed", ender->second);
      return;
    }
    Ender by = ender == enders_.end() ? Ender{} : ender->second;
    if (ender == enders_.end() && wait.status == WaitStatus::cancelled) by = whole_run_;
    std::string action = "wait." + std::string(name_of(wait.status));
    tell(wait, action.c_str(), by);
  }
  void tell(const Wait& wait, const char* action, const Ender& by) {
    Value details = about(wait.id);
    details.set("trigger", text_or_null(wait.resumed_by));
    if (!wait.signal_id.empty()) details.set("event_id", wait.signal_id);
    if (!wait.last_error.empty()) details.set("error", wait.last_error);
    lines_.push_back(line(by.by, action, wait.id, by.reason.empty() ? wait.ended_reason : by.reason,
                          std::move(details)));
  }

  const Touched& touched_;
  const Run& run_;
  const Instant now_;
  std::map<std::string_view, const Wait*> by_id_;
  std::map<std::string, size_t> opened_;        ///< by step
  std::map<std::string, std::string> openers_;  ///< who asked, by step
  std::map<std::string, Ender> enders_;         ///< by wait
  Ender whole_run_;
  std::vector<AuditLine> changes_;
  std::vector<AuditLine> lines_;
};

}  // namespace

std::vector<AuditLine> wait_audit(const Touched& touched) {
  if (touched.waits.empty()) return {};
  return WaitAudit(touched).lines();
}

}  // namespace fermata
