#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cli/arguments.h"
#include "core/graph/check.h"
#include "core/job/decide.h"
#include "core/policy/output.h"
#include "core/run/decide.h"
#include "core/schedule/decide.h"
#include "host/kernel_desk.h"

namespace fermata::cli {

using Text = std::string;
/// A text that is shown nowhere and cannot be given as a flag.
struct Secret {
  Secret(const char* value) : text(value) {}
  std::string text;
};
using Count = uint64_t;
using Rate = double;
using Switch = bool;

/// What a server is run with, one member per line of settings.def.
struct Settings {
#define FERMATA_SETTING(member, kind, standard, help) kind member = standard;
#include "cli/settings.def"
#undef FERMATA_SETTING
};

enum class SettingSource : uint8_t { standard, file, environment, flag };
std::string_view name_of(SettingSource source);

struct SettingInfo {
  std::string_view name;
  std::string_view kind;  ///< Text, Secret, Count, Rate or Switch
  std::string_view help;
  bool (*read)(Settings&, std::string_view);  ///< false when the text is no value of this kind
  std::string (*text)(const Settings&);
};
const std::vector<SettingInfo>& setting_table();
/// True for the name of a setting that is shown nowhere.
bool is_secret_setting(std::string_view name);
/// `--http-body-bytes-max` without the dashes.
std::string flag_of(std::string_view setting);
/// FERMATA_HTTP_BODY_BYTES_MAX
std::string variable_of(std::string_view setting);

/// A setting on its way in.
struct GivenSetting {
  std::string name;  ///< as in settings.def
  std::string value;
  SettingSource source = SettingSource::standard;
  std::string where;  ///< "fermata.toml:3", "FERMATA_LISTEN", "--listen"
};

/// Settings with the place each came from: flag over environment over file over default.
class Configuration {
 public:
  /// `environment` holds `NAME=value` texts. Fails with invalid_setting at the first that is
  /// unknown (naming the nearest known one) or has a value that cannot be read.
  static Outcome<Configuration> load(std::span<const GivenSetting> flags,
                                     std::span<const std::string> environment,
                                     std::string_view file_text, std::string_view file_name);

  const Settings& settings() const { return settings_; }
  struct Line {
    std::string name;
    std::string value;
    std::string source;  ///< default, or where it was given
  };
  std::vector<Line> lines() const;

 private:
  Outcome<void> apply(const GivenSetting& given);

  Settings settings_;
  std::vector<std::string> where_;  ///< by position in the table; empty for the default
};

/// The keys of a settings file: `key = value` lines of TOML with strings, numbers and booleans. A
/// table `[graph]` puts `graph_` before the keys that follow it. Fails with file and line.
Outcome<std::vector<GivenSetting>> read_settings_file(std::string_view text,
                                                      std::string_view file_name);

/// The options of `serve`, made from the table.
std::vector<Option> setting_options();

/// The store is a server that other processes use too.
bool is_shared_store(const Settings& settings);
/// Those of `bus` that are of one kind, separated by commas; empty for none.
std::string nats_addresses(const Settings& settings);
std::string amqp_addresses(const Settings& settings);

/// What other folders understand.
RunLimits run_limits_of(const Settings& settings);
schedule::ScheduleLimits schedule_limits_of(const Settings& settings);
PolicySettings policy_settings_of(const Settings& settings);
policy::OutputSettings output_settings_of(const Settings& settings);
job::Limits job_limits_of(const Settings& settings);
graph::DefinitionLimits definition_limits_of(const Settings& settings);
std::vector<std::string> redis_mirrors_of(const Settings& settings);
/// The instant of `virtual:TIME`, nothing for `system`; fails with invalid_setting.
Outcome<std::optional<Instant>> virtual_start_of(const Settings& settings);
/// Of a clock that is wrong on purpose.
std::optional<Duration> clock_shift_of(const Settings& settings);

/// docs/guide/settings.md
std::string settings_document();

}  // namespace fermata::cli
