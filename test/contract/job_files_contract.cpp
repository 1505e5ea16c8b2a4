#include "base/hash.h"
#include "test/contract/stores.h"

namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;
const Instant noon{1'700'000'000'000};

job::Summary ended_job(const std::string& id, Instant at = noon) {
  job::Summary job;
  job.id = JobId(id);
  job.account = AccountId("acme");
  job.state = job::State::failed;
  job.submitted_at = job.updated_at = at;
  job.ended_at = at;
  job.topic = "job.mail.send";
  return job;
}

JobWrite creation_of(job::Summary summary) {
  JobWrite write;
  write.events = {1, 2, "events of " + summary.id.text()};
  summary.last_sequence = 2;
  write.summary = std::move(summary);
  return write;
}

job::KeepBlob blob_of(const std::string& text) { return {sha256_hex(text), text.size(), text}; }

DeadLetterEntry letter_of(const std::string& id, const std::string& job,
                          const std::string& account = "acme", Instant at = noon) {
  DeadLetterEntry entry;
  entry.letter.id = id;
  entry.letter.account = AccountId(account);
  entry.letter.job = JobId(job);
  entry.letter.topic = "job.mail.send";
  entry.letter.status = job::State::failed;
  entry.letter.reason_code = "retries_exhausted";
  entry.letter.last_state = job::State::running;
  entry.letter.attempts = 3;
  entry.letter.error = Value::object({{"code", "smtp"}});
  entry.letter.created_at = at;
  return entry;
}

class JobFilesContract : public StoreContract {
 protected:
  CommitOutcome put(JobWrite write) {
    CommitBatch batch;
    batch.jobs.push_back(std::move(write));
    return store().commit(batch).at(0);
  }
  std::optional<std::string> blob(const std::string& text, const std::string& account = "acme") {
    auto found = job_files().blob(AccountId(account), sha256_hex(text));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }
  std::vector<std::string> listed(const DeadLetterFilter& filter) {
    std::vector<std::string> ids;
    std::string cursor;
    do {
      auto page = dead_letters().dead_letters(filter, 2, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const DeadLetterEntry& entry : page->items) ids.push_back(entry.letter.id);
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
  std::vector<std::string> said(const std::string& job) {
    std::vector<std::string> lines;
    std::string cursor;
    do {
      auto page = job_files().log(JobId(job), 1, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return lines;
      for (const LogChunk& chunk : page->items)
        lines.insert(lines.end(), chunk.lines.begin(), chunk.lines.end());
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return lines;
  }
};

// J-2
TEST_P(JobFilesContract, blob_is_kept_under_its_hash_for_its_account_alone) {
  std::string text = std::string("zero \0 byte", 11) + std::string(100'000, 'x');
  auto put = job_files().put_blob(AccountId("acme"), text, noon);
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(*put, (BlobRef{sha256_hex(text), text.size()}));
  EXPECT_EQ(*job_files().put_blob(AccountId("acme"), text, noon), *put);
  reopen();
  EXPECT_EQ(blob(text), text);
  EXPECT_EQ(blob(text, "other"), std::nullopt);
  EXPECT_EQ(*job_files().blob_bytes(AccountId("acme"), put->sha256), text.size());
  EXPECT_EQ(*job_files().blob_bytes(AccountId("other"), put->sha256), std::nullopt);
}

TEST_P(JobFilesContract, empty_bytes_are_a_blob_too) {
  ASSERT_TRUE(job_files().put_blob(AccountId("acme"), "", noon));
  EXPECT_EQ(blob(""), "");
}

TEST_P(JobFilesContract, blobs_go_some_time_after_the_last_job_that_refers_to_them) {
  JobWrite first = creation_of(ended_job("j1"));
  first.blobs = {blob_of("shared"), blob_of("own")};
  JobWrite second = creation_of(ended_job("j2", noon + Duration{day_ms}));
  second.blobs = {blob_of("shared")};
  ASSERT_EQ(put(first), CommitOutcome::done);
  ASSERT_EQ(put(second), CommitOutcome::done);
  ASSERT_TRUE(job_files().put_blob(AccountId("acme"), "uploaded", noon));
  reopen();
  EXPECT_EQ(blob("own"), "own");

  Instant later = noon + Duration{day_ms / 2};
  EXPECT_EQ(retention().remove_jobs(0, later, 10)->removed, 1u);
  EXPECT_EQ(retention().remove_blobs(noon, 10)->removed, 0u) << "put since";
  EXPECT_EQ(retention().remove_blobs(later, 10)->removed, 2u);
  EXPECT_EQ(blob("own"), std::nullopt);
  EXPECT_EQ(blob("uploaded"), std::nullopt);
  EXPECT_EQ(blob("shared"), "shared") << "the other job has it";
}

TEST_P(JobFilesContract, what_a_worker_has_put_is_kept_by_the_job_that_refers_to_it) {
  auto uploaded = job_files().put_blob(AccountId("acme"), "artifact", noon);
  JobWrite write = creation_of(ended_job("j1"));
  write.blobs = {{uploaded->sha256, uploaded->bytes, ""}};
  ASSERT_EQ(put(write), CommitOutcome::done);
  EXPECT_EQ(retention().remove_blobs(noon + Duration{10 * day_ms}, 10)->removed, 0u);
  EXPECT_EQ(blob("artifact"), "artifact");
}

TEST_P(JobFilesContract, commit_that_conflicts_keeps_no_blob_and_opens_no_dead_letter) {
  ASSERT_EQ(put(creation_of(ended_job("j1"))), CommitOutcome::done);
  JobWrite again = creation_of(ended_job("j1"));
  again.blobs = {blob_of("nobody's")};
  again.dead_letters = {letter_of("d1", "j1")};
  EXPECT_EQ(put(again), CommitOutcome::conflict);
  EXPECT_EQ(blob("nobody's"), std::nullopt);
  EXPECT_TRUE(listed({}).empty());
}

// J-2: logs
// J-46, J-48
TEST_P(JobFilesContract, held_output_is_there_until_it_is_dropped) {
  JobWrite write = creation_of(ended_job("j1"));
  write.held = "{\"a\":1}";
  ASSERT_EQ(put(write), CommitOutcome::done);
  EXPECT_EQ(*job_files().held_output(JobId("j1")), std::optional<std::string>("{\"a\":1}"));
  EXPECT_FALSE((*job_files().held_output(JobId("j2"))).has_value());
  EXPECT_EQ(*job_files().count_held(), 1u);
  JobWrite next = write;
  next.expected_version = 1;
  next.events = {};
  next.held = "2";
  ASSERT_EQ(put(next), CommitOutcome::done);
  EXPECT_EQ(*job_files().held_output(JobId("j1")), std::optional<std::string>("2"));
  next.expected_version = 2;
  next.held.reset();
  next.drop_held = true;
  ASSERT_EQ(put(next), CommitOutcome::done);
  EXPECT_FALSE((*job_files().held_output(JobId("j1"))).has_value());
  EXPECT_EQ(*job_files().count_held(), 0u);
}

TEST_P(JobFilesContract, ended_job_that_wants_to_be_looked_at_is_found_at_start) {
  JobWrite waiting = creation_of(ended_job("waiting"));
  waiting.summary.state = job::State::succeeded;
  waiting.summary.next_due = Instant{5};
  waiting.held = "1";
  JobWrite refused = creation_of(ended_job("refused"));
  refused.summary.state = job::State::output_quarantined;
  refused.held = "2";
  JobWrite running = creation_of(ended_job("running"));
  running.summary.state = job::State::running;
  running.held = "3";
  for (const JobWrite& write : {waiting, refused, running})
    ASSERT_EQ(put(write), CommitOutcome::done);
  auto page = store().open_jobs(0, 10);
  ASSERT_TRUE(page);
  std::vector<std::string> found;
  for (const job::Summary& job : page->jobs) found.push_back(job.id.text());
  EXPECT_EQ(found, (std::vector<std::string>{"waiting", "running"}));
}

TEST_P(JobFilesContract, dropped_blob_goes_with_the_last_job_that_refers_to_it) {
  for (const char* id : {"a", "b"}) {
    JobWrite write = creation_of(ended_job(id));
    write.blobs.push_back(blob_of("shared"));
    ASSERT_EQ(put(write), CommitOutcome::done);
  }
  for (const char* id : {"a", "b"}) {
    EXPECT_TRUE(blob("shared"));
    JobWrite write = creation_of(ended_job(id));
    write.expected_version = 1;
    write.events = {};
    write.dropped_blobs = {sha256_hex("shared"), sha256_hex("never put")};
    ASSERT_EQ(put(write), CommitOutcome::done);
  }
  EXPECT_FALSE(blob("shared"));
}

TEST_P(JobFilesContract, dead_letter_is_settled_by_the_commit_of_its_job) {
  JobWrite write = creation_of(ended_job("j"));
  write.dead_letters.push_back(letter_of("d", "j"));
  ASSERT_EQ(put(write), CommitOutcome::done);
  write.expected_version = 1;
  write.events = {};
  write.dead_letters.clear();
  write.settled_letter = job::SettleLetter{true, "ann", noon};
  ASSERT_EQ(put(write), CommitOutcome::done);
  auto found = dead_letters().dead_letter("d");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->resolution, Resolution::released);
  EXPECT_EQ((*found)->resolved_by, "ann");
}

TEST_P(JobFilesContract, log_of_an_attempt_ends_where_it_is_full) {
  ASSERT_EQ(put(creation_of(ended_job("j1"))), CommitOutcome::done);
  LogChunk chunk{JobId("j1"), 1, noon, {"one", "two"}};
  EXPECT_EQ(*job_files().append_log(chunk, 20), 0u);
  EXPECT_EQ(*job_files().append_log({JobId("j1"), 1, noon, {"three", "too long a line", "x"}}, 20),
            2u);
  EXPECT_EQ(*job_files().append_log({JobId("j1"), 1, noon, {"y"}}, 20), 1u) << "it is full";
  EXPECT_EQ(*job_files().append_log({JobId("j1"), 2, noon, {"again"}}, 20), 0u);
  reopen();
  EXPECT_EQ(said("j1"), (std::vector<std::string>{"one", "two", "three", "again"}));
  auto page = job_files().log(JobId("j1"), 100, "");
  ASSERT_TRUE(page && !page->items.empty());
  EXPECT_EQ(page->items.front(), chunk);
  EXPECT_EQ(page->items.back().attempt, 2u);
  auto nobody = job_files().append_log({JobId("nobody"), 1, noon, {"x"}}, 20);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::job_not_found);
  EXPECT_TRUE(said("nobody").empty());
}

TEST_P(JobFilesContract, first_line_that_does_not_fit_fills_the_log) {
  ASSERT_EQ(put(creation_of(ended_job("j1"))), CommitOutcome::done);
  EXPECT_EQ(*job_files().append_log({JobId("j1"), 1, noon, {"much too long"}}, 10), 1u);
  EXPECT_EQ(*job_files().append_log({JobId("j1"), 1, noon, {"x"}}, 10), 1u);
  EXPECT_TRUE(said("j1").empty());
}

// J-15, J-82
TEST_P(JobFilesContract, dead_letter_is_opened_by_the_commit_that_ends_its_job) {
  DeadLetterEntry entry = letter_of("d1", "j1");
  JobWrite write = creation_of(ended_job("j1"));
  write.dead_letters = {entry};
  ASSERT_EQ(put(write), CommitOutcome::done);
  reopen();
  EXPECT_EQ(*dead_letters().dead_letter("d1"), entry);
  EXPECT_EQ(*dead_letters().dead_letter("nobody"), std::nullopt);
}

// W-66, W-87: what runs leave there, and lines of the audit that belong to nothing else.
TEST_P(JobFilesContract, runs_leave_entries_and_a_batch_has_lines_of_its_own) {
  CommitBatch batch;
  batch.runs.push_back(creation("r1"));
  DeadLetterEntry entry = letter_of("d-run", "");
  entry.letter.run = RunId("r1");
  entry.letter.reason_code = "wait_resume_failed";
  batch.runs[0].dead_letters = {entry};
  AuditLine line{AccountId("acme"), Instant{5}, "engine", "tzdata.changed", "2026b", "", Value()};
  batch.audit = {line};
  EXPECT_EQ(store().commit(batch), (std::vector{CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(*dead_letters().dead_letter("d-run"), entry);
  auto lines = reader().audit({.account = AccountId("acme"), .action = "tzdata.changed"}, 9, "");
  ASSERT_EQ(lines->items.size(), 1u);
  EXPECT_EQ(lines->items[0].line.subject, "2026b");
  // They do not depend on what else is in it.
  batch.runs[0].dead_letters = {letter_of("d-second", "")};
  EXPECT_EQ(store().commit(batch), (std::vector{CommitOutcome::conflict, CommitOutcome::done}));
  EXPECT_EQ(*dead_letters().dead_letter("d-second"), std::nullopt);
}

TEST_P(JobFilesContract, dead_letters_are_listed_newest_first_open_ones_by_default) {
  for (int i = 1; i <= 5; ++i) {
    std::string n = std::to_string(i);
    JobWrite write = creation_of(ended_job("j" + n));
    write.dead_letters = {letter_of("d" + n, "j" + n, i == 3 ? "other" : "acme")};
    if (i == 4) write.dead_letters[0].letter.reason_code = "worker_lost";
    if (i == 5) write.dead_letters[0].resolution = Resolution::run_handled;
    ASSERT_EQ(put(write), CommitOutcome::done);
  }
  using Ids = std::vector<std::string>;
  DeadLetterFilter filter{.account = AccountId("acme")};
  EXPECT_EQ(listed(filter), (Ids{"d4", "d2", "d1"}));
  filter.open = std::nullopt;
  EXPECT_EQ(listed(filter), (Ids{"d5", "d4", "d2", "d1"}));
  filter.open = false;
  EXPECT_EQ(listed(filter), Ids{"d5"});
  EXPECT_EQ(listed({.reason_code = "worker_lost"}), Ids{"d4"});
  EXPECT_EQ(listed({.topic = "job.pay.*"}), Ids{});
  EXPECT_EQ(listed({.job = JobId("j2")}), Ids{"d2"});
  EXPECT_EQ(listed({.to = noon}), Ids{});
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  EXPECT_EQ(*dead_letters().count_dead_letters(AccountId("acme")),
            (Counts{{"retries_exhausted", 2}, {"worker_lost", 1}}));
  EXPECT_EQ(*dead_letters().count_dead_letters(AccountId()),
            (Counts{{"retries_exhausted", 3}, {"worker_lost", 1}}));
}

TEST_P(JobFilesContract, dead_letter_is_resolved_once_with_its_audit_line) {
  JobWrite write = creation_of(ended_job("j1"));
  write.dead_letters = {letter_of("d1", "j1")};
  ASSERT_EQ(put(write), CommitOutcome::done);
  DeadLetters::Resolve discard{"d1", Resolution::discarded, "key_1", noon + Duration{5}};
  auto resolved = dead_letters().resolve_dead_letter(discard, sample_line("d1"));
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->resolution, Resolution::discarded);
  EXPECT_EQ(resolved->resolved_by, "key_1");
  reopen();
  EXPECT_EQ(**dead_letters().dead_letter("d1"), *resolved);
  auto again = dead_letters().resolve_dead_letter(discard, sample_line("d1"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::wrong_state);
  discard.id = "nobody";
  auto none = dead_letters().resolve_dead_letter(discard, sample_line("nobody"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::value_not_found);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
}

// J-5
TEST_P(JobFilesContract, ended_jobs_are_removed_when_they_are_old_and_nobody_wants_them) {
  JobWrite wanted = creation_of(ended_job("wanted"));
  wanted.dead_letters = {letter_of("d1", "wanted")};
  job::Summary open = ended_job("open");
  open.state = job::State::scheduled;
  open.ended_at.reset();
  ASSERT_EQ(put(creation_of(ended_job("old"))), CommitOutcome::done);
  ASSERT_EQ(put(wanted), CommitOutcome::done);
  ASSERT_EQ(put(creation_of(open)), CommitOutcome::done);
  ASSERT_EQ(put(creation_of(ended_job("young", noon + Duration{day_ms}))), CommitOutcome::done);
  ASSERT_TRUE(job_files().append_log({JobId("old"), 1, noon, {"said"}}, 100));

  auto sweep = retention().remove_jobs(0, noon + Duration{1}, 2);
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_EQ(sweep->removed, 1u);
  EXPECT_TRUE(sweep->more);
  sweep = retention().remove_jobs(sweep->cursor, noon + Duration{1}, 2);
  EXPECT_EQ(sweep->removed, 0u);
  EXPECT_FALSE(sweep->more);
  while (retention().remove_remains(1)->more) {
  }
  reopen();
  EXPECT_EQ(reader().find_job(JobId("old"))->version, 0u);
  EXPECT_TRUE(said("old").empty());
  for (const char* id : {"wanted", "open", "young"})
    EXPECT_EQ(reader().find_job(JobId(id))->version, 1u) << id;

  EXPECT_EQ(retention().remove_dead_letters(noon, 10)->removed, 0u);
  EXPECT_EQ(retention().remove_dead_letters(noon + Duration{1}, 10)->removed, 1u);
  EXPECT_EQ(retention().remove_jobs(0, noon + Duration{1}, 10)->removed, 1u);
  EXPECT_EQ(put(creation_of(ended_job("old"))), CommitOutcome::done) << "its id is free";
}

// J-84
TEST_P(JobFilesContract, beyond_so_many_the_oldest_resolved_dead_letters_go_and_open_ones_never) {
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    JobWrite write = creation_of(ended_job(id));
    write.dead_letters.push_back(letter_of("dl-" + std::string(id), id));
    ASSERT_EQ(put(write), CommitOutcome::done);
  }
  JobWrite other = creation_of(ended_job("x"));
  other.summary.account = AccountId("other");
  other.dead_letters.push_back(letter_of("dl-x", "x", "other"));
  ASSERT_EQ(put(other), CommitOutcome::done);
  for (const char* id : {"dl-b", "dl-c", "dl-e", "dl-x"})
    ASSERT_TRUE(dead_letters().resolve_dead_letter({id, Resolution::discarded, "ann", noon},
                                                   sample_line(id)))
        << id;
  DeadLetterFilter all;
  all.open = std::nullopt;
  EXPECT_EQ(retention().trim_dead_letters(5, 10)->removed, 0u);
  EXPECT_EQ(retention().trim_dead_letters(4, 10)->removed, 1u);
  EXPECT_EQ(listed(all), (std::vector<std::string>{"dl-x", "dl-e", "dl-d", "dl-c", "dl-a"}));
  auto first = retention().trim_dead_letters(1, 1);
  EXPECT_EQ(first->removed, 1u);
  EXPECT_TRUE(first->more);
  while (retention().trim_dead_letters(1, 1)->more) {
  }
  reopen();
  EXPECT_EQ(listed(all), (std::vector<std::string>{"dl-x", "dl-d", "dl-a"}))
      << "open ones stay however many they are";
}

// J-67
TEST_P(JobFilesContract, registrations_are_kept_as_last_written) {
  fleet::RegistrationRecord record;
  record.id = RegistrationId("r1");
  record.card.worker = WorkerId("w");
  record.card.topics = {"job.*"};
  record.card.labels = Value::object({{"zone", "eu"}});
  record.load.cpu = 125;
  record.registered_at = noon;
  record.lease_ms = 30'000;
  CommitBatch batch;
  batch.roll.written = {record};
  batch.jobs.push_back(creation_of(ended_job("j1")));
  EXPECT_EQ(store().commit(batch), std::vector(2, CommitOutcome::done));
  record.load.cpu = 990;
  record.drained = true;
  fleet::RegistrationRecord other = record;
  other.id = RegistrationId("r2");
  batch = {};
  batch.roll.written = {record, other};
  EXPECT_EQ(store().commit(batch), std::vector{CommitOutcome::done});
  reopen();
  EXPECT_EQ(*store().registrations(), (std::vector{record, other}));
  batch = {};
  batch.roll.forgotten = {RegistrationId("r1"), RegistrationId("nobody")};
  EXPECT_EQ(store().commit(batch), std::vector{CommitOutcome::done});
  reopen();
  EXPECT_EQ(*store().registrations(), std::vector{other});
}

// J-57: what accounts have spent is summed by day, with the job or not at all.
TEST_P(JobFilesContract, what_jobs_cost_is_summed_by_account_and_day) {
  auto costs = [&](const std::string& id, int64_t day, int64_t micros, uint64_t version = 0) {
    JobWrite write = creation_of(ended_job(id));
    write.expected_version = version;
    write.spent = DaySpent{day, {.input_tokens = 1, .output_tokens = 2, .cost_micros = micros}};
    return put(std::move(write));
  };
  auto spent = [&](int64_t day) {
    auto found = store().spent_on(day);
    EXPECT_TRUE(found);
    return found && found->size() == 1 ? found->at(0).usage : job::Usage{};
  };
  EXPECT_EQ(costs("j1", 100, 5), CommitOutcome::done);
  EXPECT_EQ(costs("j2", 100, 7), CommitOutcome::done);
  EXPECT_EQ(costs("j2", 100, 9, 8), CommitOutcome::conflict);
  EXPECT_EQ(spent(100), (job::Usage{2, 4, 12}));
  reopen();
  EXPECT_EQ(spent(100), (job::Usage{2, 4, 12}));
  EXPECT_EQ(costs("j3", 101, 1), CommitOutcome::done);
  EXPECT_EQ(spent(101), (job::Usage{1, 2, 1}));
  EXPECT_EQ(spent(99), job::Usage{});
}

TEST_P(JobFilesContract, pools_are_kept_as_last_written_on_the_revision_before) {
  EXPECT_EQ(*pools().stored_pools(), StoredPools{});
  StoredPools first;
  first.revision = 1;
  first.file = Value::object({{"version", 1}});
  first.file_sha256 = "abc";
  first.at = noon;
  first.by = "root";
  AuditLine line;
  line.action = "pools.put";
  ASSERT_TRUE(pools().change_pools(first, line));
  auto stale = pools().change_pools(first, line);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::version_conflict);
  reopen();
  EXPECT_EQ(*pools().stored_pools(), first);
  StoredPools second = first;
  second.revision = 2;
  second.api = Value::object({{"pools", Value::object()}});
  ASSERT_TRUE(pools().change_pools(second, line));
  reopen();
  EXPECT_EQ(*pools().stored_pools(), second);
}

INSTANTIATE_TEST_SUITE_P(adapters, JobFilesContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
