#include "cli/setting_bounds.h"

namespace fermata::cli {
namespace {

/// A hundred years: nobody's records, and still a time that can be computed with.
constexpr uint64_t longest_days = 36'500;
constexpr uint64_t day_ms = 86'400'000;
constexpr uint64_t year_ms = 365 * day_ms;
constexpr uint64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

constexpr SettingBounds all_bounds[] = {
    {"postgres_readers_max", &Settings::postgres_readers_max, 1, 100},
    {"postgres_connect_timeout_ms", &Settings::postgres_connect_timeout_ms, 1'000, 60'000},
    {"postgres_statement_timeout_ms", &Settings::postgres_statement_timeout_ms, 1'000, 600'000},
    {"postgres_lock_timeout_ms", &Settings::postgres_lock_timeout_ms, 100, 60'000},
    {"postgres_tcp_user_timeout_ms", &Settings::postgres_tcp_user_timeout_ms, 1'000, 60'000},
    {"postgres_reach_ms", &Settings::postgres_reach_ms, 0, 600'000},
    {"postgres_lease_ms", &Settings::postgres_lease_ms, 1'000, 600'000},
    {"http_mails_per_account_max", &Settings::http_mails_per_account_max, 1, 64},
    {"http_mails_per_account_max", &Settings::http_mails_per_account_max, 1, 64},
    {"policy_kernel_timeout_ms", &Settings::policy_kernel_timeout_ms, 100, 30'000},
    {"policy_kernel_calls_max", &Settings::policy_kernel_calls_max, 1, 10'000},
    {"nats_unpublished_max", &Settings::nats_unpublished_max, 100, 1'000'000},
    {"nats_unsettled_max", &Settings::nats_unsettled_max, 1, 2'048},
    {"job_days", &Settings::job_days, 0, longest_days},
    {"dead_letter_days", &Settings::dead_letter_days, 0, longest_days},
    {"dead_letters_max", &Settings::dead_letters_max, 1, 100'000'000},
    {"jobs_upload_hours", &Settings::jobs_upload_hours, 1, 24 * 365},
    {"cached_jobs_max", &Settings::cached_jobs_max, 1, 10'000'000},
    {"jobs_input_bytes_max", &Settings::jobs_input_bytes_max, kib, 64 * mib},
    {"jobs_output_bytes_max", &Settings::jobs_output_bytes_max, kib, 64 * mib},
    {"jobs_inline_bytes_max", &Settings::jobs_inline_bytes_max, kib, mib},
    {"jobs_artifact_bytes_max", &Settings::jobs_artifact_bytes_max, kib, 512 * mib},
    {"jobs_log_bytes_max", &Settings::jobs_log_bytes_max, kib, 64 * mib},
    {"jobs_batch_max", &Settings::jobs_batch_max, 1, 1'000},
    {"jobs_queued_max", &Settings::jobs_queued_max, 1, 100'000'000},
    {"jobs_run_timeout_ms", &Settings::jobs_run_timeout_ms, 0, year_ms},
    {"jobs_start_timeout_ms", &Settings::jobs_start_timeout_ms, 0, year_ms},
    {"jobs_queue_timeout_ms", &Settings::jobs_queue_timeout_ms, 0, year_ms},
    {"jobs_losses_max", &Settings::jobs_losses_max, 0, 1'000},
    {"jobs_retryable_attempts_max", &Settings::jobs_retryable_attempts_max, 1, 100'000},
    {"jobs_scheduling_attempts_max", &Settings::jobs_scheduling_attempts_max, 0, 100'000},
    {"jobs_scan_timeout_ms", &Settings::jobs_scan_timeout_ms, 1'000, 3'600'000},
    {"jobs_scan_threads", &Settings::jobs_scan_threads, 1, 64},
    {"jobs_quarantine_hold_ms", &Settings::jobs_quarantine_hold_ms, 0, year_ms},
    {"jobs_lease_ms", &Settings::jobs_lease_ms, 5'000, 3'600'000},
    {"jobs_load_write_ms", &Settings::jobs_load_write_ms, 100, 3'600'000},
    {"sweep_interval_ms", &Settings::sweep_interval_ms, 100, day_ms},
    // Budgets of scripts.
    {"flow_fuel", &Settings::flow_fuel, 1, 1'000'000'000'000},
    {"flow_slice", &Settings::flow_slice, 1'000, 1'000'000'000'000},
    {"flow_memory", &Settings::flow_memory, 1, 64 * gib},
    {"flow_call_depth", &Settings::flow_call_depth, 1, 1'000'000},
    {"flow_fibers", &Settings::flow_fibers, 1, 10'000'000},
    {"flow_awaitables", &Settings::flow_awaitables, 1, 10'000'000},
    {"flow_string_bytes", &Settings::flow_string_bytes, 1, gib},
    {"flow_list_items", &Settings::flow_list_items, 1, 100'000'000},
    {"flow_snapshot_warn", &Settings::flow_snapshot_warn, 0, gib},
    {"flow_snapshot_max", &Settings::flow_snapshot_max, 1, gib},
    {"flow_snapshots_kept", &Settings::flow_snapshots_kept, 1, 1'000},
    {"flow_log_lines", &Settings::flow_log_lines, 0, 1'000'000},
    {"flow_log_line_bytes", &Settings::flow_log_line_bytes, 1, mib},
    {"flow_cancel_grace_ms", &Settings::flow_cancel_grace_ms, 0, day_ms},
};

}  // namespace

std::span<const SettingBounds> setting_bounds() { return all_bounds; }

std::string out_of_bounds(std::string_view setting, const Settings& settings) {
  for (const SettingBounds& bounds : all_bounds) {
    uint64_t value = settings.*bounds.value;
    if (setting == bounds.setting && (value < bounds.least || value > bounds.most))
      return std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
  }
  return "";
}

}  // namespace fermata::cli
