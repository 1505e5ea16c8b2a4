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
