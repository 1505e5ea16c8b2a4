#include "cli/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <source_location>
#include <sstream>

#include "cli/setting_bounds.h"
#include "cli/settings_beside.h"

namespace fermata::cli {
namespace {

Outcome<Configuration> load(std::vector<GivenSetting> flags, std::vector<std::string> environment,
                            std::string_view file = "") {
  return Configuration::load(flags, environment, file, "fermata.toml");
}

GivenSetting flag(std::string name, std::string value) {
  return {name, std::move(value), SettingSource::flag, "--" + flag_of(name)};
}

std::string source_of(const Configuration& configuration, std::string_view name) {
  for (const Configuration::Line& line : configuration.lines())
    if (line.name == name) return line.source;
  return "";
}

//
TEST(Settings, flag_wins_over_environment_over_file_over_default) {
  std::string_view file = "listen = \"1.1.1.1:1\"\ndata = \"from-file\"\nlog = 'json'\n";
  auto loaded = load({flag("listen", "3.3.3.3:3")},
                     {"FERMATA_LISTEN=2.2.2.2:2", "FERMATA_DATA=from-environment", "HOME=x"}, file);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings().listen, "3.3.3.3:3");
  EXPECT_EQ(loaded->settings().data, "from-environment");
  EXPECT_EQ(loaded->settings().log, "json");
  EXPECT_EQ(loaded->settings().store, "sqlite");
  EXPECT_EQ(source_of(*loaded, "listen"), "--listen");
  EXPECT_EQ(source_of(*loaded, "data"), "FERMATA_DATA");
  EXPECT_EQ(source_of(*loaded, "log"), "fermata.toml:3");
  EXPECT_EQ(source_of(*loaded, "store"), "default");
}

//
TEST(Settings, unknown_keys_are_errors_with_the_nearest_known_name) {
  auto in_environment = load({}, {"FERMATA_LISTN=x"});
  ASSERT_FALSE(in_environment);
  EXPECT_NE(in_environment.error().message.find("FERMATA_LISTN"), std::string::npos);
  EXPECT_NE(in_environment.error().message.find("Did you mean listen?"), std::string::npos);
  auto in_file = load({}, {}, "\nhttp_body_bytes = 5\n");
  ASSERT_FALSE(in_file);
  EXPECT_NE(in_file.error().message.find("fermata.toml:2"), std::string::npos);
  EXPECT_NE(in_file.error().message.find("http_body_bytes_max"), std::string::npos);
}

TEST(Settings, variables_of_clients_are_no_settings) {
  EXPECT_TRUE(load({}, {"FERMATA_SERVER=http://x", "FERMATA_KEY=fk_x", "FERMATA_CONFIG=y"}));
}

// J-30, J-33
TEST(Settings, names_known_elsewhere_are_settings_too) {
  auto loaded = load({},
                     {"POLICY_CHECK_FAIL_MODE=open", "SAFETY_KERNEL_TLS_CA=ca.pem",
                      "SAFETY_KERNEL_TLS_REQUIRED=true", "SAFETY_KERNEL_INSECURE=true"},
                     "policy_check_fail_mode = \"closed\"");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(policy_settings_of(loaded->settings()).fail_mode, job::FailMode::open);
  EXPECT_EQ(loaded->settings().policy_kernel_tls_ca, "ca.pem");
  EXPECT_TRUE(loaded->settings().policy_kernel_tls_required);
  EXPECT_TRUE(loaded->settings().policy_kernel_insecure);
  std::vector<std::string> both = {"FERMATA_POLICY_CHECK_FAIL_MODE=closed",
                                   "POLICY_CHECK_FAIL_MODE=open"};
  EXPECT_EQ(load({}, both)->settings().policy_check_fail_mode, "closed");
  EXPECT_EQ(load({flag("policy_check_fail_mode", "open")}, both)->settings().policy_check_fail_mode,
            "open");
  auto wrong = load({}, {"POLICY_CHECK_FAIL_MODE=perhaps"});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("POLICY_CHECK_FAIL_MODE"), std::string::npos);
  EXPECT_EQ(policy_settings_of(load({}, {})->settings()).fail_mode, std::nullopt);
  EXPECT_EQ(policy_settings_of(load({}, {"FERMATA_POLICY=both"})->settings()).mode,
            PolicyMode::both);
  EXPECT_FALSE(load({}, {"FERMATA_POLICY=perhaps"}));
}

// J-47
TEST(Settings, output_policy_is_switched_off_and_its_fail_mode_chosen_by_the_environment) {
  auto loaded = load({}, {"OUTPUT_POLICY_ENABLED=false", "OUTPUT_POLICY_FAIL_MODE=open"});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(output_settings_of(loaded->settings()).enabled);
  EXPECT_EQ(output_settings_of(loaded->settings()).fail_mode, policy::FailMode::open);
  policy::OutputSettings plain = output_settings_of(load({}, {})->settings());
  EXPECT_TRUE(plain.enabled);
  EXPECT_FALSE(plain.fail_mode);
  EXPECT_FALSE(load({}, {"OUTPUT_POLICY_FAIL_MODE=perhaps"}));
  EXPECT_FALSE(load({flag("jobs_scan_timeout_ms", "5")}, {}));
}

TEST(Settings, numbers_take_units_and_underscores) {
  auto loaded = load({flag("http_body_bytes_max", "2MiB")}, {}, "graph_tokens_max = 10_000\n");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings().http_body_bytes_max, 2u << 20);
  EXPECT_EQ(run_limits_of(loaded->settings()).tokens_max, 10'000u);
}

TEST(Settings, a_table_is_the_beginning_of_its_keys) {
  auto loaded = load({}, {}, "[graph]\nsplit_items_max = 7 # few\n");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(run_limits_of(loaded->settings()).split_items_max, 7u);
}

TEST(Settings, values_that_cannot_be_meant_are_refused) {
  EXPECT_FALSE(load({flag("http_body_bytes_max", "many")}, {}));
  EXPECT_FALSE(load({flag("http_body_bytes_max", "99999999999999999999")}, {}));
  EXPECT_FALSE(load({flag("http_body_bytes_max", "9223372036854775807KiB")}, {}));
  EXPECT_FALSE(load({flag("store", "mysql://x")}, {}));
  EXPECT_FALSE(load({flag("postgres_schema", "")}, {}));
  EXPECT_FALSE(load({flag("postgres_lease_ms", "999")}, {}));
  EXPECT_FALSE(load({flag("log", "xml")}, {}));
  EXPECT_FALSE(load({flag("log_level", "loud")}, {}));
  EXPECT_FALSE(load({flag("clock", "virtual:soon")}, {}));
  EXPECT_FALSE(load({flag("audit_days", "30")}, {}));
  EXPECT_FALSE(load({flag("audit_days", "36501")}, {}));
  EXPECT_FALSE(load({flag("run_days", "36501")}, {}));
  EXPECT_FALSE(load({flag("retention_interval_ms", "0")}, {}));
  EXPECT_FALSE(load({flag("retention_interval_ms", "86400001")}, {}));
  EXPECT_FALSE(load({flag("otlp_share", "1.5")}, {}));
  EXPECT_FALSE(load({flag("json_nesting_max", "151")}, {}));
  EXPECT_FALSE(load({flag("graph_nesting_max", "0")}, {}));
  EXPECT_FALSE(load({flag("insecure", "perhaps")}, {}));
  EXPECT_FALSE(load({flag("rate_limit_per_second", "-1")}, {}));
}

// C-4, C-16
TEST(Settings, passwords_of_urls_are_shown_nowhere) {
  auto loaded = load({flag("store", "postgres://ann:s3/cr@t@h1,h2/db?password=s3cret&x=1")}, {});
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(is_shared_store(loaded->settings()));
  EXPECT_EQ(loaded->settings().postgres_statement_timeout_ms, 10'000u);
  for (const Configuration::Line& line : loaded->lines()) {
    if (line.name != "store") continue;
    EXPECT_EQ(line.value, "postgres://ann:(hidden)@h1,h2/db?password=(hidden)&x=1");
  }
  auto refused = load({flag("store", "mysql://ann:s3cret@h")}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos);
}

// G-26, G-37
TEST(Settings, types_that_workers_serve_are_names_of_no_other_node) {
  EXPECT_TRUE(definition_limits_of(Settings{}).job_types.empty());
  auto loaded = load(
      {flag("graph_job_types", " crm, erp.order ,"), flag("graph_mail_recipients_max", "7")}, {});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(definition_limits_of(loaded->settings()).job_types,
            (std::vector<std::string>{"crm", "erp.order"}));
  EXPECT_EQ(run_limits_of(loaded->settings()).mail_recipients_max, 7u);
  EXPECT_FALSE(load({flag("graph_job_types", "crm,http")}, {}));
  EXPECT_FALSE(load({flag("graph_job_types", "a b")}, {}));
  EXPECT_FALSE(load({flag("http_mails_per_account_max", "0")}, {}));
  EXPECT_FALSE(load({flag("http_mails_per_account_max", "65")}, {}));
}

// C-4
TEST(Settings, password_in_an_address_is_never_shown) {
  auto loaded = load({flag("bus", "nats://me:geheim@a:4222, tls://you:ge@heim@b:4222")}, {});
  ASSERT_TRUE(loaded);
  std::string shown;
  for (const Configuration::Line& line : loaded->lines())
    if (line.name == "bus") shown = line.value;
  EXPECT_EQ(shown, "nats://(hidden)@a:4222, tls://(hidden)@b:4222");
  auto refused = load({flag("bus", "nats://a,http://me:geheim@b")}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("geheim"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(load({flag("payloads", "ftp://a")}, {}));
  EXPECT_FALSE(load({flag("nats_signatures", "perhaps")}, {}));
  EXPECT_FALSE(load({flag("nats_unsettled_max", "0")}, {}));
  auto table = load({}, {}, "bus = 'nats://a'\n[nats]\naccount = 'acme'\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->settings().nats_account, "acme");
}

// C-74
TEST(Settings, accounts_on_the_bus_have_prefixes_of_their_own) {
  auto loaded = load({flag("nats_accounts", "acme=acme, beta=eu.be-ta_2")}, {});
  ASSERT_TRUE(loaded) << loaded.error().message;
  std::vector<WireAccount> accounts = wire_accounts(loaded->settings());
  ASSERT_EQ(accounts.size(), 3u);
  EXPECT_EQ(accounts[0].account + "|" + accounts[0].prefix, "default|");
  EXPECT_EQ(accounts[1].account + "|" + accounts[1].prefix, "acme|acme.");
  EXPECT_EQ(accounts[2].account + "|" + accounts[2].prefix, "beta|eu.be-ta_2.");
  for (const char* wrong :
       {"acme", "acme=", "=acme", "acme=a.", "acme=.a", "acme=a..b", "acme=a*", "acme=a b",
        "acme=sys", "acme=a.job", "acme=worker.a", "acme=a,acme=b", "acme=a,beta=a", "default=a"})
    EXPECT_FALSE(load({flag("nats_accounts", wrong)}, {})) << wrong;
  std::string many;
  for (size_t i = 0; i < wire_accounts_max; ++i)
    many += "a" + std::to_string(i) + "=p" + std::to_string(i) + ",";
  EXPECT_TRUE(load({flag("nats_accounts", many)}, {}));
  EXPECT_FALSE(load({flag("nats_accounts", many + "more=more")}, {}));
}

//
TEST(Settings, a_secret_is_never_shown_and_no_flag) {
  std::string key(64, '7');
  auto loaded = load({}, {"FERMATA_SECRETS_KEY=" + key});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings().secrets_key.text, key);
  for (const Configuration::Line& line : loaded->lines())
    EXPECT_EQ(line.value.find("777"), std::string::npos) << line.name;
  EXPECT_EQ(source_of(*loaded, "secrets_key"), "FERMATA_SECRETS_KEY");
  for (const Option& option : setting_options()) EXPECT_NE(option.name, "secrets-key");
  for (auto [environment, file] :
       {std::pair("FERMATA_SECRETS_KEY=s3cret", ""), std::pair("HOME=x", "secrets_key = s3cret\n"),
        std::pair("HOME=x", "secrets_key = 's3cret'\n")}) {
    auto refused = load({}, {environment}, file);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos) << refused.error().message;
  }
}

// C-4
TEST(Settings, passwords_in_addresses_are_shown_nowhere) {
  auto loaded = load({flag("bus", "amqp://ann:s3cr3t@h1:5672/a,amqps://h2,amqp://bob:p@h3")}, {},
                     "[rabbitmq]\naccount = \"crm\"\nrune_compat = true\n");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->settings().bus, "amqp://ann:s3cr3t@h1:5672/a,amqps://h2,amqp://bob:p@h3");
  EXPECT_EQ(loaded->settings().rabbitmq_account, "crm");
  EXPECT_TRUE(loaded->settings().rabbitmq_rune_compat);
  for (const Configuration::Line& line : loaded->lines())
    if (line.name == "bus")
      EXPECT_EQ(line.value, "amqp://(hidden)@h1:5672/a,amqps://h2,amqp://(hidden)@h3");
  auto wrong = load({flag("rabbitmq_queue_type", "amqp://ann:s3cr3t@h1")}, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("s3cr3t"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(load({flag("rabbitmq_execution", "leaps")}, {}));
  EXPECT_FALSE(load({flag("rabbitmq_prefetch", "0")}, {}));
  EXPECT_FALSE(load({flag("rabbitmq_unconfirmed_max", "10001")}, {}));
  EXPECT_FALSE(load({flag("rabbitmq_connect_seconds", "601")}, {}));
}

//
TEST(Settings, clock_is_the_systems_or_begins_at_a_time) {
  EXPECT_FALSE(virtual_start_of(Settings{})->has_value());
  auto loaded = load({flag("clock", "virtual:2026-01-26T00:00:00Z")}, {});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(to_rfc3339(**virtual_start_of(loaded->settings())), "2026-01-26T00:00:00.000Z");
}

TEST(SettingsFile, mistakes_are_told_with_their_line) {
  auto message = [](std::string_view text) {
    auto read = read_settings_file(text, "f.toml");
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_NE(message("a = 1\nnonsense\n").find("f.toml:2"), std::string::npos);
  EXPECT_NE(message("a = bare\n").find("quotes"), std::string::npos);
  EXPECT_NE(message("a = \"open\n").find("closing"), std::string::npos);
  EXPECT_NE(message("a = \"x\" y\n").find("follow"), std::string::npos);
  EXPECT_NE(message("a = 1\na = 2\n").find("twice"), std::string::npos);
  EXPECT_NE(message("[open\n").find("[graph]"), std::string::npos);
  EXPECT_NE(message("a = \"\\q\"\n").find("escape"), std::string::npos);
  EXPECT_NE(message("a =\n").find("missing"), std::string::npos);
  EXPECT_NE(message("a = \xff\n").find("UTF-8"), std::string::npos);
  EXPECT_EQ(message("# only a remark\n\n  \na = \"x # y\" # z"), "accepted");
}

TEST(Settings, every_one_has_its_own_flag_and_a_help_text) {
  std::set<std::string> flags;
  for (const SettingInfo& info : setting_table()) {
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_TRUE(flags.insert(flag_of(info.name)).second) << info.name;
  }
  EXPECT_EQ(variable_of("http_body_bytes_max"), "FERMATA_HTTP_BODY_BYTES_MAX");
}

TEST(Settings, defaults_are_those_of_the_limits) {
  Settings settings;
  RunLimits standard;
  RunLimits limits = run_limits_of(settings);
  EXPECT_EQ(limits.tokens_max, standard.tokens_max);
  EXPECT_EQ(limits.activations_max, standard.activations_max);
  EXPECT_EQ(limits.context_bytes_max, standard.context_bytes_max);
  EXPECT_EQ(limits.run_bytes_max, standard.run_bytes_max);
  EXPECT_EQ(limits.nesting_max, standard.nesting_max);
  EXPECT_EQ(limits.split_items_max, standard.split_items_max);
  EXPECT_EQ(limits.steps_per_commit, standard.steps_per_commit);
  EXPECT_EQ(limits.code_memory_bytes_max, standard.code_memory_bytes_max);
  EXPECT_EQ(limits.interval_ms_max, standard.interval_ms_max);
  schedule::ScheduleLimits schedules = schedule_limits_of(settings);
  EXPECT_EQ(schedules.late_ms_max, schedule::ScheduleLimits{}.late_ms_max);
  EXPECT_EQ(schedules.queue_max, schedule::ScheduleLimits{}.queue_max);
  EXPECT_EQ(schedules.catch_up_max, schedule::ScheduleLimits{}.catch_up_max);
  EXPECT_EQ(schedules.backfill_max, schedule::ScheduleLimits{}.backfill_max);
  EXPECT_EQ(schedules.live_max, schedule::ScheduleLimits{}.live_max);
  EXPECT_EQ(definition_limits_of(settings).nodes_max, graph::DefinitionLimits{}.nodes_max);
}

// F-51
TEST(Settings, every_budget_of_scripts_can_be_set) {
  const flow::FlowLimits standard;
  flow::FlowLimits limits = run_limits_of(Settings{}).flow;
  EXPECT_EQ(limits.fuel, standard.fuel);
  EXPECT_EQ(limits.slice, standard.slice);
  EXPECT_EQ(limits.memory_bytes, standard.memory_bytes);
  EXPECT_EQ(limits.string_bytes, standard.string_bytes);
  EXPECT_EQ(limits.list_items, standard.list_items);
  EXPECT_EQ(limits.snapshot_warn_bytes, standard.snapshot_warn_bytes);
  EXPECT_EQ(limits.snapshot_max_bytes, standard.snapshot_max_bytes);
  auto loaded =
      load({flag("flow_fuel", "2001"), flag("flow_slice", "1002"), flag("flow_memory", "3"),
            flag("flow_call_depth", "4"), flag("flow_fibers", "5"), flag("flow_awaitables", "6"),
            flag("flow_string_bytes", "7"), flag("flow_list_items", "8"),
            flag("flow_snapshot_warn", "9"), flag("flow_snapshot_max", "10"),
            flag("flow_snapshots_kept", "11"), flag("flow_log_lines", "12"),
            flag("flow_log_line_bytes", "13"), flag("flow_cancel_grace_ms", "14")},
           {});
  ASSERT_TRUE(loaded);
  limits = run_limits_of(loaded->settings()).flow;
  EXPECT_EQ(limits.fuel, 2001u);
  EXPECT_EQ(limits.slice, 1002u);
  EXPECT_EQ(limits.memory_bytes, 3u);
  EXPECT_EQ(limits.call_depth, 4u);
  EXPECT_EQ(limits.fibers, 5u);
  EXPECT_EQ(limits.awaitables, 6u);
  EXPECT_EQ(limits.string_bytes, 7u);
  EXPECT_EQ(limits.list_items, 8u);
  EXPECT_EQ(limits.snapshot_warn_bytes, 9u);
  EXPECT_EQ(limits.snapshot_max_bytes, 10u);
  EXPECT_EQ(limits.snapshots_kept, 11u);
  EXPECT_EQ(limits.log_lines, 12u);
  EXPECT_EQ(limits.log_line_bytes, 13u);
  EXPECT_EQ(limits.cancel_grace_ms, 14);
}

// a number that no part of the server could work with is refused, not bent into another.
TEST(Settings, numbers_are_bounded_and_hold_to_it) {
  std::set<std::string_view> bounded;
  for (const SettingBounds& bounds : setting_bounds()) {
    std::string name(bounds.setting);
    EXPECT_TRUE(bounded.insert(bounds.setting).second) << name << " has bounds twice";
    for (uint64_t fine : {bounds.least, bounds.most}) {
      auto loaded = load({flag(name, std::to_string(fine))}, {});
      ASSERT_TRUE(loaded) << name << " " << fine << ": " << loaded.error().message;
      EXPECT_EQ(loaded->settings().*bounds.value, fine) << name;
    }
    EXPECT_FALSE(load({flag(name, std::to_string(bounds.most + 1))}, {})) << name;
    if (bounds.least > 0)
      EXPECT_FALSE(load({flag(name, std::to_string(bounds.least - 1))}, {})) << name;
    EXPECT_FALSE(load({flag(name, "-1")}, {})) << name;
    EXPECT_FALSE(load({flag(name, "18446744073709551616")}, {})) << name;
    Settings standard;
    EXPECT_EQ(out_of_bounds(name, standard), "") << name;
  }
  for (const SettingInfo& info : setting_table())
    EXPECT_TRUE(info.kind != "Count" || bounded.contains(info.name)) << info.name;
}

TEST(Settings, page_in_the_guide_is_the_printed_one) {
  std::string here = std::source_location::current().file_name();
  std::ifstream page(here.substr(0, here.find("src/cli/")) + "docs/guide/settings.md");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_EQ(text.str(), settings_document()) << "write it again with `fermata man --settings`";
}

}  // namespace
}  // namespace fermata::cli
