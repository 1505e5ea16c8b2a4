#include <algorithm>

#include "test/contract/stores.h"

namespace fermata {
namespace {

job::Summary sample_job(const std::string& id) {
  job::Summary job;
  job.id = JobId(id);
  job.account = AccountId("acme");
  job.state = job::State::scheduled;
  job.submitted_at = Instant{1'700'000'000'000};
  job.topic = "job.mail.send";
  return job;
}

JobWrite creation_of(job::Summary summary, uint32_t count = 2) {
  JobWrite write;
  write.events = {1, count, "events of " + summary.id.text()};
  summary.last_sequence = count;
  write.summary = std::move(summary);
  return write;
}

class JobContract : public StoreContract {
 protected:
  CommitOutcome put(JobWrite write) {
    CommitBatch batch;
    batch.jobs.push_back(std::move(write));
    return store().commit(batch).at(0);
  }
  StoredJob load_job(const std::string& id) {
    JobId ids[] = {JobId(id)};
    auto loaded = store().load_jobs(ids);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? loaded->at(0) : StoredJob{};
  }
  JobWrite next_of(const std::string& id, uint32_t count = 1) {
    StoredJob stored = load_job(id);
    JobWrite write;
    write.expected_version = stored.version;
    write.summary = stored.summary;
    if (count > 0)
      write.events = {stored.summary.last_sequence + 1, count,
                      "version " + std::to_string(stored.version + 1)};
    write.summary.last_sequence += count;
    return write;
  }
  std::vector<std::string> listed(const JobFilter& filter) {
    std::vector<std::string> ids;
    std::string cursor;
    do {
      auto page = reader().list_jobs(filter, 2, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const job::Summary& job : page->items) ids.push_back(job.id.text());
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
};

TEST_P(JobContract, job_that_does_not_exist_has_version_zero) {
  EXPECT_EQ(load_job("nobody").version, 0u);
  EXPECT_EQ(reader().find_job(JobId("nobody"))->version, 0u);
}

TEST_P(JobContract, created_job_is_loaded_as_it_was_written) {
  job::Summary job = sample_job("j1");
  job.state = job::State::running;
  job.phase = job::Phase::executing;
  job.next_due = Instant{-5};
  job.labels = Value::object({{"team", Value("blue")}});
  job.requires_ = {"gpu"};
  job.concurrency = job::Concurrency{"erp", 2};
  job.run = RunId("r1");
  job.fence = 7;
  job.worker = WorkerId("w1");
  job.registration = RegistrationId("reg");
  job.started = true;
  JobWrite write = creation_of(job);
  write.events.bytes = std::string("zero \0 byte", 11);
  ASSERT_EQ(put(write), CommitOutcome::done);
  reopen();
  StoredJob stored = load_job("j1");
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.summary, write.summary);
  EXPECT_EQ(stored.history, std::vector{write.events});
  EXPECT_EQ(reader().find_job(JobId("j1"))->summary, write.summary);
}

TEST_P(JobContract, history_of_a_job_grows_without_gaps) {
  ASSERT_EQ(put(creation_of(sample_job("j1"), 3)), CommitOutcome::done);
  ASSERT_EQ(put(creation_of(sample_job("j2"), 1)), CommitOutcome::done);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(put(next_of("j1", 2)), CommitOutcome::done);
    ASSERT_EQ(put(next_of("j2", 1)), CommitOutcome::done);
    reopen();
  }
  StoredJob job = load_job("j1");
  EXPECT_EQ(job.version, 5u);
  uint64_t next = 1;
  for (const HistoryChunk& chunk : job.history) {
    EXPECT_EQ(chunk.first_sequence, next);
    next += chunk.count;
  }
  EXPECT_EQ(next, job.summary.last_sequence + 1);
}

TEST_P(JobContract, job_written_without_events_keeps_its_history) {
  ASSERT_EQ(put(creation_of(sample_job("j1"))), CommitOutcome::done);
  JobWrite write = next_of("j1", 0);
  write.audit.push_back(sample_line("j1"));
  ASSERT_EQ(put(write), CommitOutcome::done);
  EXPECT_EQ(load_job("j1").version, 2u);
  EXPECT_EQ(load_job("j1").history.size(), 1u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
}

TEST_P(JobContract, another_version_of_a_job_is_a_conflict) {
  ASSERT_EQ(put(creation_of(sample_job("j1"))), CommitOutcome::done);
  EXPECT_EQ(put(creation_of(sample_job("j1"), 5)), CommitOutcome::conflict);
  JobWrite first = next_of("j1");
  JobWrite second = first;
  EXPECT_EQ(put(first), CommitOutcome::done);
  EXPECT_EQ(put(second), CommitOutcome::conflict);
  JobWrite nowhere = creation_of(sample_job("j2"));
  nowhere.expected_version = 3;
  EXPECT_EQ(put(nowhere), CommitOutcome::conflict);
  EXPECT_EQ(load_job("j1").history.size(), 2u);
}

// Outcomes come for runs first, then for jobs; a group of both is written whole or not at all.
TEST_P(JobContract, group_of_a_run_and_a_job_takes_effect_together) {
  CommitBatch batch;
  batch.runs.push_back(creation("r1"));
  batch.jobs.push_back(creation_of(sample_job("j1")));
  batch.runs[0].group = batch.jobs[0].group = 1;
  batch.jobs.push_back(creation_of(sample_job("alone")));
  EXPECT_EQ(store().commit(batch), std::vector(3, CommitOutcome::done));

  CommitBatch torn;
  torn.runs.push_back(next_write(load("r1")));
  torn.jobs.push_back(creation_of(sample_job("j1")));  // exists
  torn.runs[0].group = torn.jobs[0].group = 9;
  torn.jobs.push_back(next_of("alone"));
  std::vector<CommitOutcome> expected = {CommitOutcome::conflict, CommitOutcome::conflict,
                                         CommitOutcome::done};
  EXPECT_EQ(store().commit(torn), expected);
  EXPECT_EQ(load("r1").version, 1u);

  CommitBatch other_way;
  other_way.runs.push_back(creation("r1"));  // exists
  other_way.jobs.push_back(next_of("j1"));
  other_way.runs[0].group = other_way.jobs[0].group = 4;
  EXPECT_EQ(store().commit(other_way), std::vector(2, CommitOutcome::conflict));
  EXPECT_EQ(load_job("j1").version, 1u);
}

TEST_P(JobContract, audit_lines_of_jobs_are_chained_with_those_of_runs) {
  CommitBatch batch;
  batch.runs.push_back(creation("r1"));
  batch.runs[0].audit.push_back(sample_line("r1"));
  batch.jobs.push_back(creation_of(sample_job("j1")));
  batch.jobs[0].audit.push_back(sample_line("j1"));
  ASSERT_EQ(store().commit(batch), std::vector(2, CommitOutcome::done));
  JobWrite refused = creation_of(sample_job("j1"));
  refused.audit.push_back(sample_line("never"));
  ASSERT_EQ(put(refused), CommitOutcome::conflict);
  auto entries = audit_of(reader(), "acme");
  EXPECT_EQ(entries.size(), 2u);
  expect_valid_chain(entries);
}

TEST_P(JobContract, open_jobs_are_paged_for_recovery) {
  for (int i = 0; i < 9; ++i) {
    job::Summary job = sample_job("j" + std::to_string(i));
    if (i % 3 == 0) job.state = job::State::succeeded;
    if (i % 3 == 1) job.state = job::State::retrying;
    ASSERT_EQ(put(creation_of(job)), CommitOutcome::done);
  }
  std::vector<std::string> seen;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto page = store().open_jobs(cursor, 2);
    ASSERT_TRUE(page);
    for (const job::Summary& job : page->jobs) seen.push_back(job.id.text());
    cursor = page->cursor;
    more = page->more;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"j1", "j2", "j4", "j5", "j7", "j8"}));
  JobWrite ending = next_of("j8");
  ending.summary.state = job::State::failed;
  ASSERT_EQ(put(ending), CommitOutcome::done);
  EXPECT_EQ(store().open_jobs(0, 100)->jobs.size(), 5u);
}

TEST_P(JobContract, lists_of_jobs_are_filtered_newest_first) {
  for (int i = 0; i < 6; ++i) {
    job::Summary job = sample_job("j" + std::to_string(i));
    job.account = AccountId(i % 2 ? "acme" : "other");
    job.topic = i < 3 ? "job.mail.send" : "job.pay";
    if (i == 5) job.state = job::State::succeeded;
    if (i == 3) job.run = RunId("r1");
    if (i == 1) job.labels = Value::object({{"team", Value("blue")}});
    job.submitted_at = Instant{1'000 + i};
    ASSERT_EQ(put(creation_of(job)), CommitOutcome::done);
  }
  using Ids = std::vector<std::string>;
  EXPECT_EQ(listed({}), (Ids{"j5", "j4", "j3", "j2", "j1", "j0"}));
  EXPECT_EQ(listed({.account = AccountId("acme")}), (Ids{"j5", "j3", "j1"}));
  EXPECT_EQ(listed({.states = {job::State::scheduled}}), (Ids{"j4", "j3", "j2", "j1", "j0"}));
  EXPECT_EQ(listed({.states = {job::State::succeeded}}), (Ids{"j5"}));
  EXPECT_EQ(listed({.topic = "job.mail.*"}), (Ids{"j2", "j1", "j0"}));
  EXPECT_EQ(listed({.run = RunId("r1")}), (Ids{"j3"}));
  EXPECT_EQ(listed({.label_key = "team", .label_value = "blue"}), (Ids{"j1"}));
  EXPECT_EQ(listed({.from = Instant{1'002}, .to = Instant{1'004}}), (Ids{"j3", "j2"}));
  EXPECT_EQ(listed({.q = "PAY"}), (Ids{"j5", "j4", "j3"}));
  auto counts = reader().count_jobs(AccountId("acme"));
  ASSERT_TRUE(counts);
  std::vector<std::pair<job::State, uint64_t>> expected = {{job::State::scheduled, 2},
                                                           {job::State::succeeded, 1}};
  EXPECT_EQ(*counts, expected);
}

INSTANTIATE_TEST_SUITE_P(adapters, JobContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
