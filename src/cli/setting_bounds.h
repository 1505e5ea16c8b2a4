#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/settings.h"

namespace fermata::cli {

/// What a setting that is a number may be; what is beyond is refused when it is read.
struct SettingBounds {
  std::string_view setting;
  uint64_t Settings::* value;
  uint64_t least;
  uint64_t most;
};
std::span<const SettingBounds> setting_bounds();

/// `LEAST to MOST` when the value of the setting is outside; else empty.
std::string out_of_bounds(std::string_view setting, const Settings& settings);

}  // namespace fermata::cli
