#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <system_error>

#include "server/http/transport.h"

namespace fermata::http {
namespace {

std::string last_tls_error() {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : "unknown";
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(SSL* ssl, int fd) : ssl_(ssl), fd_(fd) {}
  ~TlsTransport() override {
    if (!broken_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
    ERR_clear_error();
    SSL_free(ssl_);
    ::close(fd_);
  }

  IoResult read(std::span<char> into) override {
    int size = static_cast<int>(std::min<size_t>(into.size(), INT_MAX));
    int n = SSL_read(ssl_, into.data(), size);
    return n > 0 ? IoResult{Io::ok, static_cast<size_t>(n)} : failed(n);
  }
  IoResult write(std::string_view bytes) override {
    if (bytes.empty()) return {};
    int size = static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX));
    int n = SSL_write(ssl_, bytes.data(), size);
    return n > 0 ? IoResult{Io::ok, static_cast<size_t>(n)} : failed(n);
  }
  void finish_writing() override {
    if (!broken_) SSL_shutdown(ssl_);
    ERR_clear_error();
    ::shutdown(fd_, SHUT_WR);
  }
  int fd() const override { return fd_; }

 private:
  IoResult failed(int n) {
    int reason = SSL_get_error(ssl_, n);
    ERR_clear_error();
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return {Io::blocked, 0};
    if (reason == SSL_ERROR_ZERO_RETURN) return {Io::ended, 0};
    broken_ = true;  // OpenSSL forbids a shutdown after a fatal error.
    return {Io::broken, 0};
  }

  SSL* const ssl_;
  const int fd_;
  bool broken_ = false;
};

int choose_http_1_1(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  int found = SSL_select_next_proto(&chosen, out_size, ours, sizeof ours - 1, in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

class OpensslContext final : public TlsContext {
 public:
  explicit OpensslContext(SSL_CTX* context) : context_(context) {}
  ~OpensslContext() override { SSL_CTX_free(context_); }

  std::unique_ptr<Transport> accept(int fd) override {
    SSL* ssl = SSL_new(context_);
    if (!ssl || SSL_set_fd(ssl, fd) != 1) {
      SSL_free(ssl);
      ::close(fd);
      return nullptr;
    }
    SSL_set_accept_state(ssl);
    return std::make_unique<TlsTransport>(ssl, fd);
  }

  Outcome<void> load(const std::string& certificate_file, const std::string& key_file) {
    SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
    SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS |
                                   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                      SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_alpn_select_cb(context_, choose_http_1_1, nullptr);
    if (SSL_CTX_use_certificate_chain_file(context_, certificate_file.c_str()) != 1)
      return fail(ErrorCode::invalid_setting,
                  "--tls-cert " + certificate_file + ": " + last_tls_error());
    if (SSL_CTX_use_PrivateKey_file(context_, key_file.c_str(), SSL_FILETYPE_PEM) != 1)
      return fail(ErrorCode::invalid_setting, "--tls-key " + key_file + ": " + last_tls_error());
    if (SSL_CTX_check_private_key(context_) != 1)
      return fail(ErrorCode::invalid_setting, "--tls-key does not belong to --tls-cert");
    return {};
  }

 private:
  SSL_CTX* const context_;
};

}  // namespace

Outcome<std::unique_ptr<TlsContext>> load_tls(const std::string& certificate_file,
                                              const std::string& key_file) {
  SSL_CTX* raw = SSL_CTX_new(TLS_server_method());
  if (!raw) return fail(ErrorCode::internal, "TLS cannot be set up: " + last_tls_error());
  auto context = std::make_unique<OpensslContext>(raw);
  FERMATA_TRY_VOID(context->load(certificate_file, key_file));
  return std::unique_ptr<TlsContext>(std::move(context));
}

}  // namespace fermata::http
