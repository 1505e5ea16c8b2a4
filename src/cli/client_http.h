#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

/// A small blocking HTTP/1.1 client: one request for each connection, which is all a command needs.
namespace fermata::cli {

struct ServerAddress {
  bool tls = false;
  std::string host = "127.0.0.1";
  std::string port = "4747";
  std::string authority() const;
};
/// `http://host:port`, `https://host`, or just `host:port`. Fails with `usage`.
Outcome<ServerAddress> parse_server_address(std::string_view text);

/// Bytes to and from a server. Used by one thread.
class Channel {
 public:
  virtual ~Channel() = default;
  /// 0 at the end of the stream. Fails with io_failed.
  virtual Outcome<size_t> read(char* into, size_t most) = 0;
  virtual Outcome<void> write(std::string_view bytes) = 0;
};
/// Fails with io_failed, naming the address. `silence_seconds` 0 waits for ever between bytes.
Outcome<std::unique_ptr<Channel>> open_channel(const ServerAddress& address, int silence_seconds);
/// Takes over a connected socket; checks the certificate against `host` (client_tls.cpp).
Outcome<std::unique_ptr<Channel>> open_tls_channel(int socket, const std::string& host);

struct HttpAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// Sends a request and reads the answer. Pieces of a 200's body go to `sink` when there is one,
/// which ends the reading by answering false; every other body is kept in the answer.
using BodySink = std::function<bool(std::string_view)>;
Outcome<HttpAnswer> exchange(Channel& channel, const ServerAddress& address,
                             const HttpRequest& request, const BodySink& sink = {});

}  // namespace fermata::cli
