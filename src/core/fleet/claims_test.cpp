#include "core/fleet/fleet_fixture.h"

namespace fermata::fleet {
namespace {

// J-64
TEST(Claims, a_claim_that_waits_takes_the_job_that_comes) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  EXPECT_TRUE(at.answers().empty());
  at.offer("j1");
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
  auto answers = at.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].seq, 1u);
  EXPECT_EQ(answers[0].jobs, (std::vector<LeaseKey>{{JobId("j1"), 1}}));
  EXPECT_FALSE(answers[0].drain);
  EXPECT_EQ(at.fleet.leases(), 1u);
}

TEST(Claims, a_job_that_waits_is_taken_by_the_claim_that_comes) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.offer("j1");
  at.offer("j2");
  at.offer("j3");
  at.claim("w1", 1, 2);
  EXPECT_EQ(at.commit(), (Pairs{"j1>w1", "j2>w1"}));
  EXPECT_EQ(at.answers().size(), 1u);
  EXPECT_EQ(at.fleet.queue().size(), 1u);
}

TEST(Claims, an_empty_answer_comes_when_the_wait_is_over) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 1, 5'000);
  at.pass(4'999);
  EXPECT_TRUE(at.answers().empty());
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{1});
  at.pass(1);
  auto answers = at.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].jobs.empty());
  EXPECT_TRUE(at.answers().empty());
}

// Found by the simulator: the host looked again and again whether it could answer.
TEST(Claims, a_claim_whose_job_is_being_stored_is_due_by_no_clock) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 2, 5'000);
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{5'000});
  at.offer("j1");
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{30'000}) << "when the worker is taken for dead";
  at.commit();
  EXPECT_EQ(at.answers().size(), 1u);
}

// Found by the simulator: the worker fell silent while two of its placements were being stored, one
// of which it was then known by again.
TEST(Claims, a_placement_for_a_registration_that_is_known_by_its_leases_alone_is_lost) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 2);
  at.offer("j1");
  at.offer("j2");
  at.offer("j3");
  auto pairs = at.fleet.take_assignments();
  ASSERT_EQ(pairs.size(), 2u);
  at.pass(30'000);
  EXPECT_TRUE(at.fleet.expire(at.now).empty());
  at.fleet.adopt(at.now, at.holder(pairs[0]));
  EXPECT_TRUE(at.fleet.placed(at.now, pairs[1], at.holder(pairs[1])));
  at.fleet.not_placed(at.now, pairs[1]);
  EXPECT_EQ(at.fleet.leases(), 1u);
}

// J-63
TEST(Claims, the_same_seq_gives_the_same_answer) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.offer("j2");
  auto again = at.fleet.claim(at.now, FleetFixture::reg("w1"), 1, 1, 10'000);
  ASSERT_TRUE(again);
  ASSERT_TRUE(*again);
  EXPECT_EQ((*again)->jobs, std::vector<LeaseKey>{lease});
  EXPECT_TRUE(at.fleet.take_assignments().empty());
}

TEST(Claims, a_lease_that_has_ended_is_not_repeated) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.fleet.free(at.now, lease, false);
  auto again = at.fleet.claim(at.now, FleetFixture::reg("w1"), 1, 1, 10'000);
  ASSERT_TRUE(again);
  ASSERT_TRUE(*again);
  EXPECT_TRUE((*again)->jobs.empty());
}

TEST(Claims, a_broken_wait_is_taken_up_again_under_its_seq) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 1, 5'000);
  at.pass(3'000);
  at.claim("w1", 1, 1, 5'000);
  at.pass(3'000);
  EXPECT_TRUE(at.answers().empty());
  at.offer("j1");
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
  EXPECT_EQ(at.answers().size(), 1u);
}

TEST(Claims, a_new_seq_ends_the_wait_of_the_former) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  at.claim("w1", 2);
  at.offer("j1");
  at.commit();
  auto answers = at.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].seq, 2u);
  auto old = at.fleet.claim(at.now, FleetFixture::reg("w1"), 1, 1, 0);
  ASSERT_TRUE(old && *old);
  EXPECT_TRUE((*old)->jobs.empty());
}

TEST(Claims, slots_are_bounded_by_what_the_worker_can_do_at_once) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1", {"*"}, 2));
  for (int i = 1; i <= 5; ++i) at.offer("j" + std::to_string(i));
  at.claim("w1", 1, 256);
  EXPECT_EQ(at.commit(), (Pairs{"j1>w1", "j2>w1"}));
  at.answers();
  at.claim("w1", 2, 256);
  EXPECT_TRUE(at.commit().empty());
  at.fleet.free(at.now, {JobId("j1"), 1}, false);
  EXPECT_EQ(at.commit(), Pairs{"j3>w1"});
}

TEST(Claims, a_dispatch_that_failed_leaves_its_slot_to_the_next) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.offer("j1");
  at.offer("j2");
  at.claim("w1", 1, 1);
  auto first = at.fleet.take_assignments();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(at.answers().empty());
  at.fleet.not_placed(at.now, first[0]);
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
  ASSERT_EQ(at.answers().size(), 1u);
}

TEST(Claims, a_dispatch_to_a_worker_that_has_gone_is_lost_at_once) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  at.offer("j1");
  auto assignments = at.fleet.take_assignments();
  ASSERT_EQ(assignments.size(), 1u);
  ASSERT_TRUE(at.fleet.dismiss(FleetFixture::reg("w1")));
  auto lost = at.fleet.placed(at.now, assignments[0], at.holder(assignments[0]));
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->counted);
  EXPECT_EQ(at.fleet.leases(), 0u);
}

// J-66
TEST(Claims, a_cancel_reaches_a_waiting_claim_at_once) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.claim("w1", 2);
  EXPECT_TRUE(at.answers().empty());
  at.fleet.revoke(at.now, lease);
  auto answers = at.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].cancels, std::vector<LeaseKey>{lease});
  EXPECT_TRUE(answers[0].jobs.empty());
  // Told once; the heartbeat repeats it.
  at.claim("w1", 3);
  EXPECT_TRUE(at.answers().empty());
  EXPECT_EQ(at.beat("w1", 2, {lease}).cancels, std::vector<LeaseKey>{lease});
}

// J-14
TEST(Claims, the_slot_of_a_cancelled_job_is_free_when_the_worker_has_acknowledged_it) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1", {"*"}, 1));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.fleet.revoke(at.now, lease);
  at.offer("j2");
  at.claim("w1", 2);
  EXPECT_TRUE(at.commit().empty());
  at.fleet.free(at.now, lease, false);
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
}

TEST(Claims, who_drains_gets_nothing_and_is_told_so_once) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.offer("j1");
  at.fleet.drain(at.now, WorkerId("w1"), true);
  at.claim("w1", 1);
  EXPECT_TRUE(at.commit().empty());
  auto answers = at.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].drain);
  at.claim("w1", 2);
  EXPECT_TRUE(at.answers().empty());
  at.fleet.drain(at.now, WorkerId("w1"), false);
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
}

TEST(Claims, a_registration_nobody_knows_has_to_register) {
  FleetFixture at;
  auto refused = at.fleet.claim(at.now, RegistrationId("nobody"), 1, 1, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::registration_not_found);
}

// J-66: a stream claims for its worker, and speaks only for itself.
TEST(FleetStream, a_claim_of_a_stream_is_no_sign_of_life) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w"));
  at.pass(29'000);
  ASSERT_TRUE(at.fleet.claim(at.now, FleetFixture::reg("w"), 1, 1, 10'000, false));
  at.pass(1'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.fleet.find(FleetFixture::reg("w")), nullptr);
}

TEST(FleetStream, who_has_left_is_given_nothing) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w"));
  at.claim("w", 1);
  at.fleet.quit_claim(FleetFixture::reg("w"), 1);
  at.offer("j");
  EXPECT_EQ(at.commit(), Pairs{});
  at.claim("w", 2);
  EXPECT_EQ(at.commit(), Pairs{"j>w"});
}

// J-63 for streams
TEST(FleetStream, who_comes_back_is_told_what_it_may_have_missed) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w"));
  LeaseKey first = at.lease("w", 1, "j1");
  LeaseKey second = at.lease("w", 2, "j2");
  at.beat("w", 1, {first});
  auto missed = at.fleet.outstanding(FleetFixture::reg("w"), std::nullopt);
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->jobs, std::vector{second}) << "the first was named";
  EXPECT_EQ(missed->seq, 2u);
  EXPECT_EQ(at.fleet.outstanding(FleetFixture::reg("w"), 2)->jobs, std::vector<LeaseKey>{});
  EXPECT_EQ(at.fleet.outstanding(FleetFixture::reg("w"), 0)->jobs, (std::vector{first, second}));
  at.fleet.revoke(at.now, first);
  EXPECT_EQ(at.fleet.outstanding(FleetFixture::reg("w"), 2)->cancels, std::vector{first});
  EXPECT_FALSE(at.fleet.outstanding(FleetFixture::reg("nobody"), 0));
}

}  // namespace
}  // namespace fermata::fleet
