#include "adapters/rabbitmq/rabbit_topology.h"

#include <amqp_framing.h>

namespace fermata {

namespace {

constexpr int64_t delivery_limit = 20;

/// Arguments of a declaration. Texts must outlive it.
class Arguments {
 public:
  void text(const char* key, std::string_view value) {
    amqp_field_value_t field;
    field.kind = AMQP_FIELD_KIND_UTF8;
    field.value.bytes = bytes_of(value);
    entries_.push_back({amqp_cstring_bytes(key), field});
  }
  void number(const char* key, int64_t value) {
    amqp_field_value_t field;
    field.kind = AMQP_FIELD_KIND_I64;
    field.value.i64 = value;
    entries_.push_back({amqp_cstring_bytes(key), field});
  }
  amqp_table_t table() { return {static_cast<int>(entries_.size()), entries_.data()}; }

 private:
  std::vector<amqp_table_entry_t> entries_;
};

bool is_quorum(const RabbitQueue& queue, const RabbitShape& shape) {
  return shape.quorum && !(shape.rune_compat && queue.runes);
}

Arguments arguments_of(const RabbitQueue& queue, const RabbitShape& shape) {
  Arguments out;
  if (shape.rune_compat && queue.runes) return out;
  bool quorum = is_quorum(queue, shape);
  bool waits = queue.message_ttl_ms > 0 || !queue.then.empty();
  if (quorum) out.text("x-queue-type", "quorum");
  if (queue.message_ttl_ms > 0) out.number("x-message-ttl", queue.message_ttl_ms);
  if (waits) {
    out.text("x-dead-letter-exchange", "");
    if (!queue.then.empty()) out.text("x-dead-letter-routing-key", queue.then);
    // A copy that waits here is the only one there is: it may not be lost on its way on.
    if (quorum) {
      out.text("x-dead-letter-strategy", "at-least-once");
      out.text("x-overflow", "reject-publish");
    }
    return out;
  }
  if (!quorum || !queue.limited) return out;
  out.number("x-delivery-limit", delivery_limit);
  out.text("x-dead-letter-exchange", "");
  out.text("x-dead-letter-routing-key", rabbit_dead_queue);
  return out;
}

/// The type that the broker has, from its words about a difference; empty when they differ in
/// something else.
std::string type_found(const std::string& words) {
  if (words.find("'x-queue-type'") == std::string::npos) return "";
  for (const char* type : {"classic", "quorum", "stream"})
    if (words.find("current is the value '" + std::string(type) + "'") != std::string::npos)
      return type;
  return "classic";
}

Failure<Error> differs(const RabbitConnection& connection, const std::string& what,
                       const std::string& name, const std::string& wanted,
                       const std::string& words) {
  std::string found = type_found(words);
  std::string text = what + " `" + name + "` exists in RabbitMQ at " +
                     connection.address().shown() + " in another form";
  // The broker names one difference, and not always that of the types.
  if (!found.empty())
    text += ": it is a " + found + " queue and should be a " + wanted + " one";
  else if (what == "queue")
    text += ": it should be a " + wanted + " queue with the limits of ours";
  text +=
      ". Messages would not be kept as promised, and nothing of others is altered. Ways out: "
      "delete it when it is empty, set rabbitmq.queue_type = classic, or set rabbitmq.rune_compat "
      "= true where Rune's parts declare it. The broker says: " +
      words;
  return fail(ErrorCode::invalid_setting, std::move(text));
}

Outcome<void> declare_exchange(RabbitConnection& connection, const std::string& name,
                               const char* type) {
  amqp_exchange_declare(connection.state(), RabbitConnection::channel, bytes_of(name),
                        amqp_cstring_bytes(type), 0, 1, 0, 0, amqp_empty_table);
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection.state());
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
  auto said = connection.said(reply);
  if (said.code == AMQP_PRECONDITION_FAILED)
    return differs(connection, "exchange", name, type, said.text);
  return connection.failure("declaring exchange " + name, said);
}

Outcome<void> declare_queue(RabbitConnection& connection, const RabbitQueue& queue,
                            const RabbitShape& shape) {
  Arguments arguments = arguments_of(queue, shape);
  amqp_queue_declare(connection.state(), RabbitConnection::channel, bytes_of(queue.name), 0, 1, 0,
                     0, arguments.table());
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection.state());
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
  auto said = connection.said(reply);
  if (said.code == AMQP_PRECONDITION_FAILED)
    return differs(connection, "queue", queue.name, is_quorum(queue, shape) ? "quorum" : "classic",
                   said.text);
  return connection.failure("declaring queue " + queue.name, said);
}

Outcome<void> bind_queue(RabbitConnection& connection, const std::string& queue,
                         const std::string& exchange) {
  amqp_queue_bind(connection.state(), RabbitConnection::channel, bytes_of(queue),
                  bytes_of(exchange), bytes_of(queue), amqp_empty_table);
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection.state());
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
  return connection.failure("binding queue " + queue, connection.said(reply));
}

}  // namespace

std::string rabbit_retry_name(int64_t class_ms) {
  return "workflow.retry." + std::to_string(class_ms);
}

int64_t rabbit_retry_class(Duration delay) {
  int64_t found = rabbit_retry_classes.front();
  for (int64_t one : rabbit_retry_classes)
    if (one <= delay.ms) found = one;
  return found;
}

std::vector<RabbitQueue> rabbit_queues() {
  std::vector<RabbitQueue> out;
  // First where the others send what they cannot keep.
  out.push_back({.name = rabbit_dead_queue, .limited = false});
  for (const char* name : {"workflow.execution", "workflow.resume"})
    out.push_back({.name = name, .consumed = true, .runes = true});
  for (const char* name :
       {"workflow.node.status", "workflow.completion", "workflow.worker.initiated"})
    out.push_back({.name = name, .runes = true});
  out.push_back({.name = "workflow.timeout.process", .consumed = true});
  out.push_back({.name = "workflow.timeout", .then = "workflow.timeout.process"});
  for (int64_t one : rabbit_retry_classes)
    out.push_back({.name = rabbit_retry_name(one), .message_ttl_ms = one, .back_to_origin = true});
  return out;
}

Outcome<void> declare_topology(RabbitConnection& connection, const RabbitShape& shape) {
  FERMATA_TRY_VOID(declare_exchange(connection, rabbit_exchange, "topic"));
  for (const RabbitQueue& queue : rabbit_queues()) {
    FERMATA_TRY_VOID(declare_queue(connection, queue, shape));
    if (queue.back_to_origin) {
      FERMATA_TRY_VOID(declare_exchange(connection, queue.name, "fanout"));
      FERMATA_TRY_VOID(bind_queue(connection, queue.name, queue.name));
    } else {
      FERMATA_TRY_VOID(bind_queue(connection, queue.name, rabbit_exchange));
    }
  }
  return {};
}

}  // namespace fermata
