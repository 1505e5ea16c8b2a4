#include "adapters/nats/link.h"

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "base/url_secret.h"

namespace fermata::nats {
namespace {

constexpr int64_t connect_timeout_ms = 3'000;
constexpr int64_t answer_timeout_ms = 5'000;
constexpr int64_t ping_ms = 5'000;
constexpr int64_t pause_first_ms = 200;
constexpr int64_t pause_max_ms = 10'000;

/// 0.2 s doubling to 10 s, and up to a quarter more so that many do not come at once (C-7).
int64_t pause_before(int attempt) {
  int64_t pause = std::min(pause_first_ms << std::clamp(attempt - 1, 0, 10), pause_max_ms);
  thread_local std::minstd_rand spread{std::random_device{}()};
  return pause + std::uniform_int_distribution<int64_t>(0, pause / 4)(spread);
}

int64_t reconnect_pause(natsConnection*, int attempts, void*) { return pause_before(attempts); }

}  // namespace

std::string Link::address() const {
  std::string text;
  for (const std::string& url : options_.urls)
    text += (text.empty() ? "" : ", ") + without_password(url);
  return text;
}

Outcome<Options> Link::options() const {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  Options options(made);
  std::vector<const char*> urls;
  for (const std::string& url : options_.urls) urls.push_back(url.c_str());
  auto set = [&](natsStatus answer) {
    if (status == NATS_OK) status = answer;
  };
  set(natsOptions_SetServers(made, urls.data(), static_cast<int>(urls.size())));
  set(natsOptions_SetName(made, options_.name.c_str()));
  set(natsOptions_SetTimeout(made, connect_timeout_ms));
  set(natsOptions_SetPingInterval(made, ping_ms));
  set(natsOptions_SetMaxPingsOut(made, 2));
  set(natsOptions_SetMaxReconnect(made, -1));
  set(natsOptions_SetCustomReconnectDelay(made, reconnect_pause, nullptr));
  if (!options_.password.empty())
    set(natsOptions_SetUserInfo(made, options_.user.c_str(), options_.password.c_str()));
  bool tls = !options_.tls_ca.empty() ||
             std::any_of(options_.urls.begin(), options_.urls.end(),
                         [](const std::string& url) { return url.starts_with("tls://"); });
  if (tls) set(natsOptions_SetSecure(made, true));
  if (!options_.tls_ca.empty())
    set(natsOptions_LoadCATrustedCertificates(made, options_.tls_ca.c_str()));
  if (status != NATS_OK)
    return fail(ErrorCode::invalid_setting, "NATS at " + address() + ": " + text_of(status) + ".");
  return options;
}

Outcome<void> Link::connect() {
  FERMATA_TRY(chosen, options());
  auto on_lost = [](natsConnection*, void* link) { static_cast<Link*>(link)->lost(); };
  auto on_found = [](natsConnection*, void* link) { static_cast<Link*>(link)->found(); };
  natsOptions_SetDisconnectedCB(chosen.get(), on_lost, this);
  natsOptions_SetReconnectedCB(chosen.get(), on_found, this);
  auto on_closed = [](natsConnection*, void* link) { static_cast<Link*>(link)->closed(); };
  natsOptions_SetClosedCB(chosen.get(), on_closed, this);
  natsConnection* made = nullptr;
  natsStatus status = natsConnection_Connect(&made, chosen.get());
  if (status != NATS_OK)
    return fail(ErrorCode::io_failed, "NATS at " + address() + ": " + text_of(status) + ".");
  connection_.reset(made);
  jsOptions wanted;
  jsOptions_Init(&wanted);
  wanted.Wait = answer_timeout_ms;
  jsCtx* context = nullptr;
  status = natsConnection_JetStream(&context, made, &wanted);
  if (status != NATS_OK)
    return fail(ErrorCode::internal, "NATS at " + address() + ": " + text_of(status) + ".");
  jetstream_.reset(context);
  found();
  return {};
}

Outcome<void> Link::open() {
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.patience.ms);
  for (int attempt = 1;; ++attempt) {
    auto connected = connect();
    if (connected || connected.error().code != ErrorCode::io_failed) return connected;
    auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(pause_before(attempt));
    if (next >= until) return connected;
    std::this_thread::sleep_until(next);
  }
}

void Link::close() {
  if (!connection_) return;
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  natsConnection_Close(connection_.get());
  // libnats tells of it on a thread of its own, in order: this is the last that it tells.
  std::unique_lock lock(mutex_);
  over_.wait(lock, [&] { return closed_; });
}

void Link::closed() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  over_.notify_all();
}

void Link::lost() {
  up_ = false;
  {
    std::lock_guard lock(mutex_);
    if (closing_) return;
  }
  trouble("connection", "NATS at " + address() + " is away");
}

void Link::found() {
  ++epoch_;
  up_ = true;
  trouble("connection", "");
}

void Link::trouble(const std::string& part, const std::string& text) {
  bool news = false;
  {
    std::lock_guard lock(mutex_);
    std::string& known = troubles_[part];
    news = known != text;
    known = text;
    if (text.empty()) troubles_.erase(part);
  }
  if (news && !text.empty() && options_.on_warning) options_.on_warning(text);
}

std::string Link::troubles() const {
  std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& [part, text] : troubles_) all += (all.empty() ? "" : "; ") + text;
  return all;
}

}  // namespace fermata::nats
