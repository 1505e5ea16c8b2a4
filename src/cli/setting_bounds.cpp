#include "cli/setting_bounds.h"

#include "base/bytes.h"

namespace fermata::cli {
namespace {

/// A hundred years: nobody's records, and still a time that can be computed with.
constexpr uint64_t longest_days = 36'500;
constexpr uint64_t day_ms = 86'400'000;
constexpr uint64_t year_ms = 365 * day_ms;
constexpr uint64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;
/// Records hold values nested `value_nesting_max` deep; inputs and outputs stand inside other
/// values.
constexpr uint64_t nesting_max = 150;
static_assert(nesting_max + 32 < value_nesting_max);

constexpr SettingBounds all_bounds[] = {
    {"postgres_readers_max", &Settings::postgres_readers_max, 1, 100},
    {"postgres_connect_timeout_ms", &Settings::postgres_connect_timeout_ms, 1'000, 60'000},
    {"postgres_statement_timeout_ms", &Settings::postgres_statement_timeout_ms, 1'000, 600'000},
    {"postgres_lock_timeout_ms", &Settings::postgres_lock_timeout_ms, 100, 60'000},
    {"postgres_tcp_user_timeout_ms", &Settings::postgres_tcp_user_timeout_ms, 1'000, 60'000},
    {"postgres_reach_ms", &Settings::postgres_reach_ms, 0, 600'000},
    {"postgres_lease_ms", &Settings::postgres_lease_ms, 1'000, 600'000},
    {"carry_requests_max", &Settings::carry_requests_max, 1, 100'000},
    {"carry_window_bytes", &Settings::carry_window_bytes, 64 * kib, 512 * kib},
    {"carry_wait_ms", &Settings::carry_wait_ms, 0, 60'000},
    {"clock_compare_ms", &Settings::clock_compare_ms, 100, 3'600'000},
    {"max_skew_ms", &Settings::max_skew_ms, 100, 60'000},
    {"promote_hold_ms_max", &Settings::promote_hold_ms_max, 100, 60'000},
    {"policy_kernel_timeout_ms", &Settings::policy_kernel_timeout_ms, 100, 30'000},
    {"policy_kernel_calls_max", &Settings::policy_kernel_calls_max, 1, 10'000},
    {"nats_unpublished_max", &Settings::nats_unpublished_max, 100, 1'000'000},
    {"nats_unsettled_max", &Settings::nats_unsettled_max, 1, 2'048},
    {"rabbitmq_prefetch", &Settings::rabbitmq_prefetch, 1, 1'000},
    {"rabbitmq_unconfirmed_max", &Settings::rabbitmq_unconfirmed_max, 1, 10'000},
    {"rabbitmq_connect_seconds", &Settings::rabbitmq_connect_seconds, 1, 600},
    {"rabbitmq_outbox_alert", &Settings::rabbitmq_outbox_alert, 1, 1'000'000'000},
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
    // The server.
    {"http_body_bytes_max", &Settings::http_body_bytes_max, kib, gib},
    {"http_header_bytes_max", &Settings::http_header_bytes_max, kib, 16 * mib},
    {"http_connections_max", &Settings::http_connections_max, 1, 1'000'000},
    {"http_wait_ms_max", &Settings::http_wait_ms_max, 0, day_ms},
    {"http_work_queue_max", &Settings::http_work_queue_max, 1, 1'000'000},
    {"http_calls_per_account_max", &Settings::http_calls_per_account_max, 1, 100'000},
    {"http_mails_per_account_max", &Settings::http_mails_per_account_max, 1, 64},
    {"json_nesting_max", &Settings::json_nesting_max, 1, nesting_max},
    {"bulk_items_max", &Settings::bulk_items_max, 1, 10'000'000},
    {"credential_bytes_max", &Settings::credential_bytes_max, 1, 4 * mib},
    {"metrics_accounts_max", &Settings::metrics_accounts_max, 1, 10'000},
    {"otlp_queue_max", &Settings::otlp_queue_max, 1, 10'000'000},
    {"callback_timeout_ms", &Settings::callback_timeout_ms, 1'000, 30'000},
    {"callback_give_up_hours", &Settings::callback_give_up_hours, 1, 24 * longest_days},
    {"callback_in_flight_max", &Settings::callback_in_flight_max, 1, 10'000},
    {"callback_per_endpoint_max", &Settings::callback_per_endpoint_max, 1, 10'000},
    // The engine.
    {"queue_commands_max", &Settings::queue_commands_max, 1, 10'000'000},
    {"turn_commands_max", &Settings::turn_commands_max, 1, 100'000},
    {"cached_runs_max", &Settings::cached_runs_max, 1, 10'000'000},
    {"checkpoint_events", &Settings::checkpoint_events, 0, 1'000'000'000},
    {"checkpoint_bytes", &Settings::checkpoint_bytes, kib, gib},
    {"checkpoints_kept", &Settings::checkpoints_kept, 1, 1'000},
    {"cached_schedules_max", &Settings::cached_schedules_max, 1, 10'000'000},
    {"schedule_late_ms_max", &Settings::schedule_late_ms_max, 0, year_ms},
    {"schedule_queue_max", &Settings::schedule_queue_max, 1, 1'000'000},
    {"schedule_catch_up_max", &Settings::schedule_catch_up_max, 1, 1'000'000},
    {"schedule_backfill_max", &Settings::schedule_backfill_max, 1, 1'000'000},
    {"schedule_live_max", &Settings::schedule_live_max, 1, 10'000'000},
    {"schedule_history_events_max", &Settings::schedule_history_events_max, 1'000, 1'000'000'000},
    {"saga_idle_hours", &Settings::saga_idle_hours, 1, 24 * longest_days},
    {"sweep_interval_ms", &Settings::sweep_interval_ms, 100, day_ms},
    // What is kept, and for how long.
    {"run_days", &Settings::run_days, 0, longest_days},
    {"audit_days", &Settings::audit_days, 90, longest_days},
    {"retention_interval_ms", &Settings::retention_interval_ms, 1, day_ms},
    // Graphs.
    {"graph_nodes_max", &Settings::graph_nodes_max, 1, 100'000},
    {"graph_edges_max", &Settings::graph_edges_max, 1, 1'000'000},
    {"graph_definition_bytes_max", &Settings::graph_definition_bytes_max, kib, 64 * mib},
    {"graph_expression_tree_nodes_max", &Settings::graph_expression_tree_nodes_max, 1, 100'000},
    {"graph_tokens_max", &Settings::graph_tokens_max, 1, 100'000'000},
    {"graph_activations_max", &Settings::graph_activations_max, 1, 10'000'000'000},
    {"graph_context_bytes_max", &Settings::graph_context_bytes_max, kib, 4 * gib},
    {"graph_run_bytes_max", &Settings::graph_run_bytes_max, kib, 64 * gib},
    {"graph_nesting_max", &Settings::graph_nesting_max, 1, nesting_max},
    {"graph_split_items_max", &Settings::graph_split_items_max, 1, 10'000'000},
    {"graph_split_depth_max", &Settings::graph_split_depth_max, 1, 100},
    {"graph_visits_max", &Settings::graph_visits_max, 1, 1'000'000'000},
    {"graph_steps_per_commit", &Settings::graph_steps_per_commit, 1, 10'000'000},
    {"graph_expression_steps_max", &Settings::graph_expression_steps_max, 1, 1'000'000'000},
    {"graph_expression_text_bytes_max", &Settings::graph_expression_text_bytes_max, 1, gib},
    {"graph_code_steps_max", &Settings::graph_code_steps_max, 1, 1'000'000'000'000},
    {"graph_code_memory_bytes_max", &Settings::graph_code_memory_bytes_max, kib, 64 * gib},
    {"graph_activation_steps_max", &Settings::graph_activation_steps_max, 1, 1'000'000'000'000},
    {"graph_response_bytes_max", &Settings::graph_response_bytes_max, kib, gib},
    {"graph_interval_ms_max", &Settings::graph_interval_ms_max, 1, 100 * year_ms},
    {"graph_signals_kept_max", &Settings::graph_signals_kept_max, 1, 10'000'000},
    {"graph_mail_recipients_max", &Settings::graph_mail_recipients_max, 1, 10'000},
    {"graph_child_depth_max", &Settings::graph_child_depth_max, 1, 1'000},
    {"graph_signal_targets_max", &Settings::graph_signal_targets_max, 1, 100'000},
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
