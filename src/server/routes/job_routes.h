#pragma once
#include "host/job_intake.h"
#include "server/api.h"

/// The handlers of jobs and workers (job_table.cpp), and what they share.
namespace fermata::server::routes {

void submit_job(Api& api, Call call);
void submit_jobs(Api& api, Call call);
void list_jobs(Api& api, Call call);
void list_jobs_of_worker(Api& api, Call call);
void job_stats(Api& api, Call call);
void get_job(Api& api, Call call);
void get_job_history(Api& api, Call call);
void get_job_attempts(Api& api, Call call);
void get_job_result(Api& api, Call call);
void cancel_job(Api& api, Call call);
void amend_job(Api& api, Call call);
void get_held_output(Api& api, Call call);
void release_output(Api& api, Call call);
void discard_output(Api& api, Call call);
void approve_job(Api& api, Call call);
void reject_job(Api& api, Call call);

void get_placement(Api& api, Call call);
void list_queues(Api& api, Call call);
void list_pools(Api& api, Call call);
void put_pool(Api& api, Call call);
void delete_pool(Api& api, Call call);
void put_pool_topic(Api& api, Call call);
void delete_pool_topic(Api& api, Call call);
void drain_pool(Api& api, Call call);
void activate_pool(Api& api, Call call);
void get_limits(Api& api, Call call);
void put_limits(Api& api, Call call);
void list_workers(Api& api, Call call);
void get_worker(Api& api, Call call);
void drain_worker(Api& api, Call call);
void undrain_worker(Api& api, Call call);
void revoke_worker(Api& api, Call call);

void register_worker(Api& api, Call call);
void leave_worker(Api& api, Call call);
void claim_jobs(Api& api, Call call);
void heartbeat(Api& api, Call call);
void renew_lease(Api& api, Call call);
void report_results(Api& api, Call call);
void decline_job(Api& api, Call call);
void stream_worker(Api& api, Call call);
void append_job_log(Api& api, Call call);
void put_blob(Api& api, Call call);
void get_blob(Api& api, Call call);
void put_artifact(Api& api, Call call);

void get_job_log(Api& api, Call call);
void get_job_artifact(Api& api, Call call);
void get_job_blob(Api& api, Call call);
void stream_job(Api& api, Call call);

void list_dead_letters(Api& api, Call call);
void dead_letter_stats(Api& api, Call call);
void get_dead_letter(Api& api, Call call);
void discard_dead_letter(Api& api, Call call);
void purge_dead_letters(Api& api, Call call);
void retry_dead_letter(Api& api, Call call);
void remediate_job(Api& api, Call call);

/// Puts a command into the engine's queue; `done` is called after its commit, on the partition's
/// thread. Refusals are answered here.
using JobDone = std::function<void(Api&, const Call&, const JobTold&)>;
void send_job(Api& api, Call call, job::Command command, JobDone done);
/// Lets the caller in to the workers, on the partition's thread; refused when the engine is full.
using WorkersVisit = std::function<void(Workers&, const Call&)>;
void visit_workers(Api& api, Call call, WorkersVisit visit);
/// The same in the name of a registration; refused when that is another account's.
void visit_registration(Api& api, Call call, RegistrationId id, WorkersVisit visit);
/// Shared workers are everybody's to see; others are those of their accounts.
bool is_seen_by(const fleet::Registration& registration, const Principal& who);
/// True when the worker of the path's first variable is there for the caller to see.
bool knows_worker(const Workers& workers, const Call& call);
void no_such_worker(Api& api, const Call& call);
/// Tells those who look at workers that one is not what it was.
void worker_changed(Api& api, const AccountId& account, const std::string& worker);
/// When a drain is over, by `{timeout_ms?}`; nothing: when all have finished.
Outcome<std::optional<Instant>> drain_end(Api& api, const Call& call);
/// The entry of the path's first variable, if it is the caller's.
Outcome<DeadLetterEntry> own_dead_letter(Api& api, const Call& call);
/// Tells those who look at dead letters that one is not what it was.
void letter_changed(Api& api, const job::DeadLetter& letter);
/// The job of the path's first variable, if it is the caller's.
Outcome<job::Job> own_job(Api& api, const Call& call);
Outcome<job::Job> own_job(Api& api, const AccountId& account, const JobId& id);
/// The value of a payload, from its blob where it lies in one.
Outcome<Value> payload_value(Api& api, const AccountId& account, const job::Payload& payload);
/// The output of a job that has ended, as far as it is for everybody.
Outcome<Value> output_value(Api& api, const job::Job& job);
/// The output that is held beside a job.
Outcome<Value> held_value(Api& api, const JobId& job);
/// `{id, state, request_hash, …, output, error}` of a job that has ended.
Outcome<Value> ended_job(Api& api, const AccountId& account, const JobId& id);
/// Bytes as they are, never to be shown by a browser.
void send_bytes(const Call& call, std::string bytes);
Value lease_list(const std::vector<fleet::LeaseKey>& leases);

}  // namespace fermata::server::routes
