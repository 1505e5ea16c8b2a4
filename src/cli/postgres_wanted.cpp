#include "cli/postgres_wanted.h"

#include <unistd.h>

#include <array>

#include "cli/configured.h"

namespace fermata::cli {
namespace {

/// The first line of the file, if one is named.
Outcome<std::string> store_password(const Settings& settings) {
  if (settings.store_password_file.empty()) return std::string();
  auto text = read_file(settings.store_password_file);
  if (!text)
    return fail(ErrorCode::invalid_setting, "store_password_file: " + text.error().message);
  return text->substr(0, text->find_first_of("\r\n"));
}

}  // namespace

std::string own_name(const Settings& settings) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + " " + settings.listen + " process " + std::to_string(getpid());
}

std::vector<Option> shared_store_options() {
  return {{"store", "URL", "work on this PostgreSQL; else the setting `store`"},
          {"store-password-file", "FILE", "its password"},
          {"postgres-schema", "NAME", "its schema; `fermata` without it"}};
}

std::vector<Option> with_data_option() {
  std::vector<Option> options = {data_option()};
  for (Option& option : shared_store_options()) options.push_back(std::move(option));
  options.push_back(config_option());
  return options;
}

Outcome<PostgresWanted> postgres_wanted(const Settings& settings) {
  FERMATA_TRY(password, store_password(settings));
  PostgresWanted wanted;
  wanted.url = settings.store;
  wanted.password = std::move(password);
  wanted.schema = settings.postgres_schema;
  wanted.holder = own_name(settings);
  wanted.allow_unsafe = settings.postgres_allow_unsafe;
  wanted.migrates = settings.migrate == "auto";
  wanted.accept_other = settings.accept_store;
  wanted.readers_max = settings.postgres_readers_max;
  wanted.connect_timeout_ms = static_cast<int64_t>(settings.postgres_connect_timeout_ms);
  wanted.statement_timeout_ms = static_cast<int64_t>(settings.postgres_statement_timeout_ms);
  wanted.lock_timeout_ms = static_cast<int64_t>(settings.postgres_lock_timeout_ms);
  wanted.tcp_user_timeout_ms = static_cast<int64_t>(settings.postgres_tcp_user_timeout_ms);
  wanted.reach_ms = static_cast<int64_t>(settings.postgres_reach_ms);
  wanted.lease_ms = static_cast<int64_t>(settings.postgres_lease_ms);
  return wanted;
}

}  // namespace fermata::cli
