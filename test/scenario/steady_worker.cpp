#include "test/scenario/steady_worker.h"

namespace fermata::scenario {

namespace {
constexpr int rounds_max = 300;
constexpr Duration pause{1'000};
}  // namespace

job::Report SteadyWorker::success(Value output) {
  job::Report report;
  report.status = job::AttemptOutcome::succeeded;
  report.output = job::Payload::of(std::move(output));
  return report;
}

job::Report SteadyWorker::failure(job::AttemptOutcome how) {
  job::Report report;
  report.status = how;
  report.error = job::make_error("broken", "it broke");
  return report;
}

bool SteadyWorker::work_until(const std::function<bool()>& holds) {
  for (int i = 0; i < rounds_max; ++i) {
    if (holds()) return true;
    round();
    if (holds()) return true;
    world_.advance(pause);
  }
  return holds();
}

void SteadyWorker::round() {
  if (!registered_) enroll();
  if (registered_) claim();
  if (registered_) report();
}

void SteadyWorker::enroll() {
  registration_ = RegistrationId("steady-" + std::to_string(++registrations_));
  fleet::WorkerCard card;
  card.worker = WorkerId("steady");
  card.topics = {"*"};
  card.max_parallel = 8;
  fleet::normalize(card);
  std::vector<fleet::LeaseKey> resume;
  for (const auto& [job, held] : held_) resume.push_back({JobId(job), held.fence});
  auto heard = std::make_shared<bool>(false);
  world_.ask_workers([=, id = registration_](Workers& workers) {
    workers.enroll(id, card, resume);
    *heard = true;
  });
  registered_ = *heard;
  seq_ = 0;
  answered_ = true;
}

void SteadyWorker::claim() {
  // What was not answered is asked again under its number.
  if (answered_) ++seq_;
  auto box = std::make_shared<std::optional<Outcome<Workers::Claimed>>>();
  world_.ask_workers([box, id = registration_, seq = seq_](Workers& workers) {
    workers.claim(id, seq, 8, 0,
                  [box](Outcome<Workers::Claimed> claimed) { box->emplace(std::move(claimed)); });
  });
  answered_ = box->has_value();
  if (!answered_) return;
  if (!**box) {
    registered_ = (*box)->error().code == ErrorCode::store_unavailable ||
                  (*box)->error().code == ErrorCode::outcome_unknown;
    answered_ = !registered_;
    return;
  }
  for (const Value& job : (**box)->jobs) take(job);
}

void SteadyWorker::take(const Value& delivered) {
  ++deliveries_;
  std::string key(delivered.get("idempotency_key").as_string());
  if (keys_.insert(key).second) effects_.emplace_back(delivered.get("topic").as_string());
  Held held;
  held.attempt = static_cast<uint32_t>(delivered.get("attempt").as_integer());
  held.fence = static_cast<uint64_t>(delivered.get("fence").as_integer());
  held.report = work_(delivered);
  held_.insert_or_assign(std::string(delivered.get("job_id").as_string()), std::move(held));
}

void SteadyWorker::report() {
  for (auto at = held_.begin(); at != held_.end() && registered_;) {
    const Held& held = at->second;
    ReportedResult result;
    result.job = JobId(at->first);
    result.attempt = held.attempt;
    result.fence = held.fence;
    result.report = held.report;
    auto box = std::make_shared<std::optional<Outcome<std::vector<job::Answer>>>>();
    world_.ask_workers([box, result, id = registration_](Workers& workers) {
      workers.report(id, {result}, [box](Outcome<std::vector<job::Answer>> answers) {
        box->emplace(std::move(answers));
      });
    });
    bool told = *box && **box;
    if (*box && !**box && (*box)->error().code == ErrorCode::registration_not_found)
      registered_ = false;
    at = told ? held_.erase(at) : std::next(at);
  }
}

}  // namespace fermata::scenario
