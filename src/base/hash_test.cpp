#include "base/hash.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace fermata {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  return unbase64(text, out) ? out : "malformed";
}

TEST(Hash, known_answers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  auto digest = sha1("abc");
  EXPECT_EQ(hex({reinterpret_cast<const char*>(digest.data()), digest.size()}),
            "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Hash, known_answers_of_hmac) {  // RFC 4231, cases 2 and 6
  auto text = [](const std::array<uint8_t, 32>& digest) {
    return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
  };
  EXPECT_EQ(text(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(text(hmac_sha256(std::string(131, '\xaa'),
                             "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(text(hmac_sha256("", "")),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Hex, is_read_in_either_case_and_only_in_pairs) {
  std::string out;
  EXPECT_TRUE(unhex("00fFa5", out));
  EXPECT_EQ(out, std::string("\x00\xff\xa5", 3));
  EXPECT_TRUE(unhex("", out));
  EXPECT_FALSE(unhex("0", out));
  EXPECT_FALSE(unhex("0g", out));
}

TEST(Base64, known_answers) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xfb\xff"), "+/8=");
  EXPECT_EQ(base64("\xfb\xff", true), "-_8");
}

TEST(Base64, both_alphabets_with_and_without_padding_are_read) {
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zg"), "f");
  EXPECT_EQ(decoded("+/8="), "\xfb\xff");
  EXPECT_EQ(decoded("-_8"), "\xfb\xff");
  EXPECT_EQ(decoded(""), "");
}

TEST(Base64, malformed_texts_are_refused) {
  for (std::string_view text :
       {"Z", "Zg=", "Zg===", "Z===", "=", "Zm9v=", "Zm 9v", "Zh==", "Zm9v!"}) {
    EXPECT_EQ(decoded(text), "malformed") << text;
  }
}

TEST(Base64, any_bytes_read_back) {
  Random random(5);
  std::string bytes;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(decoded(base64(bytes)), bytes);
    EXPECT_EQ(decoded(base64(bytes, true)), bytes);
    bytes += static_cast<char>(random.next());
  }
}

}  // namespace
}  // namespace fermata
