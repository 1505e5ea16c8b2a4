#include "cli/bus_service.h"

#include <unistd.h>

#include <algorithm>

#include "cli/command.h"
#include "server/metric_text.h"

namespace fermata::cli {

namespace {

constexpr Duration sleep_max{1'000};
constexpr Duration marks_interval{3'600'000};

rune::Options rune_options(const Settings& settings) {
  return {AccountId(settings.rabbitmq_account), settings.rabbitmq_rune_compat};
}

Outcome<std::string> password_of(const Settings& settings) {
  if (settings.rabbitmq_password_file.empty()) return std::string();
  FERMATA_TRY(text, read_file(settings.rabbitmq_password_file));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

BusService::BusService(const Settings& settings, Log& log)
    : settings_(settings), log_(log), announcer_(rune_options(settings), [this] { ring(); }) {}

BusService::~BusService() { end(); }

Outcome<void> BusService::open(World& world, Engine& engine) {
  outbox_ = engine.store->outbox();
  if (!outbox_)
    return fail(ErrorCode::invalid_setting,
                "bus: the store `" + settings_.store + "` keeps nothing for brokers.");
  clock_ = &engine.clock();
  BusWanted wanted;
  FERMATA_TRY(password, password_of(settings_));
  wanted.urls = amqp_addresses(settings_);
  wanted.password = std::move(password);
  wanted.tls_ca = settings_.rabbitmq_tls_ca;
  wanted.quorum = settings_.rabbitmq_queue_type == "quorum";
  wanted.rune_compat = settings_.rabbitmq_rune_compat;
  wanted.prefetch = static_cast<uint16_t>(settings_.rabbitmq_prefetch);
  wanted.unconfirmed_max = settings_.rabbitmq_unconfirmed_max;
  wanted.connect_ms = static_cast<int64_t>(settings_.rabbitmq_connect_seconds) * 1'000;
  wanted.origin = "fermata";
  wanted.on_news = [this] { ring(); };
  wanted.on_trouble = [this](const std::string& reason) {
    if (reason.empty()) return log_.info("RabbitMQ is back");
    log_.warn("RabbitMQ is away; executions go on, messages wait", {{"reason", reason}});
  };
  if (!wanted.quorum)
    log_.warn("The queues of RabbitMQ are classic ones: a lost node takes them along");
  FERMATA_TRY(bus, world.bus(std::move(wanted)));
  bus_ = std::move(bus);
  interpreter_ = std::make_unique<rune::RuneInterpreter>(
      rune::RuneInterpreter::Parts{engine.store->catalog(), engine.store->reader(), *outbox_,
                                   *engine.definitions, *engine.vault, *clock_},
      rune_options(settings_), definition_limits_of(settings_));
  relay_ = std::make_unique<Relay>(*outbox_, *bus_, rune::lane);
  relay_->on_unroutable = [this](const std::string& target) {
    log_.error("Nobody keeps messages for this queue; they stay in the outbox and are tried again",
               {{"queue", target}});
  };
  receiver_ = std::make_unique<Receiver>(*bus_, *interpreter_, *engine.host, *outbox_,
                                         AccountId(settings_.rabbitmq_account));
  receiver_->on_answer = [this] { ring(); };
  receiver_->on_dead = [this](const BusDelivery& delivery, const Unusable& unusable) {
    log_.warn("A message cannot be used; it is a dead letter", {{"queue", delivery.queue},
                                                                {"message_id", delivery.message_id},
                                                                {"reason_code", unusable.reason},
                                                                {"reason", unusable.detail}});
  };
  return {};
}

void BusService::begin() {
  thread_ = std::thread([this] { run(); });
}

/// What is under way goes back to the broker and stays in the outbox.
void BusService::end() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  bell_.notify_all();
  if (thread_.joinable()) thread_.join();
  bus_.reset();
}

void BusService::ring() {
  {
    std::lock_guard lock(mutex_);
    rung_ = true;
  }
  bell_.notify_all();
}

void BusService::run() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      rung_ = false;
    }
    Instant now = clock_->now();
    NextTurn out = relay_->turn(now);
    NextTurn in = receiver_->turn(now);
    forget_marks(now);
    watch_outbox();
    wait(out, in);
  }
}

void BusService::wait(const NextTurn& first, const NextTurn& second) {
  if (first.at_once || second.at_once) return;
  Duration most = sleep_max;
  Instant now = clock_->now();
  for (const NextTurn* next : {&first, &second})
    if (next->at) most = std::min(most, *next->at - now);
  std::unique_lock lock(mutex_);
  bell_.wait_for(lock, std::chrono::milliseconds(std::max<int64_t>(most.ms, 1)),
                 [this] { return rung_ || stopping_; });
}

/// Nothing is lost while it grows, but somebody should know (C-52).
void BusService::watch_outbox() {
  uint64_t rows = relay_->rows();
  if (!alerted_ && rows >= settings_.rabbitmq_outbox_alert) {
    alerted_ = true;
    log_.error("Many messages wait for RabbitMQ; executions go on", {{"rows", rows}});
  } else if (alerted_ && rows < settings_.rabbitmq_outbox_alert / 2) {
    alerted_ = false;
    log_.info("Messages do not pile up for RabbitMQ any more", {{"rows", rows}});
  }
}

void BusService::forget_marks(Instant now) {
  if (now < marks_forgotten_at_ + marks_interval) return;
  marks_forgotten_at_ = now;
  if (auto forgotten = outbox_->forget_marks(now - Duration{message_marks_ms}); !forgotten)
    log_.warn("Marks of old messages could not be removed",
              {{"reason", forgotten.error().message}});
}

std::vector<std::string> BusService::degraded() const {
  if (!bus_ || bus_->health().up) return {};
  return {"rabbitmq"};
}

void BusService::append_metrics(std::string& out) const {
  if (!bus_) return;
  using Counts = std::map<std::string, uint64_t>;
  BusHealth health = bus_->health();
  std::string lane = server::metric_label("lane", rune::lane);
  server::append_metric(out, "fermata_outbox_rows", "gauge",
                        "Messages to brokers that are not confirmed yet.",
                        Counts{{lane, relay_->rows()}});
  server::append_metric(out, "fermata_outbox_published_total", "counter",
                        "Messages that a broker has confirmed.",
                        Counts{{lane, relay_->published()}});
  Counts dead;
  for (const auto& [reason, count] : receiver_->dead_by_reason())
    dead[server::metric_label("reason", reason)] = count;
  server::append_metric(out, "fermata_bus_dead_total", "counter",
                        "Messages that could not be used, by reason.", dead);
  Counts passed;
  for (const auto& [reason, count] : receiver_->passed_by_reason())
    passed[server::metric_label("reason", reason)] = count;
  server::append_metric(out, "fermata_bus_passed_total", "counter",
                        "Messages that were acknowledged without effect: repeated or late.",
                        passed);
  server::append_metric(out, "fermata_bus_taken_total", "counter",
                        "Messages that were taken and acknowledged.",
                        Counts{{"", receiver_->taken()}});
  server::append_metric(out, "fermata_bus_redelivered_total", "counter",
                        "Messages that a broker delivered again.",
                        Counts{{"", health.redelivered}});
  std::optional<Instant> oldest = relay_->oldest();
  double waits = oldest ? static_cast<double>((clock_->now() - *oldest).ms) / 1e3 : 0;
  server::append_metric(out, "fermata_outbox_oldest_seconds", "gauge",
                        "How long the oldest message to a broker has been seen to wait.",
                        std::map<std::string, double>{{lane, waits}});
}

}  // namespace fermata::cli
