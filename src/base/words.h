#pragma once
#include <span>
#include <string>
#include <string_view>

/// Words for messages to people.
namespace fermata {

/// The text in double quotes, cut when it is long.
std::string quoted(std::string_view text);
/// The text, cut when it is long, at a character's border.
std::string shortened(std::string text);

/// The candidate that `word` most likely was meant to be, without regard to case; empty when none
/// is close.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace fermata
