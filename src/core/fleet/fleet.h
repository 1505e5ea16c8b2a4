#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/fleet/queue.h"
#include "core/fleet/worker.h"
#include "core/job/decide.h"

/// Who is alive, who holds what, and who waits for work. The host's memory: the store knows which
/// worker holds which fence, renewals are not written (J-61). Plain data and functions of `now`.
namespace fermata::fleet {

/// A lease by the fence it was given under.
struct LeaseKey {
  JobId job;
  uint64_t fence = 0;
  auto operator<=>(const LeaseKey&) const = default;
};

struct Settings {
  std::map<std::string, PoolTerms> pools;  ///< what the table of pools leaves open
  int64_t load_write_ms = 5'000;           ///< a load that changed is stored at most this often
  int64_t passed_over_ms = 60'000;   ///< for a worker that refuses a topic again and again (J-58)
  uint32_t refusals_max = 3;         ///< so many in a row
  uint32_t invalid_reports_max = 3;  ///< the last of them ends the attempt (J-65)
};
constexpr uint32_t claim_slots_max = 256;
constexpr int64_t claim_wait_ms_max = 60'000;

struct Progress {
  std::optional<uint32_t> percent{};
  std::string message{};
  Value partial{};  ///< what there is already of the output, or null
};

struct Lease {
  uint32_t attempt = 0;
  AccountId account;
  std::string topic;
  std::string pool;
  std::vector<std::string> limit_keys;
  uint64_t seq = 0;  ///< of the claim that took it; 0: of an earlier registration
  Instant given_at;
  bool seen = false;     ///< the worker has named it
  bool revoked = false;  ///< its fence means nothing any more; the slot is not free yet
  uint32_t invalid_reports = 0;
  Progress progress;
};

/// A claim whose answer has not been given.
struct Claim {
  uint64_t seq = 0;
  uint32_t slots = 0;
  Instant until;
  bool push = false;            ///< made by a stream: the engine decides how much the worker bears
  uint32_t reserved = 0;        ///< assignments whose commit is under way
  std::vector<LeaseKey> taken;  ///< what the answer will hold
};

struct Registration {
  RegistrationId id;
  WorkerCard card;
  Load load;
  Instant registered_at;
  Instant last_seen;
  int64_t lease_ms = 0;
  bool draining = false;                 ///< the worker wants no more
  bool drained = false;                  ///< an operator wants it to have no more
  std::optional<Instant> drain_until{};  ///< what it holds then is taken away
  bool drain_told = false;
  uint64_t answered_seq = 0;
  std::optional<Claim> claim;
  std::map<LeaseKey, Lease> leases;
  std::set<LeaseKey> untold;  ///< revoked, and the worker has not heard of it
  uint32_t reserved = 0;
  Instant last_assigned;
  Queue::ProfileId profile = 0;  ///< 0: it is not among those who may get jobs
  /// Per topic: refusals in a row, and until when it is passed over.
  struct Refusals {
    uint32_t in_a_row = 0;
    Instant passed_over_until;
  };
  std::map<std::string, Refusals> refusals;
  bool alive = true;   ///< has spoken since the engine started
  bool ghost = false;  ///< known from the leases it holds alone
  std::optional<Instant> written_at;

  Instant expires_at() const { return last_seen + Duration{lease_ms}; }
  uint32_t free_slots() const;
  /// Jobs it is at: the engine's and those from elsewhere.
  uint64_t active() const;
  /// In thousandths of a job; the lowest comes first (J-52).
  uint64_t score() const;
  bool overloaded() const;
};

/// A job for a worker that waits: a PlaceJob is to be decided and committed, then `placed` or
/// `not_placed` is told.
struct Assignment {
  JobId job;
  RegistrationId registration;
  WorkerId worker;
  std::string pool;
  uint64_t claim_seq = 0;
  PoolTerms terms;
  Queue::Counted taken;
};

struct ClaimAnswer {
  RegistrationId registration;
  uint64_t seq = 0;
  std::vector<LeaseKey> jobs;
  std::vector<LeaseKey> cancels;
  bool drain = false;
};

/// Leases whose jobs are to be told: by LoseLease, or MarkUndelivered.
struct Lost {
  LeaseKey lease;
  bool counted = true;
};

class Fleet {
 public:
  explicit Fleet(Settings settings = {}) : settings_(std::move(settings)) {}

  // enroll.cpp
  struct Enrolled {
    int64_t lease_ms = 0;
    int64_t heartbeat_ms = 0;
    std::vector<LeaseKey> resumed;
    std::vector<LeaseKey> lost;  ///< asked for in vain
    std::vector<Lost> given_up;  ///< held by the former registration and not asked for
    RegistrationId replaced;     ///< or empty
    bool had_claim = false;      ///< the former one waits for an answer it must not get
  };
  /// The card is normalised and checked.
  Enrolled enroll(Instant now, const RegistrationId& id, WorkerCard card,
                  const std::vector<LeaseKey>& resume);
  /// The worker leaves, or is sent away: its leases go back at once, uncounted.
  Outcome<std::vector<Lost>> dismiss(const RegistrationId& id);
  /// All that have been silent for a lease: theirs are lost in one batch (J-62).
  std::vector<Lost> expire(Instant now);
  /// By an operator, for the worker's registrations to come too. What it holds at `until` goes
  /// back, uncounted (J-58).
  void drain(Instant now, const WorkerId& worker, bool on,
             std::optional<Instant> until = std::nullopt);

  // recover.cpp: after a start, before anybody is heard.
  void restore(Instant now, const RegistrationRecord& record);
  /// A lease that the store knows of. Its worker has one lease to speak up.
  void adopt(Instant now, const job::Summary& holder);
  /// Registrations to be written, and ids to be forgotten, since the last call.
  std::vector<RegistrationRecord> unwritten(Instant now);
  std::vector<RegistrationId> forgotten();
  /// They could not be written; the next call gives them again.
  void not_written(const std::vector<RegistrationRecord>& records,
                   const std::vector<RegistrationId>& forgotten);
  /// When there is something to be written.
  std::optional<Instant> next_write() const;

  // claims.cpp
  /// Begins to wait for jobs, or repeats the answer of a claim with the same `seq` (J-63).
  /// One that a stream makes for its worker says nothing of the worker's life.
  Outcome<std::optional<ClaimAnswer>> claim(Instant now, const RegistrationId& id, uint64_t seq,
                                            uint32_t slots, int64_t wait_ms, bool spoken = true);
  /// Nobody waits for the answer any more.
  void quit_claim(const RegistrationId& id, uint64_t seq);
  /// What a worker holds that it may not have heard of: given after the claim `after`, or without
  /// one what it has never named. `seq` is that of the latest claim.
  Outcome<ClaimAnswer> outstanding(const RegistrationId& id, std::optional<uint64_t> after) const;
  /// Jobs into and out of the queue. Offering one twice keeps its place.
  void offer(Instant now, const ReadyJob& job);
  void withdraw(const JobId& job) { queue_.remove(job); }
  /// Swaps the table of pools and gives what has a place now to those who wait.
  void use(Instant now, PoolTablePtr table);
  /// What keeps a job that waits.
  job::Routing routing_of(Instant now, const JobId& job) const;
  /// What a result says of tokens and costs (J-57).
  void spend(const AccountId& account, const job::Usage& usage, Instant at) {
    queue_.spend(account, usage, at);
  }
  /// Pairs of a waiting job and a waiting claim found since the last call.
  std::vector<Assignment> take_assignments();
  /// The lease is lost again at once when its registration has gone meanwhile.
  std::optional<Lost> placed(Instant now, const Assignment& assignment, const job::Summary& holder);
  /// It could not be dispatched there. A job that still waits is offered again by the caller.
  void not_placed(Instant now, const Assignment& assignment);
  /// Claims that have jobs, cancels or nothing to wait for any more.
  std::vector<ClaimAnswer> take_answers(Instant now);

  // heartbeat.cpp
  struct Listed {
    LeaseKey lease;
    Progress progress;
  };
  struct Beat {
    uint64_t last_seq = 0;
    std::optional<Load> load;
    std::optional<bool> draining;
    std::vector<Listed> leases;
  };
  struct BeatAnswer {
    std::vector<LeaseKey> lost;     ///< to the worker: it does not hold them
    std::vector<LeaseKey> cancels;  ///< to the worker: stop
    bool drain = false;
    int64_t lease_ms = 0;
    std::vector<LeaseKey> started;      ///< to the jobs: a first sign of life
    std::vector<LeaseKey> undelivered;  ///< to the jobs: the worker never got them
    std::vector<Lost> forgotten;        ///< to the jobs: the worker had them and has not
  };
  Outcome<BeatAnswer> heartbeat(Instant now, const RegistrationId& id, const Beat& beat);
  enum class Renewal : uint8_t { ok, lost, cancel };
  struct Renewed {
    Renewal answer = Renewal::lost;
    bool started = false;  ///< to the job: a first sign of life
  };
  Outcome<Renewed> renew(Instant now, const RegistrationId& id, const LeaseKey& lease,
                         Progress progress = {});
  /// A sign of life without more; which worker speaks, and for which pool.
  Outcome<const Registration*> speak(Instant now, const RegistrationId& id);

  // leases.cpp
  /// The fence was revoked: the worker is told, the slot stays taken until it has answered.
  void revoke(Instant now, const LeaseKey& lease);
  /// The attempt is over on both sides: the slot is free. A worker that declined it or never got
  /// it, three times in a row, is passed over for the topic (J-58).
  void free(Instant now, const LeaseKey& lease, bool refused);
  /// Counts a report that could not be read. True for the one that ends the attempt.
  bool note_invalid_report(const LeaseKey& lease);

  const Registration* find(const RegistrationId& id) const;
  const Lease* find_lease(const LeaseKey& lease) const;
  const std::map<RegistrationId, Registration>& registrations() const { return registrations_; }
  const Queue& queue() const { return queue_; }
  size_t leases() const { return holders_.size(); }
  /// When somebody expires or a claim has waited enough.
  std::optional<Instant> next_due() const;
  PoolTerms terms_of(const std::string& pool) const;
  /// True while the worker is passed over for the topic (J-58).
  bool passes_over(const Registration& registration, const std::string& topic, Instant now) const;

 private:
  /// The order in which workers that wait are chosen: the least loaded, then who has waited
  /// longest for work, then by name.
  struct Waiting {
    uint64_t score;
    Instant last_assigned;
    WorkerId worker;
    RegistrationId id;
    auto operator<=>(const Waiting&) const = default;
  };

  /// While it lives the registration is not among those that wait; then it is, if it may be.
  class Change {
   public:
    Change(Fleet& fleet, Registration& registration);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    Fleet& fleet_;
    Registration& registration_;
  };

  Outcome<Registration*> speaking(Instant now, const RegistrationId& id);
  Outcome<Registration*> known(const RegistrationId& id);
  Registration& add(Registration registration);
  /// Takes a registration out. Its leases have been let go.
  void remove(Instant now, const RegistrationId& id);
  /// Lets all leases of a registration that gets nothing more go.
  void let_all_go(Instant now, Registration& registration, bool counted, std::vector<Lost>& lost);
  void touch(Registration& registration, Instant now);
  std::vector<RegistrationId> former_of(const WorkerCard& card) const;
  Registration& holder_of(Instant now, const job::Summary& holder);
  void take_over(Registration& registration, const RegistrationId& former,
                 const std::vector<LeaseKey>& resume, Enrolled& enrolled);
  /// The lease is counted by the keys of its limits already.
  void hold(Registration& registration, const LeaseKey& key, Lease lease);
  void let_go(Instant now, Registration& registration, const LeaseKey& key, bool owed = false);
  /// True when the lease was owed; it is counted no longer.
  bool pay(Instant now, const LeaseKey& lease);
  void uncount(Instant now, const Queue::Counted& counted, bool tokens_back);
  /// Lets workers of these profiles that wait have what they may.
  void match(Instant now, const std::set<Queue::ProfileId>& profiles);
  /// In or out of the profiles, as it may get jobs or not.
  void enlist(Instant now, Registration& registration);
  /// Leases of pools and workers whose time to finish is over.
  void end_drains(Instant now, std::vector<Lost>& lost);
  std::optional<Instant> next_drain_end() const;
  bool can_take(const Registration& registration) const;
  Waiting waiting_of(const Registration& registration) const;
  /// Gives a waiting claim what fits it, as far as its slots go.
  void serve(Instant now, Registration& registration);
  void assign(Instant now, Registration& registration, const JobId& job);
  /// The worker that should take a waiting job, if one waits for it.
  std::optional<RegistrationId> place(Instant now, const JobId& job);
  std::optional<RegistrationId> preferred(Instant now, Queue::ClassId id) const;
  void end_claim(Registration& registration);
  ClaimAnswer answer_of(Registration& registration);
  ClaimAnswer repeated(const Registration& registration, uint64_t seq) const;
  bool answerable(const Registration& registration, Instant now) const;

  Settings settings_;
  Queue queue_;
  std::map<RegistrationId, Registration> registrations_;
  std::map<std::string, RegistrationId> by_name_;  ///< worker's id in its accounts
  std::map<WorkerId, std::set<RegistrationId>> by_worker_;
  std::map<WorkerId, std::optional<Instant>> drained_;
  std::set<std::string> pools_drained_;  ///< their time is over, and what they held was taken
  std::map<LeaseKey, RegistrationId> holders_;
  /// Leases of workers that are gone, counted until their jobs have heard of it.
  std::map<LeaseKey, Queue::Counted> owed_;
  std::set<RegistrationId> replaced_;
  std::set<std::pair<Instant, RegistrationId>> replaced_ends_;  ///< when that is forgotten
  std::set<std::pair<Instant, RegistrationId>> expiries_;
  std::set<std::pair<Instant, RegistrationId>> claim_ends_;
  std::map<Queue::ProfileId, std::set<Waiting>> waiting_;
  std::set<RegistrationId> answerable_;
  std::vector<Assignment> assignments_;
  std::set<RegistrationId> unwritten_;
  std::vector<RegistrationId> forgotten_;
};

}  // namespace fermata::fleet
