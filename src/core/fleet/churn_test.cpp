#include <gtest/gtest.h>

#include "base/random.h"
#include "core/fleet/fleet.h"
#include "core/job/decide.h"

namespace fermata::fleet {
namespace {

constexpr int workers = 1'000;
constexpr int jobs = 200'000;
constexpr int seconds = 3'600;
constexpr int turns_per_second = workers / 5;  ///< each worker has one about every five seconds

struct Hand {
  RegistrationId registration;  ///< empty: not registered
  uint64_t seq = 0;
  std::map<LeaseKey, uint32_t> doing;  ///< attempt by lease
};

/// An hour of a large fleet. Jobs are forgotten when they have ended, as by a host.
class Hour {
 public:
  explicit Hour(uint64_t seed) : random_(seed), hands_(workers), ends_(jobs, 0) {}

  void live_through() {
    for (int second = 0; second < seconds; ++second) {
      int due = static_cast<int>(int64_t{jobs} * (second + 1) / seconds);
      while (submitted_ < due) submit();
      churn();
      pass();
      if (second % 60 == 0) inspect();
    }
    healed_ = true;
    for (int i = 0; i < workers; ++i) fleet_.drain(now_, worker(i), false);
    for (int second = 0; second < seconds && !open_.empty(); ++second) {
      churn();
      pass();
    }
  }
  /// All workers go away without a word.
  void fall_silent() {
    now_ = now_ + Duration{60'000};
    for (const Lost& lost : fleet_.expire(now_)) lose(lost);
    settle();
  }
  const Fleet& fleet() const { return fleet_; }
  size_t open() const { return open_.size(); }
  const std::vector<int>& ends() const { return ends_; }
  uint64_t deaths = 0, losses = 0, drains = 0, returns = 0, succeeded = 0;
  size_t most_workers = 0;

 private:
  static WorkerId worker(int index) { return WorkerId("w" + std::to_string(index)); }

  void submit() {
    JobId id("j" + std::to_string(submitted_++));
    job::Request request;
    request.topic = "job.t" + std::to_string(submitted_ % 5);
    request.input = job::Payload::of(Value(1));
    request.scheduling_attempts_max = 0;
    open_[id].id = id;
    send(id, job::SubmitJob{AccountId("a" + std::to_string(submitted_ % 7)), request, {}, "key"});
  }

  job::Answer send(const JobId& id, job::CommandBody body) {
    auto found = open_.find(id);
    if (found == open_.end()) return job::Answer::terminal;
    job::Job& job = found->second;
    job::Given given;
    given.now = now_;
    given.entropy = random_.next();
    given.version = ++versions_;
    auto decision = decide(job, job::Command{id, std::move(body)}, given);
    if (!decision) return job::Answer::stale;
    for (const job::Effect& effect : decision->effects)
      if (still_wanted(job, effect)) perform(job, effect);
    if (job.finished()) {
      succeeded += job.state == job::State::succeeded;
      ++ends_[static_cast<size_t>(std::stoul(id.text().substr(1)))];
      open_.erase(found);
    } else if (auto due = next_due(job, Instant{})) {
      alarms_.emplace(*due, id);
    }
    return decision->answer;
  }

  void perform(const job::Job& job, const job::Effect& effect) {
    if (std::holds_alternative<job::OfferJob>(effect))
      fleet_.offer(now_, ready_job(summarize(job, Instant{})));
    if (std::holds_alternative<job::WithdrawJob>(effect)) fleet_.withdraw(job.id);
    if (const auto* revoke = std::get_if<job::RevokeLease>(&effect))
      fleet_.revoke(now_, {job.id, revoke->fence});
    if (const auto* free = std::get_if<job::FreeLease>(&effect))
      fleet_.free(now_, {job.id, free->fence}, free->refused);
  }

  void settle() {
    for (auto pairs = fleet_.take_assignments(); !pairs.empty(); pairs = fleet_.take_assignments())
      for (const Assignment& pair : pairs) dispatch(pair);
    for (const ClaimAnswer& answer : fleet_.take_answers(now_)) {
      Hand& hand = hands_[static_cast<size_t>(names_.at(answer.registration))];
      if (hand.registration != answer.registration) continue;
      for (const LeaseKey& key : answer.jobs)
        if (auto found = open_.find(key.job); found != open_.end())
          hand.doing[key] = found->second.attempt_count;
      for (const LeaseKey& key : answer.cancels) hand.doing.erase(key);
    }
  }

  void dispatch(const Assignment& pair) {
    job::PlaceJob place;
    place.worker = pair.worker;
    place.registration = pair.registration;
    place.pool = pair.pool;
    place.claim_seq = pair.claim_seq;
    place.lease_ms = pair.terms.lease_ms;
    send(pair.job, place);
    auto found = open_.find(pair.job);
    if (found == open_.end() || found->second.state != job::State::dispatched)
      return fleet_.not_placed(now_, pair);
    if (auto lost = fleet_.placed(now_, pair, summarize(found->second, Instant{}))) lose(*lost);
  }

  void lose(const Lost& lost) {
    ++losses;
    send(lost.lease.job, job::LoseLease{lost.lease.fence, lost.counted});
  }

  void churn() {
    for (int turn = 0; turn < turns_per_second; ++turn) {
      auto index = static_cast<int>(random_.below(workers));
      Hand& hand = hands_[static_cast<size_t>(index)];
      if (hand.registration.empty()) {
        if (healed_ || random_.chance(0.3)) join(index, hand);
      } else if (!healed_ && random_.chance(0.01)) {
        die(hand);
      } else if (!healed_ && random_.chance(0.01)) {
        ++drains;
        bool on = random_.chance(0.5);
        fleet_.drain(now_, worker(index), on, now_ + Duration{on ? 10'000 : 0});
      } else {
        work(index, hand);
      }
      settle();
    }
    most_workers = std::max(most_workers, fleet_.registrations().size());
  }

  void join(int index, Hand& hand) {
    WorkerCard card;
    card.worker = worker(index);
    card.topics = {"*"};
    card.max_parallel = 8;
    normalize(card);
    hand.registration = RegistrationId("r" + std::to_string(++registrations_));
    hand.seq = 0;
    names_[hand.registration] = index;
    std::vector<LeaseKey> resume;
    for (const auto& [key, attempt] : hand.doing) resume.push_back(key);
    returns += !resume.empty();
    auto enrolled = fleet_.enroll(now_, hand.registration, card, resume);
    for (const LeaseKey& key : enrolled.lost) hand.doing.erase(key);
    for (const Lost& lost : enrolled.given_up) lose(lost);
  }

  void die(Hand& hand) {
    ++deaths;
    hand.registration = RegistrationId();
    if (random_.chance(0.7)) hand.doing.clear();
  }

  /// Tells what is done, lists the rest and asks for more.
  void work(int index, Hand& hand) {
    if (!fleet_.speak(now_, hand.registration)) return forget(hand);
    auto done = hand.doing;
    for (const auto& [key, attempt] : done) {
      if (random_.chance(0.3)) continue;
      job::Report report;
      report.status =
          random_.chance(0.95) ? job::AttemptOutcome::succeeded : job::AttemptOutcome::failed;
      report.output = job::Payload::of(Value(1));
      send(key.job, job::ReportResult{{attempt, key.fence, worker(index), "default"}, report});
      hand.doing.erase(key);
    }
    Fleet::Beat beat;
    beat.last_seq = hand.seq;
    for (const auto& [key, attempt] : hand.doing) beat.leases.push_back({key, {}});
    auto answer = fleet_.heartbeat(now_, hand.registration, beat);
    if (!answer) return forget(hand);
    for (const LeaseKey& key : answer->started) send(key.job, job::NoteLife{key.fence});
    for (const LeaseKey& key : answer->undelivered) send(key.job, job::MarkUndelivered{key.fence});
    for (const Lost& lost : answer->forgotten) lose(lost);
    for (const LeaseKey& key : answer->lost) hand.doing.erase(key);
    for (const LeaseKey& key : answer->cancels) hand.doing.erase(key);
    auto free = static_cast<uint32_t>(8 - std::min<size_t>(hand.doing.size(), 8));
    if (free > 0 && !fleet_.claim(now_, hand.registration, ++hand.seq, free, 10'000)) forget(hand);
  }
  void forget(Hand& hand) { hand.registration = RegistrationId(); }

  void pass() {
    now_ = now_ + Duration{1'000};
    for (const Lost& lost : fleet_.expire(now_)) lose(lost);
    while (!alarms_.empty() && alarms_.begin()->first <= now_) {
      JobId id = alarms_.begin()->second;
      alarms_.erase(alarms_.begin());
      auto found = open_.find(id);
      if (found == open_.end()) continue;
      auto due = next_due(found->second, Instant{});
      if (due && *due <= now_) send(id, job::WakeJob{});
    }
    settle();
  }

  void inspect() {
    size_t held = 0, revoked = 0;
    for (const auto& [id, registration] : fleet_.registrations()) {
      held += registration.leases.size();
      for (const auto& [key, lease] : registration.leases) revoked += lease.revoked;
      ASSERT_LE(registration.leases.size() + registration.reserved, 8u);
    }
    ASSERT_EQ(held, fleet_.leases()) << "slots equal leases";
    size_t attempts = 0;
    for (const auto& [id, job] : open_) {
      const job::Attempt* attempt = job.open_attempt();
      if (!attempt) continue;
      ++attempts;
      ASSERT_TRUE(fleet_.find_lease({id, attempt->fence})) << id.text();
    }
    // One that timed out is revoked, and its worker has not let go of it yet.
    ASSERT_EQ(attempts + revoked, held);
  }

  Random random_;
  Instant now_{1'700'000'000'000};
  Fleet fleet_;
  std::vector<Hand> hands_;
  std::map<RegistrationId, int> names_;
  std::map<JobId, job::Job> open_;
  std::multimap<Instant, JobId> alarms_;
  std::vector<int> ends_;
  uint64_t versions_ = 0, registrations_ = 0;
  int submitted_ = 0;
  bool healed_ = false;
};

// JT-32
TEST(FleetChurn, thousand_workers_come_and_go_for_an_hour_and_nothing_is_left_over) {
  Hour hour(20'261'118);
  hour.live_through();
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(hour.open(), 0u);
  for (size_t i = 0; i < hour.ends().size(); ++i) ASSERT_EQ(hour.ends()[i], 1) << "j" << i;
  EXPECT_EQ(hour.fleet().queue().size(), 0u);
  hour.fall_silent();
  EXPECT_EQ(hour.fleet().leases(), 0u);
  EXPECT_TRUE(hour.fleet().registrations().empty());
  EXPECT_EQ(hour.fleet().queue().gates().leases_of_pool("default"), 0u);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(hour.fleet().queue().gates().leases_of_account("a" + std::to_string(i)), 0u);
  // What the hour is for was met.
  EXPECT_GT(hour.deaths, 1'000u);
  EXPECT_GT(hour.losses, 1'000u);
  EXPECT_GT(hour.drains, 1'000u);
  EXPECT_GT(hour.returns, 100u);
  EXPECT_GT(hour.most_workers, 900u);
  EXPECT_GT(hour.succeeded, uint64_t{jobs} * 9 / 10);
}

}  // namespace
}  // namespace fermata::fleet
