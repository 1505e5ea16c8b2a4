#include "adapters/rabbitmq/rabbit_consumer.h"

#include <amqp_framing.h>

#include <charconv>

#include "adapters/rabbitmq/backoff.h"

namespace fermata {

namespace {

constexpr int wait_ms = 1'000;
constexpr std::string_view attempt_header = "x-fermata-attempt";

/// The text of a header, where it has one: tables and lists are the broker's own affair.
std::optional<std::string> text_in(const amqp_field_value_t& field) {
  switch (field.kind) {
    case AMQP_FIELD_KIND_UTF8:
    case AMQP_FIELD_KIND_BYTES: return text_of(field.value.bytes);
    case AMQP_FIELD_KIND_I64: return std::to_string(field.value.i64);
    case AMQP_FIELD_KIND_I32: return std::to_string(field.value.i32);
    case AMQP_FIELD_KIND_I16: return std::to_string(field.value.i16);
    case AMQP_FIELD_KIND_I8: return std::to_string(field.value.i8);
    case AMQP_FIELD_KIND_BOOLEAN: return field.value.boolean != 0 ? "true" : "false";
    default: return std::nullopt;
  }
}

uint32_t attempt_of(const BusHeaders& headers) {
  const std::string* text = find_header(headers, attempt_header);
  uint32_t attempt = 1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), attempt);
  return std::max(attempt, 1u);
}

}  // namespace

RabbitConsumer::RabbitConsumer(const RabbitOptions& options, Callbacks callbacks)
    : options_(options), callbacks_(std::move(callbacks)), thread_([this] { run(); }) {}

RabbitConsumer::~RabbitConsumer() {
  stopping_ = true;
  bell_.ring();
  thread_.join();
}

std::vector<BusDelivery> RabbitConsumer::pull(size_t most) {
  std::lock_guard lock(mutex_);
  std::vector<BusDelivery> out;
  while (!arrived_.empty() && out.size() < most) {
    out.push_back(std::move(arrived_.front()));
    arrived_.pop_front();
  }
  return out;
}

void RabbitConsumer::acknowledge(uint64_t delivery) {
  {
    std::lock_guard lock(mutex_);
    auto found = tags_.find(delivery);
    if (found == tags_.end()) return;
    to_acknowledge_.push_back(found->second);
    tags_.erase(found);
  }
  bell_.ring();
}

void RabbitConsumer::rest(Duration pause) {
  {
    std::lock_guard lock(mutex_);
    rest_ = pause;
  }
  bell_.ring();
}

void RabbitConsumer::run() {
  Backoff backoff(reinterpret_cast<uintptr_t>(this));
  while (!stopping_) {
    int64_t pause_ms = 0;
    auto connection = open_any(options_);
    auto ready = connection ? subscribe(**connection) : Outcome<void>(Failure{connection.error()});
    if (ready) {
      backoff.reset();
      callbacks_.changed("");
      serve(**connection);
      connection->reset();
    } else {
      trouble_ = ready.error().message;
    }
    if (stopping_) return;
    drop_all();
    {
      std::lock_guard lock(mutex_);
      if (rest_) pause_ms = std::exchange(rest_, std::nullopt)->ms;
    }
    if (pause_ms == 0) {
      callbacks_.changed(trouble_);
      pause_ms = backoff.next_ms();
    }
    for (; pause_ms > 0 && !stopping_; pause_ms -= 50)
      bell_.wait(-1, static_cast<int>(std::min<int64_t>(pause_ms, 50)));
  }
}

Outcome<void> RabbitConsumer::subscribe(RabbitConnection& connection) {
  // Declared here too: this connection may be the first.
  FERMATA_TRY_VOID(declare_topology(connection, options_.shape));
  auto state = connection.state();
  constexpr amqp_channel_t channel = RabbitConnection::channel;
  amqp_basic_qos(state, channel, 0, options_.prefetch, 0);
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(state);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL)
    return connection.failure("setting the prefetch", connection.said(reply));
  for (const RabbitQueue& queue : rabbit_queues()) {
    if (!queue.consumed) continue;
    // The tag names the queue, so that every delivery does.
    amqp_basic_consume(state, channel, bytes_of(queue.name), bytes_of(queue.name), 0, 0, 0,
                       amqp_empty_table);
    reply = amqp_get_rpc_reply(state);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL)
      return connection.failure("consuming " + queue.name, connection.said(reply));
  }
  return {};
}

void RabbitConsumer::serve(RabbitConnection& connection) {
  trouble_ = "the connection was closed";
  while (!stopping_) {
    {
      std::lock_guard lock(mutex_);
      if (rest_) return;
    }
    if (!acknowledge_some(connection) || !take(connection)) return;
    bell_.wait(connection.socket(), wait_ms);
  }
  // What was settled before the end should not come again.
  acknowledge_some(connection);
}

bool RabbitConsumer::acknowledge_some(RabbitConnection& connection) {
  std::vector<uint64_t> tags;
  {
    std::lock_guard lock(mutex_);
    tags.swap(to_acknowledge_);
  }
  for (uint64_t tag : tags) {
    int status = amqp_basic_ack(connection.state(), RabbitConnection::channel, tag, 0);
    if (status == AMQP_STATUS_OK) continue;
    trouble_ = connection.failure("acknowledging", status).value.message;
    return false;
  }
  return true;
}

bool RabbitConsumer::take(RabbitConnection& connection) {
  bool any = false;
  for (;;) {
    amqp_envelope_t envelope;
    timeval at_once{0, 0};
    amqp_maybe_release_buffers(connection.state());
    amqp_rpc_reply_t reply = amqp_consume_message(connection.state(), &envelope, &at_once, 0);
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) {
      keep(envelope);
      amqp_destroy_envelope(&envelope);
      any = true;
      continue;
    }
    if (any) callbacks_.arrived();
    bool quiet = reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION &&
                 reply.library_error == AMQP_STATUS_TIMEOUT;
    if (quiet) return true;
    // A queue was deleted, or the broker closes: everything is declared and asked for anew.
    trouble_ = connection.failure("consuming", connection.said(reply)).value.message;
    return false;
  }
}

void RabbitConsumer::keep(const amqp_envelope_t& envelope) {
  const amqp_basic_properties_t& properties = envelope.message.properties;
  BusDelivery delivery;
  delivery.queue = text_of(envelope.consumer_tag);
  delivery.body = text_of(envelope.message.body);
  delivery.redelivered = envelope.redelivered != 0;
  if (delivery.redelivered) ++redelivered_;
  if ((properties._flags & AMQP_BASIC_MESSAGE_ID_FLAG) != 0)
    delivery.message_id = text_of(properties.message_id);
  if ((properties._flags & AMQP_BASIC_HEADERS_FLAG) != 0) {
    for (int i = 0; i < properties.headers.num_entries; ++i) {
      const amqp_table_entry_t& entry = properties.headers.entries[i];
      if (auto text = text_in(entry.value))
        delivery.headers.emplace_back(text_of(entry.key), *std::move(text));
    }
  }
  delivery.attempt = attempt_of(delivery.headers);
  std::lock_guard lock(mutex_);
  delivery.id = next_id_++;
  tags_[delivery.id] = envelope.delivery_tag;
  arrived_.push_back(std::move(delivery));
}

void RabbitConsumer::drop_all() {
  {
    std::lock_guard lock(mutex_);
    arrived_.clear();
    tags_.clear();
    to_acknowledge_.clear();
  }
  callbacks_.dropped();
}

}  // namespace fermata
