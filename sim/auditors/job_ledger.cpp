#include "sim/auditors/job_ledger.h"

#include "core/job/decide.h"
#include "core/job/history.h"

namespace fermata::sim {

namespace {

[[noreturn]] void violate(const job::Job& job, const std::string& what) {
  throw Violation{"job " + job.id.text() + " (" + std::string(name_of(job.state)) + "): " + what};
}

}  // namespace

void JobLedger::in_force(const std::string& snapshot, uint64_t batches) {
  forces_.push_back({snapshot, batches});
}

/// No attempt starts under a policy that was replaced (J-27). What was decided just before a change
/// may be in the one batch that is submitted after it, and in none that follow.
bool JobLedger::may_be_dispatched(const job::Job& job, uint64_t batch) const {
  for (size_t i = 0; i < forces_.size(); ++i) {
    bool replaced = i + 1 < forces_.size() && forces_[i + 1].since + 1 < batch;
    if (!replaced && job.verdict && job.verdict->snapshot == forces_[i].snapshot) return true;
  }
  return false;
}

void JobLedger::kernel_named(std::optional<std::string> snapshot, uint64_t batches) {
  named_.push_back({std::move(snapshot), batches});
}

/// Nothing runs without the word of the kernel, and that of its newest policy, unless it could not
/// be asked and that is allowed (J-27, J-33).
bool JobLedger::kernel_has_allowed(const job::Job& job, uint64_t batch) const {
  if (!kernel_open_) return true;
  if (!job.verdict) return false;
  if (job.verdict->bypassed) return *kernel_open_ || job.undoes();
  for (size_t i = 0; i < named_.size(); ++i) {
    bool replaced = i + 1 < named_.size() && named_[i + 1].since + 1 < batch;
    if (!replaced && job.verdict->kernel_snapshot == named_[i].snapshot) return true;
  }
  return false;
}

namespace {

/// What may come after the end: the output of a job has a life of its own.
bool is_about_output(const job::EventBody& body) {
  return std::holds_alternative<job::JobOutputHeld>(body) ||
         std::holds_alternative<job::OutputScanFailed>(body) ||
         std::holds_alternative<job::OutputScanBegun>(body) ||
         std::holds_alternative<job::OutputJudged>(body) ||
         std::holds_alternative<job::OutputCleared>(body) ||
         std::holds_alternative<job::JobQuarantined>(body) ||
         std::holds_alternative<job::OutputReleased>(body) ||
         std::holds_alternative<job::OutputDiscarded>(body) ||
         std::holds_alternative<job::ReviewEnded>(body);
}

/// Nothing that is gated is used before somebody has read it, and each way out of an end is taken
/// once (J-10, J-46).
void check_output(const job::Job& job, const job::Event& event) {
  bool passed = job.judged_output && (job.judged_output->decision == job::OutputDecision::allow ||
                                      job.judged_output->decision == job::OutputDecision::redact);
  bool given = std::holds_alternative<job::JobSucceeded>(event.body) ||
               std::holds_alternative<job::OutputCleared>(event.body);
  if (given && job.held && !passed) violate(job, "its output is used before it was scanned");
  if (std::holds_alternative<job::JobQuarantined>(event.body) && job.withdrawn)
    violate(job, "its output is withdrawn twice");
  if (std::holds_alternative<job::OutputReleased>(event.body) && job.released)
    violate(job, "its output is released twice");
}

}  // namespace

void JobLedger::written(const StoredJob& stored, const JobWrite& write, uint64_t batch) {
  const JobId& id = write.summary.id;
  job::Job& job = states_[id];
  job.id = id;
  bool ended_before = job.finished();
  bool late_success = false;
  bool withdrawn = false;
  if (write.events.count > 0) {
    auto events = job::decode_history(write.events);
    if (!events) throw Violation{"a stored chunk cannot be read: " + events.error().message};
    for (const job::Event& event : *events) {
      if (trace_.on()) trace_.line("  ", id.text(), " ", job::type_name(event.body));
      if (event.sequence != job.last_sequence + 1) violate(job, "its history has a gap");
      if (event.at < job.last_at) violate(job, "its history goes back in time");
      bool late = std::holds_alternative<job::LateSuccessNoted>(event.body);
      late_success = late_success || late;
      late = late || std::holds_alternative<job::LeaseReturned>(event.body);
      if (job.finished() && !late && !is_about_output(event.body))
        violate(job, "something happens after its end");
      check_output(job, event);
      withdrawn =
          withdrawn || (ended_before && std::holds_alternative<job::JobQuarantined>(event.body));
      if (const auto* dispatched = std::get_if<job::JobDispatched>(&event.body)) {
        if (job.open_attempt()) violate(job, "it is given to two workers at once");
        if (dispatched->fence <= job.last_fence) violate(job, "a fence is given twice");
        if (!may_be_dispatched(job, batch))
          violate(job, "an attempt starts under a policy that was replaced");
        if (!kernel_has_allowed(job, batch))
          violate(job, "an attempt starts without the kernel's word");
      }
      evolve(job, event);
    }
  }
  bool badly = job.state == job::State::failed || job.state == job::State::timeout ||
               job.state == job::State::denied || job.state == job::State::output_quarantined;
  // What nobody undoes is a dead letter as well (J-74).
  bool left = late_success && job.state == job::State::cancelled && !write.dead_letters.empty();
  if (write.dead_letters.size() != (left || withdrawn || (!ended_before && badly) ? 1 : 0))
    violate(job, "its end and its dead letter are not one write");
  if (stored.summary.last_sequence != job.last_sequence)
    violate(job, "its row is of another moment");
  if (stored.summary.state != job.state) violate(job, "its row tells another state");
}

void JobLedger::compare(const job::Job& live) const {
  auto found = states_.find(live.id);
  if (found == states_.end()) throw Violation{"job " + live.id.text() + " lives in memory alone"};
  if (!(found->second == live)) violate(live, "the state in memory is not the fold of the history");
}

}  // namespace fermata::sim
