#include "adapters/postgres/writer.h"

#include <sys/random.h>

#include <chrono>
#include <map>
#include <thread>

#include "base/check.h"
#include "ports/record/record.h"

namespace fermata::postgres {
namespace {

constexpr int tries_max = 4;  // once, and three times again (C-15)
constexpr Duration resolve_pause{200};

/// Of one statement (C-12).
constexpr size_t statement_writes_max = 256;
constexpr size_t statement_bytes_max = 8 << 20;

/// What dominates the length of a write.
size_t bytes_of(const Write& write) {
  size_t sum = 512;
  auto root = [&](const auto& one) { sum += one.events.bytes.size(); };
  if (write.run) {
    root(*write.run);
    if (write.run->checkpoint) sum += write.run->checkpoint->bytes.size();
  }
  if (write.job) {
    root(*write.job);
    for (const job::KeepBlob& blob : write.job->blobs) sum += blob.text.size();
    if (write.job->held) sum += write.job->held->size();
  }
  if (write.schedule) root(*write.schedule);
  return sum;
}

std::vector<Write> writes_of(const CommitBatch& batch) {
  std::vector<Write> all;
  all.reserve(batch.size());
  for (const RunWrite& run : batch.runs) all.push_back({.run = &run});
  for (const JobWrite& job : batch.jobs) all.push_back({.job = &job});
  for (const ScheduleWrite& one : batch.schedules) all.push_back({.schedule = &one});
  for (const DeliveryWrite& one : batch.deliveries) all.push_back({.delivery = &one});
  for (const ContactWrite& one : batch.contacts) all.push_back({.contact = &one});
  for (const SignalWrite& signal : batch.signals) all.push_back({.signal = &signal});
  if (!batch.audit.empty()) all.push_back({.audit = &batch.audit});
  if (!batch.roll.empty()) all.push_back({.roll = &batch.roll});
  return all;
}

/// Writes of one group stay together. Signals come first: what is left of a batch that was cut off
/// must not lack what the rest follows from.
std::vector<std::vector<size_t>> units_of(const std::vector<Write>& all) {
  std::vector<std::vector<size_t>> units;
  std::map<uint32_t, size_t> groups;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].signal) units.push_back({i});
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].signal) continue;
    uint32_t group = all[i].group();
    auto [known, fresh] = groups.try_emplace(group, units.size());
    if (group == 0 || fresh)
      units.push_back({i});
    else
      units[known->second].push_back(i);
  }
  return units;
}

/// True when the same would fail again however well the server is.
bool refuses(std::string_view state) {
  std::string_view kind = state.substr(0, 2);
  return kind == "22" || kind == "23" || kind == "54";
}

}  // namespace

std::vector<CommitOutcome> Writer::commit(const CommitBatch& batch) {
  std::vector<Write> all = writes_of(batch);
  std::vector<CommitOutcome> outcomes(all.size(), CommitOutcome::unavailable);
  if (all.empty()) return outcomes;
  std::lock_guard lock(commit_mutex_);
  {
    std::lock_guard trouble_lock(trouble_mutex_);
    trouble_.clear();
  }
  std::vector<std::vector<size_t>> units = units_of(all);
  for (size_t at = 0; at < units.size();) {
    size_t writes = 0, bytes = 0;
    std::vector<std::vector<size_t>> part;
    for (; at < units.size(); ++at) {
      size_t more = 0;
      for (size_t place : units[at]) more += bytes_of(all[place]);
      bool full =
          writes + units[at].size() > statement_writes_max || bytes + more > statement_bytes_max;
      if (!part.empty() && full) break;
      writes += units[at].size();
      bytes += more;
      part.push_back(units[at]);
    }
    commit_units(all, part, outcomes);
  }
  return outcomes;
}

/// Those of them that cannot be taken must not hold the others: halves are tried until one stands
/// alone.
void Writer::commit_units(const std::vector<Write>& all,
                          const std::vector<std::vector<size_t>>& units,
                          std::vector<CommitOutcome>& outcomes) {
  std::vector<size_t> places;
  std::vector<Write> writes;
  for (const auto& unit : units) {
    for (size_t place : unit) {
      places.push_back(place);
      writes.push_back(all[place]);
    }
  }
  Sent sent = commit_together(writes);
  if (sent.divisible && units.size() > 1) {
    auto middle = units.begin() + static_cast<ptrdiff_t>(units.size() / 2);
    commit_units(all, {units.begin(), middle}, outcomes);
    commit_units(all, {middle, units.end()}, outcomes);
    return;
  }
  for (size_t i = 0; i < places.size(); ++i) outcomes[places[i]] = sent.outcomes[i];
}

Writer::Sent Writer::commit_together(const std::vector<Write>& writes) {
  auto all = [&](CommitOutcome outcome) {
    return Sent{std::vector<CommitOutcome>(writes.size(), outcome)};
  };
  for (int left = tries_max; left > 0; --left) {
    uint64_t epoch = epoch_.load();
    if (epoch == 0) {
      report({ErrorCode::store_unavailable, "this process does not lead", {}});
      return all(CommitOutcome::unavailable);
    }
    Outcome<void> ready = unsettled_ ? settle_locked() : committing_.ensure();
    if (!ready) {
      report(ready.error());
      return all(CommitOutcome::unavailable);
    }
    std::string id = new_mark();
    CommitStatement statement = statement_of(writes, epoch, id);
    Reply reply = committing_.run(statement.text(), statement.arguments());
    if (reply.trouble == Trouble::unknown) {
      std::optional<Reply> found = resolve(id);
      if (!found) return all(CommitOutcome::unknown);
      reply = *std::move(found);
    }
    if (reply.trouble == Trouble::none) return answer(reply.rows, writes.size());
    if (reply.trouble == Trouble::again || reply.trouble == Trouble::taken) {
      if (left == 1) report(committing_.failure("committing", reply).value);
      continue;
    }
    report(committing_.failure("committing", reply).value);
    if (reply.trouble == Trouble::refused && refuses(reply.state)) {
      Sent sent = all(CommitOutcome::refused);
      sent.divisible = true;
      return sent;
    }
    return all(CommitOutcome::unavailable);
  }
  return all(CommitOutcome::unavailable);
}

/// The places of those that won.
Writer::Sent Writer::answer(Rows rows, size_t writes) {
  Sent sent{std::vector<CommitOutcome>(writes, CommitOutcome::conflict)};
  while (rows.next()) {
    if (rows.integer(0) < 0) {
      report({ErrorCode::store_unavailable, "another process leads", {}});
      sent.outcomes.assign(writes, CommitOutcome::unavailable);
      return sent;
    }
    check(rows.natural(0) < writes);
    sent.outcomes[rows.natural(0)] = CommitOutcome::done;
  }
  recovered();
  return sent;
}

/// What became of the commit of this mark. Our own mark of the same id keeps it from ever holding
/// if it does not hold yet; if it does, its mark tells who won. Nothing when neither can be found
/// out in time: then nothing else is sent before it is.
std::optional<Reply> Writer::resolve(const std::string& id) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point until = Clock::now() + std::chrono::milliseconds(settle_for_.ms);
  unsettled_ = true;
  unknown_ = id;
  for (;;) {
    std::optional<Reply> found = resolve_once(id);
    if (found) {
      unsettled_ = false;
      ++(found->trouble == Trouble::again ? doubts_gone_ : doubts_held_);
      return found;
    }
    if (Clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(resolve_pause.ms));
  }
}

std::optional<Reply> Writer::resolve_once(const std::string& id) {
  if (Outcome<void> ready = committing_.ensure(); !ready) {
    report(ready.error());
    return std::nullopt;
  }
  Arguments mark;
  mark.bytes(id);
  Reply put = committing_.run(
      "insert into commits (id) values ($1) on conflict do nothing returning 1", mark);
  if (put.trouble != Trouble::none) return std::nullopt;
  // It is void: the same may be tried under another mark.
  if (put.rows.count() == 1) return Reply{Trouble::again, "", "its answer was lost", {}};
  Reply won = committing_.run("select unnest(won) from commits where id = $1", mark);
  if (won.trouble != Trouble::none) return std::nullopt;
  return won;
}

Outcome<void> Writer::settle() {
  std::lock_guard lock(commit_mutex_);
  return settle_locked();
}

Outcome<void> Writer::settle_locked() {
  if (unsettled_ && !resolve(unknown_))
    return fail(ErrorCode::store_unavailable,
                "the answer to a commit was lost, and PostgreSQL cannot be asked yet whether it "
                "holds");
  return committing_.ensure();
}

std::string Writer::new_mark() {
  std::string id(16, '\0');
  check(getrandom(id.data(), id.size(), 0) == static_cast<ssize_t>(id.size()));
  return id;
}

Outcome<void> Writer::transact(const AuditLine* line, const Body& body) {
  std::lock_guard lock(write_mutex_);
  for (int left = tries_max;; --left) {
    bool again = false;
    Outcome<void> made = transact_once(line, body, again);
    if (made || !again || left == 1) return made;
  }
}

Outcome<void> Writer::transact_once(const AuditLine* line, const Body& body, bool& again) {
  uint64_t epoch = epoch_.load();
  if (epoch == 0) return fail(ErrorCode::store_unavailable, "this process does not lead");
  FERMATA_TRY_VOID(writing_.ensure());
  Outcome<void> made = begin_and_write(line, body, epoch);
  if (!made) {
    Trouble trouble = writing_.last_trouble();
    again = trouble == Trouble::again || trouble == Trouble::taken || !writing_.alive();
    if (writing_.alive()) {
      writing_.script("rollback");
      return made;
    }
    // Before the commit nothing has happened, and a session that was ended while it had nothing to
    // do is met here first.
    return fail(ErrorCode::store_unavailable, "the connection to PostgreSQL was lost");
  }
  Reply ended = writing_.script("commit");
  if (ended.trouble == Trouble::none) return {};
  again = ended.trouble == Trouble::again;
  if (ended.trouble != Trouble::unknown) return writing_.failure("making a write durable", ended);
  return fail(ErrorCode::outcome_unknown,
              "the connection to PostgreSQL was lost while it made the write durable");
}

Outcome<void> Writer::begin_and_write(const AuditLine* line, const Body& body, uint64_t epoch) {
  Reply begun = writing_.script("begin");
  if (begun.trouble != Trouble::none) return writing_.failure("beginning a transaction", begun);
  Arguments fence;
  fence.number(epoch);
  FERMATA_TRY(
      lead,
      writing_.ask("looking who leads",
                   "select 1 from leases where name = 'lead' and fence = $1 for key share", fence));
  if (lead.count() == 0) return fail(ErrorCode::store_unavailable, "another process leads");
  FERMATA_TRY_VOID(body(writing_));
  if (line == nullptr) return {};
  Arguments said;
  said.bytes(record::encode_line(*line, 0));
  FERMATA_TRY(written,
              writing_.ask("writing the audit", "insert into audit_tail (line) values ($1)", said));
  return {};
}

void Writer::report(const Error& error) {
  {
    std::lock_guard lock(trouble_mutex_);
    trouble_ = error.message;
  }
  failing_ = true;
  if (reports_.failure) reports_.failure(error);
}

void Writer::recovered() {
  if (failing_.exchange(false) && reports_.recovery) reports_.recovery();
}

std::string Writer::trouble() const {
  std::lock_guard lock(trouble_mutex_);
  return trouble_;
}

}  // namespace fermata::postgres
