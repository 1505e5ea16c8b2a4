#include "cli/settings.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/json.h"
#include "base/sealing.h"
#include "base/url_secret.h"
#include "cli/setting_bounds.h"
#include "cli/settings_beside.h"

namespace fermata::cli {
namespace {

// Variables that belong to clients and tests, not to settings.
constexpr std::string_view other_variables[] = {"FERMATA_SERVER", "FERMATA_KEY", "FERMATA_CONFIG",
                                                "FERMATA_BINARY", "FERMATA_KERNEL"};

/// Names by which others know a setting. The setting's own name wins.
constexpr std::pair<std::string_view, std::string_view> known_elsewhere[] = {
    {"POLICY_CHECK_FAIL_MODE", "policy_check_fail_mode"},
    {"SAFETY_KERNEL_TLS_CA", "policy_kernel_tls_ca"},
    {"SAFETY_KERNEL_TLS_REQUIRED", "policy_kernel_tls_required"},
    {"SAFETY_KERNEL_INSECURE", "policy_kernel_insecure"},
    {"OUTPUT_POLICY_ENABLED", "output_policy_enabled"},
    {"OUTPUT_POLICY_FAIL_MODE", "output_policy_fail_mode"}};

std::string text_of(const Text& value) { return without_password(value); }
std::string text_of(const Secret& value) { return value.text.empty() ? "" : "(hidden)"; }
std::string text_of(Count value) { return std::to_string(value); }
std::string text_of(Rate value) { return number_to_text(value); }
std::string text_of(Switch value) { return value ? "true" : "false"; }

struct Suffix {
  std::string_view name;
  uint64_t factor;
};
constexpr Suffix suffixes[] = {{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

bool read(std::string_view text, Text& value) {
  value = text;
  return true;
}

bool read(std::string_view text, Secret& value) {
  value.text = text;
  return true;
}

/// Digits, `_` between them allowed, and KiB, MiB or GiB behind.
bool read(std::string_view text, Count& value) {
  uint64_t factor = 1;
  for (const Suffix& suffix : suffixes) {
    if (!text.ends_with(suffix.name)) continue;
    factor = suffix.factor;
    text.remove_suffix(suffix.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    break;
  }
  std::string digits(text);
  std::erase(digits, '_');
  const char* end = digits.data() + digits.size();
  auto [stopped, problem] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || problem != std::errc() || stopped != end) return false;
  constexpr uint64_t most = INT64_MAX;  // Limits are compared with signed numbers in places.
  if (value > most / factor) return false;
  value *= factor;
  return true;
}

bool read(std::string_view text, Rate& value) {
  const char* end = text.data() + text.size();
  auto [stopped, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && stopped == end && value >= 0 && value < 1e12;
}

bool read(std::string_view text, Switch& value) {
  value = text == "true" || text == "1" || text == "yes" || text == "on";
  return value || text == "false" || text == "0" || text == "no" || text == "off";
}

std::string_view expected(std::string_view kind) {
  if (kind == "Count") return "a whole number, also with KiB, MiB or GiB";
  return kind == "Rate" ? "a number of at least 0" : "true or false";
}

std::vector<std::string_view> setting_names() {
  std::vector<std::string_view> names;
  for (const SettingInfo& info : setting_table()) names.push_back(info.name);
  return names;
}

/// What a kind cannot say. Empty when the value is fine.
std::string complaint_about(std::string_view name, const Settings& settings) {
  if (name == "store" && !is_one_of(settings.store, {"sqlite", "memory"}) &&
      !is_shared_store(settings))
    return "`sqlite`, `postgres://USER@HOST/DATABASE` or `memory`";
  if (name == "migrate" && !is_one_of(settings.migrate, {"auto", "manual"}))
    return "`auto` or `manual`";
  if (name == "postgres_schema" && settings.postgres_schema.empty()) return "a name";
  if (std::string complaint = complaint_about_beside(name, settings); !complaint.empty())
    return complaint;
  if (name == "log" && !is_one_of(settings.log, {"text", "json"})) return "`text` or `json`";
  if (name == "log_level" && !is_one_of(settings.log_level, {"debug", "info", "warn", "error"}))
    return "`debug`, `info`, `warn` or `error`";
  for (auto [choice, value] : {std::pair("saga_on_denied", settings.saga_on_denied),
                               std::pair("saga_on_failed", settings.saga_on_failed)})
    if (name == choice && !is_one_of(value, {"park", "skip"})) return "`park` or `skip`";
  if (name == "policy" && !is_one_of(settings.policy, {"rules", "kernel", "both"}))
    return "`rules`, `kernel` or `both`";
  if (name == "policy_check_fail_mode" &&
      !is_one_of(settings.policy_check_fail_mode, {"", "closed", "open"}))
    return "`closed` or `open`";
  if (name == "output_policy_fail_mode" &&
      !is_one_of(settings.output_policy_fail_mode, {"", "closed", "open"}))
    return "`closed` or `open`";
  if (name == "clock" && !virtual_start_of(settings))
    return "`system`, `virtual:2026-01-26T00:00:00Z` or `shifted:MS`";
  if (name == "data" && settings.data.empty()) return "a directory";
  if (name == "secrets_key" && !settings.secrets_key.text.empty())
    if (auto keys = SealingKeys::read(settings.secrets_key.text); !keys)
      return keys.error().message;
  if (name == "otlp_share" && !(settings.otlp_share >= 0 && settings.otlp_share <= 1))
    return "0 to 1";
  if (name == "graph_job_types")
    for (const std::string& type : listed(settings.graph_job_types))
      if (graph::node_type_of(type) || !job::is_valid_topic(job::full_topic(type)))
        return "types separated by commas, such as `crm,erp.order`, none of them a node type of " +
               std::string("this build");
  return out_of_bounds(name, settings);
}

std::vector<GivenSetting> from_environment(std::span<const std::string> environment) {
  std::vector<GivenSetting> given;
  for (const std::string& entry : environment)
    for (const auto& [variable, setting] : known_elsewhere)
      if (entry.starts_with(std::string(variable) + "="))
        given.push_back({std::string(setting), entry.substr(variable.size() + 1),
                         SettingSource::environment, std::string(variable)});
  for (const std::string& entry : environment) {
    size_t equals = entry.find('=');
    std::string variable = entry.substr(0, equals);
    if (equals == std::string::npos || !variable.starts_with("FERMATA_")) continue;
    if (std::count(std::begin(other_variables), std::end(other_variables), variable) > 0) continue;
    std::string name = variable.substr(8);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    given.push_back({name, entry.substr(equals + 1), SettingSource::environment, variable});
  }
  return given;
}

}  // namespace

std::string_view name_of(SettingSource source) {
  constexpr std::string_view names[] = {"default", "file", "environment", "flag"};
  return names[static_cast<int>(source)];
}

const std::vector<SettingInfo>& setting_table() {
  static const std::vector<SettingInfo> table = {
#define FERMATA_SETTING(member, kind, standard, help)                                     \
  {#member, #kind, help,                                                                  \
   [](Settings& settings, std::string_view text) { return read(text, settings.member); }, \
   [](const Settings& settings) { return text_of(settings.member); }},
#include "cli/settings.def"
#undef FERMATA_SETTING
  };
  return table;
}

bool is_secret_setting(std::string_view name) {
  const std::vector<SettingInfo>& table = setting_table();
  return std::any_of(table.begin(), table.end(), [&](const SettingInfo& info) {
    return info.name == name && info.kind == "Secret";
  });
}

bool is_shared_store(const Settings& settings) {
  return settings.store.starts_with("postgres://") || settings.store.starts_with("postgresql://");
}

std::string flag_of(std::string_view setting) {
  std::string flag(setting);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string variable_of(std::string_view setting) {
  std::string variable = "FERMATA_";
  for (char c : setting) variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

Outcome<void> Configuration::apply(const GivenSetting& given) {
  const std::vector<SettingInfo>& table = setting_table();
  auto info = std::find_if(table.begin(), table.end(),
                           [&](const SettingInfo& each) { return each.name == given.name; });
  if (info == table.end())
    return fail(ErrorCode::invalid_setting, given.where + ": there is no setting '" + given.name +
                                                "'." + did_you_mean(given.name, setting_names()));
  bool readable = info->read(settings_, given.value);
  std::string complaint =
      readable ? complaint_about(info->name, settings_) : std::string(expected(info->kind));
  if (!complaint.empty() && info->kind == "Secret")
    return fail(ErrorCode::invalid_setting, given.where + ": " + given.name + ": " + complaint);
  if (!complaint.empty())
    return fail(ErrorCode::invalid_setting, given.where + ": " + given.name + " is " + complaint +
                                                ", not '" + without_password(given.value) + "'.");
  where_[static_cast<size_t>(info - table.begin())] = given.where;
  return {};
}

Outcome<Configuration> Configuration::load(std::span<const GivenSetting> flags,
                                           std::span<const std::string> environment,
                                           std::string_view file_text, std::string_view file_name) {
  Configuration configuration;
  configuration.where_.resize(setting_table().size());
  FERMATA_TRY(from_file, read_settings_file(file_text, file_name));
  for (const GivenSetting& given : from_file) FERMATA_TRY_VOID(configuration.apply(given));
  for (const GivenSetting& given : from_environment(environment))
    FERMATA_TRY_VOID(configuration.apply(given));
  for (const GivenSetting& given : flags) FERMATA_TRY_VOID(configuration.apply(given));
  return configuration;
}

std::vector<Configuration::Line> Configuration::lines() const {
  std::vector<Line> lines;
  for (const SettingInfo& info : setting_table()) {
    const std::string& where = where_[lines.size()];
    lines.push_back({std::string(info.name), without_password(info.text(settings_)),
                     where.empty() ? std::string(name_of(SettingSource::standard)) : where});
  }
  return lines;
}

std::vector<std::string> redis_mirrors_of(const Settings& settings) {
  return listed(settings.redis_mirror);
}

std::vector<Option> setting_options() {
  // Options hold views, so their texts live as long as the program.
  static const std::vector<std::string> flags = [] {
    std::vector<std::string> made;
    for (const SettingInfo& info : setting_table()) made.push_back(flag_of(info.name));
    return made;
  }();
  std::vector<Option> options;
  const std::vector<SettingInfo>& table = setting_table();
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind == "Secret") continue;
    options.push_back({flags[i],
                       table[i].kind == "Switch" ? ""
                       : table[i].kind == "Text" ? "TEXT"
                                                 : "N",
                       table[i].help});
  }
  return options;
}

std::optional<Duration> clock_shift_of(const Settings& settings) {
  constexpr std::string_view prefix = "shifted:";
  if (!settings.clock.starts_with(prefix)) return std::nullopt;
  Duration shift{};
  const char* end = settings.clock.data() + settings.clock.size();
  auto [rest, error] = std::from_chars(settings.clock.data() + prefix.size(), end, shift.ms);
  if (error != std::errc() || rest != end) return std::nullopt;
  return shift;
}

Outcome<std::optional<Instant>> virtual_start_of(const Settings& settings) {
  constexpr std::string_view prefix = "virtual:";
  if (settings.clock == "system" || clock_shift_of(settings)) return std::optional<Instant>();
  if (settings.clock.starts_with(prefix))
    if (auto start = parse_rfc3339(settings.clock.substr(prefix.size()))) return start;
  return fail(ErrorCode::invalid_setting, "clock is `system`, `virtual:TIME` or `shifted:MS`.");
}

schedule::ScheduleLimits schedule_limits_of(const Settings& settings) {
  schedule::ScheduleLimits limits;
  limits.late_ms_max =
      static_cast<int64_t>(std::min<uint64_t>(settings.schedule_late_ms_max, INT64_MAX / 2));
  limits.queue_max = settings.schedule_queue_max;
  limits.catch_up_max = settings.schedule_catch_up_max;
  limits.backfill_max = settings.schedule_backfill_max;
  limits.live_max = settings.schedule_live_max;
  return limits;
}

namespace {

uint32_t small(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

constexpr uint64_t slice_min = 1000;

flow::FlowLimits flow_limits_of(const Settings& settings) {
  flow::FlowLimits limits;
  limits.fuel = settings.flow_fuel;
  // Less would be spent on cutting alone.
  limits.slice = std::max<uint64_t>(settings.flow_slice, slice_min);
  limits.memory_bytes = settings.flow_memory;
  limits.call_depth = small(settings.flow_call_depth);
  limits.fibers = small(settings.flow_fibers);
  limits.awaitables = small(settings.flow_awaitables);
  limits.string_bytes = settings.flow_string_bytes;
  limits.list_items = settings.flow_list_items;
  limits.snapshot_warn_bytes = settings.flow_snapshot_warn;
  limits.snapshot_max_bytes = settings.flow_snapshot_max;
  limits.snapshots_kept = small(settings.flow_snapshots_kept);
  limits.log_lines = settings.flow_log_lines;
  limits.log_line_bytes = settings.flow_log_line_bytes;
  limits.cancel_grace_ms = static_cast<int64_t>(settings.flow_cancel_grace_ms);
  return limits;
}

}  // namespace

RunLimits run_limits_of(const Settings& settings) {
  RunLimits limits;
  limits.tokens_max = settings.graph_tokens_max;
  limits.activations_max = settings.graph_activations_max;
  limits.context_bytes_max = settings.graph_context_bytes_max;
  limits.run_bytes_max = settings.graph_run_bytes_max;
  limits.nesting_max = static_cast<int>(settings.graph_nesting_max);
  limits.split_items_max = small(settings.graph_split_items_max);
  limits.split_depth_max = small(settings.graph_split_depth_max);
  limits.visits_max = small(settings.graph_visits_max);
  limits.steps_per_commit = small(settings.graph_steps_per_commit);
  limits.expression_steps_max = settings.graph_expression_steps_max;
  limits.expression_text_bytes_max = settings.graph_expression_text_bytes_max;
  limits.code_steps_max = settings.graph_code_steps_max;
  limits.code_memory_bytes_max = settings.graph_code_memory_bytes_max;
  limits.activation_steps_max = settings.graph_activation_steps_max;
  limits.response_bytes_max = settings.graph_response_bytes_max;
  limits.interval_ms_max = static_cast<int64_t>(settings.graph_interval_ms_max);
  limits.signals_kept_max = settings.graph_signals_kept_max;
  limits.mail_recipients_max = small(settings.graph_mail_recipients_max);
  limits.child_depth_max = small(settings.graph_child_depth_max);
  limits.signal_targets_max = small(settings.graph_signal_targets_max);
  limits.flow = flow_limits_of(settings);
  return limits;
}

job::Limits job_limits_of(const Settings& settings) {
  job::Limits limits;
  limits.request.input_bytes_max = settings.jobs_input_bytes_max;
  limits.request.inline_bytes_max = settings.jobs_inline_bytes_max;
  limits.report.output_bytes_max = settings.jobs_output_bytes_max;
  limits.report.artifact_bytes_max = settings.jobs_artifact_bytes_max;
  limits.run_timeout_ms = static_cast<int64_t>(settings.jobs_run_timeout_ms);
  limits.start_timeout_ms = static_cast<int64_t>(settings.jobs_start_timeout_ms);
  limits.queue_timeout_ms = static_cast<int64_t>(settings.jobs_queue_timeout_ms);
  limits.losses_max = static_cast<uint32_t>(settings.jobs_losses_max);
  limits.retryable_attempts = static_cast<uint32_t>(settings.jobs_retryable_attempts_max);
  limits.scheduling_attempts = static_cast<uint32_t>(settings.jobs_scheduling_attempts_max);
  limits.queued_max = settings.jobs_queued_max;
  limits.scan_timeout_ms = static_cast<int64_t>(settings.jobs_scan_timeout_ms);
  limits.quarantine_hold_ms = static_cast<int64_t>(settings.jobs_quarantine_hold_ms);
  return limits;
}

PolicySettings policy_settings_of(const Settings& settings) {
  PolicySettings policy;
  if (settings.policy == "kernel") policy.mode = PolicyMode::kernel;
  if (settings.policy == "both") policy.mode = PolicyMode::both;
  if (!settings.policy_check_fail_mode.empty())
    policy.fail_mode =
        settings.policy_check_fail_mode == "open" ? job::FailMode::open : job::FailMode::closed;
  policy.kernel_timeout_ms = static_cast<int64_t>(settings.policy_kernel_timeout_ms);
  policy.kernel_calls_max = settings.policy_kernel_calls_max;
  return policy;
}

policy::OutputSettings output_settings_of(const Settings& settings) {
  policy::OutputSettings output;
  output.enabled = settings.output_policy_enabled;
  if (settings.output_policy_fail_mode == "closed") output.fail_mode = policy::FailMode::closed;
  if (settings.output_policy_fail_mode == "open") output.fail_mode = policy::FailMode::open;
  return output;
}

graph::DefinitionLimits definition_limits_of(const Settings& settings) {
  graph::DefinitionLimits limits;
  limits.nodes_max = settings.graph_nodes_max;
  limits.edges_max = settings.graph_edges_max;
  limits.definition_bytes_max = settings.graph_definition_bytes_max;
  limits.expression_tree_max = settings.graph_expression_tree_nodes_max;
  limits.job_types = listed(settings.graph_job_types);
  return limits;
}

std::string settings_document() {
  std::string text =
      "# Settings\n\n"
      "Each can be given as a flag of `fermata serve`, in the environment or in `fermata.toml`;\n"
      "the flag wins over the environment, that over the file, that over the default.\n"
      "`fermata serve --print-config` shows every value and where it came from.\n"
      "This page is printed by `fermata man --settings`.\n\n"
      "| key in fermata.toml | flag | environment | default | meaning |\n|---|---|---|---|---|\n";
  const Settings standard;
  for (const SettingInfo& info : setting_table())
    text += "| `" + std::string(info.name) + "` | " +
            (info.kind == "Secret" ? "" : "`--" + flag_of(info.name) + "`") + " | `" +
            variable_of(info.name) + "` | " +
            (info.text(standard).empty() ? "" : "`" + info.text(standard) + "`") + " | " +
            std::string(info.help) + " |\n";
  return text;
}

}  // namespace fermata::cli
