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

bool is_typed(const Wait& wait) {
  if (wait.source == WaitSource::flow) return false;
  if (wait.type == "fixed_time") return wait.config.find("duration") != nullptr;
  if (wait.is_for_event())
    return wait.config.find("event_type") != nullptr || wait.config.find("events") != nullptr;
  return true;
}

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
