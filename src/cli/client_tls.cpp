#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <csignal>

#include "cli/client_http.h"

namespace fermata::cli {
namespace {

std::string reason(SSL* tls) {
  long verdict = SSL_get_verify_result(tls);
  if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
  const char* text = ERR_reason_error_string(ERR_get_error());
  return text != nullptr ? text : "the connection ended";
}

class TlsChannel final : public Channel {
 public:
  TlsChannel(int socket, SSL_CTX* context) : socket_(socket), context_(context) {
    tls_ = SSL_new(context_);
  }
  ~TlsChannel() override {
    SSL_free(tls_);
    SSL_CTX_free(context_);
    close(socket_);
  }

  Outcome<void> greet(const std::string& host) {
    SSL_set_fd(tls_, socket_);
    SSL_set_tlsext_host_name(tls_, host.c_str());
    // An address stands in another field of a certificate than a name.
    X509_VERIFY_PARAM* expected = SSL_get0_param(tls_);
    if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) != 1)
      SSL_set1_host(tls_, host.c_str());
    if (SSL_connect(tls_) == 1) return {};
    return fail(ErrorCode::io_failed, "TLS with " + host + ": " + reason(tls_) +
                                          ". SSL_CERT_FILE names further authorities.");
  }

  Outcome<size_t> read(char* into, size_t most) override {
    size_t count = 0;
    if (SSL_read_ex(tls_, into, most, &count) == 1) return count;
    int error = SSL_get_error(tls_, 0);
    if (error == SSL_ERROR_ZERO_RETURN) return size_t{0};
    return fail(ErrorCode::io_failed, "Reading the answer: " + reason(tls_) + ".");
  }

  Outcome<void> write(std::string_view bytes) override {
    size_t count = 0;
    if (SSL_write_ex(tls_, bytes.data(), bytes.size(), &count) == 1) return {};
    return fail(ErrorCode::io_failed, "Sending the request: " + reason(tls_) + ".");
  }

 private:
  const int socket_;
  SSL_CTX* context_;
  SSL* tls_;
};

}  // namespace

Outcome<std::unique_ptr<Channel>> open_tls_channel(int socket, const std::string& host) {
  // OpenSSL writes with write(2): without this a server that hangs up would end the process.
  std::signal(SIGPIPE, SIG_IGN);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_default_verify_paths(context);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  auto channel = std::make_unique<TlsChannel>(socket, context);
  FERMATA_TRY_VOID(channel->greet(host));
  return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace fermata::cli
