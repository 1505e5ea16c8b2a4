#include "adapters/rabbitmq/rabbit_publisher.h"

#include <amqp_framing.h>

#include "adapters/rabbitmq/backoff.h"

namespace fermata {

namespace {

/// Often enough for heartbeats.
constexpr int idle_wait_ms = 1'000;

amqp_table_entry_t text_entry(const std::string& key, const std::string& value) {
  amqp_field_value_t field;
  field.kind = AMQP_FIELD_KIND_UTF8;
  field.value.bytes = bytes_of(value);
  return {bytes_of(key), field};
}

}  // namespace

RabbitPublisher::RabbitPublisher(const RabbitOptions& options, Callbacks callbacks)
    : options_(options), callbacks_(std::move(callbacks)), thread_([this] { run(); }) {}

RabbitPublisher::~RabbitPublisher() {
  stopping_ = true;
  bell_.ring();
  thread_.join();
}

void RabbitPublisher::put(std::vector<Item> items) {
  {
    std::lock_guard lock(mutex_);
    for (Item& item : items) queue_.push_back(std::move(item));
  }
  bell_.ring();
}

void RabbitPublisher::forget_copies() {
  std::lock_guard lock(mutex_);
  std::erase_if(queue_, [](const Item& item) { return item.copy_of != 0; });
}

void RabbitPublisher::run() {
  Backoff backoff(reinterpret_cast<uintptr_t>(this));
  while (!stopping_) {
    auto connection = open_any(options_);
    auto ready = connection ? declare_topology(**connection, options_.shape)
                            : fermata::Outcome<void>(Failure{connection.error()});
    if (ready) {
      amqp_confirm_select((*connection)->state(), RabbitConnection::channel);
      amqp_rpc_reply_t reply = amqp_get_rpc_reply((*connection)->state());
      if (reply.reply_type != AMQP_RESPONSE_NORMAL)
        ready = (*connection)->failure("asking for confirms", (*connection)->said(reply));
    }
    if (ready) {
      backoff.reset();
      callbacks_.changed("");
      serve(**connection);
      if (stopping_) return;
      lose_all(trouble_);
    } else {
      lose_all(ready.error().message);
    }
    int64_t until_ms = backoff.next_ms();
    for (; until_ms > 0 && !stopping_; until_ms -= 50)
      bell_.wait(-1, static_cast<int>(std::min<int64_t>(until_ms, 50)));
  }
}

void RabbitPublisher::serve(RabbitConnection& connection) {
  next_tag_ = 1;
  blocked_ = false;
  trouble_ = "the connection was closed";
  while (!stopping_) {
    if (!send_some(connection) || !read(connection)) return;
    bool more = false;
    if (sent_.size() < options_.unconfirmed_max && !blocked_) {
      std::lock_guard lock(mutex_);
      more = !queue_.empty();
    }
    if (!more) bell_.wait(connection.socket(), idle_wait_ms);
  }
}

bool RabbitPublisher::send_some(RabbitConnection& connection) {
  while (!blocked_ && sent_.size() < options_.unconfirmed_max) {
    Item item;
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty()) return true;
      item = std::move(queue_.front());
      queue_.pop_front();
    }
    // Kept before it is sent: what fails half way is lost like the rest.
    uint64_t tag = next_tag_++;
    Sent& kept = sent_[tag] = {std::move(item), false};
    if (!send(connection, kept.item)) return false;
  }
  return true;
}

bool RabbitPublisher::send(RabbitConnection& connection, const Item& item) {
  const BusMessage& message = item.message;
  std::vector<amqp_table_entry_t> headers;
  for (const auto& [key, value] : message.headers) headers.push_back(text_entry(key, value));
  amqp_basic_properties_t properties{};
  properties._flags =
      AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_HEADERS_FLAG;
  properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
  properties.content_type = amqp_cstring_bytes("application/json");
  properties.headers = {static_cast<int>(headers.size()), headers.data()};
  if (!message.id.empty()) {
    properties._flags |= AMQP_BASIC_MESSAGE_ID_FLAG;
    properties.message_id = bytes_of(message.id);
  }
  int status =
      amqp_basic_publish(connection.state(), RabbitConnection::channel, bytes_of(item.exchange),
                         bytes_of(message.target), 1, 0, &properties, bytes_of(message.body));
  if (status == AMQP_STATUS_OK) return true;
  trouble_ = connection.failure("publishing", status).value.message;
  return false;
}

bool RabbitPublisher::read(RabbitConnection& connection) {
  for (;;) {
    amqp_frame_t frame;
    timeval at_once{0, 0};
    amqp_maybe_release_buffers(connection.state());
    int status = amqp_simple_wait_frame_noblock(connection.state(), &frame, &at_once);
    if (status == AMQP_STATUS_TIMEOUT) return true;
    if (status != AMQP_STATUS_OK) {
      trouble_ = connection.failure("waiting for confirms", status).value.message;
      return false;
    }
    if (frame.frame_type != AMQP_FRAME_METHOD) continue;
    void* decoded = frame.payload.method.decoded;
    switch (frame.payload.method.id) {
      case AMQP_BASIC_ACK_METHOD: {
        const auto* ack = static_cast<const amqp_basic_ack_t*>(decoded);
        settle(ack->delivery_tag, ack->multiple != 0);
        break;
      }
      case AMQP_BASIC_RETURN_METHOD:
        if (!take_return(connection, *static_cast<const amqp_basic_return_t*>(decoded)))
          return false;
        break;
      case AMQP_CONNECTION_BLOCKED_METHOD: blocked_ = true; break;
      case AMQP_CONNECTION_UNBLOCKED_METHOD: blocked_ = false; break;
      case AMQP_BASIC_NACK_METHOD:
        // Anything behind it may have been kept: all of it goes again, in order.
        trouble_ = "RabbitMQ at " + connection.address().shown() + " could not keep a message";
        return false;
      case AMQP_CHANNEL_CLOSE_METHOD:
        trouble_ = text_of(static_cast<const amqp_channel_close_t*>(decoded)->reply_text);
        return false;
      case AMQP_CONNECTION_CLOSE_METHOD:
        trouble_ = text_of(static_cast<const amqp_connection_close_t*>(decoded)->reply_text);
        return false;
      default: break;
    }
  }
}

/// Nobody keeps such messages. The broker acknowledges it all the same, after this.
bool RabbitPublisher::take_return(RabbitConnection& connection,
                                  const amqp_basic_return_t& returned) {
  std::string target = text_of(returned.routing_key);
  amqp_message_t message;
  amqp_rpc_reply_t reply =
      amqp_read_message(connection.state(), RabbitConnection::channel, &message, 0);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
    trouble_ =
        connection.failure("reading a returned message", connection.said(reply)).value.message;
    return false;
  }
  bool named = (message.properties._flags & AMQP_BASIC_MESSAGE_ID_FLAG) != 0;
  std::string id = named ? text_of(message.properties.message_id) : "";
  amqp_destroy_message(&message);
  for (auto& [tag, sent] : sent_) {
    if (sent.returned || sent.item.message.id != id || sent.item.message.target != target) continue;
    sent.returned = true;
    break;
  }
  return true;
}

void RabbitPublisher::settle(uint64_t tag, bool multiple) {
  std::vector<BusConfirm> confirms;
  auto settle_one = [&](Sent& sent) {
    const Item& item = sent.item;
    if (item.copy_of != 0) {
      if (!sent.returned) return callbacks_.copied(item.copy_of);
      // The queue of copies is gone; it is declared again with the next connection.
      std::lock_guard lock(mutex_);
      queue_.push_back(std::move(sent.item));
      return;
    }
    confirms.push_back(
        {item.message.ticket, sent.returned ? Outcome::unroutable : Outcome::confirmed});
  };
  auto from = multiple ? sent_.begin() : sent_.find(tag);
  while (from != sent_.end() && from->first <= tag) {
    settle_one(from->second);
    from = sent_.erase(from);
    if (!multiple) break;
  }
  tell(std::move(confirms));
}

void RabbitPublisher::lose_all(const std::string& why) {
  std::vector<BusConfirm> confirms;
  {
    std::lock_guard lock(mutex_);
    std::deque<Item> copies;
    auto lose = [&](Item& item) {
      if (item.copy_of != 0) {
        copies.push_back(std::move(item));
      } else {
        confirms.push_back({item.message.ticket, Outcome::lost});
      }
    };
    for (auto& [tag, sent] : sent_) lose(sent.item);
    for (Item& item : queue_) lose(item);
    sent_.clear();
    queue_ = std::move(copies);
  }
  callbacks_.changed(why);
  tell(std::move(confirms));
}

void RabbitPublisher::tell(std::vector<BusConfirm> confirms) {
  if (!confirms.empty()) callbacks_.confirmed(std::move(confirms));
}

}  // namespace fermata
