#include "ports/poison.h"

#include "test/contract/stores.h"

namespace fermata {
namespace {

DeadLetterEntry letter_of(const std::string& id) {
  DeadLetterEntry entry;
  entry.letter.id = id;
  entry.letter.account = AccountId("acme");
  entry.letter.topic = "sys.job.submit";
  entry.letter.reason_code = "poison_message";
  entry.letter.error = Value::object({{"code", "bad_request"}});
  entry.letter.created_at = {1'700'000'000'000};
  return entry;
}

class PoisonContract : public StoreContract {
 protected:
  void SetUp() override {
    if (!letters()) GTEST_SKIP() << "this store keeps no messages that cannot be used";
  }
  PoisonLetters* letters() { return dynamic_cast<PoisonLetters*>(&dead_letters()); }
  CommitOutcome end_job(const std::string& id, const DeadLetterEntry& entry) {
    CommitBatch batch;
    JobWrite write;
    write.summary.id = JobId(id);
    write.summary.account = AccountId("acme");
    write.summary.state = job::State::failed;
    write.summary.last_sequence = 1;
    write.events = {1, 1, "event"};
    write.dead_letters = {entry};
    batch.jobs.push_back(std::move(write));
    return store().commit(batch).at(0);
  }
};

// J-83
TEST_P(PoisonContract, letter_of_no_job_is_kept_once_with_its_line) {
  DeadLetterEntry entry = letter_of("p1");
  ASSERT_TRUE(letters()->keep_poison(entry, sample_line("p1")));
  ASSERT_TRUE(letters()->keep_poison(entry, sample_line("p1")));
  reopen();
  EXPECT_EQ(*dead_letters().dead_letter("p1"), entry);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
  expect_valid_chain(audit_of(reader(), "acme"));
}

TEST_P(PoisonContract, letters_of_jobs_and_of_messages_stand_in_one_queue) {
  ASSERT_TRUE(letters()->keep_poison(letter_of("p1"), sample_line("p1")));
  ASSERT_EQ(end_job("j1", letter_of("d1")), CommitOutcome::done);
  ASSERT_TRUE(letters()->keep_poison(letter_of("p2"), sample_line("p2")));
  ASSERT_EQ(end_job("j2", letter_of("d2")), CommitOutcome::done);
  auto page = dead_letters().dead_letters({.account = AccountId("acme")}, 10, "");
  ASSERT_TRUE(page);
  std::vector<std::string> ids;
  for (const DeadLetterEntry& entry : page->items) ids.push_back(entry.letter.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"d2", "p2", "d1", "p1"}));
}

INSTANTIATE_TEST_SUITE_P(Stores, PoisonContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
