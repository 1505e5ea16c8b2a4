#pragma once
#include <string>
#include <vector>

#include "base/error.h"

namespace fermata {

/// Where a broker is and who asks; from `amqp(s)://user:password@host:port/vhost`.
struct RabbitAddress {
  std::string host = "127.0.0.1";
  int port = 5672;
  std::string user = "guest";
  std::string password = "guest";
  std::string vhost = "/";
  bool tls = false;
  std::string tls_ca{};  ///< PEM file of authorities; with TLS
  /// The address for people: without user and password.
  std::string shown() const;
};

/// Fails with invalid_setting; the message holds no password.
Outcome<RabbitAddress> rabbit_address(const std::string& url);
/// The same of several, separated by commas; one at least.
Outcome<std::vector<RabbitAddress>> rabbit_addresses(const std::string& urls);

}  // namespace fermata
