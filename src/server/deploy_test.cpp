#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "base/json.h"
#include "server/test_world.h"

/// What is shipped beside the server speaks of what the server has (W-86).
namespace fermata::server {
namespace {

std::string deployed(const char* name) {
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "../../deploy" / name);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> metrics_named_in(const std::string& text) {
  static const std::regex name("fermata_[a-z0-9_]+");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    std::string found = at->str();
    // Prometheus makes these of a histogram.
    for (const char* tail : {"_bucket", "_sum", "_count"})
      if (found.ends_with(tail)) found.resize(found.size() - std::string(tail).size());
    names.insert(found);
  }
  return names;
}

// W-85, W-86
TEST(Deploy, every_metric_of_rules_and_dashboard_is_exported) {
  TestWorld world;
  std::string exported = world.ask("GET", "/metrics").text;
  std::string rules = deployed("prometheus/fermata.rules.yml");
  std::string dashboard = deployed("grafana/fermata-waits.json");
  std::set<std::string> names = metrics_named_in(rules);
  EXPECT_GT(names.size(), 8u) << "the rules could not be read";
  EXPECT_TRUE(parse_json(dashboard)) << "the dashboard is no JSON";
  names.merge(metrics_named_in(dashboard));
  EXPECT_GT(names.size(), 20u);
  for (const std::string& name : names)
    EXPECT_NE(exported.find("# TYPE " + name + " "), std::string::npos) << name;
}

// W-85
TEST(Deploy, every_metric_of_waits_is_exported_by_its_name) {
  TestWorld world;
  std::string exported = world.ask("GET", "/metrics").text;
  for (const char* name : {"fermata_waits_pending",
                           "fermata_waits_on_hold",
                           "fermata_waits_opened_total",
                           "fermata_waits_ended_total",
                           "fermata_waits_upcoming",
                           "fermata_wait_duration_seconds",
                           "fermata_wait_lateness_seconds",
                           "fermata_signal_match_seconds",
                           "fermata_waits_overdue",
                           "fermata_wait_overdue_oldest_seconds",
                           "fermata_listeners_active",
                           "fermata_listener_oldest_seconds",
                           "fermata_signals_received_total",
                           "fermata_signals_late_total",
                           "fermata_waits_rescheduled_total",
                           "fermata_wait_resume_retries_total",
                           "fermata_callbacks_pending",
                           "fermata_callback_attempts_total",
                           "fermata_tzdata_info",
                           "fermata_wait_overdue_alert"})
    EXPECT_NE(exported.find("# TYPE " + std::string(name) + " "), std::string::npos) << name;
}

}  // namespace
}  // namespace fermata::server
