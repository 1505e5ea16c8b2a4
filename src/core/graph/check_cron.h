#pragma once
#include <string>
#include <string_view>

namespace fermata::graph {

/// What is wrong with a cron text of five fields (minute, hour, day of month, month, day of week)
/// with names, ranges, lists and steps; empty when it is right. Also refuses a date that never
/// comes, such as 30 February.
std::string cron_mistake(std::string_view text);

}  // namespace fermata::graph
