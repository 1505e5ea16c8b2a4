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

/// Each has a connection and threads of its own.
constexpr size_t wire_accounts_max = 100;

/// An account that NATS is met for, and what stands before its subjects: nothing, or words that end
/// in a dot.
struct WireAccount {
  std::string account;
  std::string prefix;
};
/// `nats_account` first, then those of `nats_accounts`.
std::vector<WireAccount> wire_accounts(const Settings& settings);

}  // namespace fermata::cli
