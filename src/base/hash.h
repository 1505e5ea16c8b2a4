#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fermata {

std::array<uint8_t, 32> sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::array<uint8_t, 32> hmac_sha256(std::string_view key, std::string_view bytes);
std::array<uint8_t, 20> sha1(std::string_view bytes);
std::string hex(std::string_view bytes);
/// The bytes that digits of either case stand for; false when malformed.
bool unhex(std::string_view text, std::string& out);
/// The URL alphabet is written without padding.
std::string base64(std::string_view bytes, bool url = false);
/// Accepts both alphabets, padding optional; empty optional semantics: false when malformed.
bool unbase64(std::string_view text, std::string& out);
/// Compares secrets of any length without telling by its time where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace fermata
