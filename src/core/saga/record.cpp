#include "base/hash.h"
#include "core/flow/durable/detached.h"
#include "core/flow/durable/given_roots.h"
#include "core/run/script_events.h"
#include "core/saga/saga.h"

namespace fermata::saga {

namespace {

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

/// What the job that undoes it is given when nobody said otherwise (J-70).
Value both(const Work& work) {
  Value input = Value::object();
  if (work.input_blob.is_object()) {
    input.set("input_blob", work.input_blob);
  } else {
    input.set("input", work.input);
  }
  input.set("output", work.withheld ? Value() : work.output);
  if (work.withheld) input.set("output_withheld", true);
  return input;
}

/// The same for every attempt to undo it, so that a repeat has no second effect (J-72).
std::string key_of(const Run& run, const Work& work, uint32_t step_index) {
  std::string given = text_of(work.undo.get("idempotency_key"));
  if (!given.empty()) return given;
  return sha256_hex(run.workflow.text() + "|" + work.job.text() + "|" +
                    text_of(work.undo.get("topic")) + "|" + text_of(work.undo.get("capability")) +
                    "|" + std::to_string(step_index));
}

/// A script's compensation whose input is a function of what its task gave (J-70).
void compute_input(Step& step, Work& work) {
  const Value* found = work.undo.find("computed");
  if (!found) return;
  Value computed = *found;
  work.undo.erase("computed");
  const Run& run = step.run;
  if (!run.definition->is_script()) return;
  const flow::FlowLimits& limits = step.given.limits.flow;
  flow::EvalGiven given{step.at, step.random.next(), {}, step.given.zones.get()};
  given.limits = {limits.slice, limits.string_bytes, limits.memory_bytes, limits.list_items,
                  limits.call_depth};
  Value output = work.withheld ? Value() : work.output;
  // The script itself may be over by now.
  flow::GivenRoots roots(run.input, script_context(run, run.started_at));
  auto input =
      flow::call_detached(run.definition->program, computed, {output, work.input}, roots, given);
  if (input) {
    work.undo.set("input", *std::move(input));
  } else {
    work.problem = "its compensation cannot be made: " + input.error().message;
  }
}

}  // namespace

std::optional<Work> work_of(const SettleJob& settle) {
  if (!settle.work_done || !settle.undo.is_object()) return std::nullopt;
  Work work;
  work.job = settle.job;
  work.step = settle.step;
  work.undo = settle.undo;
  work.input = settle.input;
  work.input_blob = settle.input_blob;
  work.output = settle.output;
  work.withheld = settle.withheld;
  return work;
}

void record(Step& step, Work work) {
  const Run& run = step.run;
  if (run.finished() || !work.undo.is_object() || run.saga.of_job(work.job)) return;
  compute_input(step, work);
  SagaEntry entry;
  entry.seq = static_cast<uint32_t>(run.saga.entries.size() + 1);
  entry.job = work.job;
  entry.step = work.step;
  entry.idempotency_key = key_of(run, work, 0);
  entry.problem = std::move(work.problem);
  entry.late = work.late;
  entry.at = step.at;
  bool own_input = work.undo.find("input") || work.undo.find("input_blob");
  if (!own_input) work.undo.set("input", both(work));
  work.undo.erase("idempotency_key");
  entry.request = std::move(work.undo);
  step.emit(SagaRecorded{std::move(entry)});
}

}  // namespace fermata::saga
