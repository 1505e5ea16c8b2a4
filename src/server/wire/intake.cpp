#include "base/json.h"
#include "core/job/history.h"
#include "front/cap/pointer.h"
#include "server/wire/gateway.h"

/// What comes in by the wire, as commands.
namespace fermata::server {

using front::cap::WireJob;

void Gateway::send(WireDelivery delivery, job::Command command) {
  JobId id = command.job;
  bool taken =
      parts_.jobs.submit_job(std::move(command), [this, delivery, id](Outcome<JobTold> told) {
        post([this, delivery, id, told = std::move(told)] { replied(delivery, id, told); });
      });
  if (!taken) put_off(delivery, busy_pause);
}

void Gateway::replied(const WireDelivery& delivery, const JobId& job,
                      const Outcome<JobTold>& told) {
  if (!told) {
    // Who speaks of a job that is gone is not wrong, only late (J-12).
    if (told.error().code == ErrorCode::job_not_found) return ack(delivery);
    return fail(delivery, told.error());
  }
  if (!is_terminal(told->summary.state)) return ack(delivery);
  tell_end(job, delivery.number);
}

Outcome<std::optional<job::Job>> Gateway::find(const JobId& id) {
  FERMATA_TRY(stored, parts_.reader.find_job(id));
  bool known = stored.version > 0 && stored.summary.account == options_.account;
  if (!known) return std::optional<job::Job>{};
  FERMATA_TRY(job, job::fold(id, stored.history));
  return std::optional<job::Job>(std::move(job));
}

void Gateway::submit(WireDelivery delivery, const cap::Packet& packet,
                     const cap::JobRequest& request) {
  auto read = front::cap::read_submission(packet, request, options_.account, delivery.id,
                                          options_.limits.request);
  if (!read) return refuse(delivery, read.error());
  if (delivery.deliveries == 1) counts_.labels_stripped += read->labels_stripped;
  std::string actor = "wire " + (packet.sender_id.empty() ? "unnamed" : packet.sender_id);
  send(std::move(delivery), {read->job.id, std::move(read->job.submit), std::move(actor)});
}

void Gateway::cancel(WireDelivery delivery, const cap::Packet& packet,
                     const cap::JobCancel& wanted) {
  std::optional<WireJob> named = front::cap::read_wire_job_id(wanted.job_id);
  if (!named)
    return refuse(delivery, {ErrorCode::invalid_field, "A cancel names its job (job_id).", {}});
  if (wanted.dispatch) {
    auto job = find(named->job);
    if (!job) return fail(delivery, job.error());
    if (!*job) return ack(delivery);
    const job::Attempt* open = (*job)->open_attempt();
    // Of an attempt that is over nothing is left to cancel.
    if (!open || front::cap::attempt_meant(**job, *named, wanted.dispatch).fence != open->fence)
      return ack(delivery);
  }
  std::string by = wanted.requested_by.empty() ? packet.sender_id : wanted.requested_by;
  send(std::move(delivery),
       {named->job, job::CancelJob{wanted.reason, false}, "wire " + by, options_.account});
}

Outcome<job::Payload> Gateway::output_of(const job::Job& job, const cap::JobResult& result) {
  bool referred = result.result_ptr.empty() && result.result_ref;
  const std::string& pointer = referred ? result.result_ref->uri : result.result_ptr;
  if (pointer.empty()) return job::Payload::of(Value());
  int nesting_max = options_.limits.report.nesting_max;
  FERMATA_TRY(inlined, front::cap::inline_value(pointer, nesting_max));
  if (inlined) return job::Payload::of(*std::move(inlined));
  auto own = front::cap::read_blob_pointer(pointer);
  bool readable = own && own->job == job.id.text() && front::cap::opens(job, own->token);
  if (!readable)
    return fermata::fail(ErrorCode::invalid_field,
                         "result_ptr cannot be read: a data: URI, or what PUT to the job's output "
                         "answers, is expected.");
  FERMATA_TRY(text, parts_.files.blob(options_.account, own->sha256));
  if (!text) return fermata::fail(ErrorCode::invalid_field, "result_ptr names no bytes.");
  FERMATA_TRY(value, parse_json(*text, {.nesting_max = nesting_max}));
  return job::Payload::of(std::move(value));
}

Outcome<job::Payload> Gateway::read_body(const std::string& text) const {
  FERMATA_TRY(value, parse_json(text, {.nesting_max = options_.limits.report.nesting_max}));
  return job::Payload::of(std::move(value));
}

void Gateway::result(WireDelivery delivery, const cap::JobResult& result) {
  if (front::cap::is_progress(result.status)) {
    hear_progress({result.job_id, 0, "", result.status, result.dispatch});
    return ack(delivery);
  }
  auto report = front::cap::read_report(result);
  if (!report) return refuse(delivery, report.error());
  std::optional<WireJob> named = front::cap::read_wire_job_id(result.job_id);
  if (!named) return refuse(delivery, {ErrorCode::invalid_field, "job_id is no id of a job.", {}});
  auto found = find(named->job);
  if (!found) return fail(delivery, found.error());
  // An unknown job is no reason to worry anybody (J-12).
  if (!*found) return ack(delivery);
  const job::Job& job = **found;
  if (report->status == job::AttemptOutcome::succeeded) {
    auto lying = lying_body(job, result);
    if (!lying) return fail(delivery, lying.error());
    bool missing = lying->beside && !lying->text;
    if (missing && delivery.deliveries < body_tries) return put_off(delivery, body_pause);
    auto output = lying->beside ? read_body(lying->text.value_or("null")) : output_of(job, result);
    if (missing) {
      // Without its bytes it is no success (C-38).
      report->status = job::AttemptOutcome::failed;
      report->error = job::make_error("result_missing", "result_ptr names nothing that is there.");
    } else if (output) {
      report->output = *std::move(output);
    } else if (output.error().code == ErrorCode::store_unavailable ||
               output.error().code == ErrorCode::io_failed) {
      return fail(delivery, output.error());
    } else if (delivery.deliveries < refusals_before_death) {
      return refuse(delivery, output.error());
    } else {
      // It will not become readable: the attempt has failed (J-65).
      report->status = job::AttemptOutcome::failed;
      report->error = job::make_error("invalid_result", output.error().message);
    }
  }
  front::cap::Meant meant = front::cap::attempt_meant(job, *named, result.dispatch);
  // What was never issued is judged as such, inside the commit.
  if (meant.attempt == 0) meant.fence = job.last_fence + 1;
  job::ReportResult body;
  body.spoken = {meant.attempt, meant.fence, WorkerId(result.worker_id), meant.pool};
  body.report = *std::move(report);
  send(std::move(delivery),
       {named->job, std::move(body), "worker " + result.worker_id, options_.account});
}

void Gateway::hear_progress(const cap::JobProgress& progress) {
  std::optional<WireJob> named = front::cap::read_wire_job_id(progress.job_id);
  if (!named) return;
  auto job = find(named->job);
  if (!job || !*job) return;
  const job::Attempt* open = (*job)->open_attempt();
  front::cap::Meant meant = front::cap::attempt_meant(**job, *named, progress.dispatch);
  if (!open || meant.fence != open->fence) return;
  fleet::Progress said;
  if (progress.percent > 0) said.percent = static_cast<uint32_t>(std::min(progress.percent, 100));
  said.message = progress.message.substr(0, job::error_text_bytes_max);
  (void)parts_.jobs.with_workers(
      [this, worker = open->worker, lease = fleet::LeaseKey{named->job, open->fence},
       said](Workers& workers) { workers_.progress(workers, worker, lease, said); });
}

void Gateway::hear_beat(const cap::Heartbeat& beat, Instant sent_at) {
  if (!is_subject_token(beat.worker_id)) {
    if (options_.warn)
      options_.warn("A worker's id cannot stand in a subject",
                    beat.worker_id.substr(0, fleet::worker_id_bytes_max));
    return;
  }
  Instant now = parts_.clock.now();
  bool pending = true;
  if (beat.active_jobs <= 0)
    if (auto left = parts_.wire.pending("sys.job.result")) pending = *left > 0;
  Instant sent = sent_at.ms > 0 ? std::min(sent_at, now) : now;
  (void)parts_.jobs.with_workers([this, beat, sent, pending](Workers& workers) {
    workers_.beat(workers, beat, sent, pending);
  });
}

void Gateway::tell_cancelled(const WorkerId& worker, const fleet::LeaseKey& lease,
                             bool understood) {
  auto job = find(lease.job);
  if (!job || !*job) return;
  const job::Attempt* attempt = (*job)->find_attempt(lease.fence);
  if (!attempt) return;
  front::cap::Outgoing out =
      front::cap::cancel_of(lease.job, attempt->attempt, lease.fence,
                            workers_.terms_of(worker, attempt->registration, understood));
  (void)parts_.wire.publish({0, out.subject, out.message_id, parts_.codec.write(out.packet)});
}

}  // namespace fermata::server
