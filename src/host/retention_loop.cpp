#include "host/retention_loop.h"

#include <chrono>

namespace fermata {
namespace {

constexpr size_t runs_per_step = 200;  // C-20
constexpr size_t rows_per_step = 1'000;
/// Each may have many pages.
constexpr size_t blobs_per_step = 20;
constexpr size_t live_runs_per_step = 2'000;
constexpr int64_t day_ms = 86'400'000;
/// Whoever resolved a definition just before it went out of use has long started by then.
constexpr Duration definition_unused_for{day_ms};

Instant days_before(Instant now, int64_t days) { return now - Duration{days * day_ms}; }

}  // namespace

void RetentionLoop::run() {
  do {
    auto swept = sweep(settings_.pause_ms);
    if (!swept && on_failure) on_failure(swept.error());
  } while (rest(settings_.interval_ms));
}

void RetentionLoop::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

Outcome<void> RetentionLoop::round() { return sweep(0); }

bool RetentionLoop::rest(int64_t ms) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::milliseconds(ms), [&] { return stopping_; });
}

Outcome<uint64_t> RetentionLoop::repeat(int64_t pause_ms,
                                        const std::function<Outcome<Retention::Sweep>()>& step) {
  uint64_t removed = 0;
  for (bool more = true; more;) {
    FERMATA_TRY(swept, step());
    removed += swept.removed;
    more = swept.more && rest(pause_ms);
  }
  return removed;
}

Outcome<void> RetentionLoop::sweep(int64_t pause_ms) {
  Instant now = clock_.now();
  if (settings_.run_days > 0) {
    FERMATA_TRY_VOID(sweep_runs(now, pause_ms));
    Instant before = days_before(now, settings_.run_days);
    FERMATA_TRY(bulks,
                repeat(pause_ms, [&] { return retention_.remove_bulks(before, runs_per_step); }));
    (void)bulks;
    // As long as the runs it has started: what they name is still there to be looked at.
    Duration deleted_for{settings_.run_days * day_ms};
    FERMATA_TRY(schedules, repeat(pause_ms, [&] {
                  return retention_.remove_schedules(now, deleted_for, runs_per_step);
                }));
    counts_.schedules += schedules;
  }
  FERMATA_TRY_VOID(sweep_jobs(now, pause_ms));
  FERMATA_TRY(rows, repeat(pause_ms, [&] { return retention_.remove_remains(rows_per_step); }));
  (void)rows;
  if (settings_.audit_days > 0) {
    Instant before = days_before(now, settings_.audit_days);
    FERMATA_TRY(lines,
                repeat(pause_ms, [&] { return retention_.remove_audit(before, rows_per_step); }));
    counts_.audit_lines += lines;
    FERMATA_TRY(decisions, repeat(pause_ms, [&] {
                  return retention_.remove_decisions(before, rows_per_step);
                }));
    (void)decisions;
  }
  FERMATA_TRY(marks, repeat(pause_ms, [&] { return retention_.remove_marks(now, rows_per_step); }));
  (void)marks;
  FERMATA_TRY(signals,
              repeat(pause_ms, [&] { return retention_.remove_signals(now, rows_per_step); }));
  counts_.signals += signals;
  FERMATA_TRY(definitions, repeat(pause_ms, [&] {
                return retention_.remove_definitions(now, definition_unused_for, runs_per_step);
              }));
  counts_.definitions += definitions;
  return {};
}

/// Dead letters first: the open ones hold their jobs, and those what they refer to.
Outcome<void> RetentionLoop::sweep_jobs(Instant now, int64_t pause_ms) {
  if (settings_.dead_letter_days > 0) {
    Instant before = days_before(now, settings_.dead_letter_days);
    FERMATA_TRY(letters, repeat(pause_ms, [&] {
                  return retention_.remove_dead_letters(before, runs_per_step);
                }));
    counts_.dead_letters += letters;
  }
  FERMATA_TRY(beyond, repeat(pause_ms, [&] {
                return retention_.trim_dead_letters(settings_.dead_letters_max, runs_per_step);
              }));
  counts_.dead_letters += beyond;
  uint64_t cursor = 0;
  Instant before = days_before(now, settings_.job_days);
  for (bool more = settings_.job_days > 0; more;) {
    FERMATA_TRY(swept, retention_.remove_jobs(cursor, before, runs_per_step));
    counts_.jobs += swept.removed;
    cursor = swept.cursor;
    more = swept.more && rest(pause_ms);
  }
  Instant put_before = now - Duration{settings_.upload_ms};
  FERMATA_TRY(
      blobs, repeat(pause_ms, [&] { return retention_.remove_blobs(put_before, blobs_per_step); }));
  counts_.blobs += blobs;
  return {};
}

Outcome<void> RetentionLoop::sweep_runs(Instant now, int64_t pause_ms) {
  std::set<RunId> kept;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    FERMATA_TRY(page, retention_.referred(cursor, live_runs_per_step));
    kept.merge(page.ids);
    cursor = page.cursor;
    more = page.more;
    // Without knowing all that is referred to nothing may be removed.
    if (more && !rest(pause_ms)) return {};
  }
  Instant before = days_before(now, settings_.run_days);
  cursor = 0;
  for (bool more = true; more;) {
    FERMATA_TRY(swept, retention_.remove_runs(cursor, before, kept, runs_per_step));
    counts_.runs += swept.removed;
    cursor = swept.cursor;
    more = swept.more && rest(pause_ms);
  }
  return {};
}

}  // namespace fermata
