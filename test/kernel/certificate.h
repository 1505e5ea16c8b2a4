#pragma once
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>

namespace fermata::test {

/// A certificate for 127.0.0.1 that is its own authority, in files of its own.
struct Certificate {
  explicit Certificate(const std::filesystem::path& folder)
      : certificate(folder / "kernel.pem"), key(folder / "kernel.key") {
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* made = X509_new();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -60);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, pair);
    X509_NAME* subject = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("kernel"), -1, -1, 0);
    X509_set_issuer_name(made, subject);
    extend(made, NID_subject_alt_name, "IP:127.0.0.1");
    extend(made, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(made, pair, EVP_sha256());
    FILE* file = std::fopen(certificate.c_str(), "w");
    PEM_write_X509(file, made);
    std::fclose(file);
    file = std::fopen(key.c_str(), "w");
    PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(made);
    EVP_PKEY_free(pair);
  }

  std::filesystem::path certificate;
  std::filesystem::path key;

 private:
  static void extend(X509* made, int kind, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
    X509_add_ext(made, extension, -1);
    X509_EXTENSION_free(extension);
  }
};

}  // namespace fermata::test
