#include "adapters/scan/thread_scans.h"
#include "base/json.h"
#include "sim/workloads/hands.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// What no history may hold before it was scanned.
constexpr std::string_view secret = "hush-hush";

constexpr std::string_view documents[] = {
    R"({"version":1,"default_decision":"allow","output_rules":[
      {"id":"hush","match":{"keywords":["hush-hush"]},"decision":"quarantine"}]})",
    R"({"version":1,"default_decision":"allow","output_rules":[
      {"id":"black","match":{"patterns":["hush-h[a-z]+"]},"decision":"redact"}]})",
    R"({"version":1,"default_decision":"allow","output_policy":{"fail_mode":"open"},
      "output_rules":[{"id":"hush","match":{"keywords":["hush-hush"]},"decision":"deny"}]})",
    R"({"version":1,"default_decision":"allow",
      "output_policy":{"topics":[{"pattern":"early","release":"optimistic","fail_mode":"closed"}]},
      "output_rules":[{"id":"hush","match":{"topics":["early","work"],"keywords":["hush-hush"]},
        "decision":"quarantine"}]})"};

/// Results that are held until they were read, by a scanner that is slow, fails and is forgotten,
/// under a policy that changes; people release what was refused, or destroy it. What is gated is in
/// no history before its scan, an output is withdrawn once at most, and a run hears of its job
/// once.
class Scanned final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    for (std::string_view text : documents) {
      auto document = parse_json(text);
      expect(static_cast<bool>(document), "a policy of the workload cannot be read");
      policy::Sources sources;
      sources.base = *document;
      auto set = policy::PolicySet::compile(std::move(sources), complaint_about_pattern);
      expect(static_cast<bool>(set), set ? "" : set.error().message);
      policies_.push_back(*set);
    }
    hands_.hire(world, chaos.between(1, 3), chaos.dice().chance(0.3));
    hands_.answer_with([](const job::Job& job) {
      bool says = job.id.text().back() % 2 == 0;
      return Value::object({{"of", job.id.text()}, {"said", says ? secret : "nothing"}});
    });
    swaps_left_ = chaos.between(0, 4);
    swap(world);
    for (int64_t i = chaos.between(2, 8); i > 0; --i)
      submits_.push_back({JobId("job-" + std::to_string(i)),
                          chaos.dice().chance(0.4) ? "job.early" : "job.work",
                          world.clock().true_now()});
  }

  void watch(World& world) override {
    hands_.act(world);
    for (Submit& submit : submits_) send(world, submit);
    if (swaps_left_ > 0 && world.chaos().dice().chance(0.03)) {
      --swaps_left_;
      swap(world);
    }
    for (const auto& [id, job] : world.jobs()) look_for_secret(world, job);
    Instant now = world.clock().true_now();
    if (look_at_ > now) return;
    look_at_ = now + Duration{world.chaos().between(200, 20'000)};
    for (const auto& [id, job] : world.jobs()) {
      if (job.state == job::State::output_quarantined && job.held) review(world, job);
      if (job.phase == job::Phase::output_scan && world.chaos().dice().chance(0.05))
        cancel(world, id);
    }
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next = hands_.next();
    if (!next || look_at_ < *next) next = look_at_;
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
      if (job.state == job::State::output_quarantined) world.probe(Probe::output_quarantined);
      if (job.withdrawn) world.probe(Probe::output_withdrawn);
      if (job.released) world.probe(Probe::output_released);
      judge_readable(job);
      bool redacted = job.judged_output && !job.judged_output->original_sha256.empty();
      if (redacted) world.probe(Probe::output_redacted);
      if (redacted)
        expect(!world.store().held().contains(id) || job.held,
               "job " + id.text() + ": what was redacted is still there");
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

  /// Every policy of this workload refuses the secret or takes it out. Who reads it all the same
  /// was let in by people, or by a fail mode that says so.
  static void judge_readable(const job::Job& job) {
    if (job.state != job::State::succeeded || job.released) return;
    bool unscanned = job.judged_output && job.judged_output->unscanned;
    expect(unscanned || to_json(job.output.value).find(secret) == std::string::npos,
           "job " + job.id.text() + ": a secret that nobody has looked for is readable");
  }

  /// While a result is scanned, and when it was refused, its bytes stand in one place alone.
  static void look_for_secret(World& world, const job::Job& job) {
    bool withheld = job.held && (!job.finished() || job.state == job::State::output_quarantined);
    if (!withheld) return;
    for (const HistoryChunk& chunk : world.store().jobs().at(job.id).history)
      expect(chunk.bytes.find(secret) == std::string::npos,
             "job " + job.id.text() + ": its history tells what is withheld");
  }

  void swap(World& world) {
    auto next = static_cast<size_t>(world.chaos().between(0, std::ssize(policies_) - 1));
    world.set_policy(policies_[next]);
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

  void review(World& world, const job::Job& job) {
    auto held = world.store().held().find(job.id);
    expect(held != world.store().held().end(), "what is held of " + job.id.text() + " is gone");
    bool by_submitter = world.chaos().dice().chance(0.1);
    job::Voter voter{by_submitter ? "tester" : "ann", "operator", false};
    auto value = parse_json(held->second);
    expect(static_cast<bool>(value), "what is held cannot be read");
    job::CommandBody body = job::DiscardOutput{voter, "no"};
    if (world.chaos().dice().chance(0.5))
      body = job::ReleaseOutput{voter, "fine", job::Payload::of(*value)};
    bool taken = world.job_intake().submit_job(
        {job.id, std::move(body), voter.id}, [by_submitter](Outcome<JobTold> told) {
          expect(!told || !by_submitter, "the submitter has released its own output");
        });
    expect(taken, "the queue of a small world is full");
  }

  void cancel(World& world, const JobId& id) {
    bool taken = world.job_intake().submit_job({id, job::CancelJob{"enough"}, "ann"},
                                               [](const Outcome<JobTold>&) {});
    expect(taken, "the queue of a small world is full");
  }

  Hands hands_;
  std::vector<policy::PolicyPtr> policies_;
  int64_t swaps_left_ = 0;
  std::list<Submit> submits_;
  Instant look_at_{0};
};

}  // namespace

std::unique_ptr<Workload> make_scanned() { return std::make_unique<Scanned>(); }

}  // namespace fermata::sim
