#pragma once
#include "ports/cap.h"

namespace fermata::cap {

Outcome<Packet> read_packet(std::string_view bytes);

}  // namespace fermata::cap
