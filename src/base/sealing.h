#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fermata {

/// Why a sealed text does not open.
enum class SealFault : uint8_t {
  unknown_key,  ///< none of the keys here sealed it
  altered,      ///< it was changed, or is bound to something else
};

/// Keys that seal texts with AES-256-GCM. The first one seals and all of them open, so that a key
/// is changed by putting a new one before it. A sealed text is the format byte 1, 8 bytes that name
/// the key, a nonce of 12 random bytes, the ciphertext and a tag of 16 bytes. It opens only with
/// what it was `bound` to, which is not part of it.
class SealingKeys {
 public:
  static constexpr size_t keys_max = 16;

  /// One key of 256 random bits.
  static SealingKeys fresh();
  /// Keys of 32 bytes in hexadecimal or base64, separated by blanks, commas or line ends; `#`
  /// begins a remark. Fails with invalid_setting; the message never quotes the text.
  static Outcome<SealingKeys> read(std::string_view text);

  std::string seal(std::string_view plain, std::string_view bound) const;
  Result<std::string, SealFault> open(std::string_view sealed, std::string_view bound) const;

  /// Names a key without telling it: 16 hexadecimal digits.
  std::string first_id() const;
  bool knows(std::string_view key_id) const;
  /// The key a text was sealed under, empty for what is no sealed text.
  static std::string key_id_of(std::string_view sealed);

  /// Lets a text be recognised later by whoever has the key, and tells nothing to others: a plain
  /// hash of a short secret could be found by trying.
  std::string print_of(std::string_view text) const;
  bool is_print(std::string_view print, std::string_view text) const;

  /// The first key in the form that `read` takes; secret.
  std::string first_text() const;

 private:
  struct Key {
    std::string id;  ///< 8 bytes
    std::string bytes;
  };
  const Key* find(std::string_view id) const;
  void add(std::string bytes);

  std::vector<Key> keys_;
};

}  // namespace fermata
