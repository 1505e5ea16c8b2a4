#pragma once
#include "core/model/delivery.h"

namespace fermata::view {

/// A delivery as the API shows it (W-33).
Value delivery(const Delivery& delivery);

}  // namespace fermata::view
