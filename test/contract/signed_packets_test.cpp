#include "front/cap/signed_codec.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace fermata::front::cap {
namespace {

/// A packet of two fields, so that nothing here needs the real codec.
class Fields final : public fermata::cap::Codec {
 public:
  Outcome<fermata::cap::Packet> read(std::string_view bytes) const override {
    fermata::cap::Packet out;
    out.sender_id = bytes;
    return out;
  }
  std::string write(const fermata::cap::Packet& packet) const override {
    std::string bytes = "\x12";
    bytes += static_cast<char>(packet.sender_id.size());
    return bytes + packet.sender_id + std::string("\x20\x01", 2);
  }
};

/// A fresh pair of keys, in PEM.
struct Pair {
  explicit Pair(const char* curve = "P-256") {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen(curve), EVP_PKEY_free);
    auto text = [](auto&& write) {
      std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
      write(out.get());
      char* data = nullptr;
      long size = BIO_get_mem_data(out.get(), &data);
      return std::string(data, static_cast<size_t>(size));
    };
    secret = text([&](BIO* out) {
      PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    open = text([&](BIO* out) { PEM_write_bio_PUBKEY(out, key.get()); });
  }
  std::string secret, open;
};

struct SignedPackets : testing::Test {
  Fields inner;
  Pair own, other;
  SignedCodec codec(Signatures wanted, const Pair* signs, const std::string& trusted) {
    SignedCodec::Keys keys;
    if (signs) keys.own = *SigningKey::read(signs->secret);
    if (!trusted.empty()) keys.trusted = *TrustedKeys::read(trusted);
    return {inner, wanted, std::move(keys)};
  }
  fermata::cap::Packet packet() {
    fermata::cap::Packet out;
    out.sender_id = "worker";
    return out;
  }
};

// C-78
TEST_F(SignedPackets, of_a_trusted_key_are_read) {
  std::string bytes = codec(Signatures::off, &own, "").write(packet());
  EXPECT_GT(bytes.size(), inner.write(packet()).size());
  EXPECT_EQ(without_signature(bytes)->rest, inner.write(packet()))
      << "the signed part is as it was";
  EXPECT_TRUE(codec(Signatures::require, nullptr, other.open + own.open).read(bytes));
  EXPECT_TRUE(codec(Signatures::verify, nullptr, own.open).read(bytes));
}

// C-78
TEST_F(SignedPackets, of_another_key_or_changed_ones_are_refused) {
  std::string bytes = codec(Signatures::off, &own, "").write(packet());
  auto stranger = codec(Signatures::verify, nullptr, other.open).read(bytes);
  ASSERT_FALSE(stranger);
  EXPECT_NE(stranger.error().message.find("103"), std::string::npos) << stranger.error().message;
  bytes[3] ^= 1;
  EXPECT_FALSE(codec(Signatures::require, nullptr, own.open).read(bytes));
  EXPECT_TRUE(codec(Signatures::off, nullptr, "").read(bytes)) << "nobody looks";
}

// C-78
TEST_F(SignedPackets, without_a_signature_are_read_unless_one_is_required) {
  std::string bytes = inner.write(packet());
  EXPECT_TRUE(codec(Signatures::verify, nullptr, own.open).read(bytes));
  auto refused = codec(Signatures::require, nullptr, own.open).read(bytes);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("104"), std::string::npos) << refused.error().message;
}

TEST_F(SignedPackets, bytes_that_are_no_fields_have_no_parts) {
  EXPECT_FALSE(without_signature("\x12\x7f"));
  EXPECT_FALSE(without_signature("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
  EXPECT_FALSE(without_signature("\x13"));
  EXPECT_TRUE(without_signature(""));
}

TEST_F(SignedPackets, keys_of_another_kind_are_refused_and_not_repeated) {
  Pair larger("P-384");
  for (const std::string& text : {larger.secret, own.open, std::string(60, 'n')}) {
    auto read = SigningKey::read(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message.find(text.substr(30, 20)), std::string::npos);
  }
  EXPECT_FALSE(TrustedKeys::read(larger.open));
  EXPECT_FALSE(TrustedKeys::read(""));
}

}  // namespace
}  // namespace fermata::front::cap
