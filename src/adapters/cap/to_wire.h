#pragma once
#include "ports/cap.h"

namespace fermata::cap {

std::string write_packet(const Packet& packet);

}  // namespace fermata::cap
