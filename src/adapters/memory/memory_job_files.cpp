#include "adapters/memory/memory_store.h"
#include "base/hash.h"
#include "ports/cursor.h"

/// What jobs leave beside their records.
namespace fermata {

Outcome<BlobRef> MemoryStore::put_blob(const AccountId& account, std::string_view bytes,
                                       Instant now) {
  BlobRef ref{sha256_hex(bytes), bytes.size()};
  std::lock_guard lock(mutex_);
  auto [found, fresh] = blobs_.try_emplace({account, ref.sha256});
  if (fresh) found->second.bytes = bytes;
  found->second.put_at = std::max(found->second.put_at, now);
  return ref;
}

Outcome<std::optional<std::string>> MemoryStore::blob(const AccountId& account,
                                                      const std::string& sha256) {
  std::lock_guard lock(mutex_);
  auto found = blobs_.find({account, sha256});
  if (found == blobs_.end()) return std::optional<std::string>{};
  return std::optional(found->second.bytes);
}

Outcome<std::optional<uint64_t>> MemoryStore::blob_bytes(const AccountId& account,
                                                         const std::string& sha256) {
  std::lock_guard lock(mutex_);
  auto found = blobs_.find({account, sha256});
  if (found == blobs_.end()) return std::optional<uint64_t>{};
  return std::optional<uint64_t>(found->second.bytes.size());
}

Outcome<std::optional<std::string>> MemoryStore::held_output(const JobId& job) {
  std::lock_guard lock(mutex_);
  auto found = held_.find(job);
  if (found == held_.end()) return std::optional<std::string>{};
  return std::optional(found->second);
}

Outcome<uint64_t> MemoryStore::count_held() {
  std::lock_guard lock(mutex_);
  return held_.size();
}

Outcome<size_t> MemoryStore::append_log(const LogChunk& chunk, uint64_t bytes_max) {
  std::lock_guard lock(mutex_);
  if (!job_at_.contains(chunk.job))
    return fail(ErrorCode::job_not_found, "There is no job `" + chunk.job.text() + "`.");
  KeptLog& log = logs_[chunk.job];
  uint64_t& bytes = log.bytes[chunk.attempt];
  LogChunk kept{chunk.job, chunk.attempt, chunk.at, {}};
  for (const std::string& line : chunk.lines) {
    if (bytes + line.size() + 1 > bytes_max) break;
    bytes += line.size() + 1;
    kept.lines.push_back(line);
  }
  size_t dropped = chunk.lines.size() - kept.lines.size();
  // Shorter lines that come later must not stand behind the gap.
  if (dropped > 0) bytes = bytes_max;
  if (!kept.lines.empty()) log.chunks.push_back(std::move(kept));
  return dropped;
}

Outcome<LogPage> MemoryStore::log(const JobId& job, size_t limit, const std::string& cursor) {
  FERMATA_TRY(after, cursor_number(cursor, 0));
  std::lock_guard lock(mutex_);
  LogPage page;
  auto found = logs_.find(job);
  if (found == logs_.end()) return page;
  const std::vector<LogChunk>& chunks = found->second.chunks;
  for (size_t i = after; i < chunks.size(); ++i) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(i);
      break;
    }
    page.items.push_back(chunks[i]);
  }
  return page;
}

Outcome<std::optional<DeadLetterEntry>> MemoryStore::dead_letter(const std::string& id) {
  std::lock_guard lock(mutex_);
  for (const auto& [number, entry] : letters_)
    if (entry.letter.id == id) return std::optional(entry);
  return std::optional<DeadLetterEntry>{};
}

Outcome<DeadLetterPage> MemoryStore::dead_letters(const DeadLetterFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  DeadLetterPage page;
  uint64_t last = 0;
  for (auto at = letters_.lower_bound(before); at != letters_.begin();) {
    const auto& [number, entry] = *--at;
    if (!matches(filter, entry)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(entry);
    last = number;
  }
  return page;
}

Outcome<std::vector<std::pair<std::string, uint64_t>>> MemoryStore::count_dead_letters(
    const AccountId& account) {
  std::lock_guard lock(mutex_);
  std::map<std::string, uint64_t> counted;
  for (const auto& [number, entry] : letters_)
    if (entry.open() && (account.empty() || entry.letter.account == account))
      ++counted[entry.letter.reason_code];
  return std::vector<std::pair<std::string, uint64_t>>(counted.begin(), counted.end());
}

Outcome<DeadLetterEntry> MemoryStore::resolve_dead_letter(const Resolve& resolve,
                                                          const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  for (auto& [number, entry] : letters_) {
    if (entry.letter.id != resolve.id) continue;
    if (!entry.open())
      return fail(ErrorCode::wrong_state,
                  "The entry was " + std::string(name_of(entry.resolution)) + " already.");
    entry.resolution = resolve.resolution;
    entry.resolved_at = resolve.at;
    entry.resolved_by = resolve.by;
    entry.retried_as = resolve.retried_as;
    append(audit);
    return entry;
  }
  return fail(ErrorCode::value_not_found, "There is no entry `" + resolve.id + "`.");
}

Outcome<void> MemoryStore::keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  for (const auto& [number, known] : letters_)
    if (known.letter.id == entry.letter.id) return {};
  keep_letter(entry);
  append(audit);
  return {};
}

void MemoryStore::forget_job(std::map<uint64_t, StoredJob>::iterator job) {
  JobId id = job->second.summary.id;
  for (auto& [key, blob] : blobs_) blob.jobs.erase(id);
  logs_.erase(id);
  held_.erase(id);
  job_at_.erase(id);
  jobs_.erase(job);
}

Outcome<Retention::RunSweep> MemoryStore::remove_jobs(uint64_t after, Instant before,
                                                      size_t limit) {
  std::lock_guard lock(mutex_);
  std::set<JobId> wanted;
  for (const auto& [number, entry] : letters_)
    if (entry.open()) wanted.insert(entry.letter.job);
  RunSweep sweep;
  sweep.cursor = after;
  size_t seen = 0;
  for (auto at = jobs_.upper_bound(after); at != jobs_.end();) {
    if (seen++ == limit) {
      sweep.more = true;
      break;
    }
    auto here = at++;
    const job::Summary& job = here->second.summary;
    if (job.submitted_at >= before) break;
    sweep.cursor = here->first;
    bool old = is_terminal(job.state) && job.ended_at && *job.ended_at < before;
    if (!old || wanted.contains(job.id)) continue;
    forget_job(here);
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> MemoryStore::remove_dead_letters(Instant before, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  while (!letters_.empty() && letters_.begin()->second.letter.created_at < before) {
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    letters_.erase(letters_.begin());
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> MemoryStore::trim_dead_letters(uint64_t most, size_t limit) {
  std::lock_guard lock(mutex_);
  std::map<AccountId, uint64_t> count;
  for (const auto& [number, entry] : letters_) ++count[entry.letter.account];
  Sweep sweep;
  for (auto at = letters_.begin(); at != letters_.end();) {
    uint64_t& left = count[at->second.letter.account];
    if (left <= most || at->second.open()) {
      ++at;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    at = letters_.erase(at);
    --left;
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> MemoryStore::remove_blobs(Instant before, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  for (auto at = blobs_.begin(); at != blobs_.end();) {
    if (!at->second.jobs.empty() || at->second.put_at >= before) {
      ++at;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    at = blobs_.erase(at);
    ++sweep.removed;
  }
  return sweep;
}

}  // namespace fermata
