#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

#include "adapters/nats/handles.h"
#include "adapters/nats/nats_wire.h"

namespace fermata::nats {

/// The connection: made once, and again whenever it breaks, by libnats itself. Knows whether it
/// stands and why not.
class Link {
 public:
  explicit Link(const NatsOptions& options) : options_(options) {}
  ~Link() { close(); }
  /// Tries until somebody answers or the patience is over.
  Outcome<void> open();
  /// Breaks off everything that waits for the server. Nothing of libnats calls the link any more
  /// when it returns.
  void close();

  natsConnection* connection() { return connection_.get(); }
  jsCtx* jetstream() { return jetstream_.get(); }
  bool up() const { return up_; }
  /// Counts connections: who has prepared something for one prepares it anew for the next.
  uint64_t epoch() const { return epoch_; }

  /// What is not as it should be, and when it is again; empty texts for nothing.
  void trouble(const std::string& part, const std::string& text);
  std::string troubles() const;

 private:
  Outcome<void> connect();
  Outcome<Options> options() const;
  std::string address() const;
  void lost();
  void found();
  void closed();

  const NatsOptions& options_;
  std::atomic<bool> up_{false};
  std::atomic<uint64_t> epoch_{0};
  mutable std::mutex mutex_;
  std::condition_variable over_;
  bool closing_ = false;
  bool closed_ = false;
  std::map<std::string, std::string> troubles_;
  Connection connection_;
  JetStream jetstream_;
};

}  // namespace fermata::nats
