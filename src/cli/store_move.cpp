#include "cli/store_move.h"

#include <chrono>
#include <filesystem>

#include "base/url_secret.h"
#include "cli/postgres_wanted.h"

namespace fermata::cli {

Settings settings_after_move(const Settings& settings, const std::string& to,
                             const std::string& password_file) {
  Settings next = settings;
  next.store = to;
  if (!password_file.empty()) next.store_password_file = password_file;
  std::filesystem::path key = std::filesystem::path(settings.data) / "secrets.key";
  std::error_code error;
  bool named = !settings.secrets_key.text.empty() || !settings.secrets_key_file.empty();
  if (!named && std::filesystem::exists(key, error)) next.secrets_key_file = key.string();
  return next;
}

Outcome<void> check_move(const std::string& to) {
  Settings wanted;
  wanted.store = to;
  if (is_shared_store(wanted)) return {};
  return fail(ErrorCode::invalid_setting,
              "`to` is the address of a PostgreSQL: postgres://USER@HOST/DATABASE");
}

PromotionSettings promotion_settings_of(const Settings& settings) {
  PromotionSettings out;
  out.hold_ms_max = static_cast<int64_t>(settings.promote_hold_ms_max);
  return out;
}

int64_t steady_ms() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Value report_value(const PromotionReport& report) {
  return Value::object(
      {{"things", report.things}, {"rounds", report.rounds}, {"held_ms", report.held_ms}});
}

StoreMove::StoreMove(World& world, const Settings& settings, OpenStore& store, Log& log,
                     std::function<void()> on_moved)
    : world_(world),
      settings_(settings),
      store_(store),
      log_(log),
      on_moved_(std::move(on_moved)) {}

StoreMove::~StoreMove() { stop(); }

void StoreMove::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

Outcome<Value> StoreMove::begin(const std::string& to, const std::string& password_file) {
  FERMATA_TRY_VOID(check_move(to));
  std::lock_guard lock(mutex_);
  if (stopping_) return fail(ErrorCode::shutting_down, "The server is stopping.");
  if (running_ || left_) return fail(ErrorCode::wrong_state, "The store is being moved already.");
  if (thread_.joinable()) thread_.join();
  running_ = true;
  state_ = Value::object({{"state", "running"}, {"step", "begin"}, {"to", without_password(to)}});
  Settings next = settings_after_move(settings_, to, password_file);
  thread_ = std::thread([this, to, next = std::move(next)] { run(to, next); });
  return state_;
}

Value StoreMove::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

bool StoreMove::broken() const {
  std::lock_guard lock(mutex_);
  return left_ && !next_;
}

std::optional<Settings> StoreMove::next() const {
  std::lock_guard lock(mutex_);
  return next_;
}

Outcome<PromotionReport> StoreMove::move(const std::string& to, const Settings& next) {
  FERMATA_TRY(wanted, postgres_wanted(next));
  FERMATA_TRY(target, world_.postgres_target(std::move(wanted)));
  std::unique_ptr<transfer::Source> source = store_.source();
  Promotion promotion({*source, *target, steady_ms, [this] { return stopping_.load(); }},
                      settings_.data, without_password(to), promotion_settings_of(settings_),
                      [this](std::string_view step) {
                        log_.info("Moving the store", {{"step", step}});
                        std::lock_guard lock(mutex_);
                        state_.set("step", step);
                      });
  Outcome<PromotionReport> report = promotion.run();
  std::lock_guard lock(mutex_);
  left_ = promotion.left();
  return report;
}

void StoreMove::run(const std::string& to, const Settings& next) {
  log_.info("Moving the store", {{"from", settings_.data}, {"to", without_password(to)}});
  Outcome<PromotionReport> report = move(to, next);
  bool left = false;
  {
    std::lock_guard lock(mutex_);
    running_ = false;
    left = left_;
    Value state =
        Value::object({{"state", report ? "moved" : "failed"}, {"to", without_password(to)}});
    if (report) {
      const Value told = report_value(*report);
      for (const Value::Member& each : told.members()) state.set(each.key.as_string(), each.value);
      next_ = next;
    } else {
      state.set("code", name_of(report.error().code));
      state.set("message", report.error().message);
    }
    state_ = std::move(state);
  }
  if (report) {
    log_.info("The store has moved; this server goes on there",
              {{"things", report->things}, {"held_ms", report->held_ms}});
    if (!next.secrets_key_file.empty() && settings_.secrets_key_file.empty())
      log_.warn(
          "Credentials are sealed under a key in the data directory: give it to every server "
          "as secrets_key_file",
          {{"secrets_key_file", next.secrets_key_file}});
  } else {
    log_.error(left ? "The store could not be moved to its end: start the server again to see "
                      "where it is"
                    : "The store could not be moved; it goes on as before",
               {{"code", name_of(report.error().code)}, {"reason", report.error().message}});
  }
  if (left) on_moved_();
}

}  // namespace fermata::cli
