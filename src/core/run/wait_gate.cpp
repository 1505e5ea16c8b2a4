#include "core/run/wait_gate.h"

#include "core/run/api_waits.h"

namespace fermata {
namespace {

constexpr const char* deactivated = "workflow_deactivated";

/// Why the contact's runs are over, or empty.
std::string_view contact_is_out(const Step& step) {
  const Contact* contact = step.given.contact.get();
  if (contact == nullptr || step.run.contact_id.empty()) return {};
  return contact->is_out_of(step.run.workflow) ? "contact_opted_out" : "";
}

bool ends_when_inactive(OnInactive choice, bool typed) {
  return choice == OnInactive::cancel || (choice == OnInactive::standard && typed);
}

std::string_view hold_reason(WaitGate gate) {
  if (gate == WaitGate::inactive) return "workflow_inactive";
  return gate == WaitGate::switched_off ? "resumes_off" : "";
}

}  // namespace

WaitGate gate_of(const Step& step, bool typed) {
  const Given& given = step.given;
  if (!contact_is_out(step).empty() || ends_when_inactive(given.workflow, typed))
    return WaitGate::ends;
  if (given.workflow == OnInactive::hold) return WaitGate::inactive;
  return WaitGate::open;
}

void exit_at_gate(Step& step) {
  std::string_view contact = contact_is_out(step);
  exit_by_wait(step, contact.empty() ? deactivated : std::string(contact));
}

void hold_at_gate(Step& step, WaitGate gate, const WaitKey& key) {
  auto found = step.run.waits.find(key);
  std::string_view reason = hold_reason(gate);
  if (reason.empty() || found == step.run.waits.end()) return;
  step.emit(WaitHeld{found->second.id, std::string(reason), "engine"});
}

namespace {

int64_t listeners_in(const Wait& wait) {
  return wait.listens() ? static_cast<int64_t>(wait.listeners.size()) : 0;
}

/// More waits that the account may have when this decision has opened what it has.
std::optional<int64_t> waits_left(const Step& step) {
  if (!step.given.room.waits) return std::nullopt;
  return *step.given.room.waits - (int64_t{step.run.waits_counted} - int64_t{step.waits_before});
}

bool listeners_fit(const Step& step, int64_t listeners) {
  return listeners == 0 || !step.given.room.listeners ||
         step.listeners_opened + listeners <= *step.given.room.listeners;
}

}  // namespace

void hold_at_limit(Step& step, const WaitKey& key) {
  auto found = step.run.waits.find(key);
  if (found == step.run.waits.end() || !counts_in_limit(found->second)) return;
  const Wait& wait = found->second;
  // It is counted already.
  bool room = waits_left(step).value_or(0) >= 0;
  if (room && listeners_fit(step, listeners_in(wait))) {
    step.listeners_opened += listeners_in(wait);
    return;
  }
  step.emit(WaitHeld{wait.id, std::string(held_by_limit), "engine"});
}

Outcome<void> refuse_over_limit(const Step& step, size_t listeners) {
  const WaitRoom& room = step.given.room;
  int64_t own = 0;
  for (const auto& [key, wait] : step.run.waits)
    if (wait.source == WaitSource::api && is_pending(wait.status)) ++own;
  if (room.per_execution > 0 && own >= room.per_execution)
    return fail(ErrorCode::wait_limit_execution,
                "the execution has " + std::to_string(own) +
                    " pending waits; setting limits.waits_per_execution");
  if (waits_left(step).value_or(1) <= 0)
    return fail(ErrorCode::wait_limit_account,
                "the account has as many pending waits as it may; setting "
                "limits.waits_per_account");
  if (!listeners_fit(step, static_cast<int64_t>(listeners)))
    return fail(ErrorCode::listener_rate,
                "the account has opened as many listeners in the last minute as it may; setting "
                "limits.listeners_per_minute");
  return {};
}

bool stopped_at_gate(Step& step, const WaitKey& key) {
  auto found = step.run.waits.find(key);
  if (found == step.run.waits.end()) return false;
  WaitGate gate = gate_of(step, is_typed(found->second));
  if (gate == WaitGate::open && step.given.account && step.given.account->waits.resumes_off)
    gate = WaitGate::switched_off;
  if (gate == WaitGate::open) return false;
  if (gate == WaitGate::ends) {
    exit_at_gate(step);
  } else {
    hold_at_gate(step, gate, key);
  }
  return true;
}

Outcome<void> refuse_opted_out(const Given& given, const WorkflowId& workflow) {
  if (!given.contact || !given.contact->is_out_of(workflow)) return {};
  return fail(ErrorCode::contact_opted_out,
              "the contact " + given.contact->id + " has opted out" +
                  (given.contact->opted_out_at ? "" : " of the workflow " + workflow.text()));
}

}  // namespace fermata
