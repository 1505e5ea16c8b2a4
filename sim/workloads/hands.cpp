#include "sim/workloads/hands.h"

#include <algorithm>

#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

constexpr int64_t claim_wait_ms = 5'000;
/// A claim that is not answered by then was lost.
constexpr Duration claim_patience{8'000};
constexpr Duration beat_every{4'000};

}  // namespace

Value Hands::output_of(const JobId& job, uint64_t fence) {
  return Value::object({{"job", job.text()}, {"fence", fence}});
}

void Hands::hire(World& world, int64_t count, bool may_fail, std::vector<std::string> pools) {
  may_fail_ = may_fail;
  pools_ = std::move(pools);
  for (int64_t i = 0; i < count; ++i) {
    Hand hand{"hand-" + std::to_string(i)};
    hand.next_at = world.clock().true_now() + Duration{world.chaos().between(0, 3'000)};
    hands_.push_back(std::move(hand));
  }
}

std::optional<Instant> Hands::next() const {
  std::optional<Instant> next;
  for (const Hand& hand : hands_)
    if (!next || hand.next_at < *next) next = hand.next_at;
  return next;
}

uint64_t Hands::deliveries(const fleet::LeaseKey& lease) const {
  auto found = holders_.find(lease);
  return found == holders_.end() ? 0 : found->second.size();
}

void Hands::act(World& world) {
  for (Hand& hand : hands_) {
    if (hand.next_at > world.clock().true_now()) continue;
    hand.next_at = world.clock().true_now() + Duration{world.chaos().between(20, 1'500)};
    step(world, hand);
  }
}

bool Hands::arrives(World& world) { return !world.chaos().strikes(Fault::call_lost); }

void Hands::visit(World& world, std::function<void(Workers&)> visit) {
  if (!arrives(world)) return;
  if (world.chaos().strikes(Fault::call_twice))
    expect(world.job_intake().with_workers(visit), "the queue of a small world is full");
  expect(world.job_intake().with_workers(std::move(visit)), "the queue of a small world is full");
}

void Hands::step(World& world, Hand& hand) {
  Instant now = world.clock().true_now();
  Random& dice = world.chaos().dice();
  bool wild = !world.chaos().healed() && !world.chaos().calm();
  if (wild && dice.chance(0.02)) {
    // Dies; whether the next life knows what this one did depends.
    ++hand.life;
    hand.registration = RegistrationId();
    hand.enrolling = false;
    if (dice.chance(0.5)) hand.doing.clear();
    return;
  }
  if (hand.registration.empty()) return enroll(world, hand);
  if (now >= hand.beat_at) {
    hand.beat_at = now + beat_every;
    beat(world, hand);
  }
  // Where fences are not looked at it speaks of the past more often.
  double talkative = world.sabotage() == Sabotage::fence ? 0.7 : 0.1;
  if (wild && !hand.past.empty() && dice.chance(talkative)) {
    auto old = hand.past.begin();
    std::advance(old, dice.below(hand.past.size()));
    report(world, hand, old->first, old->second);
  }
  for (const auto& [lease, doing] : hand.doing)
    if (doing.done_at <= now) {
      // A copy: what is told may take it away.
      fleet::LeaseKey told = lease;
      return report(world, hand, told, doing.attempt);
    }
  if (!hand.claimed_at || *hand.claimed_at + claim_patience <= now) claim(world, hand);
}

void Hands::lost_touch(Hand& hand, int life) {
  if (hand.life != life) return;
  ++hand.life;
  hand.registration = RegistrationId();
}

void Hands::forget(Hand& hand, const std::vector<fleet::LeaseKey>& leases) {
  for (const fleet::LeaseKey& lease : leases) {
    auto found = hand.doing.find(lease);
    if (found == hand.doing.end()) continue;
    hand.past[lease] = found->second.attempt;
    hand.doing.erase(found);
  }
}

void Hands::enroll(World& world, Hand& hand) {
  RegistrationId id(hand.name + "." + std::to_string(++registrations_));
  fleet::WorkerCard card;
  card.worker = WorkerId(hand.name);
  card.topics = {"*"};
  card.max_parallel = 3;
  card.pool = pools_[static_cast<size_t>(hand.life) % pools_.size()];
  fleet::normalize(card);
  std::vector<fleet::LeaseKey> resume;
  for (const auto& [lease, doing] : hand.doing) resume.push_back(lease);
  int life = hand.life;
  // A registration that is repeated by the network is a second life of its own.
  auto tries = std::make_shared<int>(0);
  visit(world, [this, &world, &hand, id, card, resume, life, tries](Workers& workers) {
    RegistrationId given = (*tries)++ == 0 ? id : RegistrationId(id.text() + "'");
    auto enrolled = workers.enroll(given, card, resume);
    if (hand.life != life || !arrives(world)) return;
    hand.registration = given;
    hand.seq = hand.last_seq = 0;
    hand.claimed_at.reset();
    forget(hand, enrolled.lost);
  });
}

void Hands::claim(World& world, Hand& hand) {
  // One that was not answered is repeated under its seq, or given up.
  bool again = hand.claimed_at && world.chaos().dice().chance(0.7);
  if (!again) {
    if (hand.claimed_at) hand.last_seq = hand.seq;
    ++hand.seq;
  }
  hand.claimed_at = world.clock().true_now();
  int life = hand.life;
  visit(world, [this, &world, &hand, life, id = hand.registration,
                seq = hand.seq](Workers& workers) {
    workers.claim(id, seq, 2, claim_wait_ms,
                  [this, &world, &hand, life, seq](Outcome<Workers::Claimed> claimed) {
                    if (hand.life != life || hand.seq != seq || !arrives(world)) return;
                    if (!claimed) {
                      if (claimed.error().code != ErrorCode::store_unavailable)
                        lost_touch(hand, life);
                      return;
                    }
                    hand.claimed_at.reset();
                    hand.last_seq = seq;
                    for (const Value& job : claimed->jobs) {
                      fleet::LeaseKey lease{JobId(std::string(job.get("job_id").as_string())),
                                            static_cast<uint64_t>(job.get("fence").as_integer())};
                      holders_[lease].insert(hand.name);
                      expect(holders_[lease].size() == 1,
                             "two workers have job " + lease.job.text() + " under one fence");
                      auto attempt = static_cast<uint32_t>(job.get("attempt").as_integer());
                      if (attempt > 1) world.probe(Probe::job_given_again);
                      Instant done =
                          world.clock().true_now() + Duration{world.chaos().between(0, 10'000)};
                      hand.doing.try_emplace(lease, Doing{attempt, done});
                    }
                    forget(hand, claimed->cancels);
                  });
  });
}

void Hands::beat(World& world, Hand& hand) {
  fleet::Fleet::Beat beat;
  beat.last_seq = hand.last_seq;
  for (const auto& [lease, doing] : hand.doing) beat.leases.push_back({lease, {}});
  int life = hand.life;
  visit(world, [this, &world, &hand, life, beat, id = hand.registration](Workers& workers) {
    auto answer = workers.heartbeat(id, beat);
    if (hand.life != life || !arrives(world)) return;
    if (!answer) return lost_touch(hand, life);
    forget(hand, answer->lost);
    forget(hand, answer->cancels);
  });
}

job::Report Hands::report_of(World& world, const fleet::LeaseKey& lease) {
  auto [decided, fresh] = fails_.try_emplace(lease, false);
  if (fresh) decided->second = may_fail_ && world.chaos().dice().chance(0.2);
  std::optional<Value> output = output_of(lease.job, lease.fence);
  if (answers_) output = answers_(world.jobs().at(lease.job));
  job::Report report;
  report.usage.cost_micros = cost_micros_;
  auto [fatal, undecided] = fatals_.try_emplace(lease, false);
  if (undecided && fatal_) fatal->second = fatal_(world.jobs().at(lease.job));
  if (fatal->second) {
    report.status = job::AttemptOutcome::failed_fatal;
    report.error = job::make_error("broken", "all is lost");
    return report;
  }
  if (decided->second || !output) {
    report.status = job::AttemptOutcome::failed;
    report.error = job::make_error("clumsy", "dropped it");
  } else {
    report.status = job::AttemptOutcome::succeeded;
    report.output = job::Payload::of(*std::move(output));
  }
  return report;
}

void Hands::report(World& world, Hand& hand, const fleet::LeaseKey& lease, uint32_t attempt) {
  ReportedResult result;
  result.job = lease.job;
  result.fence = lease.fence;
  result.attempt = attempt;
  result.report = report_of(world, lease);
  if (world.sabotage() == Sabotage::fence) {
    // As if nobody looked at fences: every word is taken for one about the attempt under way.
    auto known = world.jobs().find(lease.job);
    const job::Attempt* open = known == world.jobs().end() ? nullptr : known->second.open_attempt();
    if (open && open->worker.text() == hand.name) {
      result.fence = open->fence;
      result.attempt = open->attempt;
    }
  }
  int life = hand.life;
  visit(world, [this, &world, &hand, life, lease, result,
                id = hand.registration](Workers& workers) {
    workers.report(id, {result},
                   [this, &world, &hand, life, lease](Outcome<std::vector<job::Answer>> answers) {
                     if (hand.life != life || !arrives(world)) return;
                     if (!answers) {
                       bool passing = answers.error().code == ErrorCode::store_unavailable ||
                                      answers.error().code == ErrorCode::outcome_unknown;
                       if (!passing) lost_touch(hand, life);
                       return;
                     }
                     job::Answer answer = answers->front();
                     if (answer == job::Answer::stale) world.probe(Probe::job_word_stale);
                     if (answer == job::Answer::duplicate) world.probe(Probe::job_word_repeated);
                     expect(answer != job::Answer::conflict && answer != job::Answer::future,
                            "job " + lease.job.text() + ": a worker's word is answered " +
                                std::string(name_of(answer)));
                     forget(hand, {lease});
                   });
  });
}

}  // namespace fermata::sim
