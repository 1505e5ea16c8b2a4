#include "base/json.h"
#include "sim/workloads/hands.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Policies that are swapped under way. Every one lets a job end: by a worker, by people, or by a
/// refusal.
constexpr std::string_view documents[] = {
    R"({"version":1,"default_decision":"allow","rules":[
      {"id":"burst","match":{"topics":["work"]},"decision":"throttle",
       "velocity":{"max_requests":2,"window_ms":4000}},
      {"id":"pay","match":{"topics":["pay"]},"decision":"require_approval","approval":{"count":2}},
      {"id":"bad","match":{"topics":["bad"]},"decision":"deny"}]})",
    R"({"version":1,"default_decision":"deny","rules":[
      {"id":"pay","match":{"topics":["pay"]},"decision":"require_approval","approval":{"count":2}},
      {"id":"one","match":{"topics":["work"]},"decision":"allow_with_constraints",
       "constraints":{"budgets":{"max_concurrent_jobs":1,"max_retries":1}}}]})",
    R"({"version":1,"default_decision":"allow","rules":[
      {"id":"pay","match":{"topics":["pay"]},"decision":"require_approval"}]})",
    R"({"version":1,"default_decision":"allow","rules":[
      {"id":"no","match":{"topics":["pay"]},"decision":"deny"}]})"};

/// Jobs under a policy that changes: refused, held back, constrained, or released by people, some
/// of whom say no, in most seeds with a policy kernel that fails. Every job ends once, every
/// refusal is a dead letter (job_ledger.cpp holds both), and no attempt starts under a policy that
/// was replaced.
class Governed final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    for (std::string_view text : documents) {
      auto document = parse_json(text);
      expect(static_cast<bool>(document), "a policy of the workload cannot be read");
      policy::Sources sources;
      sources.base = *document;
      auto set = policy::PolicySet::compile(std::move(sources));
      expect(static_cast<bool>(set), set ? "" : set.error().message);
      policies_.push_back(*set);
    }
    hands_.hire(world, chaos.between(1, 3), chaos.dice().chance(0.3));
    swaps_left_ = chaos.between(0, 5);
    swap(world);
    if (chaos.dice().chance(0.6)) add_kernel(world);
    for (int64_t i = chaos.between(2, 8); i > 0; --i) {
      static constexpr const char* topics[] = {"job.work", "job.work", "job.pay", "job.bad",
                                               "job.approval"};
      submits_.push_back({JobId("job-" + std::to_string(i)), topics[chaos.between(0, 4)],
                          world.clock().true_now()});
    }
  }

  void watch(World& world) override {
    hands_.act(world);
    for (Submit& submit : submits_) send(world, submit);
    if (swaps_left_ > 0 && world.chaos().dice().chance(0.03)) {
      --swaps_left_;
      swap(world);
    }
    if (kernel_) disturb(world);
    Instant now = world.clock().true_now();
    if (vote_at_ > now) return;
    vote_at_ = now + Duration{world.chaos().between(200, 4'000)};
    for (const auto& [id, job] : world.jobs())
      if (job.state == job::State::approval_required) vote(world, job);
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next = hands_.next();
    if (!next || vote_at_ < *next) next = vote_at_;
    for (const Submit& submit : submits_)
      if (!submit.done && submit.at < *next) next = submit.at;
    return next;
  }

  bool idle() const override {
    for (const Submit& submit : submits_)
      if (!submit.done) return false;
    return true;
  }

  void judge(World& world) override {
    for (const auto& [id, job] : world.jobs()) {
      expect(job.finished(), "job " + id.text() + " has not ended");
      if (job.state == job::State::denied) world.probe(Probe::job_denied);
      if (job.request.topic == job::gate_topic) {
        expect(job.attempt_count == 0, "a gate was given to a worker");
        if (job.state == job::State::succeeded) world.probe(Probe::gate_passed);
      }
      if (job.approval && job.approval->granted) judge_approved(world, job);
      if (kernel_ && job.attempt_count > 0) judge_by_kernel(world, job);
    }
    expect(world.jobs().size() == submits_.size(), "jobs came from nowhere");
  }

 private:
  struct Submit {
    JobId id;
    std::string topic;
    Instant at;
    bool done = false;
  };

  void swap(World& world) {
    auto next = static_cast<size_t>(world.chaos().between(0, std::ssize(policies_) - 1));
    world.set_policy(policies_[next]);
  }

  /// A kernel besides the rules, or in their place. Every word of it lets a job end.
  void add_kernel(World& world) {
    Chaos& chaos = world.chaos();
    kernel_ =
        &world.use_kernel(chaos.dice().chance(0.5) ? PolicyMode::kernel : PolicyMode::both,
                          chaos.dice().chance(0.3) ? job::FailMode::open : job::FailMode::closed);
    kernel_->judge = [&chaos](const PolicyQuestion& question, int64_t generation) {
      job::Verdict word;
      word.kind = job::VerdictKind::allow;
      word.rule_id = "kernel-" + std::to_string(generation % 2);
      const std::string& topic = question.request.topic;
      if (topic == "job.bad") word.kind = job::VerdictKind::deny;
      if (topic == "job.pay" && generation % 3 == 0) word.kind = job::VerdictKind::require_approval;
      if (topic == "job.work" && !chaos.healed() && chaos.dice().chance(0.1))
        word.kind = job::VerdictKind::throttle;
      return word;
    };
  }

  /// It goes down, comes back, and changes its mind.
  void disturb(World& world) {
    Random& dice = world.chaos().dice();
    if (world.chaos().healed() || world.chaos().calm()) return;
    if (dice.chance(0.04)) kernel_->up = !kernel_->up;
    if (dice.chance(0.03)) ++kernel_->generation;
    for (const auto& [id, job] : world.jobs())
      if (job.phase == job::Phase::policy_unavailable) waited_.insert(id);
  }

  void judge_by_kernel(World& world, const job::Job& job) {
    if (job.verdict->bypassed) {
      expect(job.request.labels.get("safety_bypassed") == Value("true"),
             "job " + job.id.text() + " ran without a verdict and does not show it");
      world.probe(Probe::job_bypassed_kernel);
      return;
    }
    world.probe(Probe::kernel_judged);
    if (waited_.contains(job.id)) world.probe(Probe::job_waited_for_kernel);
  }

  void judge_approved(World& world, const job::Job& job) {
    const job::Approval& approval = *job.approval;
    std::set<std::string> people;
    for (const job::Vote& vote : approval.votes) people.insert(vote.by);
    expect(people.size() >= approval.count, "job " + job.id.text() + " was released by too few");
    expect(!people.contains("tester"), "job " + job.id.text() + " was approved by its submitter");
    world.probe(Probe::job_approved);
  }

  void send(World& world, Submit& submit) {
    if (submit.done || submit.at > world.clock().true_now()) return;
    submit.at = world.clock().true_now() + Duration{world.chaos().between(500, 5'000)};
    job::SubmitJob body;
    body.account = AccountId("main");
    body.request.topic = submit.topic;
    body.request.input = job::Payload::of(Value(submit.id.text()));
    body.request.retry = job::RetryPolicy{.max_attempts = 2, .backoff_ms = 500};
    body.submitter = "tester";
    bool taken = world.job_intake().submit_job(
        {submit.id, std::move(body), "tester"},
        [&submit](Outcome<JobTold> told) { submit.done = submit.done || told; });
    expect(taken, "the queue of a small world is full");
  }

  void vote(World& world, const job::Job& job) {
    Chaos& chaos = world.chaos();
    static constexpr const char* people[] = {"ann", "bob", "cyd", "tester"};
    job::Voter voter{people[chaos.between(0, 3)], "operator", false};
    std::string hash = chaos.dice().chance(0.1) ? "other" : job.approval->request_hash;
    job::CommandBody body = job::ApproveJob{hash, voter};
    if (chaos.dice().chance(0.05)) body = job::RejectJob{hash, voter, "no"};
    bool by_submitter = voter.id == "tester";
    bool stale = hash == "other";
    bool taken = world.job_intake().submit_job(
        {job.id, std::move(body), voter.id}, [by_submitter, stale](Outcome<JobTold> told) {
          bool due = told && is_terminal(told->summary.state);
          expect(!told || due || (!by_submitter && !stale), "a vote counts that must not");
        });
    expect(taken, "the queue of a small world is full");
  }

  Hands hands_;
  std::vector<policy::PolicyPtr> policies_;
  int64_t swaps_left_ = 0;
  std::list<Submit> submits_;
  Instant vote_at_{0};
  KernelOutside* kernel_ = nullptr;
  std::set<JobId> waited_;
};

}  // namespace

std::unique_ptr<Workload> make_governed() { return std::make_unique<Governed>(); }

}  // namespace fermata::sim
