#pragma once
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/packed_id.h"
#include "core/fleet/gates.h"
#include "core/fleet/turns.h"
#include "core/fleet/worker.h"
#include "core/job/summary.h"

namespace fermata::fleet {

/// A job that waits for a worker, as far as finding one goes.
struct ReadyJob {
  JobId job;
  AccountId account;
  std::string topic;
  job::Priority priority = job::Priority::interactive;
  std::vector<std::string> requires_;
  Value labels;
  std::vector<job::Concurrency> limits;  ///< all of them must admit it
  Instant ready_at;
};
/// The limits that leases of the job are counted by.
std::vector<job::Concurrency> limits_of(const job::Summary& summary);
/// The same from its row.
ReadyJob ready_job(const job::Summary& summary);

/// The jobs that wait, which kinds of workers could take them, and what keeps them. Jobs that ask
/// for the same stand in one class; workers that offer the same have one profile; only the heads of
/// classes are looked at, so neither side costs a search however long the queue is.
class Queue {
 public:
  using ProfileId = uint32_t;
  using ClassId = uint32_t;
  using FlowId = Turns::FlowId;

  // queue.cpp
  /// Routes everything anew.
  void use(Instant now, PoolTablePtr table);
  const PoolTable& table() const { return gates_.table(); }
  /// False when the job waits already: its place is kept.
  bool add(const ReadyJob& job);
  /// Out of the queue, if it is there.
  void remove(const JobId& job);
  bool holds(const JobId& job) const { return places_.contains(JobKey(job)); }
  size_t size() const { return places_.size(); }
  /// Jobs of the account that wait.
  size_t waiting_of(const AccountId& account) const;

  /// What placement asks of a worker, the same for all jobs of a class.
  struct Facts {
    AccountId account;
    std::string topic;
    job::Priority priority = job::Priority::interactive;
    std::vector<std::string> requires_;
    Value placement;  ///< labels that the worker's must equal
    std::string preferred_pool;
    std::string preferred_worker;
    int64_t preferred_wait_ms = 0;  ///< so long it waits for that one alone
    bool exempt = false;            ///< from budgets: it undoes something
    std::vector<job::Concurrency> limits;
  };
  /// The class a waiting job stands in.
  ClassId class_of(const JobId& job) const { return places_.at(JobKey(job)).of; }
  const Facts& facts_of(ClassId id) const { return classes_.at(id).facts; }
  /// Profiles whose workers may take jobs of the class.
  const std::vector<ProfileId>& profiles_of(ClassId id) const { return classes_.at(id).profiles; }
  /// Pools the class may go to, active or not; nothing: any.
  const std::optional<std::vector<std::string>>& pools_of(ClassId id) const {
    return classes_.at(id).pools;
  }

  // queue_profiles.cpp
  /// The profile of such workers; each `join` is given back by a `leave`.
  ProfileId join(const WorkerCard& card);
  void leave(Instant now, ProfileId profile);
  const std::string& pool_of(ProfileId profile) const { return profiles_.at(profile).card.pool; }
  struct Asker {
    ProfileId profile;
    const WorkerId& worker;
    Instant now;
    /// Topics that are left to others.
    const std::function<bool(const std::string&)>& passes_over;
  };
  /// The job that a worker should take next: by priority, then by whose turn it is, then by the
  /// time it has waited (J-55).
  std::optional<JobId> next(const Asker& asker);

  // queue_limits.cpp
  /// What a lease is counted by.
  struct Counted {
    AccountId account;
    std::string pool;
    std::string topic;
    std::vector<std::string> limit_keys;
  };
  /// Takes a job out for a worker of the pool: from now on it is counted.
  Counted take(Instant now, const JobId& job, const std::string& pool);
  /// The lease is over, or (`tokens_back`) never was. Gives the profiles whose workers may have
  /// something to do by that.
  std::set<ProfileId> give_back(Instant now, const Counted& counted, bool tokens_back);
  /// A lease that the store knows of.
  void adopt(Instant now, const Counted& counted);
  /// False while a limit of the account, the topic or a key keeps the class.
  bool may_go(Instant now, ClassId id);
  bool pool_is_open(Instant now, const std::string& pool);
  /// Until when the job waits for the worker it prefers; nothing: it does not.
  std::optional<Instant> held_until(Instant now, const JobId& job);
  /// True when some class waits for certain workers.
  bool any_prefers() const { return prefers_ > 0; }
  /// When something opens by itself, and the profiles it may give work.
  std::optional<Instant> next_due() const;
  std::set<ProfileId> open_due(Instant now);
  void spend(const AccountId& account, const job::Usage& usage, Instant at);
  const Gates& gates() const { return gates_; }

  /// Why the class has no place. `since`: of a fault, since when.
  struct Kept {
    Reason reason = Reason::none;
    Instant since{};
  };
  Kept reason_of(Instant now, ClassId id) const;

  struct Depth {
    job::Priority priority;
    std::string topic;
    size_t jobs = 0;
    Instant oldest;
    std::string pool;  ///< that they may go to; several are joined by `|`
    AccountId account;
    Reason reason = Reason::none;
  };
  std::vector<Depth> depths(Instant now) const;

 private:
  /// There may be a million of them (J-97).
  using JobKey = PackedId<JobId>;
  /// By ready time, then in the order they came.
  using Position = std::pair<Instant, uint64_t>;
  struct Head {
    Position position;
    ClassId of = 0;
    auto operator<=>(const Head&) const = default;
  };
  struct Class {
    Facts facts;
    std::string key;
    FlowId flow = 0;
    std::optional<std::vector<std::string>> pools;
    std::map<Position, const JobKey*> jobs;  ///< keys of `places_`
    std::vector<ProfileId> profiles;
    std::optional<Head> shown;           ///< as the profiles know it
    std::optional<Instant> fault_since;  ///< nobody could take its jobs since then
  };
  /// Who takes turns: the jobs of an account, those that undo something by themselves.
  struct Flow {
    AccountId account;
    bool exempt = false;
    std::set<ClassId> classes;
    bool parked = false;  ///< somewhere it was passed over because of the account's limits
  };
  struct FlowHeads {
    std::set<Head> heads;
    uint64_t count = 0;   ///< that it is listed under; may be less than it has by now
    bool listed = false;  ///< among those who take turns
  };
  struct Lane {
    std::map<FlowId, FlowHeads> flows;
    std::set<std::pair<uint64_t, FlowId>> order;
  };
  struct Profile {
    WorkerCard card;
    std::vector<std::string> capabilities;  ///< the card's and the pool's
    std::string key;
    uint32_t members = 0;
    std::vector<ClassId> classes;
    std::array<Lane, 3> lanes;
  };
  struct Place {
    ClassId of;
    Position position;
  };
  struct KeyCount {
    uint32_t leases = 0;
    std::set<ClassId> classes;
  };
  enum class Opens : uint8_t { account, pool, topic, hold };
  using Due = std::tuple<Instant, Opens, std::string>;

  // queue.cpp
  static Facts read_facts(const ReadyJob& job);
  static std::string key_of(const Facts& facts);
  ClassId open_class(Facts facts, std::string key);
  void close_class(ClassId id);
  void route(Class& one) const;
  FlowId flow_of(const Facts& facts);
  /// Tells the profiles which job of the class comes next, or that none may go.
  void show(ClassId id);

  // queue_profiles.cpp
  bool suits(const Profile& profile, const Class& one) const;
  void link(ProfileId profile_id, Profile& profile, ClassId class_id, Class& one);
  void show_in(const std::string& pool, Profile& profile, const Class& one);
  void hide_in(Profile& profile, const Class& one);
  void list(const std::string& pool, job::Priority priority, Lane& lane, FlowId flow);
  void note_fault(Class& one, Instant since);
  std::optional<JobId> next_of(const Asker& asker, Profile& profile, job::Priority priority);
  std::optional<JobId> first_allowed(const Asker& asker, const FlowHeads& heads);

  // queue_limits.cpp
  bool is_limited(const Class& one) const;
  uint32_t limit_of(const job::Concurrency& limit) const;
  void watch_counts(ClassId id, const Facts& facts);
  void forget_counts(ClassId id, const Facts& facts);
  void count_key(const AccountId& account, const std::string& key, int change,
                 std::set<ProfileId>* opened);
  void look_at_topic(Instant now, const std::string& topic, std::set<ProfileId>* opened);
  void unpark(const AccountId& account, std::set<ProfileId>& opened);
  void add_profiles_of_pool(const std::string& pool, std::set<ProfileId>& opened) const;

  Gates gates_;
  Turns turns_;
  std::map<JobKey, Place> places_;
  std::map<AccountId, size_t> waiting_;
  std::map<std::string, ClassId> class_by_key_;
  std::map<ClassId, Class> classes_;
  std::map<std::pair<std::string, bool>, FlowId> flow_by_account_;
  std::map<FlowId, Flow> flows_;
  std::map<std::string, ProfileId> profile_by_key_;
  std::map<ProfileId, Profile> profiles_;
  std::map<std::string, std::set<ProfileId>> profiles_by_pool_;
  std::map<std::pair<AccountId, std::string>, KeyCount> counts_;
  std::map<std::string, std::set<ClassId>> classes_by_topic_;
  std::set<std::string> closed_topics_;
  std::set<std::string> closed_pools_;
  std::set<Due> due_;
  Instant looked_at_{};  ///< when it was last asked what is due
  size_t prefers_ = 0;   ///< classes
  ClassId next_class_ = 1;
  ProfileId next_profile_ = 1;
  FlowId next_flow_ = 1;
  uint64_t next_order_ = 1;
};

}  // namespace fermata::fleet
