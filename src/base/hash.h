#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fermata {

std::array<uint8_t, 32> sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::array<uint8_t, 20> sha1(std::string_view bytes);
std::string hex(std::string_view bytes);
/// The URL alphabet is written without padding.
std::string base64(std::string_view bytes, bool url = false);
/// Accepts both alphabets, padding optional; empty optional semantics: false when malformed.
bool unbase64(std::string_view text, std::string& out);

}  // namespace fermata
