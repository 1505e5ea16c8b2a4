#include <iterator>
#include <sstream>

#include "base/check.h"
#include "base/json.h"
#include "core/job/history.h"
#include "core/job/request_read.h"
#include "core/job/view.h"
#include "test/scenario/player.h"

/// What a scenario does with jobs and workers, and what it may demand of them.
namespace fermata::scenario {

namespace {

constexpr int tellings_max = 20;
const AccountId jobs_account("acme");

bool is_broken(const Error& error) {
  return error.code == ErrorCode::store_unavailable || error.code == ErrorCode::outcome_unknown;
}

std::string names_of(const std::vector<fleet::LeaseKey>& keys) {
  std::string text;
  for (const fleet::LeaseKey& key : keys) text += (text.empty() ? "" : " ") + key.job.text();
  return text.empty() ? "none" : text;
}

/// Names in an order that does not depend on who was asked; a repeated answer gives them sorted.
std::string in_order(const std::string& names) {
  std::istringstream in(names);
  std::set<std::string> sorted{std::istream_iterator<std::string>(in), {}};
  std::string text;
  for (const std::string& name : sorted) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// The words up to the end of the line, or `none`.
std::string words_left(Words& words) {
  std::string text;
  while (!words.empty()) text += (text.empty() ? "" : " ") + words.word("a name");
  return text;
}

}  // namespace

Outcome<JobTold> World::tell_job(const job::Command& command) {
  for (int tries = 0; tries < tellings_max; ++tries) {
    auto box = std::make_shared<std::optional<Outcome<JobTold>>>();
    check(host_->submit_job(command, [box](Outcome<JobTold> told) { box->emplace(told); }));
    settle();
    if (*box && !(manner_.heals && !**box && is_broken((*box)->error()))) return **box;
  }
  throw Mistake{0, "a job never answers"};
}

void World::ask_workers(std::function<void(Workers&)> visit) {
  check(host_->with_workers(std::move(visit)));
  settle();
}

job::Job World::job_state(const JobId& id) {
  auto stored = memory_.find_job(id);
  check(static_cast<bool>(stored));
  if (stored->version == 0) throw Mistake{0, "there is no job " + id.text()};
  auto state = job::fold(id, stored->history);
  if (!state) throw Mistake{0, "the job cannot be folded: " + state.error().message};
  return *std::move(state);
}

Player::Hand& Player::hand(Words& words) {
  std::string name = words.word("a worker");
  auto found = hands_.find(name);
  if (found == hands_.end()) words.fail("there is no worker " + name);
  return found->second;
}

/// `worker NAME [topics A,B] [pool P] [slots N]`; one of the same name takes its place.
void Player::on_worker(Words& words, const Line&) {
  words.accept("worker");
  Hand fresh;
  fresh.name = words.word("a worker's name");
  fleet::WorkerCard card;
  card.worker = WorkerId(fresh.name);
  card.topics = {"*"};
  card.max_parallel = 8;
  while (!words.empty()) {
    std::string option = words.word("an option");
    if (option == "topics") {
      card.topics = {job::full_topic(words.word("a topic"))};
    } else if (option == "pool") {
      card.pool = words.word("a pool");
    } else if (option == "slots") {
      card.max_parallel = static_cast<uint32_t>(words.number("slots"));
    } else {
      words.fail("worker takes topics, pool and slots, not " + option);
    }
  }
  fleet::normalize(card);
  fresh.slots = card.max_parallel;
  // A worker that begins anew names what it still holds.
  std::vector<fleet::LeaseKey> resume;
  if (auto before = hands_.find(fresh.name); before != hands_.end()) {
    fresh.held = std::move(before->second.held);
    for (const auto& [job, attempts] : fresh.held)
      resume.push_back({JobId(job), attempts.rbegin()->second});
  }
  fresh.registration = RegistrationId("reg-" + std::to_string(++registrations_));
  world_->ask_workers([&](Workers& workers) { workers.enroll(fresh.registration, card, resume); });
  hands_.insert_or_assign(fresh.name, std::move(fresh));
}

/// `claim WORKER [N]`: N slots, as many as it has if none are told. What is there is given at
/// once, what comes within ten seconds when it comes.
void Player::on_claim(Words& words, const Line&) {
  words.accept("claim");
  Hand& worker = hand(words);
  uint32_t slots = words.empty() ? worker.slots : static_cast<uint32_t>(words.number("slots"));
  words.end();
  worker.claimed = std::make_shared<std::optional<Outcome<Workers::Claimed>>>();
  uint64_t seq = ++worker.seq;
  for (int copies = manner_.repeats ? 3 : 1; copies > 0; --copies)
    world_->ask_workers([&, box = worker.claimed](Workers& workers) {
      workers.claim(worker.registration, seq, slots, 10'000,
                    [box](Outcome<Workers::Claimed> claimed) { box->emplace(claimed); });
    });
}

/// What the worker's claim has brought so far is the worker's.
void Player::take_claimed(Hand& worker) {
  if (!worker.claimed || !*worker.claimed) return;
  Outcome<Workers::Claimed> claimed = **std::exchange(worker.claimed, nullptr);
  worker.last_claimed.clear();
  if (!claimed) {
    worker.last_claimed = std::string(fermata::name_of(claimed.error().code));
    return;
  }
  for (const Value& job : claimed->jobs) {
    std::string name(job.get("job_id").as_string());
    auto attempt = static_cast<uint32_t>(job.get("attempt").as_integer());
    worker.held[name][attempt] = static_cast<uint64_t>(job.get("fence").as_integer());
    worker.last_claimed += (worker.last_claimed.empty() ? "" : " ") + name;
  }
}

/// `expect claimed WORKER JOB…`, or `none`, or the code of a refusal.
void Player::expect_claimed(Words& words) {
  Hand& worker = hand(words);
  bool open = worker.claimed && !*worker.claimed;
  take_claimed(worker);
  std::string got = open || worker.last_claimed.empty() ? "none" : worker.last_claimed;
  int line = words.line();
  demand(line, "claimed by " + worker.name, in_order(words_left(words)), in_order(got));
}

/// `report WORKER JOB OUTCOME [OUTPUT] [attempt N] [fence N]`
void Player::on_report(Words& words, const Line&) {
  words.accept("report");
  Hand& worker = hand(words);
  take_claimed(worker);
  ReportedResult result;
  std::string job = words.word("a job");
  result.job = JobId(job);
  auto outcome = job::report_status_of(words.word("an outcome"));
  if (!outcome) words.fail("an outcome such as succeeded or failed is expected");
  result.report.status = *outcome;
  Value given = words.at_json() ? words.json("an output") : Value();
  if (*outcome == job::AttemptOutcome::succeeded) {
    result.report.output = job::Payload::of(given);
  } else {
    result.report.error = job::make_error("broken", "it broke");
  }
  const auto& held = worker.held[job];
  if (!held.empty()) std::tie(result.attempt, result.fence) = *held.rbegin();
  if (words.accept("attempt")) {
    result.attempt = static_cast<uint32_t>(words.number("an attempt"));
    if (auto found = held.find(result.attempt); found != held.end()) result.fence = found->second;
  }
  if (words.accept("fence")) result.fence = static_cast<uint64_t>(words.number("a fence"));
  words.end();
  answer_.clear();
  for (int copies = manner_.repeats ? 3 : 1; copies > 0; --copies)
    world_->ask_workers([&](Workers& workers) {
      workers.report(worker.registration, {result},
                     [this](Outcome<std::vector<job::Answer>> answers) {
                       // What comes again is answered as such; the first answer counts.
                       if (!answer_.empty()) return;
                       answer_ = answers ? std::string(job::name_of(answers->at(0)))
                                         : std::string(fermata::name_of(answers.error().code));
                     });
    });
}

/// `heartbeat WORKER [JOB…]`: it is alive and holds these, or all that it was given.
void Player::on_heartbeat(Words& words, const Line&) {
  words.accept("heartbeat");
  Hand& worker = hand(words);
  take_claimed(worker);
  fleet::Fleet::Beat beat;
  beat.last_seq = worker.seq;
  if (words.empty()) {
    for (const auto& [job, attempts] : worker.held)
      if (!attempts.empty()) beat.leases.push_back({{JobId(job), attempts.rbegin()->second}, {}});
  }
  while (!words.empty()) {
    std::string job = words.word("a job");
    if (job == "none") break;
    if (worker.held[job].empty()) words.fail(worker.name + " was never given " + job);
    beat.leases.push_back({{JobId(job), worker.held[job].rbegin()->second}, {}});
  }
  words.end();
  world_->ask_workers([&](Workers& workers) {
    auto answer = workers.heartbeat(worker.registration, beat);
    worker.lost =
        answer ? names_of(answer->lost) : std::string(fermata::name_of(answer.error().code));
    worker.cancels = answer ? names_of(answer->cancels) : worker.lost;
  });
}

/// `dismiss WORKER`: it leaves and hands back what it has.
void Player::on_dismiss(Words& words, const Line&) {
  words.accept("dismiss");
  Hand& worker = hand(words);
  words.end();
  world_->ask_workers([&](Workers& workers) { (void)workers.dismiss(worker.registration); });
}

/// `submit JOB TOPIC [INPUT] [with {…}]`: the other fields of a request.
void Player::on_submit(Words& words, const Line&) {
  words.accept("submit");
  JobId id(words.word("a job's id"));
  Value body = Value::object({{"topic", words.word("a topic")}});
  if (words.at_json()) body.set("input", words.json("an input"));
  if (words.accept("with")) {
    Value more = words.json("fields");
    for (const Value::Member& field : more.members()) body.set(field.key.as_string(), field.value);
  }
  words.end();
  auto read = job::read_request(body, {"tester", job::ActorType::human}, {}, {});
  if (!read.findings.empty())
    words.fail("the request is wrong: " + read.findings[0].path + " " + read.findings[0].message);
  job::SubmitJob submit;
  submit.account = jobs_account;
  submit.request = std::move(read.request);
  submit.submitter = "tester";
  tell({id, std::move(submit), "tester"});
}

/// `policy {…}`: a base document, in force from now on.
void Player::on_policy(Words& words, const Line&) {
  words.accept("policy");
  policy::Sources sources;
  sources.base = words.json("a document");
  words.end();
  auto set = policy::PolicySet::compile(std::move(sources), scan::complaint_about_pattern);
  if (!set) words.fail("the policy is wrong: " + set.error().message);
  world_->set_policy(*set);
}

/// `scanner works`, `broken` or `silent`.
void Player::on_scanner(Words& words, const Line&) {
  words.accept("scanner");
  std::string mood = words.word("works, broken or silent");
  words.end();
  using Mood = DirectScans::Mood;
  if (mood != "works" && mood != "broken" && mood != "silent")
    words.fail("a scanner works, is broken or silent, not " + mood);
  world_->scanner() = mood == "works"    ? Mood::works
                      : mood == "broken" ? Mood::broken
                                         : Mood::silent;
}

/// `job ID cancel [REASON]`, `job ID wake`, `job ID release`, `job ID discard`.
void Player::on_job(Words& words, const Line&) {
  words.accept("job");
  JobId id(words.word("a job's id"));
  std::string verb = words.word("cancel, wake, release or discard");
  job::CommandBody body = job::WakeJob{};
  job::Voter ann{"ann", "operator", false};
  if (verb == "cancel") {
    body = job::CancelJob{words_left(words)};
  } else if (verb == "release") {
    auto held = world_->store().held_output(id);
    auto output = held && *held ? parse_json(**held) : Outcome<Value>(Value());
    body = job::ReleaseOutput{ann, "", job::Payload::of(*output)};
  } else if (verb == "discard") {
    body = job::DiscardOutput{ann, ""};
  } else if (verb != "wake") {
    words.fail("a job takes cancel, wake, release and discard, not " + verb);
  }
  words.end();
  tell({id, std::move(body), "tester"});
}

void Player::tell(const job::Command& command) {
  Outcome<JobTold> told = world_->tell_job(command);
  for (int copies = manner_.repeats ? 2 : 0; copies > 0; --copies) (void)world_->tell_job(command);
  refusals_.clear();
  replies_ = 1;
  if (told) answer_ = std::string(job::name_of(told->answer));
  if (!told) refusals_.emplace_back(fermata::name_of(told.error().code));
  refusals_expected_ = manner_.heals;
}

/// `expect job ID [/pointer V]`, as the API shows it; with `attempts` before the pointer its
/// attempts, oldest first.
void Player::expect_job(Words& words) {
  job::Job state = world_->job_state(JobId(words.word("a job's id")));
  if (words.accept("attempts")) return expect_at(words, "attempts", job::view::attempts(state));
  expect_at(words, "job", job::view::job(state, World::start));
}

/// `expect answer A`: to the latest report or command; `expect lost WORKER JOB…` and `expect
/// cancels WORKER JOB…`: to its latest heartbeat.
void Player::expect_answer(const std::string& what, Words& words) {
  if (what == "answer") return demand(words.line(), "answer", words.word("an answer"), answer_);
  Hand& worker = hand(words);
  int line = words.line();
  demand(line, what + " told to " + worker.name, words_left(words),
         what == "lost" ? worker.lost : worker.cancels);
}

}  // namespace fermata::scenario
