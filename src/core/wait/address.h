#pragma once
#include <string>
#include <string_view>

/// How signals and contacts are brought together by what people write down (W-52).
namespace fermata::waits {

/// Digits with a leading `+` where there was one; `00` at the beginning means `+`.
std::string normal_phone(std::string_view written);
/// Letters of ASCII in lower case, without spaces around it.
std::string normal_email(std::string_view written);

}  // namespace fermata::waits
