#pragma once
#include <amqp.h>

#include <memory>
#include <string>

#include "adapters/rabbitmq/rabbit_address.h"
#include "base/time.h"

namespace fermata {

/// One connection with one channel. The library allows one thread per connection: whoever opens it
/// uses it alone.
class RabbitConnection {
 public:
  static constexpr amqp_channel_t channel = 1;
  static constexpr int heartbeat_seconds = 10;

  /// Fails with io_failed when nobody answers, and with invalid_setting when the broker does not
  /// let us in or is too old (C-6).
  static Outcome<std::unique_ptr<RabbitConnection>> open(const RabbitAddress& address,
                                                         Duration timeout);
  ~RabbitConnection();
  RabbitConnection(const RabbitConnection&) = delete;
  RabbitConnection& operator=(const RabbitConnection&) = delete;

  amqp_connection_state_t state() const { return state_; }
  int socket() const { return amqp_get_sockfd(state_); }
  const std::string& version() const { return version_; }
  const RabbitAddress& address() const { return address_; }

  /// What the broker said to the last question, as an error of ours. A closing of the channel or
  /// connection by the broker is told with its code and text.
  struct Said {
    int code = 0;  ///< reply code of the broker; 0: the connection itself failed
    std::string text;
  };
  Said said(const amqp_rpc_reply_t& reply) const;
  /// After a question that the library answers with a null.
  Said said() const { return said(amqp_get_rpc_reply(state_)); }
  /// The same as io_failed.
  Failure<Error> failure(std::string_view doing, const Said& said) const;
  Failure<Error> failure(std::string_view doing, int status) const;

 private:
  explicit RabbitConnection(RabbitAddress address) : address_(std::move(address)) {}
  Outcome<void> connect(Duration timeout);
  Outcome<void> log_in();
  void read_version();

  const RabbitAddress address_;
  amqp_connection_state_t state_ = nullptr;
  std::string version_;
};

amqp_bytes_t bytes_of(std::string_view text);
std::string text_of(amqp_bytes_t bytes);
/// True for `3.10` and what came after it.
bool is_new_enough(std::string_view version);

}  // namespace fermata
