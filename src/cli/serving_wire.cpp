#include <algorithm>

#include "base/uuid.h"
#include "cli/serving.h"
#include "cli/settings_beside.h"
#include "front/cap/signed_codec.h"

/// The bus that submitters and workers of CAP meet the engine at.
namespace fermata::cli {
namespace {

Outcome<std::string> nats_password_of(const Settings& settings) {
  if (settings.nats_password_file.empty()) return settings.nats_password.text;
  if (!settings.nats_password.text.empty())
    return fail(ErrorCode::invalid_setting, "Give nats_password or nats_password_file, not both.");
  auto text = read_file(settings.nats_password_file);
  if (!text)
    return fail(ErrorCode::invalid_setting,
                "nats_password_file: " + settings.nats_password_file + " cannot be read.");
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  return *std::move(text);
}

/// Of the names of streams whose subjects have that prefix.
std::string stream_ending(std::string prefix) {
  if (prefix.empty()) return "";
  prefix.pop_back();
  std::replace(prefix.begin(), prefix.end(), '.', '_');
  return "_" + prefix;
}

}  // namespace

Outcome<void> Serving::open_wire() {
  if (nats_addresses(settings_).empty()) return {};
  if (!engine_.store->poison())
    return fail(ErrorCode::invalid_setting, "bus: the store `" + settings_.store +
                                                "` has no place for messages that cannot "
                                                "be used.");
  cap_codec_ = around_.world.cap_codec();
  FERMATA_TRY_VOID(open_signatures());
  WireWanted wanted;
  wanted.urls = nats_addresses(settings_);
  wanted.user = settings_.nats_user;
  FERMATA_TRY(password, nats_password_of(settings_));
  wanted.password = std::move(password);
  wanted.tls_ca = settings_.nats_tls_ca;
  wanted.unpublished_max = settings_.nats_unpublished_max;
  wanted.unsettled_max = settings_.nats_unsettled_max;
  wanted.on_warning = [this](const std::string& text) { log_.warn(text); };
  for (const WireAccount& account : wire_accounts(settings_)) {
    std::string ending = stream_ending(account.prefix);
    wanted.prefix = account.prefix;
    wanted.stream_sys = settings_.nats_stream_sys + ending;
    wanted.stream_jobs = settings_.nats_stream_jobs + ending;
    FERMATA_TRY(wire, around_.world.wire(wanted));
    wires_.push_back(std::move(wire));
  }
  return open_wire_memory();
}

Outcome<void> Serving::open_signatures() {
  using front::cap::Signatures;
  front::cap::SignedCodec::Keys keys;
  auto read = [](const char* setting, const std::string& file, auto&& take) -> Outcome<void> {
    if (file.empty()) return {};
    auto text = read_file(file);
    if (!text)
      return fail(ErrorCode::invalid_setting,
                  std::string(setting) + ": " + file + " cannot be read.");
    auto key = take(*text);
    if (!key)
      return fail(ErrorCode::invalid_setting,
                  std::string(setting) + ": " + file + ": " + key.error().message);
    return {};
  };
  FERMATA_TRY_VOID(read("nats_signing_key_file", settings_.nats_signing_key_file,
                        [&](const std::string& text) -> Outcome<void> {
                          FERMATA_TRY(key, SigningKey::read(text));
                          keys.own = std::move(key);
                          return {};
                        }));
  FERMATA_TRY_VOID(read("nats_trusted_keys", settings_.nats_trusted_keys,
                        [&](const std::string& text) -> Outcome<void> {
                          FERMATA_TRY(trusted, TrustedKeys::read(text));
                          keys.trusted = std::move(trusted);
                          return {};
                        }));
  Signatures wanted = settings_.nats_signatures == "require"  ? Signatures::require
                      : settings_.nats_signatures == "verify" ? Signatures::verify
                                                              : Signatures::off;
  if (wanted != Signatures::off && !keys.trusted)
    return fail(ErrorCode::invalid_setting,
                "nats_signatures is `" + settings_.nats_signatures +
                    "`: nats_trusted_keys must name a file with the keys that are trusted.");
  if (wanted == Signatures::off && !keys.own) return {};
  plain_codec_ = std::move(cap_codec_);
  cap_codec_ = std::make_unique<front::cap::SignedCodec>(*plain_codec_, wanted, std::move(keys));
  return {};
}

/// Bodies where `payloads` says; guards there, or where leases are.
Outcome<void> Serving::open_wire_memory() {
  bool bodies = settings_.payloads != "http";
  std::string url = bodies ? settings_.payloads : settings_.leases;
  if (url.find("://") == std::string::npos) return {};
  WireMemoryWanted wanted;
  wanted.url = std::move(url);
  FERMATA_TRY(password, redis_password_of(settings_));
  wanted.password = std::move(password);
  wanted.prefix = settings_.redis_prefix;
  wanted.unsafe_allowed = settings_.redis_checks == "warn";
  wanted.on_warning = [this](const std::string& text) { log_.warn(text); };
  FERMATA_TRY(memory, around_.world.wire_memory(std::move(wanted)));
  wire_memory_ = std::move(memory);
  return {};
}

void Serving::show_adapters(server::ApiOptions& options) const {
  options.degraded = [this] { return parts_away(); };
  options.more_metrics = [this] { return parts_metrics(); };
}

void Serving::make_gateways() {
  server::GatewayOptions options;
  options.sender = "fermata:" + settings_.nats_cluster;
  options.base_url = settings_.nats_base_url.empty() ? base_url() : settings_.nats_base_url;
  options.bodies_beside = settings_.payloads != "http";
  options.limits = job_limits_of(settings_);
  options.new_id = [this] { return api_->new_uuid_v7(); };
  options.warn = [this](const std::string& message, const std::string& detail) {
    log_.warn(message, {{"detail", detail}});
  };
  OpenStore& store = *engine_.store;
  std::vector<WireAccount> accounts = wire_accounts(settings_);
  for (size_t i = 0; i < wires_.size(); ++i) {
    options.account = AccountId(accounts[i].account);
    gateways_.push_back(std::make_unique<server::Gateway>(
        server::GatewayParts{*wires_[i], *cap_codec_, *engine_.host, store.reader(),
                             store.job_files(), store.dead_letters(), *store.poison(),
                             engine_.clock(), wire_memory_.get()},
        options));
  }
  wire_feed_.tell(&gateways_);
}

}  // namespace fermata::cli
