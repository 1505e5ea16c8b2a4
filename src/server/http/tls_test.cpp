#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "server/http/test_client.h"
#include "server/server.h"

namespace fermata::server {
namespace {

/// A self-signed certificate in a directory of its own.
struct Certificate {
  std::string folder;
  std::string certificate_file;
  std::string key_file;

  Certificate() {
    char name[] = "/tmp/fermata-tls-XXXXXX";
    folder = mkdtemp(name);
    certificate_file = folder + "/cert.pem";
    key_file = folder + "/key.pem";
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_sign(certificate, key, EVP_sha256());
    FILE* file = fopen(certificate_file.c_str(), "w");
    PEM_write_X509(file, certificate);
    fclose(file);
    file = fopen(key_file.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~Certificate() {
    unlink(certificate_file.c_str());
    unlink(key_file.c_str());
    rmdir(folder.c_str());
  }
};

class EchoHandler final : public http::Handler {
 public:
  http::Lane classify(http::Request&) override { return http::Lane::safe; }
  void handle(const http::Request& request, http::Responder responder) override {
    http::Response response;
    response.body = request.body;
    // From another thread, as the engine does.
    std::thread([responder, response] { responder.send(response); }).join();
  }
  http::Response refuse(const Error&) override { return {}; }
  void answered(const http::Request&, int, std::chrono::nanoseconds) override {}
};

TEST(Tls, carries_requests_of_any_size) {
  Certificate certificate;
  EchoHandler handler;
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls_certificate_file = certificate.certificate_file;
  options.tls_key_file = certificate.key_file;
  Server server(options, handler);
  ASSERT_TRUE(server.start());
  TestClient client(server.port(), true);
  for (size_t size : {size_t{1}, size_t{100}, size_t{20'000}, size_t{3'000'000}}) {
    auto answer = client.ask("POST", "/", std::string(size, 'x'));
    ASSERT_EQ(answer.status, 200) << size;
    EXPECT_EQ(answer.body.size(), size);
  }
}

TEST(Tls, survives_clients_that_speak_plainly_or_hang_up) {
  Certificate certificate;
  EchoHandler handler;
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls_certificate_file = certificate.certificate_file;
  options.tls_key_file = certificate.key_file;
  Server server(options, handler);
  ASSERT_TRUE(server.start());
  TestClient plain(server.port());
  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(plain.ended());
  {
    TestClient gone(server.port(), true);
  }
  TestClient client(server.port(), true);
  EXPECT_EQ(client.ask("POST", "/", "x").body, "x");
}

TEST(Tls, refuses_a_key_of_another_certificate) {
  Certificate one;
  Certificate two;
  EchoHandler handler;
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls_certificate_file = one.certificate_file;
  options.tls_key_file = two.key_file;
  auto started = Server(options, handler).start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::invalid_setting);
}

TEST(Tls, file_that_is_missing_or_no_certificate_is_told_in_words) {
  Certificate good;
  EchoHandler handler;
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls_certificate_file = good.certificate_file + ".none";
  options.tls_key_file = good.key_file;
  auto missing = Server(options, handler).start();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "--tls-cert " + good.certificate_file + ".none: No such file or directory");
  options.tls_certificate_file = good.certificate_file;
  options.tls_key_file = good.certificate_file;
  auto no_key = Server(options, handler).start();
  ASSERT_FALSE(no_key);
  EXPECT_EQ(no_key.error().message.find("error:"), std::string::npos) << no_key.error().message;
}

}  // namespace
}  // namespace fermata::server
