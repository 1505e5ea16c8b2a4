#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/hands.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Jobs of runs and of callers, done by workers that cannot be relied upon. Every job ends once;
/// what an attempt has done is taken once, under the fence it was done under; a run hears the end
/// of each of its jobs.
class Jobs final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    bool may_fail = chaos.dice().chance(0.5);
    limited_ = chaos.dice().chance(0.5);
    hands_.hire(
        world, chaos.between(1, 4), may_fail,
        limited_ ? std::vector<std::string>{"left", "right"} : std::vector<std::string>{"default"});
    if (limited_) limit(world);
    items_ = chaos.between(0, 4);
    GraphBuilder graph;
    graph.node("each", "split", Value::object({{"input_array", "$input.items"}}))
        .node("work", "job", Value::object({{"topic", "work"}, {"input", "$item"}}),
              on_error_ignore())
        .node("all", "aggregator")
        .edge("start", "each")
        .edge("each", "work")
        .edge("work", "all");
    auto definition = world.define(graph.document());
    for (int64_t i = chaos.between(0, 2); i > 0; --i) {
      RunId id("run-" + std::to_string(i));
      world.send(
          world.start(id.text(), definition, Value::object({{"items", counted_items(items_)}})));
      if (chaos.dice().chance(0.2)) cancel_run(world, id);
    }
    for (int64_t i = chaos.between(1, 6); i > 0; --i) {
      JobId id("job-" + std::to_string(i));
      submits_.push_back({id, chaos.dice().chance(0.3), world.clock().true_now()});
      if (chaos.dice().chance(0.1)) cancels_[id] = false;
    }
  }

  void watch(World& world) override {
    hands_.act(world);
    if (limited_) watch_limits(world);
    for (Submit& submit : submits_) send(world, submit);
    for (auto& [id, done] : cancels_)
      if (!done && world.jobs().contains(id) && world.chaos().dice().chance(0.02))
        cancel(world, id);
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next = hands_.next();
    for (const Submit& submit : submits_)
      if (!submit.done && (!next || submit.at < *next)) next = submit.at;
    return next;
  }

  bool idle() const override {
    for (const Submit& submit : submits_)
      if (!submit.done) return false;
    return true;
  }

  void judge(World& world) override {
    size_t of_runs = 0;
    for (const auto& [id, job] : world.jobs()) {
      expect(job.finished(), "job " + id.text() + " has not ended");
      of_runs += job.of_run() ? 1 : 0;
      if (job.state == job::State::succeeded) judge_success(job);
    }
    expect(world.jobs().size() == submits_.size() + of_runs, "jobs came from nowhere");
    for (const RunId& id : world.runs()) judge_run(world, *world.state(id));
  }

 private:
  struct Submit {
    JobId id;
    bool keyed = false;  ///< one at a time with the others
    Instant at;
    bool done = false;
  };

  /// Pools that come and go while the account's limit and rate stay.
  void limit(World& world) {
    most_ = static_cast<uint32_t>(world.chaos().between(1, 3));
    for (const char* closed : {"", "left", "right"}) {
      auto table = std::make_shared<fleet::PoolTable>();
      for (const char* name : {"left", "right"}) {
        fleet::Pool& pool = table->pools[name];
        pool.max_concurrent = 2;
        if (std::string_view(name) == closed) pool.status = fleet::PoolStatus::draining;
      }
      table->topic_patterns = {{"job.*", {"left", "right"}}};
      table->account_default.max_concurrent = most_;
      table->account_default.rate = fleet::Rate{1, 2};
      tables_.push_back(std::move(table));
    }
    world.set_pools(tables_[0]);
  }

  /// No limit is ever exceeded, whatever is lost, repeated or restarted.
  void watch_limits(World& world) {
    uint32_t held = 0;
    std::map<std::string, uint32_t> in_pool;
    for (const auto& [id, job] : world.jobs()) {
      const job::Attempt* open = job.open_attempt();
      if (!open) continue;
      ++held;
      ++in_pool[open->pool];
    }
    expect(held <= most_, "the account has more leases than it may");
    for (const auto& [pool, count] : in_pool) expect(count <= 2, pool + " has too many leases");
    if (held == most_) world.probe(Probe::job_limit_reached);
    bool healed = world.chaos().healed();
    if (healed && table_ != 0) return use(world, 0);
    if (!healed && world.chaos().dice().chance(0.01))
      use(world, static_cast<size_t>(world.chaos().between(0, 2)));
  }

  void use(World& world, size_t table) {
    table_ = table;
    world.set_pools(tables_[table]);
  }

  void send(World& world, Submit& submit) {
    if (submit.done || submit.at > world.clock().true_now()) return;
    submit.at = world.clock().true_now() + Duration{world.chaos().between(500, 5'000)};
    job::SubmitJob body;
    body.account = AccountId("main");
    body.request.topic = "job.work";
    body.request.input = job::Payload::of(Value(submit.id.text()));
    body.request.retry = job::RetryPolicy{.max_attempts = 3, .backoff_ms = 500};
    if (submit.keyed) body.request.concurrency = job::Concurrency{"one", 1};
    body.submitter = "tester";
    bool taken = world.job_intake().submit_job(
        {submit.id, std::move(body), "tester"}, [&world, &submit](Outcome<JobTold> told) {
          if (told) {
            expect(world.jobs().contains(submit.id),
                   "job " + submit.id.text() + " was acknowledged and is not stored");
            submit.done = true;
            return;
          }
          ErrorCode code = told.error().code;
          expect(code == ErrorCode::store_unavailable || code == ErrorCode::outcome_unknown,
                 "a submit is refused: " + told.error().message);
        });
    expect(taken, "the queue of a small world is full");
  }

  void cancel(World& world, const JobId& id) {
    bool taken = world.job_intake().submit_job(
        {id, job::CancelJob{"enough"}, "tester"},
        [this, id](Outcome<JobTold> told) { cancels_[id] = cancels_[id] || told; });
    expect(taken, "the queue of a small world is full");
  }

  void cancel_run(World& world, const RunId& id) {
    Request request;
    request.command = {id, CancelRun{"enough"}, "tester"};
    request.after = Duration{world.chaos().between(0, 20'000)};
    world.send(std::move(request));
  }

  /// The output names the fence under which it was made: that of the attempt that counts.
  void judge_success(const job::Job& job) {
    uint64_t fence = 0;
    size_t successes = 0;
    for (const job::Attempt& attempt : job.attempts) {
      if (attempt.outcome != job::AttemptOutcome::succeeded) continue;
      fence = attempt.fence;
      ++successes;
    }
    expect(successes == 1, "job " + job.id.text() + " succeeded more than once");
    expect(job.output.value == Hands::output_of(job.id, fence),
           "job " + job.id.text() +
               " ended with the work of another attempt: " + to_json(job.output.value));
    expect(hands_.deliveries({job.id, fence}) == 1,
           "job " + job.id.text() + " was done by somebody who was not given it");
  }

  void judge_run(World& world, const Run& run) {
    const std::string& name = run.id.text();
    int64_t ended = 0;
    for (const auto& [id, job] : world.jobs())
      if (job.request.step.run == run.id && job.state != job::State::cancelled) ++ended;
    if (run.status == RunStatus::cancelled) return;
    expect(run.status == RunStatus::completed, name + ": " + to_json(run.error));
    expect(ended == items_, name + " was not told of all its jobs");
    if (items_ > 0) world.probe(Probe::job_of_run_ended);
  }

  Hands hands_;
  int64_t items_ = 0;
  bool limited_ = false;
  uint32_t most_ = 0;
  std::vector<fleet::PoolTablePtr> tables_;
  size_t table_ = 0;
  std::list<Submit> submits_;
  std::map<JobId, bool> cancels_;
};

}  // namespace

std::unique_ptr<Workload> make_jobs() { return std::make_unique<Jobs>(); }

}  // namespace fermata::sim
