#include "core/job/view.h"
#include "host/deferral.h"
#include "host/job_desk.h"

/// What workers say, and what they are told.
namespace fermata {

fleet::Fleet::Enrolled JobDesk::enroll(const RegistrationId& id, fleet::WorkerCard card,
                                       const std::vector<fleet::LeaseKey>& resume) {
  fleet::Fleet::Enrolled enrolled = fleet_.enroll(now_, id, std::move(card), resume);
  lose(enrolled.given_up);
  fail_claims_of_the_gone();
  return enrolled;
}

Outcome<void> JobDesk::dismiss(const RegistrationId& id) {
  FERMATA_TRY(lost, fleet_.dismiss(id));
  lose(lost);
  fail_claims_of_the_gone();
  return {};
}

void JobDesk::claim(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
                    ClaimReply reply) {
  wait_for_answer(id, seq, fleet_.claim(now_, id, seq, slots, wait_ms), std::move(reply));
}

void JobDesk::await(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
                    ClaimReply reply) {
  wait_for_answer(id, seq, fleet_.claim(now_, id, seq, slots, wait_ms, false), std::move(reply));
}

void JobDesk::quit(const RegistrationId& id, uint64_t seq) {
  fleet_.quit_claim(id, seq);
  auto waiting = claims_.find(id);
  if (waiting != claims_.end() && waiting->second.seq == seq) claims_.erase(waiting);
}

Outcome<Workers::Claimed> JobDesk::outstanding(const RegistrationId& id,
                                               std::optional<uint64_t> after) {
  FERMATA_TRY(answer, fleet_.outstanding(id, after));
  return deliver(answer);
}

void JobDesk::wait_for_answer(const RegistrationId& id, uint64_t seq,
                              Outcome<std::optional<fleet::ClaimAnswer>> answer, ClaimReply reply) {
  if (!answer) return reply(Failure{answer.error()});
  if (*answer) return reply(deliver(**answer));
  auto waiting = claims_.find(id);
  if (waiting != claims_.end() && waiting->second.seq != seq) {
    fail_claims(id, Error{ErrorCode::registration_replaced,
                          "the worker has claimed again under a later seq",
                          {}});
    waiting = claims_.end();
  }
  if (waiting == claims_.end()) waiting = claims_.emplace(id, WaitingClaim{seq, {}}).first;
  waiting->second.replies.push_back(std::move(reply));
}

Outcome<fleet::Fleet::BeatAnswer> JobDesk::heartbeat(const RegistrationId& id,
                                                     const fleet::Fleet::Beat& beat) {
  FERMATA_TRY(answer, fleet_.heartbeat(now_, id, beat));
  for (const fleet::LeaseKey& key : answer.started) send(key.job, job::NoteLife{key.fence});
  for (const fleet::LeaseKey& key : answer.undelivered)
    send(key.job, job::MarkUndelivered{key.fence});
  lose(answer.forgotten);
  return answer;
}

Outcome<fleet::Fleet::Renewal> JobDesk::renew(const RegistrationId& id,
                                              const fleet::LeaseKey& lease,
                                              fleet::Progress progress) {
  FERMATA_TRY(renewed, fleet_.renew(now_, id, lease, std::move(progress)));
  if (renewed.started) send(lease.job, job::NoteLife{lease.fence});
  return renewed.answer;
}

namespace {

/// The answers of a body of results, as they come in.
struct Gathered {
  std::vector<job::Answer> answers;
  std::optional<Error> failure;
  size_t left = 0;
  Workers::ReportReply reply;

  void one_less() {
    if (--left > 0) return;
    if (failure) {
      reply(Failure{*std::move(failure)});
    } else {
      reply(std::move(answers));
    }
  }
};

/// For whom the worker may speak: its one account, or anybody's.
AccountId account_of(const fleet::WorkerCard& card) {
  return card.accounts.size() == 1 ? AccountId(card.accounts.front()) : AccountId();
}

job::Report unreadable_report() {
  job::Report report;
  report.status = job::AttemptOutcome::failed;
  report.error = job::make_error("invalid_result", "the worker's results cannot be read");
  return report;
}

}  // namespace

void JobDesk::report(const RegistrationId& id, std::vector<ReportedResult> results,
                     ReportReply reply) {
  auto speaker = fleet_.speak(now_, id);
  if (!speaker) return reply(Failure{speaker.error()});
  const fleet::WorkerCard card = (*speaker)->card;
  auto gathered = std::make_shared<Gathered>();
  gathered->answers.assign(results.size(), job::Answer::unknown_job);
  gathered->left = results.size() + 1;
  gathered->reply = std::move(reply);
  for (size_t i = 0; i < results.size(); ++i) {
    ReportedResult& result = results[i];
    bool send_it = result.valid || fleet_.note_invalid_report({result.job, result.fence});
    if (!send_it) {
      gathered->one_less();
      continue;
    }
    job::ReportResult body;
    // What cannot be read says nothing of the attempt either.
    body.spoken = {result.valid ? result.attempt : 0, result.fence, card.worker, card.pool};
    body.report = result.valid ? std::move(result.report) : unreadable_report();
    JobItem item{
        .command = {result.job, std::move(body), "worker " + card.worker.text(), account_of(card)}};
    item.reply = [gathered, i](Outcome<JobTold> told) {
      if (told) {
        gathered->answers[i] = told->answer;
      } else if (told.error().code != ErrorCode::job_not_found) {
        gathered->failure = told.error();
      }
      gathered->one_less();
    };
    items_.push_back(std::move(item));
  }
  gathered->one_less();
}

void JobDesk::decline(const RegistrationId& id, const fleet::LeaseKey& lease, std::string reason,
                      int64_t retry_after_ms, JobReply reply) {
  auto speaker = fleet_.speak(now_, id);
  if (!speaker) return reply(Failure{speaker.error()});
  const fleet::WorkerCard& card = (*speaker)->card;
  job::DeclineJob body;
  body.spoken = {0, lease.fence, card.worker, card.pool};
  body.reason = std::move(reason);
  body.retry_after_ms = retry_after_ms;
  JobItem item{
      .command = {lease.job, std::move(body), "worker " + card.worker.text(), account_of(card)}};
  item.reply = std::move(reply);
  items_.push_back(std::move(item));
}

void JobDesk::drain(const WorkerId& worker, bool on, std::optional<Instant> until) {
  fleet_.drain(now_, worker, on, until);
}

void JobDesk::answer_claims(Instant now) {
  now_ = now;
  for (const fleet::ClaimAnswer& answer : fleet_.take_answers(now)) {
    auto waiting = claims_.find(answer.registration);
    if (waiting == claims_.end() || waiting->second.seq != answer.seq) continue;
    std::vector<ClaimReply> replies = std::move(waiting->second.replies);
    claims_.erase(waiting);
    Outcome<Claimed> claimed = deliver(answer);
    for (ClaimReply& reply : replies) reply(claimed);
  }
}

/// The jobs of an answer as they stand. What a job has gone through since is told by its absence:
/// the worker's heartbeat will not name it.
Outcome<Workers::Claimed> JobDesk::deliver(const fleet::ClaimAnswer& answer) {
  std::vector<JobId> ids;
  for (const fleet::LeaseKey& key : answer.jobs) ids.push_back(key.job);
  FERMATA_TRY_VOID(cache_.fetch(ids));
  Claimed claimed;
  for (const fleet::LeaseKey& key : answer.jobs) {
    const OpenJob* open = cache_.find(key.job);
    const job::Attempt* attempt = open ? open->job.open_attempt() : nullptr;
    if (attempt && attempt->fence == key.fence)
      claimed.jobs.push_back(job::view::delivery(open->job));
  }
  claimed.cancels = answer.cancels;
  claimed.drain = answer.drain;
  claimed.seq = answer.seq;
  return claimed;
}

void JobDesk::fail_claims(const RegistrationId& id, const Error& error) {
  auto found = claims_.find(id);
  if (found == claims_.end()) return;
  std::vector<ClaimReply> replies = std::move(found->second.replies);
  claims_.erase(found);
  for (ClaimReply& reply : replies) reply(Failure{error});
}

void JobDesk::fail_claims_of_the_gone() {
  std::vector<RegistrationId> gone;
  for (const auto& [id, waiting] : claims_)
    if (!fleet_.find(id)) gone.push_back(id);
  for (const RegistrationId& id : gone) fail_claims(id, fleet_.speak(now_, id).error());
}

RollWrite JobDesk::take_roll() {
  if (roll_put_off_until_ && !is_due(*roll_put_off_until_, now_)) return {};
  roll_put_off_until_.reset();
  return {fleet_.unwritten(now_), fleet_.forgotten()};
}

std::optional<Instant> JobDesk::next_roll() const {
  std::optional<Instant> write = fleet_.next_write();
  if (write && roll_put_off_until_ && *roll_put_off_until_ > *write) return roll_put_off_until_;
  return write;
}

/// Not at once: what ails the store is not cured by asking again and again.
void JobDesk::roll_not_written(const RollWrite& roll, Instant now) {
  fleet_.not_written(roll.written, roll.forgotten);
  roll_put_off_until_ = now + put_off_max;
}

void JobDesk::stop() {
  Error error{ErrorCode::shutting_down, "the engine stops", {}};
  while (!claims_.empty()) fail_claims(RegistrationId(claims_.begin()->first), error);
  kernel_.stop();
}

}  // namespace fermata
