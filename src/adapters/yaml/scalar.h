#pragma once
#include <string_view>

#include "base/value.h"

namespace fermata {

/// What a scalar without quotes stands for in the core schema of YAML 1.2.
Value plain_scalar(std::string_view text);

}  // namespace fermata
