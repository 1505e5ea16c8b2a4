#pragma once
#include <functional>
#include <string>

#include "cli/log.h"
#include "cli/settings.h"
#include "front/vault.h"

namespace fermata::cli {

/// The keys that credentials are sealed under, as the settings say: `secrets_key`, else the file
/// `secrets_key_file`, else `secrets.key` in the data directory, which is made, readable by its
/// owner alone, when the first value is sealed. With the memory store they are forgotten with it.
/// `tell` hears that a key was made or that others can read it; keys themselves are told nowhere.
front::KeySource sealing_keys(const Settings& settings,
                              std::function<void(LogLevel, const std::string&)> tell);

}  // namespace fermata::cli
