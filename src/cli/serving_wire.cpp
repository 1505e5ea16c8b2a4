#include "base/uuid.h"
#include "cli/serving.h"

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

}  // namespace

Outcome<void> Serving::open_wire() {
  if (nats_addresses(settings_).empty()) return {};
  if (!engine_.store->poison())
    return fail(ErrorCode::invalid_setting, "bus: the store `" + settings_.store +
                                                "` has no place for messages that cannot "
                                                "be used.");
  WireWanted wanted;
  wanted.urls = nats_addresses(settings_);
  wanted.user = settings_.nats_user;
  FERMATA_TRY(password, nats_password_of(settings_));
  wanted.password = std::move(password);
  wanted.tls_ca = settings_.nats_tls_ca;
  wanted.stream_sys = settings_.nats_stream_sys;
  wanted.stream_jobs = settings_.nats_stream_jobs;
  wanted.unpublished_max = settings_.nats_unpublished_max;
  wanted.unsettled_max = settings_.nats_unsettled_max;
  wanted.on_warning = [this](const std::string& text) { log_.warn(text); };
  FERMATA_TRY(wire, around_.world.wire(std::move(wanted)));
  wire_ = std::move(wire);
  cap_codec_ = around_.world.cap_codec();
  return {};
}

void Serving::show_adapters(server::ApiOptions& options) const {
  options.degraded = [this] { return parts_away(); };
  options.more_metrics = [this] { return parts_metrics(); };
}

void Serving::make_gateway() {
  if (!wire_) return;
  server::GatewayOptions options;
  options.account = AccountId(settings_.nats_account);
  options.sender = "fermata:" + settings_.nats_cluster;
  options.base_url = settings_.nats_base_url.empty() ? base_url() : settings_.nats_base_url;
  options.limits = job_limits_of(settings_);
  options.new_id = [this] { return api_->new_uuid_v7(); };
  options.warn = [this](const std::string& message, const std::string& detail) {
    log_.warn(message, {{"detail", detail}});
  };
  OpenStore& store = *engine_.store;
  gateway_ = std::make_unique<server::Gateway>(
      server::GatewayParts{*wire_, *cap_codec_, *engine_.host, store.reader(), store.job_files(),
                           store.dead_letters(), *store.poison(), engine_.clock()},
      std::move(options));
  wire_feed_.tell(gateway_.get());
}

}  // namespace fermata::cli
