#pragma once
#include <string>
#include <string_view>

namespace fermata {

/// A text in which secrets of URLs are hidden: of a database the password, also as the value of
/// `password=`; of anything else all that stands before `@`. Any other text stays as it is.
std::string without_password(std::string_view text);

}  // namespace fermata
