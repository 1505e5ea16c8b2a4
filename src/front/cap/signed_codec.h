#pragma once
#include <optional>

#include "base/signing.h"
#include "ports/cap.h"

namespace fermata::front::cap {

/// What is asked of packets that come in; setting `nats_signatures`.
enum class Signatures : uint8_t {
  off,
  verify,   ///< one that is there must be right
  require,  ///< and there must be one
};

/// Signs what goes out, where there is a key, and judges what comes in (C-78): ECDSA over the bytes
/// of the packet without field 14.
class SignedCodec final : public fermata::cap::Codec {
 public:
  struct Keys {
    std::optional<SigningKey> own{};
    std::optional<TrustedKeys> trusted{};
  };
  /// `inner` must outlive it.
  SignedCodec(const fermata::cap::Codec& inner, Signatures wanted, Keys keys)
      : inner_(inner), wanted_(wanted), keys_(std::move(keys)) {}

  Outcome<fermata::cap::Packet> read(std::string_view bytes) const override;
  std::string write(const fermata::cap::Packet& packet) const override;

 private:
  const fermata::cap::Codec& inner_;
  const Signatures wanted_;
  const Keys keys_;
};

/// A packet in its two parts.
struct SignedBytes {
  std::string rest;
  std::string signature;  ///< empty when there is none
};
/// Nothing for bytes that are no fields.
std::optional<SignedBytes> without_signature(std::string_view bytes);

}  // namespace fermata::front::cap
