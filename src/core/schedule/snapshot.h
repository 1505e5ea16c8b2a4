#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "core/schedule/schedule.h"

namespace fermata::schedule {

/// The state of a schedule as bytes, so that one that has fired for years is not folded from its
/// beginning. What an older one lacks keeps its default.
std::string encode_state(const Schedule& schedule);
/// Fails with data_damaged when the bytes are not what encode_state writes.
Outcome<Schedule> decode_state(std::string_view bytes);

}  // namespace fermata::schedule
