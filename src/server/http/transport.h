#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fermata::http {

enum class Io : uint8_t { ok, blocked, ended, broken };
struct IoResult {
  Io status = Io::ok;
  size_t bytes = 0;
  bool more = true;  ///< of a read: another one at once may give more
};

/// Bytes to and from one client, plain or through TLS; never blocks. Owns its descriptor.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual IoResult read(std::span<char> into) = 0;
  virtual IoResult write(std::string_view bytes) = 0;
  /// Says that nothing more will be written, so that the client can read to the end.
  virtual void finish_writing() = 0;
  virtual int fd() const = 0;
};

std::unique_ptr<Transport> plain_transport(int fd);

/// A server's certificate, ready for connections.
class TlsContext {
 public:
  virtual ~TlsContext() = default;
  virtual std::unique_ptr<Transport> accept(int fd) = 0;
};
/// Fails with `invalid_setting` when a file is missing, unreadable or the two do not match.
Outcome<std::unique_ptr<TlsContext>> load_tls(const std::string& certificate_file,
                                              const std::string& key_file);

}  // namespace fermata::http
