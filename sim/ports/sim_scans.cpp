#include "sim/ports/sim_scans.h"

#include "base/json.h"

namespace fermata::sim {

void SimScans::submit(ScanWork work) {
  chaos_.port_call("scans.submit");
  int64_t latency_ms =
      chaos_.strikes(Fault::call_slow) ? chaos_.between(1'000, 90'000) : chaos_.between(1, 2'000);
  // As if the thread had died: nobody says so.
  if (chaos_.strikes(Fault::call_lost)) return;
  ScanAnswer answer = examiner_.examine(work);
  bool fails = !work.read_only && chaos_.strikes(Fault::call_failed);
  if (auto* judged = std::get_if<job::JudgeOutput>(&answer.said)) {
    // A measure of the machine this runs on would tell one life of a seed from the next.
    judged->verdict.micros = 0;
    if (store_.sabotage() == Sabotage::scan && judged->problem.empty()) {
      judged->verdict = {};
      if (auto held = store_.held().find(work.ticket.job); held != store_.held().end())
        judged->output = job::Payload::of(*parse_json(held->second));
    }
    if (fails) judged->problem = "as the dice fell";
  } else if (fails) {
    std::get<job::NoteContent>(answer.said).problem = "as the dice fell";
  }
  bool twice = chaos_.strikes(Fault::call_twice);
  under_way_[work.ticket] += twice ? 2 : 1;
  Instant now = clock_.true_now();
  if (twice) coming_.emplace(now + Duration{chaos_.between(1, 40'000)}, answer);
  coming_.emplace(now + Duration{latency_ms}, std::move(answer));
}

std::vector<ScanAnswer> SimScans::harvest() {
  std::vector<ScanAnswer> answers;
  while (!coming_.empty() && coming_.begin()->first <= clock_.true_now()) {
    ScanAnswer answer = std::move(coming_.begin()->second);
    coming_.erase(coming_.begin());
    auto open = under_way_.find(answer.ticket);
    if (open != under_way_.end() && --open->second == 0) under_way_.erase(open);
    answers.push_back(std::move(answer));
  }
  return answers;
}

std::optional<Instant> SimScans::next() const {
  if (coming_.empty()) return std::nullopt;
  return coming_.begin()->first;
}

Outcome<BlobRef> SimScans::put_blob(const AccountId&, std::string_view, Instant) {
  return fail(ErrorCode::store_unavailable, "the simulated store has no blobs");
}

Outcome<std::optional<std::string>> SimScans::blob(const AccountId&, const std::string&) {
  return std::optional<std::string>{};
}

Outcome<std::optional<std::string>> SimScans::held_output(const JobId& job) {
  auto found = store_.held().find(job);
  if (found == store_.held().end()) return std::optional<std::string>{};
  return std::optional(found->second);
}

}  // namespace fermata::sim
