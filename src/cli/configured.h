#pragma once
#include "cli/command.h"
#include "cli/settings.h"

namespace fermata::cli {

/// The settings as flags, environment and file give them. The file is --config, else
/// FERMATA_CONFIG, else fermata.toml where there is one. `flags` names the given options that are
/// settings.
Outcome<Configuration> configured(std::span<const Option> flags, const Arguments& arguments,
                                  const Surroundings& around);
Option config_option();
/// `--data DIR`, for commands that work on a data directory.
Option data_option();

}  // namespace fermata::cli
