#include "core/fleet/fleet.h"

#include "base/json.h"
#include "core/fleet/fleet_fixture.h"
#include "core/fleet/view.h"

namespace fermata::fleet {
namespace {

using Keys = std::vector<LeaseKey>;

// J-61
TEST(Fleet, terms_come_from_the_pool) {
  Settings settings;
  settings.pools["slow"] = {.lease_ms = 90'000};
  FleetFixture at(settings);
  EXPECT_EQ(at.enroll(FleetFixture::card("w1")).lease_ms, 30'000);
  WorkerCard slow = FleetFixture::card("w2");
  slow.pool = "slow";
  auto enrolled = at.enroll(slow);
  EXPECT_EQ(enrolled.lease_ms, 90'000);
  EXPECT_EQ(enrolled.heartbeat_ms, 30'000);
}

// J-62
TEST(Fleet, who_is_silent_for_a_lease_loses_all_of_its_leases_in_one_batch) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey one = at.lease("w1", 1, "j1");
  LeaseKey two = at.lease("w1", 2, "j2");
  LeaseKey cancelled = at.lease("w1", 3, "j3");
  at.fleet.revoke(at.now, cancelled);
  at.pass(29'999);
  EXPECT_TRUE(at.fleet.expire(at.now).empty());
  at.pass(1);
  auto lost = at.fleet.expire(at.now);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].lease, one);
  EXPECT_EQ(lost[1].lease, two);
  EXPECT_TRUE(lost[0].counted);
  EXPECT_EQ(at.fleet.leases(), 0u);
  EXPECT_TRUE(at.fleet.registrations().empty());
  EXPECT_FALSE(at.fleet.next_due());
}

// J-61
TEST(Fleet, any_call_is_a_sign_of_life) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.pass(20'000);
  EXPECT_TRUE(at.fleet.speak(at.now, FleetFixture::reg("w1")));
  at.pass(20'000);
  at.claim("w1", 2, 1, 0);
  at.pass(20'000);
  EXPECT_TRUE(at.fleet.renew(at.now, FleetFixture::reg("w1"), lease));
  at.pass(20'000);
  at.beat("w1", 1, {lease});
  at.pass(29'999);
  EXPECT_TRUE(at.fleet.expire(at.now).empty());
}

// J-62, JT-8
TEST(Fleet, a_worker_that_registers_again_keeps_what_it_names_and_gives_up_the_rest) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"), "first");
  LeaseKey kept = at.lease("first", 1, "j1");
  LeaseKey gone = at.lease("first", 2, "j2");
  LeaseKey old{JobId("j1"), 99};
  at.claim("first", 3);
  auto again = at.enroll(FleetFixture::card("w1"), "second", {kept, old});
  EXPECT_EQ(again.resumed, Keys{kept});
  EXPECT_EQ(again.lost, Keys{old});
  ASSERT_EQ(again.given_up.size(), 1u);
  EXPECT_EQ(again.given_up[0].lease, gone);
  EXPECT_TRUE(again.given_up[0].counted);
  EXPECT_TRUE(again.had_claim);
  auto fenced = at.fleet.speak(at.now, FleetFixture::reg("first"));
  ASSERT_FALSE(fenced);
  EXPECT_EQ(fenced.error().code, ErrorCode::registration_replaced);
  // The lease it kept is its own: named or lost.
  EXPECT_EQ(at.beat("second", 0, {kept}).started, Keys{kept});
  EXPECT_EQ(at.fleet.leases(), 1u);
  at.pass(700'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.fleet.speak(at.now, FleetFixture::reg("first")).error().code,
            ErrorCode::registration_not_found);
}

TEST(Fleet, the_same_name_in_another_account_is_another_worker) {
  FleetFixture at;
  WorkerCard ours = FleetFixture::card("w1");
  ours.accounts = {"acme"};
  at.enroll(ours, "ours");
  at.lease("ours", 1, "j1");
  WorkerCard theirs = FleetFixture::card("w1");
  theirs.accounts = {"other"};
  auto enrolled = at.enroll(theirs, "theirs", {{JobId("j1"), 1}});
  EXPECT_TRUE(enrolled.resumed.empty());
  EXPECT_TRUE(enrolled.given_up.empty());
  EXPECT_EQ(enrolled.lost.size(), 1u);
  EXPECT_TRUE(at.fleet.speak(at.now, FleetFixture::reg("ours")));
}

TEST(Fleet, a_worker_that_leaves_hands_its_leases_back_uncounted) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  auto lost = at.fleet.dismiss(FleetFixture::reg("w1"));
  ASSERT_TRUE(lost);
  ASSERT_EQ(lost->size(), 1u);
  EXPECT_EQ((*lost)[0].lease, lease);
  EXPECT_FALSE((*lost)[0].counted);
  EXPECT_FALSE(at.fleet.dismiss(FleetFixture::reg("w1")));
}

// J-63, JT-3
TEST(Fleet, a_lease_the_worker_never_got_is_undelivered) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  // The answer may still be on its way.
  auto early = at.beat("w1", 0, {});
  EXPECT_TRUE(early.undelivered.empty());
  auto later = at.beat("w1", 1, {});
  EXPECT_EQ(later.undelivered, Keys{lease});
  EXPECT_TRUE(later.forgotten.empty());
}

TEST(Fleet, a_lease_the_worker_had_and_does_not_name_any_more_is_lost) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  EXPECT_EQ(at.beat("w1", 1, {lease}).started, Keys{lease});
  auto answer = at.beat("w1", 1, {});
  EXPECT_TRUE(answer.undelivered.empty());
  ASSERT_EQ(answer.forgotten.size(), 1u);
  EXPECT_TRUE(answer.forgotten[0].counted);
}

TEST(Fleet, only_the_first_sign_of_life_is_told) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  auto renewed = at.fleet.renew(at.now, FleetFixture::reg("w1"), lease, {50, "half"});
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->answer, Fleet::Renewal::ok);
  EXPECT_TRUE(renewed->started);
  EXPECT_TRUE(at.beat("w1", 1, {lease}).started.empty());
  EXPECT_FALSE(at.fleet.renew(at.now, FleetFixture::reg("w1"), lease)->started);
}

// J-14, J-66
TEST(Fleet, a_revoked_lease_is_cancelled_by_the_heartbeat_until_it_is_not_named) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.beat("w1", 1, {lease});
  at.fleet.revoke(at.now, lease);
  EXPECT_EQ(at.beat("w1", 1, {lease}).cancels, Keys{lease});
  EXPECT_EQ(at.fleet.renew(at.now, FleetFixture::reg("w1"), lease)->answer, Fleet::Renewal::cancel);
  EXPECT_EQ(at.fleet.leases(), 1u);
  auto answer = at.beat("w1", 1, {});
  EXPECT_TRUE(answer.undelivered.empty());
  EXPECT_TRUE(answer.forgotten.empty());
  EXPECT_EQ(at.fleet.leases(), 0u);
  EXPECT_EQ(at.fleet.renew(at.now, FleetFixture::reg("w1"), lease)->answer, Fleet::Renewal::lost);
}

TEST(Fleet, what_somebody_else_holds_is_lost_to_who_names_it) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.enroll(FleetFixture::card("w2"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  EXPECT_EQ(at.beat("w2", 0, {lease}).lost, Keys{lease});
  EXPECT_EQ(at.fleet.renew(at.now, FleetFixture::reg("w2"), lease)->answer, Fleet::Renewal::lost);
}

// J-65
TEST(Fleet, the_third_report_that_cannot_be_read_ends_the_attempt) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  EXPECT_FALSE(at.fleet.note_invalid_report(lease));
  EXPECT_FALSE(at.fleet.note_invalid_report(lease));
  EXPECT_TRUE(at.fleet.note_invalid_report(lease));
  EXPECT_FALSE(at.fleet.note_invalid_report(lease));
  EXPECT_FALSE(at.fleet.note_invalid_report({JobId("nobody"), 1}));
}

/// What the store holds after the life of an engine.
struct Kept {
  std::vector<std::string> registrations;
  std::vector<job::Summary> jobs;
};

Kept keep(FleetFixture& at) {
  Kept kept;
  at.pass(5'000);
  for (const RegistrationRecord& record : at.fleet.unwritten(at.now))
    kept.registrations.push_back(encode(record));
  for (const auto& [id, registration] : at.fleet.registrations())
    for (const auto& [key, lease] : registration.leases) {
      job::Summary summary;
      summary.id = key.job;
      summary.account = lease.account;
      summary.topic = lease.topic;
      summary.fence = key.fence;
      summary.registration = id;
      summary.worker = registration.card.worker;
      summary.pool = registration.card.pool;
      summary.claim_seq = lease.seq;
      summary.lease_ms = registration.lease_ms;
      summary.started = lease.seen;
      kept.jobs.push_back(summary);
    }
  return kept;
}

FleetFixture restarted(const Kept& kept, Instant now) {
  FleetFixture at;
  at.now = now;
  for (const std::string& bytes : kept.registrations)
    at.fleet.restore(now, *decode_registration(bytes));
  for (const job::Summary& summary : kept.jobs) at.fleet.adopt(now, summary);
  return at;
}

// J-61, J-63, J-67, JT-3, JT-10, JT-33
TEST(Fleet, after_a_restart_leases_live_on_and_an_answer_can_still_be_repeated) {
  FleetFixture before;
  WorkerCard card = FleetFixture::card("w1");
  card.labels = Value::object({{"node.zone", "b"}});
  before.enroll(card);
  LeaseKey lease = before.lease("w1", 7, "j1");
  FleetFixture at = restarted(keep(before), before.now + Duration{600'000});
  auto again = at.fleet.claim(at.now, FleetFixture::reg("w1"), 7, 1, 10'000);
  ASSERT_TRUE(again);
  ASSERT_TRUE(*again);
  EXPECT_EQ((*again)->jobs, Keys{lease});
  // Its labels route at once.
  ReadyJob job = at.job("j2");
  job.labels = Value::object({{"node.zone", "b"}});
  at.fleet.offer(at.now, job);
  at.claim("w1", 8);
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
}

// J-61, J-67
TEST(Fleet, after_a_restart_the_silent_have_one_lease_to_speak_up) {
  FleetFixture before;
  before.enroll(FleetFixture::card("w1"));
  before.lease("w1", 1, "j1");
  before.enroll(FleetFixture::card("w2"));
  LeaseKey second = before.lease("w2", 1, "j2");
  FleetFixture at = restarted(keep(before), before.now + Duration{600'000});
  at.pass(29'000);
  EXPECT_TRUE(at.fleet.expire(at.now).empty());
  EXPECT_EQ(view::list_item(*at.fleet.find(FleetFixture::reg("w2"))).get("status"),
            Value("awaited"));
  at.beat("w2", 1, {second});
  at.pass(1'000);
  auto lost = at.fleet.expire(at.now);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].lease.job.text(), "j1");
  EXPECT_EQ(at.fleet.forgotten(), std::vector<RegistrationId>{FleetFixture::reg("w1")});
}

// JT-10
TEST(Fleet, a_lease_that_was_resumed_stays_its_workers_over_a_restart) {
  FleetFixture before;
  before.enroll(FleetFixture::card("w1"), "first");
  LeaseKey lease = before.lease("first", 1, "j1");
  before.enroll(FleetFixture::card("w1"), "second", {lease});
  Kept kept = keep(before);
  // The job still names the registration it was given to.
  kept.jobs[0].registration = FleetFixture::reg("first");
  FleetFixture at = restarted(kept, before.now + Duration{1'000});
  EXPECT_EQ(at.beat("second", 0, {lease}).started, Keys{lease});
}

TEST(Fleet, leases_of_a_registration_that_was_not_written_wait_for_their_worker) {
  FleetFixture before;
  before.enroll(FleetFixture::card("w1"));
  LeaseKey lease = before.lease("w1", 1, "j1");
  Kept kept = keep(before);
  kept.registrations.clear();
  FleetFixture at = restarted(kept, before.now);
  // It is told to register again, which is how it takes its lease along.
  auto refused = at.fleet.claim(at.now, FleetFixture::reg("w1"), 2, 1, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::registration_not_found);
  WorkerCard card = FleetFixture::card("w1");
  card.accounts = {"acme"};
  EXPECT_EQ(at.enroll(card, "again", {lease}).resumed, Keys{lease});
  FleetFixture silent = restarted(kept, before.now);
  silent.pass(30'000);
  EXPECT_EQ(silent.fleet.expire(silent.now).size(), 1u);
}

TEST(Fleet, a_stranger_cannot_take_leases_by_a_workers_name) {
  FleetFixture before;
  before.enroll(FleetFixture::card("w1"));
  LeaseKey lease = before.lease("w1", 1, "j1");
  Kept kept = keep(before);
  kept.registrations.clear();
  FleetFixture at = restarted(kept, before.now);
  WorkerCard stranger = FleetFixture::card("w1");
  stranger.accounts = {"other"};
  auto enrolled = at.enroll(stranger, "stranger", {lease});
  EXPECT_TRUE(enrolled.resumed.empty());
  EXPECT_TRUE(enrolled.given_up.empty());
  EXPECT_EQ(at.fleet.leases(), 1u);
}

// J-67
TEST(Fleet, what_was_written_never_overwrites_who_has_spoken) {
  FleetFixture before;
  before.enroll(FleetFixture::card("w1", {"old"}));
  Kept kept = keep(before);
  FleetFixture at;
  at.enroll(FleetFixture::card("w1", {"new"}), "live");
  at.fleet.restore(at.now, *decode_registration(kept.registrations[0]));
  EXPECT_EQ(at.fleet.registrations().size(), 1u);
  EXPECT_TRUE(at.fleet.find(FleetFixture::reg("live")));
}

// J-67
TEST(Fleet, a_load_is_written_when_it_changed_and_not_too_often) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  EXPECT_EQ(at.fleet.unwritten(at.now).size(), 1u);
  EXPECT_TRUE(at.fleet.unwritten(at.now).empty());
  Fleet::Beat beat;
  beat.load = Load{.cpu = 100, .gpu = 0, .memory = 0, .external_jobs = 0};
  ASSERT_TRUE(at.fleet.heartbeat(at.now, FleetFixture::reg("w1"), beat));
  EXPECT_TRUE(at.fleet.unwritten(at.now).empty());
  at.pass(5'000);
  auto records = at.fleet.unwritten(at.now);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].load.cpu, 100u);
  ASSERT_TRUE(at.fleet.heartbeat(at.now, FleetFixture::reg("w1"), beat));
  at.pass(5'000);
  EXPECT_TRUE(at.fleet.unwritten(at.now).empty());
}

TEST(Fleet, a_damaged_record_is_refused) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  std::string bytes = encode(at.fleet.unwritten(at.now)[0]);
  EXPECT_TRUE(decode_registration(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_registration(bytes.substr(0, size)));
  EXPECT_FALSE(decode_registration(bytes + "x"));
}

TEST(Fleet, concurrency_is_counted_over_a_restart) {
  FleetFixture at;
  job::Summary holder;
  holder.id = JobId("j1");
  holder.account = AccountId("acme");
  holder.topic = "job.a";
  holder.fence = 5;
  holder.worker = WorkerId("w1");
  holder.registration = FleetFixture::reg("w1");
  holder.lease_ms = 30'000;
  holder.concurrency = job::Concurrency{"erp", 1};
  at.fleet.adopt(at.now, holder);
  at.enroll(FleetFixture::card("w2"));
  at.claim("w2", 1, 1, 60'000);
  ReadyJob job = at.job("j2");
  job.limits = {*holder.concurrency};
  at.fleet.offer(at.now, job);
  EXPECT_TRUE(at.commit().empty());
  at.pass(30'000);
  ASSERT_TRUE(at.fleet.speak(at.now, FleetFixture::reg("w2")));
  EXPECT_EQ(at.fleet.expire(at.now).size(), 1u);
  EXPECT_TRUE(at.commit().empty()) << "its job has not heard of it";
  at.fleet.free(at.now, {holder.id, holder.fence}, false);
  EXPECT_EQ(at.commit(), Pairs{"j2>w2"});
}

TEST(Fleet, cards_are_checked) {
  WorkerCard card = FleetFixture::card("w1", {"a..b"}, 0);
  card.worker = WorkerId("");
  card.pool = "";
  card.labels = Value::object({{"a", 1}});
  card.region = "\n";
  std::vector<std::string> paths;
  for (const Finding& finding : check_card(card)) paths.push_back(finding.path);
  EXPECT_EQ(paths,
            (Pairs{"/worker_id", "/pool", "/topics", "/max_parallel", "/labels", "/region"}));
  EXPECT_TRUE(check_card(FleetFixture::card("w1", {"pay.*", "mail"})).empty());
  EXPECT_EQ(check_card(FleetFixture::card("w1", {})).size(), 1u);
}

TEST(Fleet, people_see_workers_and_queues) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1", {"a"}));
  LeaseKey lease = at.lease("w1", 1, "j1");
  ASSERT_TRUE(at.fleet.renew(at.now, FleetFixture::reg("w1"), lease, {50, "half"}));
  Value shown = view::worker(*at.fleet.find(FleetFixture::reg("w1")));
  EXPECT_EQ(shown.get("worker_id"), Value("w1"));
  EXPECT_EQ(shown.get("status"), Value("online"));
  ASSERT_EQ(shown.get("leases").size(), 1u);
  EXPECT_EQ(shown.get("leases").items()[0].get("percent"), Value(50));
  at.offer("j2", "job.b");
  at.pass(250);
  Value queues = view::queues(at.fleet.queue(), at.now, AccountId("acme"));
  ASSERT_EQ(queues.size(), 1u) << to_json(queues);
  EXPECT_EQ(queues.items()[0].get("oldest_ms"), Value(250));
  EXPECT_EQ(queues.items()[0].get("served"), Value(false));
}

// J-67
TEST(FleetRoll, what_could_not_be_written_is_given_again) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w"));
  auto records = at.fleet.unwritten(at.now);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(at.fleet.next_write(), std::nullopt);
  at.fleet.not_written(records, {});
  ASSERT_TRUE(at.fleet.next_write());
  at.pass(5'000);
  EXPECT_EQ(at.fleet.unwritten(at.now).size(), 1u);
  ASSERT_TRUE(at.fleet.dismiss(FleetFixture::reg("w")));
  auto gone = at.fleet.forgotten();
  EXPECT_EQ(gone, std::vector{FleetFixture::reg("w")});
  at.fleet.not_written({}, gone);
  EXPECT_EQ(at.fleet.forgotten(), gone);
}

}  // namespace
}  // namespace fermata::fleet
