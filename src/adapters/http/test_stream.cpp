#include "adapters/http/test_stream.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/check.h"

namespace fermata {
namespace {

constexpr size_t buffered_bytes_max = 16 << 20;

void self_sign(SSL_CTX* context) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  check(key && certificate);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3'600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86'400);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* host = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  check(X509_sign(certificate, key, EVP_sha256()) > 0);
  check(SSL_CTX_use_certificate(context, certificate) == 1);
  check(SSL_CTX_use_PrivateKey(context, key) == 1);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

}  // namespace

TestTls::TestTls() : context_(SSL_CTX_new(TLS_server_method())) {
  check(context_ != nullptr);
  self_sign(context_);
}

TestTls::~TestTls() { SSL_CTX_free(context_); }

TestStream::~TestStream() {
  if (ssl_ && is_open_) SSL_shutdown(ssl_);
  SSL_free(ssl_);
}

bool TestStream::start_tls(const TestTls& tls) {
  ssl_ = SSL_new(tls.context());
  SSL_set_fd(ssl_, socket_);
  is_open_ = SSL_accept(ssl_) == 1;
  return is_open_;
}

bool TestStream::write(const std::string& bytes) {
  size_t done = 0;
  while (is_open_ && done < bytes.size()) {
    const size_t left = std::min<size_t>(bytes.size() - done, 1 << 20);
    const auto n = ssl_ ? SSL_write(ssl_, bytes.data() + done, static_cast<int>(left))
                        : send(socket_, bytes.data() + done, left, MSG_NOSIGNAL);
    is_open_ = n > 0;
    if (is_open_) done += static_cast<size_t>(n);
  }
  return is_open_;
}

bool TestStream::fill(size_t count) {
  while (is_open_ && buffer.size() < count && buffer.size() < buffered_bytes_max) {
    char piece[16'384];
    const auto n =
        ssl_ ? SSL_read(ssl_, piece, sizeof piece) : recv(socket_, piece, sizeof piece, 0);
    is_open_ = n > 0;
    if (is_open_) buffer.append(piece, static_cast<size_t>(n));
  }
  return buffer.size() >= count;
}

}  // namespace fermata
