#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace fermata::http {

struct Exchange;
class StreamState;

/// An answer that stays open: bytes are sent as they are written. Safe from any thread. Bounded:
/// a reader that is too slow makes `write` refuse, and the caller should then `close`.
class Stream {
 public:
  Stream() = default;
  Stream(std::shared_ptr<Exchange> exchange, std::shared_ptr<StreamState> state);

  /// False when the client is gone or more than `stream_bytes_max` wait to be sent.
  bool write(std::string_view bytes) const;
  void close() const;
  bool gone() const;
  /// Bytes written and not yet taken by the socket.
  size_t unsent() const;
  /// Called on the server's thread: when what was written has been sent, and when the client is
  /// gone or the server stops. Set both before the first write; neither may block. The last call
  /// of either comes before `forget` of the stream, after which both are released.
  void on_drained(std::function<void()> callback) const;
  void on_gone(std::function<void()> callback) const;

 private:
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<StreamState> state_;
};

/// The way to answer one request, once, from any thread. Copies answer the same request; the first
/// answer counts. When the last copy goes without an answer the client gets 500, never silence.
class Responder {
 public:
  Responder() = default;
  explicit Responder(std::shared_ptr<Exchange> exchange);
  Responder(const Responder& other);
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder other) noexcept;
  ~Responder();

  void send(Response response) const;
  /// Sends the head and keeps the answer open; its body is what the stream is given.
  Stream stream(Response head) const;

 private:
  std::shared_ptr<Exchange> exchange_;
};

constexpr size_t stream_bytes_max = 1 << 20;

}  // namespace fermata::http
