#pragma once
#include <array>
#include <string>
#include <vector>

#include "adapters/rabbitmq/rabbit_connection.h"

namespace fermata {

/// Where everything is published; a topic, so that observers may bind queues of their own (C-50).
constexpr const char* rabbit_exchange = "workflows";
constexpr const char* rabbit_dead_queue = "workflow.dead";
/// How long a message may be put off, in milliseconds (C-53).
constexpr std::array<int64_t, 4> rabbit_retry_classes = {1'000, 5'000, 15'000, 60'000};
/// The exchange that leads into the queue of that class. A copy keeps the name of the queue it
/// came from as its routing key, so the broker brings it back there by itself.
std::string rabbit_retry_name(int64_t class_ms);
/// The longest class that is not longer than the delay; the shortest for anything shorter.
int64_t rabbit_retry_class(Duration delay);

struct RabbitShape {
  bool quorum = true;        ///< `rabbitmq.queue_type`
  bool rune_compat = false;  ///< queues that Rune's parts declare too are plain and durable
};

struct RabbitQueue {
  std::string name;
  bool consumed = false;        ///< by us
  bool runes = false;           ///< declared by Rune's parts too
  bool limited = true;          ///< what was delivered too often goes to `workflow.dead`
  int64_t message_ttl_ms = 0;   ///< of a queue whose messages wait there
  bool back_to_origin = false;  ///< they return to the queue they came from
  std::string then{};           ///< or go on to this one
};
/// Every queue of C-50 that Fermata declares.
std::vector<RabbitQueue> rabbit_queues();

/// Declares exchanges, queues and bindings. What is there already in the same form stays. Fails
/// with invalid_setting, naming queue, both types and the ways out, when one is there in another
/// form (C-6): nothing of others is ever altered.
Outcome<void> declare_topology(RabbitConnection& connection, const RabbitShape& shape);

}  // namespace fermata
