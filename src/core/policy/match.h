#pragma once
#include <optional>
#include <string>

#include "core/policy/document.h"

namespace fermata::policy {

/// The name of the first field that does not hold; nothing when all of them do.
std::optional<std::string> first_failed(const Match& match, const Facts& facts);
/// The same without a name.
bool holds(const Match& match, const Facts& facts);
/// The same as far as it can be told before anybody has read the input.
bool may_hold(const Match& match, const Facts& facts);
/// True when the input has to be read to tell.
bool wants_content(const Match& match);
/// True when whatever fits `narrow` surely fits `wide`; false when that cannot be told.
bool covers(const Match& wide, const Match& narrow);

}  // namespace fermata::policy
