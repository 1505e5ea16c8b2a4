#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.h"

/// Settings of what stands beside the store: Redis, RabbitMQ, NATS.
namespace fermata::cli {

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> choices);
/// The parts of a list that is separated by commas, without blanks around them.
std::vector<std::string> listed(std::string_view text);
/// What the setting should be instead; empty when it is fine or none of these.
std::string complaint_about_beside(std::string_view name, const Settings& settings);

}  // namespace fermata::cli
