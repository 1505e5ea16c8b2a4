#include <signal.h>
#include <unistd.h>

#include <array>

#include "base/url_secret.h"
#include "cli/serving.h"
#include "cli/standby.h"

/// How a server comes to lead a store that others use too.
namespace fermata::cli {
namespace {

constexpr Duration look_again{500};

std::string own_name(const Settings& settings) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + " " + settings.listen + " process " + std::to_string(getpid());
}

/// The first line of the file, if one is named.
Outcome<std::string> store_password_of(const Settings& settings) {
  if (settings.store_password_file.empty()) return std::string();
  auto text = read_file(settings.store_password_file);
  if (!text)
    return fail(ErrorCode::invalid_setting, "store_password_file: " + text.error().message);
  return text->substr(0, text->find_first_of("\r\n"));
}

}  // namespace

Outcome<std::unique_ptr<OpenStore>> Serving::open_postgres() {
  FERMATA_TRY(password, store_password_of(settings_));
  PostgresWanted wanted;
  wanted.url = settings_.store;
  wanted.password = std::move(password);
  wanted.schema = settings_.postgres_schema;
  wanted.holder = own_name(settings_);
  wanted.allow_unsafe = settings_.postgres_allow_unsafe;
  wanted.readers_max = settings_.postgres_readers_max;
  wanted.connect_timeout_ms = static_cast<int64_t>(settings_.postgres_connect_timeout_ms);
  wanted.statement_timeout_ms = static_cast<int64_t>(settings_.postgres_statement_timeout_ms);
  wanted.lock_timeout_ms = static_cast<int64_t>(settings_.postgres_lock_timeout_ms);
  wanted.tcp_user_timeout_ms = static_cast<int64_t>(settings_.postgres_tcp_user_timeout_ms);
  wanted.reach_ms = static_cast<int64_t>(settings_.postgres_reach_ms);
  wanted.lease_ms = static_cast<int64_t>(settings_.postgres_lease_ms);
  wanted.reports = store_reports();
  // What this process holds in memory is of no use any more: it ends, and whoever started it may
  // start it again, to stand by.
  wanted.lead_lost = [this](const Error& error) {
    log_.error("The lead is lost; this server ends", {{"reason", error.message}});
    lead_lost_ = true;
    kill(getpid(), SIGTERM);
  };
  if (settings_.postgres_allow_unsafe)
    log_.warn("postgres_allow_unsafe: PostgreSQL may lose what it has answered");
  return around_.world.open_postgres(std::move(wanted));
}

Outcome<bool> Serving::lead(const Stopped& stopped) {
  FERMATA_TRY(store, open_store());
  engine_.store = std::move(store);
  FERMATA_TRY(leads, engine_.store->take_lead());
  return leads ? true : stand_by(stopped);
}

Outcome<bool> Serving::stand_by(const Stopped& stopped) {
  std::string leader = engine_.store->leader();
  Standby standby(leader);
  server::Server server(server_options(), standby);
  FERMATA_TRY_VOID(server.start());
  log_.info("Standing by", {{"leader", leader}, {"store", without_password(settings_.store)}});
  while (!stopped(look_again)) {
    auto taken = engine_.store->take_lead();
    if (taken && *taken) {
      log_.info("Taking the lead");
      return true;
    }
  }
  log_.info("Stopping", {{"reason", "a signal while standing by"}});
  return false;
}

}  // namespace fermata::cli
