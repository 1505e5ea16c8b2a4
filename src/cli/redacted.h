#pragma once
#include <string>
#include <string_view>

namespace fermata::cli {

/// A text in which passwords of URLs are hidden: what stands between user and `@`, and the value of
/// `password=`. Any other text stays as it is.
std::string without_password(std::string_view text);

}  // namespace fermata::cli
