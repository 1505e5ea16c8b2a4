#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fermata::flow {

/// The candidate that was most likely meant by a mistyped `name`, or empty when none is near.
std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates);

/// A name as messages show it.
inline std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

/// "; did you mean `x`?" or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace fermata::flow
