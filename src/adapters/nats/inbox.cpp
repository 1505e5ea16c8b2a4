#include "adapters/nats/inbox.h"

#include <algorithm>

namespace fermata::nats {
namespace {

using MetaData = std::unique_ptr<jsMsgMetaData, Destroyer<jsMsgMetaData_Destroy>>;

/// After a third of the time that a consumer gives, the server hears that it is being worked on.
constexpr std::chrono::seconds alive_after{10};

}  // namespace

WireDelivery Inbox::delivery_of(natsMsg* message) const {
  WireDelivery delivery;
  delivery.subject = natsMsg_GetSubject(message);
  if (delivery.subject.starts_with(prefix_)) delivery.subject.erase(0, prefix_.size());
  delivery.bytes.assign(natsMsg_GetData(message),
                        static_cast<size_t>(natsMsg_GetDataLength(message)));
  const char** keys = nullptr;
  int count = 0;
  if (natsMsgHeader_Keys(message, &keys, &count) != NATS_OK) return delivery;
  for (int i = 0; i < count; ++i) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message, keys[i], &value) == NATS_OK)
      delivery.headers.emplace_back(keys[i], value);
  }
  free(static_cast<void*>(keys));
  return delivery;
}

void Inbox::take(const std::string& consumer, Message message) {
  WireDelivery delivery = delivery_of(message.get());
  jsMsgMetaData* found = nullptr;
  if (natsMsg_GetMetaData(&found, message.get()) == NATS_OK) {
    MetaData meta(found);
    delivery.deliveries = static_cast<uint32_t>(meta->NumDelivered);
    std::string number = std::to_string(meta->Sequence.Stream);
    delivery.id = std::string(meta->Stream) + ":" + number;
    delivery.place = std::string(meta->Stream) + ":" + consumer + ":" + number;
  }
  for (const auto& [name, value] : delivery.headers)
    if (name == "Nats-Msg-Id") delivery.id = value;
  {
    std::lock_guard lock(mutex_);
    delivery.number = ++last_number_;
    if (delivery.deliveries > 1) ++redelivered_;
    held_.emplace(delivery.number,
                  Held{std::move(message), consumer, std::chrono::steady_clock::now()});
    ++under_way_[consumer];
    deliveries_.push_back(std::move(delivery));
  }
  news_.notify_one();
}

bool Inbox::take_plain(Message message) {
  WireDelivery delivery = delivery_of(message.get());
  {
    std::lock_guard lock(mutex_);
    if (plain_ >= plain_max_) return false;
    ++plain_;
    deliveries_.push_back(std::move(delivery));
  }
  news_.notify_one();
  return true;
}

void Inbox::take_exhausted(Message message, const std::string& place, uint32_t deliveries) {
  WireDelivery delivery = delivery_of(message.get());
  delivery.exhausted = true;
  delivery.deliveries = deliveries;
  delivery.id = place;
  for (const auto& [name, value] : delivery.headers)
    if (name == "Nats-Msg-Id") delivery.id = value;
  {
    std::lock_guard lock(mutex_);
    ++plain_;
    deliveries_.push_back(std::move(delivery));
  }
  news_.notify_one();
}

void Inbox::confirm(WireConfirm confirm) {
  {
    std::lock_guard lock(mutex_);
    confirms_.push_back(confirm);
  }
  news_.notify_one();
}

Wire::News Inbox::wait(size_t most, Duration patience) {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, std::chrono::milliseconds(patience.ms),
                 [&] { return woken_ || !deliveries_.empty() || !confirms_.empty(); });
  woken_ = false;
  Wire::News news;
  while (!deliveries_.empty() && news.deliveries.size() < most) {
    if (deliveries_.front().number == 0) --plain_;
    news.deliveries.push_back(std::move(deliveries_.front()));
    deliveries_.pop_front();
  }
  while (!confirms_.empty() && news.confirms.size() < most) {
    news.confirms.push_back(confirms_.front());
    confirms_.pop_front();
  }
  return news;
}

void Inbox::wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  news_.notify_one();
}

Message Inbox::settle(uint64_t number) {
  Message message;
  {
    std::lock_guard lock(mutex_);
    auto held = held_.find(number);
    if (held == held_.end()) return message;
    message = std::move(held->second.message);
    --under_way_[held->second.consumer];
    held_.erase(held);
  }
  settled_.notify_all();
  return message;
}

size_t Inbox::room(const std::string& consumer, size_t most) const {
  std::lock_guard lock(mutex_);
  auto found = under_way_.find(consumer);
  size_t used = found == under_way_.end() ? 0 : found->second;
  return most > used ? most - used : 0;
}

void Inbox::wait_for_room(const std::string& consumer, size_t most, Duration patience) {
  std::unique_lock lock(mutex_);
  settled_.wait_for(lock, std::chrono::milliseconds(patience.ms),
                    [&] { return under_way_[consumer] < most; });
}

void Inbox::keep_alive() {
  auto now = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex_);
  for (auto& [number, held] : held_) {
    if (now - held.touched < alive_after) continue;
    held.touched = now;
    natsMsg_InProgress(held.message.get(), nullptr);
  }
}

uint64_t Inbox::redelivered() const {
  std::lock_guard lock(mutex_);
  return redelivered_;
}

}  // namespace fermata::nats
