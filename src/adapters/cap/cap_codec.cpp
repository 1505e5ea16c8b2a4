#include "adapters/cap/cap_codec.h"

#include "adapters/cap/from_wire.h"
#include "adapters/cap/to_wire.h"

namespace fermata {

Outcome<cap::Packet> CapCodec::read(std::string_view bytes) const {
  return cap::read_packet(bytes);
}

std::string CapCodec::write(const cap::Packet& packet) const { return cap::write_packet(packet); }

}  // namespace fermata
