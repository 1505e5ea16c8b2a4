#pragma once
#include <string>
#include <string_view>

namespace fermata {

/// The address as it may be shown: `redis://user:secret@host` becomes `redis://user:***@host`. A
/// text that is no such address stays as it is.
std::string without_password(std::string_view url);

}  // namespace fermata
