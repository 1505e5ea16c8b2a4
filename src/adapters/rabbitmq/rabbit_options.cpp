#include "adapters/rabbitmq/rabbit_options.h"

#include <atomic>

namespace fermata {

Outcome<std::unique_ptr<RabbitConnection>> open_any(const RabbitOptions& options) {
  static std::atomic<size_t> turns{0};
  size_t nodes = options.others.size() + 1;
  size_t first = nodes > 1 ? turns++ : 0;
  Error failure{ErrorCode::io_failed, "RabbitMQ was not tried", {}};
  for (size_t i = 0; i < nodes; ++i) {
    size_t at = (first + i) % nodes;
    const RabbitAddress& address = at == 0 ? options.address : options.others[at - 1];
    auto connection = RabbitConnection::open(address, options.connect_timeout);
    if (connection) return connection;
    // A node that is only away hides nothing that is wrong with another one.
    if (failure.code != ErrorCode::invalid_setting) failure = connection.error();
  }
  return Failure{failure};
}

}  // namespace fermata
