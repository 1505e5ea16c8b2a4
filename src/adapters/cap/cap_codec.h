#pragma once
#include "ports/cap.h"

namespace fermata {

/// Packets of CAP by the generated code of proto/cap.proto, which stays in this folder.
class CapCodec final : public cap::Codec {
 public:
  Outcome<cap::Packet> read(std::string_view bytes) const override;
  std::string write(const cap::Packet& packet) const override;
};

}  // namespace fermata
