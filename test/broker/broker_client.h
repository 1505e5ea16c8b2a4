#pragma once
#include <amqp.h>
#include <amqp_framing.h>

#include <chrono>
#include <optional>
#include <thread>

#include "adapters/rabbitmq/rabbit_topology.h"
#include "ports/bus.h"

namespace fermata::test {

/// Another program at the broker: a Rune master that sends, consumers that read. Speaks by the
/// library alone and shares no code with the adapter but the opening of a connection.
class BrokerClient {
 public:
  explicit BrokerClient(const RabbitAddress& address) {
    auto opened = RabbitConnection::open(address, Duration{5'000});
    if (opened) connection_ = *std::move(opened);
    if (connection_) amqp_confirm_select(state(), channel);
  }
  bool connected() const { return connection_ != nullptr; }

  /// True when the broker has it.
  bool send(const std::string& queue, const std::string& body, const std::string& id = "",
            const BusHeaders& headers = {}) {
    return put(queue, body, id, headers) && wait_for_confirm();
  }
  /// Without waiting for the broker.
  bool put(const std::string& queue, const std::string& body, const std::string& id = "",
           const BusHeaders& headers = {}) {
    std::vector<amqp_table_entry_t> entries;
    for (const auto& [key, value] : headers) {
      amqp_field_value_t field;
      field.kind = AMQP_FIELD_KIND_UTF8;
      field.value.bytes = bytes_of(value);
      entries.push_back({bytes_of(key), field});
    }
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_HEADERS_FLAG;
    properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    properties.headers = {static_cast<int>(entries.size()), entries.data()};
    if (!id.empty()) {
      properties._flags |= AMQP_BASIC_MESSAGE_ID_FLAG;
      properties.message_id = bytes_of(id);
    }
    return amqp_basic_publish(state(), channel, amqp_empty_bytes, bytes_of(queue), 0, 0,
                              &properties, bytes_of(body)) == AMQP_STATUS_OK;
  }

  /// True when the broker has so many more of what was put.
  bool await_confirms(size_t count) {
    while (count > 0) {
      amqp_frame_t frame;
      timeval most{20, 0};
      if (amqp_simple_wait_frame_noblock(state(), &frame, &most) != AMQP_STATUS_OK) return false;
      if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
        return false;
      const auto* ack = static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded);
      // One that says `multiple` answers for all before it.
      uint64_t answered = ack->multiple ? ack->delivery_tag - confirmed_ : 1;
      confirmed_ = ack->multiple ? ack->delivery_tag : confirmed_ + 1;
      count -= std::min<size_t>(count, answered);
    }
    return true;
  }
  /// The next message of a queue, taken from it; none when it is empty.
  std::optional<BusDelivery> take(const std::string& queue) {
    amqp_rpc_reply_t reply = amqp_basic_get(state(), channel, bytes_of(queue), 1);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL || reply.reply.id != AMQP_BASIC_GET_OK_METHOD)
      return std::nullopt;
    amqp_message_t message;
    reply = amqp_read_message(state(), channel, &message, 0);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) return std::nullopt;
    BusDelivery out;
    out.queue = queue;
    out.body = text_of(message.body);
    if ((message.properties._flags & AMQP_BASIC_MESSAGE_ID_FLAG) != 0)
      out.message_id = text_of(message.properties.message_id);
    if ((message.properties._flags & AMQP_BASIC_HEADERS_FLAG) != 0)
      for (int i = 0; i < message.properties.headers.num_entries; ++i) {
        const amqp_table_entry_t& entry = message.properties.headers.entries[i];
        if (entry.value.kind == AMQP_FIELD_KIND_UTF8)
          out.headers.emplace_back(text_of(entry.key), text_of(entry.value.value.bytes));
      }
    amqp_destroy_message(&message);
    amqp_maybe_release_buffers(state());
    return out;
  }
  /// The same, waiting for one to come.
  std::optional<BusDelivery> await(const std::string& queue, int most_ms = 20'000) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
    for (;;) {
      if (auto found = take(queue)) return found;
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  /// Messages that are ready in a queue, or nothing when there is no such queue.
  std::optional<uint32_t> ready(const std::string& queue) {
    auto* found =
        amqp_queue_declare(state(), channel, bytes_of(queue), 1, 0, 0, 0, amqp_empty_table);
    return found ? std::optional(found->message_count) : std::nullopt;
  }
  void declare_plain(const std::string& queue) {
    amqp_queue_declare(state(), channel, bytes_of(queue), 0, 1, 0, 0, amqp_empty_table);
  }
  void remove(const std::string& queue) {
    amqp_queue_delete(state(), channel, bytes_of(queue), 0, 0);
  }
  /// Queues stay: one that is deleted and declared again under its name shortly before the broker
  /// is killed cannot always be opened by it afterwards.
  void purge_everything() {
    if (!declare_topology(*connection_, {})) return;
    for (const RabbitQueue& queue : rabbit_queues())
      amqp_queue_purge(state(), channel, bytes_of(queue.name));
  }

 private:
  static constexpr amqp_channel_t channel = RabbitConnection::channel;
  amqp_connection_state_t state() { return connection_->state(); }
  bool wait_for_confirm() {
    for (;;) {
      amqp_frame_t frame;
      timeval most{20, 0};
      if (amqp_simple_wait_frame_noblock(state(), &frame, &most) != AMQP_STATUS_OK) return false;
      if (frame.frame_type == AMQP_FRAME_METHOD)
        return frame.payload.method.id == AMQP_BASIC_ACK_METHOD;
    }
  }

  std::unique_ptr<RabbitConnection> connection_;
  uint64_t confirmed_ = 0;  ///< of what was put, by number
};

}  // namespace fermata::test
