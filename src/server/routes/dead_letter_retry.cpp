#include "server/routes/dead_letter_retry.h"

#include "base/uuid.h"
#include "core/job/request_read.h"
#include "core/job/undo.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

/// The whole request once more, judged anew (J-84).
job::Request repeated(const job::Job& job, const std::string& entry) {
  // What the engine had marked it marks anew.
  job::Request request = job::without_marks(job.request);
  request.parent_job = job.id;
  request.step = {};
  // What it may have done already it does not do twice.
  request.idempotency_key = job.idempotency_key();
  Value labels = request.labels.is_object() ? request.labels : Value::object();
  // Whose labels leave no room is known by its parent alone.
  if (labels.size() + 2 > job::labels_max) return request;
  labels.set("retry", "true");
  labels.set("dlq_entry", entry);
  request.labels = std::move(labels);
  return request;
}

/// What was done too late is undone as its own compensation says (J-74).
Outcome<job::Request> undoing(const job::Job& job, const std::string& entry,
                              const job::RequestLimits& limits) {
  Value undo = job::undo_request(job);
  if (!undo.is_object())
    return fail(ErrorCode::nothing_to_undo, "The job declares no compensation.");
  std::string key = "late-" + job.id.text();
  if (undo.get("idempotency_key").is_string()) key = undo.get("idempotency_key").as_string();
  undo.erase("idempotency_key");
  // Its output is not known any more, so nothing can be computed from it.
  undo.erase("computed");
  if (!undo.find("input") && !undo.find("input_blob")) {
    Value both = Value::object({{"output", Value()}, {"output_withheld", true}});
    both.set("input", job.request.input.in_blob ? Value() : job.request.input.value);
    undo.set("input", std::move(both));
  }
  OrderJob order;
  order.request = std::move(undo);
  order.idempotency_key = std::move(key);
  order.undoes = job.id;
  FERMATA_TRY(read, job::read_order(order, limits));
  read.request.labels = Value::object({{"retry", "true"}, {"dlq_entry", entry}});
  return std::move(read.request);
}

Outcome<job::Request> request_of(Api& api, const DeadLetterEntry& entry, const job::Job& job) {
  if (entry.letter.reason_code == "late_success")
    return undoing(job, entry.letter.id, api.options().job_limits.request);
  if (job.of_run() && job.undoes())
    return fail(ErrorCode::wrong_state, "The job undoes a step of execution " +
                                            job.request.step.run.text() +
                                            ": retry the entry there.");
  if (job.of_run())
    return fail(ErrorCode::wrong_state,
                "The job is a step of execution " + job.request.step.run.text() +
                    ": retry that, by POST /executions/" + job.request.step.run.text() + "/retry.");
  return repeated(job, entry.letter.id);
}

}  // namespace

Outcome<LetterRetry> retry_of(Api& api, const DeadLetterEntry& entry, const job::Job& job) {
  if (!entry.open() && entry.retried_as.empty())
    return fail(ErrorCode::wrong_state, "The entry is resolved already.");
  FERMATA_TRY(request, request_of(api, entry, job));
  return LetterRetry{JobId(uuid_v5("fermata.dlq.retry\n" + entry.letter.id + "\n1")),
                     std::move(request)};
}

Outcome<void> resolve_retried(Api& api, const std::string& entry, const JobId& as,
                              const AuditLine& audit) {
  DeadLetters::Resolve resolve{entry, Resolution::retried, audit.actor, audit.at, as};
  auto resolved = api.dead_letters().resolve_dead_letter(resolve, audit);
  bool known = !resolved && resolved.error().code == ErrorCode::wrong_state;
  if (!resolved && !known) return Failure{std::move(resolved).error()};
  if (resolved) letter_changed(api, resolved->letter);
  return {};
}

}  // namespace fermata::server::routes
