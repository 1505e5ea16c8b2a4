#include "cli/configured.h"

#include <algorithm>
#include <filesystem>

namespace fermata::cli {

Option config_option() {
  return {"config", "FILE", "settings file; else FERMATA_CONFIG, else fermata.toml if it exists"};
}

Option data_option() { return {"data", "DIR", "the data directory; else the setting `data`"}; }

Outcome<Configuration> configured(std::span<const Option> flags, const Arguments& arguments,
                                  const Surroundings& around) {
  std::string path = arguments.get("config").value_or(around.variable("FERMATA_CONFIG"));
  std::error_code ignored;
  if (path.empty() && std::filesystem::exists("fermata.toml", ignored)) path = "fermata.toml";
  std::string text;
  if (!path.empty()) {
    Outcome<std::string> read = read_file(path);
    if (!read) return fail(ErrorCode::invalid_setting, read.error().message);
    text = *std::move(read);
  }
  std::vector<GivenSetting> given;
  for (const auto& [name, value] : arguments.given()) {
    bool is_setting = std::any_of(flags.begin(), flags.end(),
                                  [&](const Option& flag) { return flag.name == name; });
    if (!is_setting) continue;
    std::string setting = name;
    std::replace(setting.begin(), setting.end(), '-', '_');
    given.push_back({setting, value, SettingSource::flag, "--" + name});
  }
  return Configuration::load(given, around.environment, text, path);
}

}  // namespace fermata::cli
