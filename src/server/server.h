#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "base/error.h"
#include "server/http/connection.h"
#include "server/http/handler.h"
#include "server/http/loop.h"

namespace fermata::server {

struct ServerOptions {
  std::string listen = "127.0.0.1:4747";
  std::string tls_certificate_file;  ///< both or neither
  std::string tls_key_file;
  http::ConnectionLimits limits;  ///< http_body_bytes_max is limits.parser.body_bytes_max
  size_t connections_max = 10'000;
};

/// HTTP/1.1 with keep-alive and pipelining, plain or TLS, on one thread of its own.
class Server {
 public:
  /// `handler` (the Api) must outlive the server.
  Server(ServerOptions options, http::Handler& handler);
  ~Server();  ///< stops at once if it still runs
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens and begins to serve. Fails with `address_in_use` or `invalid_setting`.
  Outcome<void> start();
  /// Accepts nothing more, lets answers under way leave for at most `grace`, ends the rest.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(5'000));
  /// As bound: differs from the one asked for when that was 0.
  uint16_t port() const;
  size_t connections_open() const;
  /// To its thread; it must have been started.
  http::LoopDoor door();

 private:
  struct Running;
  const ServerOptions options_;
  http::Handler& handler_;
  std::unique_ptr<Running> running_;
};

}  // namespace fermata::server
