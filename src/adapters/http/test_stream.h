#pragma once
#include <string>

// As OpenSSL declares them.
struct ssl_ctx_st;
struct ssl_st;

namespace fermata {

/// For tests: a certificate for `localhost` that is signed by itself.
class TestTls {
 public:
  TestTls();
  ~TestTls();
  TestTls(const TestTls&) = delete;
  TestTls& operator=(const TestTls&) = delete;
  ssl_ctx_st* context() const { return context_; }

 private:
  ssl_ctx_st* context_;
};

/// For tests: the server's end of a blocking connection, with or without TLS. Does not own the
/// socket.
class TestStream {
 public:
  explicit TestStream(int socket) : socket_(socket) {}
  ~TestStream();
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;

  /// False when the other side does not shake hands.
  bool start_tls(const TestTls& tls);
  bool is_encrypted() const { return ssl_ != nullptr; }
  bool write(const std::string& bytes);
  /// Reads until `count` bytes are buffered.
  bool fill(size_t count);
  std::string buffer;

 private:
  const int socket_;
  ssl_st* ssl_ = nullptr;
  bool is_open_ = true;
};

}  // namespace fermata
