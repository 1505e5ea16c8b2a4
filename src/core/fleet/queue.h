#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

/// The jobs that wait, and which kinds of workers could take them. Jobs that ask for the same stand
/// in one class; workers that offer the same have one profile; only the heads of classes are looked
/// at, so neither side costs a search however long the queue is.
class Queue {
 public:
  using ProfileId = uint32_t;
  using ClassId = uint32_t;

  /// The profile of such workers; each `join` is given back by a `leave`.
  ProfileId join(const WorkerCard& card);
  void leave(ProfileId profile);

  /// What the lease of a job that leaves the queue is counted by.
  struct Taken {
    AccountId account;
    std::string topic;
    std::vector<std::string> limit_keys;
  };
  /// False when the job waits already: its place is kept.
  bool add(const ReadyJob& job);
  /// Nothing when it does not wait.
  std::optional<Taken> remove(const JobId& job);
  bool holds(const JobId& job) const { return places_.contains(job); }
  size_t size() const { return places_.size(); }
  /// Jobs of the account that wait.
  size_t waiting_of(const AccountId& account) const;

  /// The class a waiting job stands in.
  ClassId class_of(const JobId& job) const { return places_.at(job).of; }
  /// Profiles whose workers may take jobs of the class, and the topic they ask for.
  const std::vector<ProfileId>& profiles_of(ClassId id) const { return classes_.at(id).profiles; }
  const std::string& topic_of(ClassId id) const { return classes_.at(id).facts.topic; }
  /// True when as many leases with the class's key are held as it allows.
  bool is_limited(ClassId id) const;

  /// The job that a worker of the profile should take next: by priority, then by the time it has
  /// waited. Topics for which `passes_over` is true are left to others.
  std::optional<JobId> next(ProfileId profile,
                            const std::function<bool(const std::string&)>& passes_over) const;

  /// Counts leases by concurrency key: a class at its limit waits.
  void count_lease(const AccountId& account, const std::string& key, int change);
  /// The first job of each class with this key that is not at its limit.
  std::vector<JobId> heads_of_key(const AccountId& account, const std::string& key) const;

  struct Depth {
    job::Priority priority;
    std::string topic;
    size_t jobs = 0;
    Instant oldest;
    size_t profiles = 0;  ///< kinds of workers that could take them
    std::string pool;     ///< that they ask for, or empty
    AccountId account;
  };
  std::vector<Depth> depths() const;

 private:
  /// What placement asks of a worker, the same for all jobs of a class.
  struct Facts {
    AccountId account;
    std::string topic;
    job::Priority priority = job::Priority::interactive;
    std::vector<std::string> requires_;
    Value placement;  ///< labels that the worker's must equal
    std::string preferred_pool;
    std::vector<job::Concurrency> limits;
  };
  /// By ready time, then in the order they came.
  using Position = std::pair<Instant, uint64_t>;
  struct Class {
    Facts facts;
    std::string key;
    std::map<Position, JobId> jobs;
    std::vector<ProfileId> profiles;
  };
  struct Head {
    job::Priority priority;
    Position position;
    ClassId of;
    auto operator<=>(const Head&) const = default;
  };
  struct Profile {
    WorkerCard card;
    std::string key;
    uint32_t members = 0;
    std::vector<ClassId> classes;
    std::set<Head> heads;
  };
  struct Place {
    ClassId of;
    Position position;
  };
  struct KeyCount {
    uint32_t leases = 0;
    std::set<ClassId> classes;
  };

  static Facts facts_of(const ReadyJob& job);
  static std::string key_of(const Facts& facts);
  static bool suits(const WorkerCard& card, const Facts& facts);
  ClassId open_class(Facts facts, std::string key);
  void close_class(ClassId id);
  std::optional<Head> head_of(ClassId id) const;
  /// Changes a class with its head taken out of every profile meanwhile.
  template <class Change>
  void with_head_out(ClassId id, Change change);
  void watch_counts(ClassId id, const Facts& facts);
  void forget_counts(ClassId id, const Facts& facts);

  std::map<JobId, Place> places_;
  std::map<AccountId, size_t> waiting_;
  std::map<std::string, ClassId> class_by_key_;
  std::map<ClassId, Class> classes_;
  std::map<std::string, ProfileId> profile_by_key_;
  std::map<ProfileId, Profile> profiles_;
  std::map<std::pair<AccountId, std::string>, KeyCount> counts_;
  ClassId next_class_ = 1;
  ProfileId next_profile_ = 1;
  uint64_t next_order_ = 1;
};

}  // namespace fermata::fleet
