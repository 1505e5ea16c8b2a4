#pragma once
#include <functional>
#include <vector>

#include "adapters/rabbitmq/rabbit_topology.h"

namespace fermata {

/// Settings `rabbitmq.…` and what the adapter tells those who hold it.
struct RabbitOptions {
  RabbitAddress address{};
  std::vector<RabbitAddress> others{};  ///< nodes of the same cluster, tried where that is away
  RabbitShape shape{};
  uint16_t prefetch = 64;             ///< deliveries that are not settled, per queue (C-53)
  size_t unconfirmed_max = 256;       ///< published and not yet confirmed (C-52)
  size_t queue_messages_max = 1'024;  ///< handed over and not yet confirmed
  Duration connect_timeout{3'000};    ///< of one attempt
  Duration start_patience{30'000};    ///< how long the first connection is tried for
  std::string origin{};               ///< header `x-fermata-origin` of what we publish
  std::function<void()> on_news{};    ///< from any thread; must not block
  /// Told when the connection is lost (why) and when it is back (empty).
  std::function<void(const std::string&)> on_trouble{};
};

/// The first node that can be used. Which one is tried first goes round, so that the nodes share
/// the connections. Fails with what the last one said, or with what would stay wrong.
Outcome<std::unique_ptr<RabbitConnection>> open_any(const RabbitOptions& options);

}  // namespace fermata
