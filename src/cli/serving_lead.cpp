#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/url_secret.h"
#include "cli/postgres_wanted.h"
#include "cli/serving.h"
#include "server/carry/carried.h"
#include "server/http/address.h"

/// How a server comes to lead a store that others use too.
namespace fermata::cli {
namespace {

constexpr Duration look_again{200};
constexpr int64_t skew_warned_ms = 100;
constexpr Duration compare_pause{20};
constexpr int compare_tries_max = 250;
/// Of records that this program reads; a new one is added behind.
constexpr const char* record_formats = "1";
/// Settings that are one machine's own business.
constexpr std::array own_settings = {
    "listen",    "data",  "store_password_file", "tls_cert",         "tls_key",      "log",
    "log_level", "clock", "console_dir",         "secrets_key_file", "nats_base_url"};

/// Of the settings that should be the same everywhere. Secrets are no part of it.
std::string settings_fingerprint(const Value& lines) {
  std::string text;
  for (const Value& line : lines.items()) {
    std::string_view name = line.get("name").as_string();
    bool own = std::find(own_settings.begin(), own_settings.end(), name) != own_settings.end();
    if (!own && line.get("secret") != Value(true))
      text.append(name).append("=").append(line.get("value").as_string()).append("\n");
  }
  return sha256_hex(text).substr(0, 16);
}

}  // namespace

void wake_server() { kill(getpid(), SIGUSR1); }

Outcome<std::unique_ptr<OpenStore>> Serving::open_postgres() {
  FERMATA_TRY(wanted, postgres_wanted(settings_));
  wanted.carry_requests_max = settings_.carry_requests_max;
  wanted.carry_window_bytes = settings_.carry_window_bytes;
  wanted.clock_compare_ms = static_cast<int64_t>(settings_.clock_compare_ms);
  Duration shift = clock_shift_of(settings_).value_or(Duration{});
  wanted.now = [clock = wall_clock_.get(), shift] { return clock->now() + shift; };
  wanted.skew = [this](int64_t ahead_ms, int64_t error_ms) { clock_differs(ahead_ms, error_ms); };
  wanted.reports = store_reports();
  // What this process holds in memory is of no use any more: it ends, and whoever started it may
  // start it again, to stand by.
  wanted.lead_lost = [this](const Error& error) {
    log_.error("The lead is lost; this server ends", {{"reason", error.message}});
    lead_lost_ = true;
    wake_server();
  };
  wanted.warning = [this](const std::string& warning) { log_.warn(warning); };
  // What this process remembers may be more than the new server has: it begins anew (C-17).
  wanted.failover = [this] {
    if (!leads_ || begins_anew_.exchange(true)) return;
    log_.warn("PostgreSQL has failed over to another server; this one begins anew");
    wake_server();
  };
  if (settings_.postgres_allow_unsafe)
    log_.warn("postgres_allow_unsafe: PostgreSQL may lose what it has answered");
  return around_.world.open_postgres(std::move(wanted));
}

Outcome<bool> Serving::lead(const Stopped& stopped) {
  FERMATA_TRY(store, open_store());
  engine_.store = std::move(store);
  fingerprint_ = settings_fingerprint(configuration_);
  introduce("follower");
  // A clock is known to be right before it decides anything.
  for (int tries = 0; engine_.store->replicas() && !compared_ && tries < compare_tries_max; ++tries)
    if (stopped(compare_pause)) return false;
  if (!skewed()) {
    FERMATA_TRY(leads, engine_.store->take_lead());
    if (leads) return leads_ = true;
  }
  return stand_by(stopped);
}

/// Without keys a server that others can reach is refused here as well: what it carries would be
/// answered as if it came from the leader's own machine.
Outcome<void> Serving::listen_as_follower() {
  FERMATA_TRY(access, choose_access());
  FERMATA_TRY(address, http::parse_listen_address(settings_.listen));
  server::ForwarderOptions options;
  options.access.mode = access;
  options.from_anywhere = !http::is_loopback_host(address.host);
  options.demo_echo = !settings_.demo.empty();
  options.upload_bytes_max = settings_.jobs_artifact_bytes_max;
  options.version = program_version;
  options.console_dir = settings_.console_dir;
  options.wait = std::chrono::milliseconds(settings_.carry_wait_ms);
  options.unfit = [this] { return skew_trouble(); };
  forwarder_ = std::make_unique<server::Forwarder>(*engine_.store->passages(), std::move(options));
  switch_ = std::make_unique<server::HandlerSwitch>(*forwarder_);
  server_ = std::make_unique<server::Server>(server_options(), *switch_);
  return server_->start();
}

Outcome<bool> Serving::stand_by(const Stopped& stopped) {
  FERMATA_TRY_VOID(listen_as_follower());
  OpenStore::Leader leader = engine_.store->leader();
  forwarder_->leader_is(leader.name, leader.serves);
  log_.info("Standing by", {{"leader", leader.name}, {"store", without_password(settings_.store)}});
  while (!stopped(look_again)) {
    bool away = false;
    if (skewed()) {
      away = !engine_.store->look_who_leads();
    } else {
      auto taken = engine_.store->take_lead();
      if (taken && *taken) {
        log_.info("Taking the lead");
        forwarder_->begins_to_lead();
        return leads_ = true;
      }
      away = !taken;
    }
    leader = engine_.store->leader();
    forwarder_->leader_is(leader.name, leader.serves && !away);
  }
  log_.info("Stopping", {{"reason", "a signal while standing by"}});
  return false;
}

/// A store in a data directory can be moved while it is served; this server then begins anew.
void Serving::offer_move(server::ApiOptions& options) {
  options.promotion.state = [this] { return move_state(); };
  if (settings_.store != "sqlite") return;
  move_ = std::make_unique<StoreMove>(around_.world, settings_, *engine_.store, log_, wake_server);
  options.promotion.begin = [this](const std::string& to, const std::string& password_file) {
    return move_->begin(to, password_file);
  };
}

Outcome<void> Serving::serve_others() {
  if (switch_) {
    switch_->turn_to(*api_);
    auto handle = [this](const http::Request& request, http::Responder responder) {
      switch_->handle(request, std::move(responder));
    };
    // A request lives as long as its responder.
    auto later = [handle, door = server_->door()](const http::Request& request,
                                                  http::Responder responder) {
      door.run_there([handle, &request, responder = std::move(responder)](http::Loop&) {
        handle(request, responder);
      });
    };
    server_->door().run_there(
        [this, handle, later](http::Loop&) { forwarder_->hand_over(handle, later); });
  }
  Passages* passages = engine_.store->passages();
  if (passages == nullptr) return {};
  introduce("leader");
  passages->take_calls(server::carried_requests(server_->door()));
  return engine_.store->serve_others();
}

/// Calls of others are refused first: they wait for the next leader. What is under way is answered.
void Serving::stop_listening() {
  Passages* passages = engine_.store ? engine_.store->passages() : nullptr;
  if (passages != nullptr) passages->take_calls(nullptr);
  if (forwarder_) forwarder_->give_up();
  if (server_) server_->stop();
  replicas_ = nullptr;
  if (passages != nullptr) passages->stop();
  server_.reset();
  switch_.reset();
  forwarder_.reset();
}

void Serving::introduce(std::string_view role) {
  Replicas* replicas = engine_.store->replicas();
  if (replicas == nullptr) return;
  Replica self;
  self.name = own_name(settings_);
  self.version = program_version;
  self.formats = record_formats;
  self.role = role;
  self.settings = fingerprint_;
  replicas->introduce(self);
  replicas_ = replicas;
}

std::string Serving::skew_trouble() const {
  int64_t ahead = skew_beyond_;
  if (ahead == 0) return "";
  return "It is " + std::to_string(ahead < 0 ? -ahead : ahead) + " ms " +
         (ahead < 0 ? "behind" : "ahead of") + " PostgreSQL's, more than max_skew_ms.";
}

/// On a thread of the store. One that leads with a wrong clock ends: whoever started it may start
/// it again, to stand by until its clock is right (C-103).
void Serving::clock_differs(int64_t ahead_ms, int64_t error_ms) {
  clock_ahead_ms_ = ahead_ms;
  int64_t sure = std::max<int64_t>(0, std::abs(ahead_ms) - error_ms);
  bool beyond = sure > static_cast<int64_t>(settings_.max_skew_ms);
  bool was = skew_beyond_.exchange(beyond ? ahead_ms : 0) != 0;
  if (beyond && !was)
    log_.error("The clock differs too much from PostgreSQL's: this server does not lead",
               {{"ahead_ms", ahead_ms}, {"max_skew_ms", settings_.max_skew_ms}});
  if (!beyond && was)
    log_.warn("The clock agrees with PostgreSQL's again", {{"ahead_ms", ahead_ms}});
  bool differs = sure > skew_warned_ms;
  if (differs && !beyond && !skew_told_.exchange(true))
    log_.warn("The clock differs from PostgreSQL's", {{"ahead_ms", ahead_ms}});
  if (!differs) skew_told_ = false;
  if (beyond && leads_ && !lead_lost_.exchange(true)) wake_server();
  compared_ = true;
  look_at_replicas();
}

/// Settings may differ while a change is rolled out (C-4); who does not know of it is told once.
void Serving::look_at_replicas() {
  Replicas* replicas = replicas_;
  if (replicas == nullptr) return;
  auto all = replicas->replicas();
  if (!all) return;
  for (const Replica& one : *all) {
    bool differs = one.lives && one.id != replicas->own_id() && one.settings != fingerprint_;
    if (differs && settings_told_.insert(one.settings).second)
      log_.warn("Another server on this store has other settings",
                {{"server", one.name}, {"version", one.version}});
  }
}

}  // namespace fermata::cli
