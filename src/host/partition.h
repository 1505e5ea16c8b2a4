#pragma once
#include <atomic>
#include <deque>
#include <map>

#include "base/queue.h"
#include "host/callback_desk.h"
#include "host/contact_book.h"
#include "host/due_lanes.h"
#include "host/host.h"
#include "host/job_desk.h"
#include "host/schedule_desk.h"
#include "host/signal_desk.h"
#include "host/touched.h"
#include "host/wait_limits.h"
#include "host/zone_follower.h"

namespace fermata {

/// One writer over its share of the runs: takes a batch of commands, decides each, makes one commit
/// and only then acts. While a batch is made durable the next one is decided.
class Host::Partition : private SignalSurroundings {
 public:
  Partition(HostPorts ports, HostSettings settings);
  ~Partition() override;

  Outcome<void> recover();
  bool submit(Command command, Reply reply);
  bool submit_message(Command command, std::string mark, Reply reply);
  bool ask_jobs(JobDesk::Visit visit);
  bool submit_schedule(ScheduleItem item);
  bool redeliver(Redelivery wanted);
  bool submit_signals(std::vector<IncomingSignal> signals);
  bool submit_contact(ContactItem item);
  NextTurn turn();
  void run();
  void stop();
  void wake() { queue_.wake(); }
  void advance_clock(Instant target, std::function<void(Instant)> set_clock,
                     std::function<void()> done);
  HostCounters counters() const;

 private:
  static constexpr uint32_t conflict_tries_max = 16;

  struct Advance {
    Instant target;
    std::function<void(Instant)> set_clock;
    std::function<void()> done;
  };

  // partition.cpp: commands in, decisions.
  std::vector<Item> gather(Instant now);
  bool is_full() const;
  size_t room() const;
  size_t bite() const;
  /// What a turn has taken in.
  struct Taken {
    std::vector<Item> items{};
    std::vector<JobItem> jobs{};
    std::vector<ScheduleItem> schedules{};
    std::vector<DeliveryItem> deliveries{};
    std::vector<ContactItem> contacts{};
    bool empty() const {
      return items.empty() && jobs.empty() && schedules.empty() && deliveries.empty() &&
             contacts.empty();
    }
  };
  void decide_all(Taken taken, Instant now);
  void decide_runs(std::vector<Item> items, Instant now);
  std::vector<OpenRun*> open_all(std::vector<Item>& items, Instant now);
  Touched& touch(OpenRun& open);
  void decide_one(Touched& touched, Item item, Instant now);
  bool is_lost(const Touched& touched, const CallTicket& ticket) const;
  void settle_idle(size_t from, Instant now);
  void settled_without_events(Touched touched, Instant now);
  void refuse_all(std::vector<Item> items, const Error& error, Instant now);
  void defer(Item item, Instant until);

  // posts.cpp: what runs send one another.
  std::optional<Posted> addressed(Post post, const RunId& from);
  bool post_to_label(Post& post, Groups::Member group);
  Outcome<std::vector<RunId>> labelled(const SendSignal& send);
  void decide_posts(Instant now);
  bool decide_for_others(Instant now);
  void decide_post(OpenRun& open, Posted post, Instant now);
  OpenRun* open_truly(const RunId& id, Outcome<void>& fetched);
  void answer_sender(const Posted& post, const Error* refusal);
  void abandon(Groups::Member group, const Error& error, Instant now);

  // jobs.cpp: the same for jobs.
  void decide_jobs(std::vector<JobItem> items, Instant now);
  TouchedJob& touch(OpenJob& open);
  void decide_job(OpenJob& open, JobItem item, std::optional<Groups::Member> sender, Instant now);
  // job_words.cpp
  void refuse_order(const RunId& run, const JobId& job, const Error& error, Groups::Member group);
  void tell_run(job::Record record, Groups::Member group);
  bool post_job(Post& post, const RunId& from, Groups::Member group);
  void decide_job_posts(Instant now);
  bool decide_for_jobs(Instant now);
  void settle_idle_jobs(Instant now);
  void answer(std::vector<DecidedJobItem>& items, const job::Summary& summary);
  void refuse(JobItem item, const Error& error, Instant now);
  void abandon_jobs(Groups::Member whole, const Error& error, Instant now);
  void forget_job(JobId id, Instant now);
  void load_jobs(CommitBatch& batch);
  void resolve_handled(const CommitBatch& batch, JobWrite& write) const;
  void landed(TouchedJob& touched, JobWrite& write, CommitOutcome outcome, Instant now);
  CommitOutcome find_out(const JobWrite& write);
  void not_committed(TouchedJob& touched, CommitOutcome outcome, Instant now);
  void try_again(std::vector<DecidedJobItem> items, Instant now);
  Outcome<void> recover_jobs();
  void recall_windows(Instant now);

  // schedules.cpp: the same for schedules.
  void decide_schedules(std::vector<ScheduleItem> items, Instant now);
  TouchedSchedule& touch(OpenSchedule& open);
  void decide_schedule(OpenSchedule& open, ScheduleItem item, std::optional<Groups::Member> sender,
                       Instant now);
  Outcome<void> look_for_run(const OpenSchedule& open, schedule::Command& command);
  void post_from_schedule(const schedule::Key& from, schedule::SchedulePost post,
                          Groups::Member group, Instant now);
  bool post_schedule(const Post& post, Groups::Member group);
  void answer_schedule(const schedule::Key& key, const Run& run, bool was_there,
                       const std::optional<Error>& refusal, Groups::Member group);
  void refuse_start(const schedule::Key& key, const RunId& run, const Error& error,
                    Groups::Member group);
  void decide_schedule_posts(Instant now);
  void settle_idle_schedules();
  void answer(std::vector<DecidedScheduleItem>& items, const schedule::Schedule& state);
  void refuse(ScheduleItem item, const Error& error, Instant now);
  void abandon_schedules(Groups::Member whole, const Error& error, Instant now);
  void load_schedules(CommitBatch& batch);
  void landed(TouchedSchedule& touched, ScheduleWrite& write, CommitOutcome outcome, Instant now);
  CommitOutcome find_out(const ScheduleWrite& write);
  void not_committed(TouchedSchedule& touched, CommitOutcome outcome, Instant now);

  // callbacks.cpp: what became of callbacks.
  void decide_deliveries(std::vector<DeliveryItem> items, Instant now);
  TouchedDelivery& touch(Delivery next, uint64_t expected, DeliveryItem item);
  void decide_answer(const Delivery& before, DeliveryItem item, Instant now);
  void decide_redelivery(DeliveryItem item, Instant now);
  void refuse_answer(const std::string& delivery, const Error& error, Instant now);
  void load_deliveries(CommitBatch& batch);
  CommitOutcome find_out(const DeliveryWrite& write);
  void landed(TouchedDelivery& touched, const DeliveryWrite& write, CommitOutcome outcome,
              Instant now);
  void not_recorded(TouchedDelivery touched, const Error& error, Instant now);
  void abandon_deliveries(Groups::Member whole, const Error& error, Instant now);
  Outcome<bool> sweep_deliveries(size_t deliveries);

  // signals.cpp: what waits listen to.
  Outcome<std::vector<RunId>> runs_about(const ContactKey& key) override;
  Outcome<bool> takes_part(const ContactKey& key, const WorkflowId& workflow,
                           const RunId& besides) override;
  Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id) override;
  ContactBook& contacts() override { return contacts_; }
  void note(AuditLine line) override;
  bool notes_due(Instant now) const;
  void land_notes(const CommitAnswer& answer, CommitOutcome outcome, Instant now);
  void offer_past(Touched& touched, const std::vector<WaitRecord>& waits, Instant now);
  void land_signals(const CommitAnswer& answer, size_t first, Instant now);
  void forget_unsound(Instant now);
  Outcome<void> recover_listening();

  // waits.cpp: what the engine itself sends to runs because of their waits.
  void take_waits(std::vector<Item>& items, size_t most, Instant now);
  void take_due(std::vector<Item>& items, size_t most);
  void count_lateness(const Run& run, Instant now);
  Duration store_delay(Item& item);
  void refused(Touched& touched, Instant now);
  void tell_zones(const AccountId& account, Instant now);
  void follow_zones(std::vector<Item>& items, size_t most, Instant now);
  void store_is_back(Instant now);

  // contacts.cpp: the same for contacts.
  Outcome<void> fetch_contacts(const std::vector<Item>& items, const std::vector<OpenRun*>& open);
  Outcome<void> fetch_contact(const Item& item, const Run& run);
  void give_surroundings(Given& given, const Command& command, const Run& run);
  void mention(const Command& command, const Run& run);
  /// What a start finds when the contact it is about is not durable as it is known.
  enum class Standing { durable, in_next, flying };
  Standing standing_of(const Item& item) const;
  void join_contact(const Item& item, Groups::Member group);
  void decide_contacts(std::vector<ContactItem> items, Instant now);
  void decide_contact(ContactItem item, Instant now);
  Outcome<std::vector<RunId>> live_runs_of(const ContactKey& key);
  void post_from_contact(const ContactKey& key, const contact::Decision& decision,
                         const std::vector<RunId>& runs, Groups::Member group,
                         const std::string& actor);
  void count_ended(const ContactKey& key, size_t waits);
  void abandon_contacts(Groups::Member whole, const Error& error);
  void forget_contact(const ContactKey& key);
  void release_contact(const ContactKey& key);
  void load_contacts(CommitBatch& batch);
  CommitOutcome find_out(const ContactWrite& write);
  void landed(TouchedContact& touched, ContactWrite& write, CommitOutcome outcome);

  // messages.cpp: what other programs are told and have sent.
  void note_scopes(Touched& touched) const;
  Outcome<bool> was_taken(const Touched& touched, const Item& item) const;
  void add_messages(const Touched& touched, RunWrite& write) const;

  // flight.cpp: what was decided is made durable; then effects, feed and replies.
  void take_off();
  bool land(Instant now);
  CommitOutcome find_out(const RunWrite& write);
  void committed(Touched& touched, RunWrite& write, Instant now);
  void not_committed(Touched& touched, CommitOutcome outcome, Instant now);
  Error trouble(CommitOutcome outcome) const;
  void try_again(std::vector<DecidedItem> items, Instant now);
  void put_first(Item item);
  void answer(std::vector<DecidedItem>& items, Outcome<RunSummary> accepted);
  void perform(const Run& run, const Effect& effect);
  void watch(const Run& run, const RunSummary& summary, Instant now);

  // host.cpp: the loop around turns.
  void sweep(Instant now);
  Outcome<bool> sweep_page(size_t runs);
  Outcome<bool> sweep_schedules(size_t schedules);
  Outcome<bool> sweep_jobs_page(Instant now);
  NextTurn next(Instant now);
  std::optional<Instant> next_due() const;
  void sleep(const NextTurn& next);
  bool step_clock(bool quiet);

  HostPorts ports_;
  const HostSettings settings_;
  RunCache cache_;
  BoundedQueue<Item> queue_;
  JobDesk desk_;
  ScheduleDesk schedules_;
  CallbackDesk callbacks_;
  SignalDesk signals_;
  ContactBook contacts_;
  WaitLimits limits_;
  ZoneFollower follower_;
  std::atomic<bool> stopping_{false};

  // Owned by the thread that takes turns.
  std::shared_ptr<const ZoneTable> zones_;               ///< in force in this turn
  std::shared_ptr<const AccountTable> accounts_;         ///< likewise
  std::map<ContactKey, std::vector<Item>> starts_held_;  ///< until the contact is durable
  std::vector<ContactItem> mentions_;                    ///< by runs of this turn
  std::vector<AuditLine> notes_;                         ///< for the audit, to be written
  Instant notes_at_;                                     ///< not before then, unless with others
  Flight next_;                                          ///< decided, and to be submitted
  Flight flying_;                                        ///< its batch is with the store
  HeldItems held_;                                       ///< for runs of the two above
  std::vector<Posted> posts_;                            ///< sent by this turn, to be decided in it
  std::vector<Posted> held_posts_;    ///< to runs that fly; the next batch waits for them
  std::vector<PostedJob> job_posts_;  ///< likewise, to jobs
  std::vector<PostedJob> held_job_posts_;
  std::vector<PostedSchedule> schedule_posts_;  ///< likewise, to schedules
  std::vector<PostedSchedule> held_schedule_posts_;
  std::deque<Item> released_;              ///< were held or conflicted: decided first
  std::deque<RunId> continuing_;           ///< runs with ready work left over
  std::multimap<Instant, Item> deferred_;  ///< to be tried again later
  DueLanes due_;                           ///< runs whose time has come
  uint64_t flights_begun_ = 0, flights_landed_ = 0;
  bool store_failed_ = false;  ///< something waits until it can be read or written again
  uint64_t sweep_cursor_ = 0;
  uint64_t schedule_cursor_ = 0;
  uint64_t delivery_cursor_ = 0;
  bool runs_left_to_sweep_ = false;
  bool sweeping_ = false;
  Instant next_sweep_;
  uint64_t job_sweep_cursor_ = 0;
  size_t job_pages_left_ = 0;
  uint64_t jobs_seen_ = 0;  ///< by the round under way
  bool jobs_open_ = true;   ///< there may be some
  std::map<job::State, uint64_t> stale_found_;
  /// Decided without knowing what had come before: to be forgotten and tried again.
  std::vector<std::pair<Groups::Member, Error>> unsound_;

  std::mutex advance_mutex_;
  std::optional<Advance> advance_;

  struct Counters {
    std::atomic<uint64_t> commits{0}, commands{0}, events{0}, conflicts{0}, refusals{0},
        timers_fired{0}, calls_placed{0}, store_failures{0}, runs_cached{0}, commands_held{0},
        commits_overlapped{0}, checkpoints_written{0}, checkpoints_restored{0},
        checkpoints_unreadable{0}, callbacks_pending{0}, resumes_delayed{0};
    Spread<10> commit_us{
        {250, 500, 1'000, 2'500, 5'000, 10'000, 50'000, 250'000, 1'000'000, 10'000'000}};
    Spread<8> commit_roots{{1, 4, 16, 64, 128, 256, 1'024, 4'096}};
    Spread<10> lateness_ms{{1, 5, 10, 25, 50, 100, 500, 2'000, 10'000, 60'000}};
  };
  Counters counters_;
};

}  // namespace fermata
