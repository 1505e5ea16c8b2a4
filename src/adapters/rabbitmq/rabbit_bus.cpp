#include "adapters/rabbitmq/rabbit_bus.h"

#include <chrono>
#include <thread>

#include "adapters/rabbitmq/backoff.h"

namespace fermata {

namespace {

using Clock = std::chrono::steady_clock;

/// A message's copy, with what it was and why it is made.
RabbitPublisher::Item copy_of(const BusDelivery& delivery, const BusSettlement& settlement) {
  RabbitPublisher::Item item;
  item.copy_of = delivery.id;
  item.message.id = delivery.message_id;
  item.message.body = delivery.body;
  for (const auto& [key, value] : delivery.headers)
    if (!key.starts_with("x-fermata-attempt") && !key.starts_with("x-fermata-reason") &&
        !key.starts_with("x-fermata-queue"))
      item.message.headers.emplace_back(key, value);
  if (settlement.kind == BusSettlement::Kind::retry) {
    item.exchange = rabbit_retry_name(rabbit_retry_class(settlement.delay));
    item.message.target = delivery.queue;
    item.message.headers.emplace_back("x-fermata-attempt", std::to_string(delivery.attempt + 1));
  } else {
    item.message.target = rabbit_dead_queue;
    item.message.headers.emplace_back("x-fermata-reason", settlement.reason);
    item.message.headers.emplace_back("x-fermata-queue", delivery.queue);
  }
  return item;
}

}  // namespace

Outcome<std::string> RabbitBus::look(const RabbitOptions& options) {
  Backoff backoff(reinterpret_cast<uintptr_t>(&options));
  Clock::time_point until = Clock::now() + std::chrono::milliseconds(options.start_patience.ms);
  for (;;) {
    auto connection = open_any(options);
    auto declared = connection ? declare_topology(**connection, options.shape)
                               : Outcome<void>(Failure{connection.error()});
    if (declared) return (*connection)->version();
    if (declared.error().code == ErrorCode::invalid_setting) return Failure{declared.error()};
    auto pause = std::chrono::milliseconds(backoff.next_ms());
    if (Clock::now() + pause >= until)
      return fail(ErrorCode::io_failed, declared.error().message + " (tried for " +
                                            std::to_string(options.start_patience.ms / 1'000) +
                                            " s)");
    std::this_thread::sleep_for(pause);
  }
}

Outcome<std::unique_ptr<RabbitBus>> RabbitBus::open(RabbitOptions options) {
  FERMATA_TRY(version, look(options));
  return std::unique_ptr<RabbitBus>(new RabbitBus(std::move(options), std::move(version)));
}

RabbitBus::RabbitBus(RabbitOptions options, std::string version)
    : options_(std::move(options)), version_(std::move(version)) {
  RabbitPublisher::Callbacks publishing;
  publishing.confirmed = [this](std::vector<BusConfirm> confirms) {
    {
      std::lock_guard lock(mutex_);
      under_way_ -= confirms.size();
      confirms_.insert(confirms_.end(), confirms.begin(), confirms.end());
    }
    if (options_.on_news) options_.on_news();
  };
  publishing.copied = [this](uint64_t delivery) {
    consumer_->acknowledge(delivery);
    forget(delivery);
  };
  publishing.changed = [this](const std::string& trouble) { note(publishing_trouble_, trouble); };
  RabbitConsumer::Callbacks consuming;
  consuming.arrived = [this] {
    if (options_.on_news) options_.on_news();
  };
  consuming.dropped = [this] {
    std::lock_guard lock(mutex_);
    pulled_.clear();
  };
  consuming.changed = [this](const std::string& trouble) { note(consuming_trouble_, trouble); };
  consumer_ = std::make_unique<RabbitConsumer>(options_, std::move(consuming));
  publisher_ = std::make_unique<RabbitPublisher>(options_, std::move(publishing));
}

RabbitBus::~RabbitBus() {
  // The publisher speaks to the consumer; so it goes first.
  publisher_.reset();
  consumer_.reset();
}

void RabbitBus::publish(std::vector<BusMessage> batch) {
  std::vector<RabbitPublisher::Item> items;
  for (BusMessage& message : batch) {
    if (!options_.origin.empty()) message.headers.emplace_back("x-fermata-origin", options_.origin);
    items.push_back({std::move(message)});
  }
  {
    std::lock_guard lock(mutex_);
    under_way_ += items.size();
  }
  publisher_->put(std::move(items));
}

std::vector<BusConfirm> RabbitBus::confirms() {
  std::lock_guard lock(mutex_);
  return std::exchange(confirms_, {});
}

size_t RabbitBus::room() const {
  std::lock_guard lock(mutex_);
  // While nobody takes them, handing them over would only bring them back.
  if (!publishing_trouble_.empty()) return 0;
  return options_.queue_messages_max - std::min(under_way_, options_.queue_messages_max);
}

std::vector<BusDelivery> RabbitBus::pull(size_t most) {
  std::vector<BusDelivery> out = consumer_->pull(most);
  std::lock_guard lock(mutex_);
  for (const BusDelivery& delivery : out) pulled_[delivery.id] = delivery;
  return out;
}

void RabbitBus::settle(uint64_t id, BusSettlement settlement) {
  if (settlement.kind == BusSettlement::Kind::ack) {
    consumer_->acknowledge(id);
    return forget(id);
  }
  std::vector<RabbitPublisher::Item> copy;
  {
    std::lock_guard lock(mutex_);
    auto found = pulled_.find(id);
    if (found == pulled_.end()) return;
    copy.push_back(copy_of(found->second, settlement));
  }
  publisher_->put(std::move(copy));
}

void RabbitBus::forget(uint64_t delivery) {
  std::lock_guard lock(mutex_);
  pulled_.erase(delivery);
}

void RabbitBus::rest(Duration pause) { consumer_->rest(pause); }

BusHealth RabbitBus::health() const {
  std::lock_guard lock(mutex_);
  const std::string& trouble =
      publishing_trouble_.empty() ? consuming_trouble_ : publishing_trouble_;
  return {trouble.empty(), trouble, consumer_ ? consumer_->redelivered() : 0};
}

void RabbitBus::note(std::string& side, const std::string& trouble) {
  std::optional<std::string> tell;
  {
    std::lock_guard lock(mutex_);
    side = trouble;
    bool up = publishing_trouble_.empty() && consuming_trouble_.empty();
    if (up == told_trouble_ && (up || !trouble.empty())) tell = up ? "" : trouble;
    if (tell) told_trouble_ = !up;
  }
  if (tell && options_.on_trouble) options_.on_trouble(*tell);
  if (options_.on_news) options_.on_news();
}

}  // namespace fermata
