#pragma once
#include <list>
#include <map>

#include "host/job_intake.h"
#include "sim/world.h"

namespace fermata::sim {

/// Workers of a simulated world. They outlive the engine, lose and repeat messages, forget what
/// they do, die and come back under their names, and tell of attempts that are long over.
class Hands {
 public:
  /// What an attempt gives: the fence it was done under, so that it can be told apart later.
  static Value output_of(const JobId& job, uint64_t fence);

  /// What a job comes to, where it is not the fence: an output, or nothing when it fails.
  using Answers = std::function<std::optional<Value>(const job::Job&)>;
  void answer_with(Answers answers) { answers_ = std::move(answers); }

  /// Jobs whose work undoes everything (J-73); each is asked about once per attempt.
  void fail_fatally(std::function<bool(const job::Job&)> fatal) { fatal_ = std::move(fatal); }

  /// `pools`: one after the other; a life may begin in another one.
  void hire(World& world, int64_t count, bool may_fail,
            std::vector<std::string> pools = {"default"});
  /// What each result says it has cost.
  void charge(int64_t cost_micros) { cost_micros_ = cost_micros; }
  void act(World& world);
  std::optional<Instant> next() const;
  /// Attempts that were handed out, by job and fence.
  uint64_t deliveries(const fleet::LeaseKey& lease) const;

 private:
  struct Doing {
    uint32_t attempt = 0;
    Instant done_at;
  };
  struct Hand {
    std::string name;
    RegistrationId registration{};
    int life = 0;
    bool enrolling = false;
    uint64_t seq = 0;       ///< of the claim under way, or to be repeated
    uint64_t last_seq = 0;  ///< of the last answer that came
    std::optional<Instant> claimed_at{};
    std::map<fleet::LeaseKey, Doing> doing{};
    std::map<fleet::LeaseKey, uint32_t> past{};  ///< attempts it has done with
    Instant next_at{};
    Instant beat_at{};
  };
  bool arrives(World& world);
  void step(World& world, Hand& hand);
  void enroll(World& world, Hand& hand);
  void claim(World& world, Hand& hand);
  void beat(World& world, Hand& hand);
  void report(World& world, Hand& hand, const fleet::LeaseKey& lease, uint32_t attempt);
  void visit(World& world, std::function<void(Workers&)> visit);
  void forget(Hand& hand, const std::vector<fleet::LeaseKey>& leases);
  /// The engine knows another life of the worker, or none.
  void lost_touch(Hand& hand, int life);
  job::Report report_of(World& world, const fleet::LeaseKey& lease);

  std::list<Hand> hands_;
  std::map<fleet::LeaseKey, std::set<std::string>> holders_;
  std::map<fleet::LeaseKey, bool> fails_;  ///< decided once per attempt
  Answers answers_;
  std::function<bool(const job::Job&)> fatal_;
  std::map<fleet::LeaseKey, bool> fatals_;
  bool may_fail_ = false;
  std::vector<std::string> pools_{"default"};
  int64_t cost_micros_ = 0;
  uint64_t registrations_ = 0;
};

}  // namespace fermata::sim
